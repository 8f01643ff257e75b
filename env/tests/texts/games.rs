//! Game ids and options.

use mancala_env::{AnyPosition, Capture, Game, GameSpec, Giuthi, GiuthiRules, Kiothi, KiothiRules};

#[test]
fn the_short_ids_are_the_common_boards() {
    let giuthi = GameSpec::Giuthi(GiuthiRules::new(8, 8).unwrap());
    let kiothi = GameSpec::Kiothi(KiothiRules::new(6, 5).unwrap());
    assert_eq!(GameSpec::parse("giuthi"), Ok(giuthi));
    assert_eq!(GameSpec::parse("kiothi"), Ok(kiothi));
    assert_eq!((giuthi.id().as_str(), kiothi.id().as_str()), ("giuthi-8x8", "kiothi-6x5"));
}

#[test]
fn every_id_is_read_back() {
    let mut ids = 0;
    for pits in 0..=11 {
        for seeds in 0..=31 {
            for id in [format!("giuthi-{pits}x{seeds}"), format!("kiothi-{pits}x{seeds}")] {
                let Ok(spec) = GameSpec::parse(&id) else { continue };
                assert_eq!((spec.id(), spec.to_string()), (id.clone(), id.clone()));
                assert_eq!(id.parse::<GameSpec>(), Ok(spec));
                assert_eq!(spec.initial().spec(), spec);
                ids += 1;
            }
        }
    }
    // 9 x 8 boards of Giuthi; Kiothi: boma 3 with 1..=10 warriors, 4 with 1..=7, 5: 6, 6: 5, 7: 4, 8, 9 and 10: 3.
    assert_eq!(ids, 72 + 10 + 7 + 6 + 5 + 4 + 3 + 3 + 3);
}

#[test]
fn options_follow_a_question_mark() {
    let occupied = GiuthiRules::new(6, 4).unwrap().with_capture(Capture::Occupied);
    assert_eq!(GameSpec::parse("giuthi-6x4?capture=occupied"), Ok(GameSpec::Giuthi(occupied)));
    assert_eq!(GameSpec::Giuthi(occupied).id(), "giuthi-6x4?capture=occupied");
    assert_eq!(GameSpec::parse("giuthi-6x4?capture=any").unwrap().id(), "giuthi-6x4");
    for (multiplier, text) in [(2.0, "2"), (10.0, "10"), (1.5, "1.5"), (1e10, "10000000000")] {
        let id = format!("kiothi-5x6?one_warrior_multiplier={text}");
        let spec = GameSpec::parse(&id).unwrap();
        let rules = KiothiRules::new(5, 6).unwrap().with_one_warrior_multiplier(multiplier).unwrap();
        assert_eq!((spec, spec.id()), (GameSpec::Kiothi(rules), id));
    }
    assert_eq!(GameSpec::parse("kiothi?one_warrior_multiplier=1.0").unwrap().id(), "kiothi-6x5");
}

#[test]
fn a_wrong_game_says_what_there_is() {
    for (id, says) in [
        ("", "no such game"),
        ("oware", "no such game"),
        ("Giuthi", "no such game"),
        ("giuthi8x8", "no such game"),
        ("-8x8", "no such game"),
        ("giuthi ", "no such game"),
        ("giuthi-", "expected a size"),
        ("giuthi-8", "expected a size"),
        ("giuthi-x", "expected a size"),
        ("giuthi-8x8x8", "expected a size"),
        ("giuthi-8X8", "expected a size"),
        ("giuthi--8x8", "expected a size"),
        ("giuthi-8x-8", "expected a size"),
        ("giuthi-8x 8", "expected a size"),
        ("giuthi-٨x٨", "expected a size"),
        ("giuthi-1x8", "2 to 10 pits"),
        ("giuthi-11x8", "2 to 10 pits"),
        ("giuthi-8x1", "2 to 9 seeds"),
        ("giuthi-8x10", "2 to 9 seeds"),
        ("giuthi-264x8", "2 to 10 pits"),
        ("giuthi-99999999999999999999x8", "2 to 10 pits"),
        ("kiothi-2x5", "3 to 10 boma"),
        ("kiothi-11x1", "3 to 10 boma"),
        ("kiothi-6x6", "at most 30 warriors"),
        ("kiothi-6x0", "3 to 10 boma"),
        ("giuthi?", "key=value"),
        ("giuthi?capture", "key=value"),
        ("giuthi?capture=any&", "key=value"),
        ("giuthi?capture=", "any or occupied"),
        ("giuthi?capture=none", "any or occupied"),
        ("giuthi-6x4?capture=any&capture=occupied", "option capture is given twice"),
        ("giuthi?one_warrior_multiplier=2", "giuthi has capture"),
        ("kiothi?capture=any", "kiothi has one_warrior_multiplier"),
        ("kiothi?one_warrior_multiplier=", "at least 1"),
        ("kiothi?one_warrior_multiplier=0.5", "at least 1"),
        ("kiothi?one_warrior_multiplier=-2", "at least 1"),
        ("kiothi?one_warrior_multiplier=NaN", "at least 1"),
        ("kiothi?one_warrior_multiplier=inf", "at least 1"),
        ("kiothi?one_warrior_multiplier=two", "at least 1"),
    ] {
        let error = GameSpec::parse(id).expect_err(id);
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.id, id);
    }
}

#[test]
fn a_position_is_read_as_the_game_that_is_named() {
    let spec = GameSpec::parse("giuthi-2x4?capture=occupied").unwrap();
    let AnyPosition::Giuthi(position) = spec.read("2,0/1,1 0 0 p1").unwrap() else { panic!("Giuthi") };
    assert_eq!(position.rules().capture(), Capture::Occupied);
    assert_eq!(spec.read("2,0/1,1 0 0 p1").unwrap().spec(), spec);
}

#[test]
fn games_tell_their_sizes() {
    let giuthi = GiuthiRules::new(7, 6).unwrap();
    assert_eq!((Giuthi::num_actions(&giuthi), Giuthi::num_pits(&giuthi)), (14, 14));
    assert_eq!((Giuthi::observation_len(&giuthi), Giuthi::total_seeds(&giuthi)), (19, 84));
    assert_eq!((Giuthi::seed_unit(&giuthi), Giuthi::win_value(&giuthi, 2)), (6.0, 1.0));
    assert_eq!((Giuthi::NAME, Giuthi::HAS_MIRROR), ("giuthi", true));
    let kiothi = KiothiRules::new(5, 6).unwrap();
    assert_eq!((Kiothi::num_actions(&kiothi), Kiothi::num_pits(&kiothi)), (630, 20));
    assert_eq!((Kiothi::observation_len(&kiothi), Kiothi::total_seeds(&kiothi)), (50, 60));
    assert_eq!((Kiothi::seed_unit(&kiothi), Kiothi::win_value(&kiothi, 2)), (6.0, 1.0));
    assert_eq!((Kiothi::NAME, Kiothi::HAS_MIRROR), ("kiothi", false));
}
