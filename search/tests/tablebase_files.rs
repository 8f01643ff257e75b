//! Files of tablebases: whole, altered, cut off, foreign, unfinished.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use mancala_env::{Capture, GiuthiRules};
use mancala_search::tablebase::{
    BuildObserver, BuildProgress, BuildSettings, BuiltLayer, Tablebase, TablebaseError, build,
};

fn rules(pits: u8) -> GiuthiRules {
    GiuthiRules::new(pits, 2).unwrap()
}

fn built(path: &Path, pits: u8, seeds: u32, settings: &BuildSettings) -> Vec<u8> {
    build(path, &rules(pits), seeds, settings, &()).unwrap();
    fs::read(path).unwrap()
}

/// Stops in the middle of a layer.
struct StopAt(u32);

impl BuildObserver for StopAt {
    fn on_progress(&self, progress: BuildProgress) -> bool {
        progress.seeds < self.0
    }
}

/// Counts the layers that were made, and those that were there.
#[derive(Default)]
struct Count([AtomicU32; 2]);

impl BuildObserver for Count {
    fn on_layer(&self, layer: BuiltLayer) {
        self.0[usize::from(layer.time.is_zero())].fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn the_file_does_not_depend_on_threads_or_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.tb");
    let expected = built(&path, 4, 14, &BuildSettings::default());
    let largest = 64_000;
    for (threads, memory) in [(3, 1 << 30), (1, 6 * largest), (3, 6 * largest + 500_000)] {
        let path = folder.path().join(format!("{threads}-{memory}.tb"));
        assert!(built(&path, 4, 14, &BuildSettings { threads, memory }) == expected, "{threads} {memory}");
    }
    let error =
        build(&path.with_extension("2"), &rules(4), 14, &BuildSettings { threads: 1, memory: 1000 }, &());
    assert!(error.unwrap_err().to_string().contains("1000 bytes, and the largest layer needs"));
}

#[test]
fn a_stopped_build_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let expected = built(&folder.path().join("whole.tb"), 3, 14, &BuildSettings::default());
    let path = folder.path().join("a.tb");
    for stop in [0, 5, 14] {
        let error = build(&path, &rules(3), 14, &BuildSettings::default(), &StopAt(stop)).unwrap_err();
        assert!(matches!(error, TablebaseError::Stopped { layers, all: 15 } if layers == stop), "{error}");
        assert!(!path.exists());
    }
    let count = Count::default();
    build(&path, &rules(3), 14, &BuildSettings::default(), &count).unwrap();
    assert_eq!(count.0.map(AtomicU32::into_inner), [1, 14]);
    assert!(fs::read(&path).unwrap() == expected);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn whatever_a_kill_or_a_crash_leaves_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let expected = built(&folder.path().join("whole.tb"), 3, 9, &BuildSettings::default());
    let path = folder.path().join("a.tb");
    let (part, lines) = (folder.path().join("a.tb.part"), folder.path().join("a.tb.part.json"));
    build(&path, &rules(3), 9, &BuildSettings::default(), &StopAt(9)).unwrap_err();
    let (data, text) = (fs::read(&part).unwrap(), fs::read(&lines).unwrap());
    let check = |what: &str| {
        build(&path, &rules(3), 9, &BuildSettings::default(), &()).unwrap();
        assert!(fs::read(&path).unwrap() == expected, "{what}");
        fs::remove_file(&path).unwrap();
    };
    for cut in (0..data.len()).step_by(97) {
        fs::write(&part, &data[..cut]).unwrap();
        fs::write(&lines, &text).unwrap();
        check(&format!("data of {cut} bytes"));
    }
    for cut in (0..text.len()).step_by(13) {
        fs::write(&part, &data).unwrap();
        fs::write(&lines, &text[..cut]).unwrap();
        check(&format!("list of {cut} bytes"));
    }
    for altered in (0..data.len()).step_by(61) {
        let mut data = data.clone();
        data[altered] ^= 4;
        data.extend(b"half a layer");
        fs::write(&part, &data).unwrap();
        fs::write(&lines, &text).unwrap();
        check(&format!("byte {altered} altered"));
    }
}

#[test]
fn an_unfinished_build_of_another_kind_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    build(&path, &rules(3), 9, &BuildSettings::default(), &StopAt(9)).unwrap_err();
    let before = fs::read(folder.path().join("a.tb.part")).unwrap();
    for (rules, seeds) in [(rules(4), 9), (rules(3), 10), (rules(3).with_capture(Capture::Occupied), 9)] {
        let error = build(&path, &rules, seeds, &BuildSettings::default(), &()).unwrap_err().to_string();
        assert!(error.contains("3 pits a row and capture=any") && error.contains("remove it"), "{error}");
    }
    assert!(fs::read(folder.path().join("a.tb.part")).unwrap() == before);
}

