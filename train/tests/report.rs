//! `mancala report`: one page of whatever there is of a run.

mod common;

use common::refusal;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CONFIG: &str = "
game = 'giuthi-3x2?capture=occupied'
iterations = 2
net = { channels = 8, blocks = 1, policy_hidden = 4, value_hidden = 4 }
self_play = { games = 4, lockstep = 2, simulations = 4, considered = 2, opening_plies = 2, max_plies = 30 }
learner = { batch = 8 }
evaluation = { games = 4, simulations = 2, opening_plies = 1, opponents = ['random'] }
";

fn mancala(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mancala")).args(arguments).output().unwrap()
}

/// Trains in a folder whose name is markup, and returns it.
fn run(folder: &Path, game: &str, more: &[&str]) -> String {
    let config = folder.join("config.toml");
    fs::write(&config, CONFIG.replace("giuthi-3x2?capture=occupied", game)).unwrap();
    let run = folder.join("<i>run & co").display().to_string();
    let config = config.display().to_string();
    let output = mancala(&[&["train", "--config", &config, "--out", &run], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let hint = String::from_utf8(output.stdout).unwrap();
    assert!(hint.contains(&format!("mancala report --run '{run}'")), "{hint}");
    run
}

/// The page of a run, which must be written, well-formed and complete in itself.
fn page(run: &str) -> String {
    let output = mancala(&["report", "--run", run]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = String::from_utf8(output.stdout).unwrap();
    assert_eq!(path.trim_end(), format!("{run}/report.html"));
    let page = fs::read_to_string(path.trim_end()).unwrap();
    check_tags(&page);
    for outside in ["src=", "href=", "http:", "https:", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} leads out of the page");
    }
    assert!(page.contains("prefers-color-scheme: dark") && !page.contains("<i>"));
    page
}

/// Every element is closed in its place.
fn check_tags(page: &str) {
    let mut open = Vec::new();
    for tag in page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        let name = tag.split_whitespace().next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
            None if ["!doctype", "meta"].contains(&name) || tag.ends_with('/') => {}
            // The script compares, too.
            None if open.last() == Some(&"script") => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

fn refused(arguments: &[&str]) -> String {
    refusal(&mancala(&[&["report"], arguments].concat()), 2)
}

#[test]
fn the_page_shows_the_run() {
    for game in ["giuthi-3x2?capture=occupied", "kiothi-3x1"] {
        let folder = tempfile::tempdir().unwrap();
        let run = run(folder.path(), game, &[]);
        let page = page(&run);
        for part in [
            &format!("<td>game</td><td>{game}</td>"),
            "<td>iterations</td><td>2 of 2</td>",
            "<td>games</td><td>8</td>",
            "policy loss <b>",
            "positions per second <b>",
            "<td>random</td><td>2</td><td>2</td><td>4</td>",
            "Of iteration 2.",
            "A random move of the opening.",
            "channels = 8",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert_eq!(page.matches("class=\"game\"").count(), 4);
        assert!(!page.contains("class=\"missing\""));

        let elsewhere = folder.path().join("page.html").display().to_string();
        let output = mancala(&["report", "--run", &run, "--out", &elsewhere]);
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), elsewhere);
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), page);
    }
}

#[test]
fn what_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), "giuthi-3x2", &["--set", "minutes=1e-9", "--set", "evaluation.games=0"]);
    let begun = page(&run);
    for missing in
        ["No match has ended yet.", "No iteration is complete yet.", "there is no replay shard yet"]
    {
        assert!(begun.contains(missing), "{missing}");
    }
    assert!(begun.contains("<td>iterations</td><td>0 of 2</td>"));

    let path = Path::new(&run);
    fs::write(path.join("replay/000007.shard"), "MNCSHARD").unwrap();
    fs::remove_dir_all(path.join("checkpoints")).unwrap();
    // A line that is just being written is not there yet.
    fs::write(path.join("metrics.jsonl"), "{\"iteration\":1,\"colour\":4,\"odd\":null}\n{\"iterat").unwrap();
    let damaged = page(&run);
    for part in ["000007.shard is damaged", "no checkpoint here", "colour <b>4</b>", "Other figures"] {
        assert!(damaged.contains(part), "{part}");
    }
    fs::remove_file(path.join("config.toml")).unwrap();
    let bare = page(&run);
    assert!(bare.contains("There is no config.toml.") && bare.contains("<td>iterations</td><td>1</td>"));
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().display().to_string();
    assert!(refused(&["--run", "/nowhere/run"]).contains("/nowhere/run: no such folder"));
    assert!(refused(&["--run", &empty]).contains("holds no run"));
    refused(&[]);
    let run = run(folder.path(), "giuthi-3x2", &["--set", "minutes=1e-9", "--set", "evaluation.games=0"]);
    let out = |out: &str| refused(&["--run", &run, "--out", out]);
    assert!(out("/nowhere/page.html").contains("--out /nowhere/page.html"));
    assert!(out(&empty).contains("is a folder"));
    for name in ["metrics.jsonl", "arena.jsonl"] {
        let file = Path::new(&run).join(name);
        fs::write(&file, "{\"iteration\":1}\n{\"iteration\"\n{\"iteration\":3}\n").unwrap();
        let message = refused(&["--run", &run]);
        assert!(message.contains(&format!("{}, line 2: ", file.display())), "{message}");
        fs::remove_file(&file).unwrap();
    }
    fs::write(Path::new(&run).join("config.toml"), "game = 7\n").unwrap();
    assert!(refused(&["--run", &run]).contains("config.toml"));
    assert!(!Path::new(&run).join("report.html").exists());
}