#[test]
fn a_file_that_is_there_is_not_built_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    fs::write(&path, b"something else").unwrap();
    let error = build(&path, &rules(3), 9, &BuildSettings::default(), &()).unwrap_err().to_string();
    assert!(error.contains("a.tb is there already"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"something else");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_of_somebody_elses_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, part) = (folder.path().join("a.tb"), folder.path().join("a.tb.part"));
    fs::write(&part, "half of a download").unwrap();
    let error = build(&path, &rules(2), 4, &BuildSettings::default(), &()).unwrap_err().to_string();
    assert!(error.contains("a.tb.part") && error.contains("there already"), "{error}");
    assert_eq!(fs::read(&part).unwrap(), b"half of a download");
}

#[test]
fn two_builds_of_one_file_do_not_mix() {
    struct Second<'a>(&'a Path);
    impl BuildObserver for Second<'_> {
        fn on_layer(&self, _: BuiltLayer) {
            let error = build(self.0, &rules(2), 4, &BuildSettings::default(), &()).unwrap_err();
            assert!(error.to_string().contains("another process is building it"), "{error}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    build(&path, &rules(2), 4, &BuildSettings::default(), &Second(&path)).unwrap();
    Tablebase::open(&path).unwrap().verify(|_| ()).unwrap();
}

fn problem(path: &Path) -> Option<String> {
    Tablebase::open(path).and_then(|table| table.verify(|_| ())).err().map(|error| error.to_string())
}

#[test]
fn every_altered_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    let bytes = built(&path, 2, 8, &BuildSettings::default());
    assert_eq!(problem(&path), None);
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[at] ^= flip;
            fs::write(&path, altered).unwrap();
            let problem = problem(&path).unwrap_or_else(|| panic!("byte {at} of {}", bytes.len()));
            assert!(problem.contains("a.tb") && !problem.contains('\n'), "{problem}");
        }
    }
}

#[test]
fn what_is_no_whole_tablebase_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    let bytes = built(&path, 2, 8, &BuildSettings::default());
    for cut in 0..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let problem = problem(&path).unwrap();
        assert!(problem.contains("not a tablebase") || problem.contains("cut off"), "{cut}: {problem}");
    }
    let middle: Vec<u8> = bytes[..60].iter().chain(&bytes[80..]).copied().collect();
    fs::write(&path, middle).unwrap();
    assert!(problem(&path).unwrap().contains("cut off"));
    fs::write(&path, b"something else altogether, and quite long too").unwrap();
    assert!(problem(&path).unwrap().contains("not a tablebase"));
    let mut newer = bytes.clone();
    newer[16] = 9;
    let sum = crc32fast::hash(&newer[..20]);
    newer[20..24].copy_from_slice(&sum.to_le_bytes());
    fs::write(&path, newer).unwrap();
    assert!(problem(&path).unwrap().contains("its format is 9, this version reads 1"));
    assert!(problem(&folder.path().join("missing.tb")).unwrap().contains("missing.tb"));
    assert!(problem(folder.path()).is_some(), "a folder");
}

#[test]
fn another_rules_version_is_refused_with_both_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    let bytes = built(&path, 2, 8, &BuildSettings::default());
    // Write the index anew as a later version might have.
    let trailer = bytes.len() - 32;
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (sums, index) = (long(trailer), long(trailer + 8));
    let text = String::from_utf8(bytes[trailer - index..trailer].to_vec()).unwrap();
    let text = text.replace("\"rules_version\":1", "\"rules_version\":7");
    let mut other = bytes[..trailer - index].to_vec();
    other.extend(text.bytes());
    let tail = crc32fast::hash(&other[trailer - index - sums..]);
    let mut end = bytes[trailer..].to_vec();
    end[16..20].copy_from_slice(&tail.to_le_bytes());
    let sum = crc32fast::hash(&end[..20]);
    end[20..24].copy_from_slice(&sum.to_le_bytes());
    other.extend(end);
    fs::write(&path, other).unwrap();
    let problem = problem(&path).unwrap();
    assert!(problem.contains("rules version 7") && problem.contains("rules version 1"), "{problem}");
}

#[test]
fn samples_are_checked_against_their_moves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tb");
    built(&path, 3, 10, &BuildSettings::default());
    let table = Tablebase::open(&path).unwrap();
    table.verify_samples(20_000, 1).unwrap();
    // One seed off in one board is found by its checksum; without that, by its moves.
    let bytes = fs::read(&path).unwrap();
    let mut found = 0;
    for at in (2_000..4_000).step_by(50) {
        let mut altered = bytes.clone();
        altered[at] = altered[at].wrapping_add(2);
        fs::write(&path, altered).unwrap();
        found += u32::from(Tablebase::open(&path).unwrap().verify_samples(100_000, 1).is_err());
    }
    assert!(found > 25, "{found} of 40");
}
