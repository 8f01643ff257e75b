//! Net files and inference.

use mancala_env::{
    ACTION_FEATURES, ActionInfo, Game, GameSpec, Giuthi, GiuthiRules, Kiothi, KiothiRules, Phase, Player,
    Position, Stream, for_game, random_action, random_opening, stream,
};
use mancala_search::net::{
    CAPTURE_FEATURES, NetConfig, NetEvaluator, NetHeader, NetOptions, REPLY_FEATURES, ReplyFinder, Weights,
    afterstates, agent, describe, describe_with, locate, read, shipped,
};
use mancala_search::{AgentError, Evaluations, Evaluator, Leaf};

const SIZES: NetConfig = NetConfig::plain(20, 2, 12, 10);
const TABLES: NetConfig = NetConfig { count_levels: 5, reply_features: true, ..SIZES };
const FULL: NetConfig = NetConfig { capture_search: true, afterstates: true, policy_blocks: 2, ..TABLES };

fn weights() -> (GiuthiRules, Weights) {
    weights_with(SIZES, false)
}

fn weights_with(sizes: NetConfig, margin: bool) -> (GiuthiRules, Weights) {
    let rules = GiuthiRules::new(5, 4).unwrap();
    let mut rng = stream(Stream::Learner, 1, 0, 0);
    let header = NetHeader::of::<Giuthi>(&rules, sizes).with_margin(margin);
    let mut weights = Weights::random(header, &mut rng);
    // Fresh biases are 0, which would hide a bias that is left out.
    for (i, value) in weights.tensors.iter_mut().flat_map(|tensor| &mut tensor.data).enumerate() {
        *value += 0.05 * (i as f32).sin();
    }
    (rules, weights)
}

/// The net once more, straight from the formula, one row at a time in f64.
fn plain(
    weights: &Weights,
    state: &Giuthi,
    observation: &[f32],
    actions: &[ActionInfo],
    described: &[Vec<f32>],
) -> (f64, Vec<f64>, Option<f64>) {
    let data = |name: &str| &weights.get(name).unwrap().data;
    let linear = |name: &str, x: &[f64]| -> Vec<f64> {
        let (weight, bias) = (data(&format!("{name}.weight")), data(&format!("{name}.bias")));
        let row = |row: &[f32]| row.iter().zip(x).map(|(&w, x)| f64::from(w) * x).sum::<f64>();
        weight.chunks(x.len()).zip(bias).map(|(weights, &bias)| row(weights) + f64::from(bias)).collect()
    };
    let relu = |x: &[f64]| x.iter().map(|x| x.max(0.0)).collect::<Vec<f64>>();
    let observation: Vec<f64> = observation.iter().map(|&x| f64::from(x)).collect();
    let mut x = linear("input", &observation);
    if let Some(table) = weights.get("input.counts.weight") {
        let (levels, channels) = (weights.header.net.count_levels, x.len());
        for (pit, share) in observation[..10].iter().enumerate() {
            let row = pit * levels + ((share * 4.0).round() as usize).min(levels - 1);
            let row = &table.data[row * channels..][..channels];
            x.iter_mut().zip(row).for_each(|(x, &cell)| *x += f64::from(cell));
        }
    }
    for block in 0..weights.header.net.blocks {
        let hidden = linear(&format!("block.{block}.first"), &relu(&x));
        let hidden = linear(&format!("block.{block}.second"), &relu(&hidden));
        x.iter_mut().zip(hidden).for_each(|(x, hidden)| *x += hidden);
    }
    let trunk = relu(&x);
    let policy = linear("policy.trunk", &trunk);
    let width = policy.len();
    let (mut mean, mut max, mut logits) = (vec![0.0; width], vec![0.0f64; width], Vec::new());
    for (info, features) in actions.iter().zip(described) {
        let mut units = policy.clone();
        for (i, unit) in units.iter_mut().enumerate() {
            let weight = &data("policy.features.weight")[i * features.len()..(i + 1) * features.len()];
            let part: f64 = weight.iter().zip(features).map(|(&w, &f)| f64::from(w) * f64::from(f)).sum();
            let embedding = f64::from(data("policy.actions.weight")[usize::from(info.action) * width + i]);
            *unit += part + embedding;
        }
        if let Some(table) = weights.get("policy.counts.weight").filter(|_| !info.ends_game) {
            let mut after = *state;
            after.play_unchecked(info.action);
            let levels = weights.header.net.count_levels;
            let side = if after.to_move() == state.to_move() { 0 } else { 10 * levels };
            let mut observation = [0; 15];
            after.observe_raw(&GiuthiRules::new(5, 4).unwrap(), &mut observation);
            for (pit, &count) in observation[..10].iter().enumerate() {
                let row = side + pit * levels + usize::from(count).min(levels - 1);
                let row = &table.data[row * width..][..width];
                units.iter_mut().zip(row).for_each(|(unit, &cell)| *unit += f64::from(cell));
            }
        }
        for block in 0..weights.header.net.policy_blocks {
            let hidden = linear(&format!("policy.block.{block}.first"), &relu(&units));
            let hidden = linear(&format!("policy.block.{block}.second"), &relu(&hidden));
            units.iter_mut().zip(hidden).for_each(|(unit, hidden)| *unit += hidden);
        }
        let units = relu(&units);
        let mut logit = 0.0;
        for (i, unit) in units.into_iter().enumerate() {
            mean[i] += unit / actions.len() as f64;
            max[i] = max[i].max(unit);
            logit += unit * f64::from(data("policy.output.weight")[i]);
        }
        logits.push(logit);
    }
    let hidden = relu(&linear("value.hidden", &[trunk, mean, max].concat()));
    let wdl = linear("value.output", &hidden);
    let sum: f64 = wdl[..3].iter().map(|x| x.exp()).sum();
    ((wdl[0].exp() - wdl[2].exp()) / sum, logits, wdl.get(3).copied())
}

#[test]
fn batches_agree_with_the_formula() {
    for sizes in [SIZES, TABLES, FULL, NetConfig { reply_features: true, ..SIZES }] {
        check_formula(sizes, false);
        check_formula(sizes, true);
    }
}

fn check_formula(sizes: NetConfig, margin: bool) {
    let (rules, weights) = weights_with(sizes, margin);
    let mut evaluator = NetEvaluator::<Giuthi>::new(&rules, &weights).unwrap();
    let positions: Vec<Position<Giuthi>> = (0..70)
        .map(|game| {
            let mut rng = stream(Stream::Arena, 0, game, 0);
            random_opening(&Position::initial(rules), (game % 12) as u32, &mut rng).unwrap()
        })
        .collect();
    let infos: Vec<Vec<ActionInfo>> = positions
        .iter()
        .map(|position| {
            position.legal_actions().iter().map(|&action| ActionInfo::of(position, action).0).collect()
        })
        .collect();
    let after: Vec<Vec<Giuthi>> = positions
        .iter()
        .zip(&infos)
        .map(|(position, actions)| afterstates(position.state(), actions))
        .collect();
    // Twice, the second time fewer: nothing may be left over from the larger batch.
    for count in [70, 3] {
        let leaves: Vec<Leaf<'_, Giuthi>> = positions[..count]
            .iter()
            .zip(&infos)
            .zip(&after)
            .map(|((position, actions), afterstates)| Leaf {
                rules: position.rules(),
                state: position.state(),
                history: position.history(),
                actions,
                afterstates,
            })
            .collect();
        let mut evaluations = Evaluations::default();
        evaluator.evaluate(&leaves, &mut evaluations).unwrap();
        assert_eq!(evaluations.values.len(), count);
        let mut found = evaluations.logits.iter();
        let judged = evaluator.judge(&leaves, &mut Vec::new());
        let rows = judged.rows().into_iter().zip(&evaluations.values);
        for (position, (actions, (row, value))) in positions.iter().zip(infos.iter().zip(rows)) {
            let mut observation = vec![0.0; 15];
            position.observe(&mut observation);
            let described = actions.iter().map(|info| {
                let mut features = vec![f32::NAN; weights.header.features];
                describe(position.state(), info, sizes, (4.0, 10), &mut features);
                features
            });
            let described: Vec<Vec<f32>> = described.collect();
            let (expected, logits, margin) =
                plain(&weights, position.state(), &observation, actions, &described);
            assert!((f64::from(*value) - expected).abs() < 1e-5, "{value} {expected}");
            assert!((row[0] - row[2] - value).abs() < 1e-6);
            assert!((row.slice(ndarray::s![..3]).sum() - 1.0).abs() < 1e-5);
            match (margin, row.get(3)) {
                (None, None) => {}
                (Some(expected), Some(&found)) => assert!((f64::from(found) - expected).abs() < 1e-5),
                (expected, found) => panic!("margin {found:?}, expected {expected:?}"),
            }
            for logit in logits {
                assert!((f64::from(*found.next().unwrap()) - logit).abs() < 1e-5);
            }
        }
        assert!(found.next().is_none());
    }
}

#[test]
fn files_come_back_as_they_were() {
    for (sizes, margin) in [(SIZES, false), (SIZES, true), (FULL, false), (FULL, true)] {
        let (_, weights) = weights_with(sizes, margin);
        assert_eq!(Weights::from_bytes(&weights.to_bytes()).unwrap(), weights);
    }
}

#[test]
fn a_net_does_not_mention_what_it_has_not() {
    let named = |weights: Weights, what: &str| {
        let bytes = weights.to_bytes();
        bytes.windows(what.len()).any(|window| window == what.as_bytes())
    };
    for what in ["margin", "pits"] {
        assert!(!named(weights().1, what) && named(weights_with(FULL, true).1, what), "{what}");
    }
}

#[test]
fn replies_are_described_as_the_rules_have_them() {
    let mut seen = [false; REPLY_FEATURES + CAPTURE_FEATURES];
    for (pits, seeds) in [(2, 2), (5, 4), (6, 6)] {
        let rules = GiuthiRules::new(pits, seeds).unwrap();
        let unit = f32::from(seeds);
        for game in 0..60 {
            let mut rng = stream(Stream::Arena, 1, game, 0);
            let Some(position) =
                random_opening(&Position::<Giuthi>::initial(rules), game as u32 % 20, &mut rng)
            else {
                continue;
            };
            for action in position.legal_actions() {
                let info = ActionInfo::of(&position, action).0;
                let mut found = vec![f32::NAN; ACTION_FEATURES + REPLY_FEATURES + CAPTURE_FEATURES];
                describe(position.state(), &info, FULL, (unit, 2 * usize::from(pits)), &mut found);
                let mut expected = info.features(unit, 2 * usize::from(pits)).to_vec();
                let mut after = position.clone();
                after.play(action).unwrap();
                let replies: Vec<ActionInfo> = match after.is_over() {
                    true => Vec::new(),
                    false => {
                        after.legal_actions().iter().map(|&reply| ActionInfo::of(&after, reply).0).collect()
                    }
                };
                let is_own = after.to_move() == position.to_move();
                let captures = || replies.iter().map(|reply| f32::from(reply.captured) / unit);
                let most = captures().fold(0.0, f32::max);
                let mean = captures().sum::<f32>() / (replies.len() as f32).max(1.0);
                let earns = f32::from(u8::from(replies.iter().any(|reply| reply.extra_move)));
                expected.extend(if is_own {
                    [most, earns, 0.0, 0.0, 0.0]
                } else {
                    [0.0, 0.0, most, mean, earns]
                });
                expected.push(replies.len() as f32 / (2.0 * f32::from(pits)));
                // What each reply is worth to the player who acted, with the best capture that follows it.
                let worth = |reply: &ActionInfo| {
                    // Of a fresh history: what is told does not depend on whether a reply repeats a position.
                    let mut replied = *after.state();
                    replied.play_unchecked(reply.action);
                    let sign = |own: bool| if own { 1.0 } else { -1.0 };
                    let answers = replied.legal_actions();
                    let captured = |&answer| { replied }.play_unchecked(answer).captured;
                    let most = answers.iter().map(captured).max();
                    let after_that =
                        sign(replied.to_move() == position.to_move()) * f32::from(most.unwrap_or(0));
                    (sign(is_own) * f32::from(reply.captured) + after_that) / unit
                };
                let worth: Vec<f32> = replies.iter().map(worth).collect();
                let best = match is_own {
                    true => worth.iter().copied().reduce(f32::max),
                    false => worth.iter().copied().reduce(f32::min),
                };
                expected.push(best.unwrap_or(0.0));
                expected.push(worth.iter().sum::<f32>() / (replies.len() as f32).max(1.0));
                for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    assert!((found - expected).abs() < 1e-6, "{i}: {found} {expected}");
                }
                for (seen, value) in seen.iter_mut().zip(&found[ACTION_FEATURES..]) {
                    *seen |= *value != 0.0;
                }
            }
        }
    }
    assert_eq!(seen, [true; REPLY_FEATURES + CAPTURE_FEATURES]);
}

/// Every action of a random game, described alone and with the replies to all that were found at once: the same bits.
fn compare_descriptions<G: Game>(rules: G::Rules) {
    let units = (G::seed_unit(&rules), G::num_pits(&rules));
    let mut rng = stream(Stream::Arena, 2, 0, 0);
    let mut finder = ReplyFinder::<G>::new(&rules, FULL).unwrap();
    for _ in 0..5 {
        let mut position = Position::<G>::initial(rules);
        let mut actions = Vec::new();
        while !position.is_over() {
            let legal = position.legal_actions();
            let info = |&action| ActionInfo::of(&position, action);
            actions.extend(legal.iter().map(info).map(|(info, after)| (*position.state(), info, after)));
            position.play_unchecked(random_action(position.state(), &mut rng).unwrap());
        }
        let replies = finder.find(actions.iter().map(|(state, info, after)| (state, info, after)));
        assert_eq!(replies.len(), actions.len());
        for ((state, info, _), replies) in actions.iter().zip(replies) {
            let mut written = [[f32::NAN; ACTION_FEATURES + REPLY_FEATURES + CAPTURE_FEATURES]; 2];
            describe(state, info, FULL, units, &mut written[0]);
            describe_with(info, replies, FULL, units, &mut written[1]);
            let [expected, found] = written.map(|features| features.map(f32::to_bits));
            assert_eq!(found, expected, "{} {info:?}", state.write());
        }
    }
}

#[test]
fn replies_found_at_once_are_described_alike() {
    for (pits, seeds) in [(2, 3), (5, 4), (8, 8)] {
        compare_descriptions::<Giuthi>(GiuthiRules::new(pits, seeds).unwrap());
    }
    compare_descriptions::<Kiothi>(KiothiRules::new(6, 5).unwrap());
}

#[test]
fn the_opening_of_kiothi_has_no_replies_to_describe() {
    let rules = KiothiRules::new(6, 5).unwrap();
    let mut position = Position::<Kiothi>::initial(rules);
    let mut rng = stream(Stream::Arena, 1, 0, 0);
    let (mut without, mut with) = (0, 0);
    while !position.is_over() {
        let is_opening = position.state().phase() != Phase::Sow;
        for action in position.legal_actions() {
            let info = ActionInfo::of(&position, action).0;
            let mut found = vec![f32::NAN; ACTION_FEATURES + REPLY_FEATURES];
            describe(position.state(), &info, TABLES, (6.0, 20), &mut found);
            match found[ACTION_FEATURES..].iter().all(|&value| value == 0.0) {
                true => without += usize::from(is_opening),
                false if is_opening => panic!("{found:?}"),
                false => with += 1,
            }
        }
        position.play_unchecked(random_action(position.state(), &mut rng).unwrap());
    }
    assert!(without > 0 && with > 0);
}

#[test]
fn weights_of_another_shape_are_refused() {
    let (rules, weights) = weights_with(FULL, true);
    for at in 0..weights.tensors.len() {
        let mut altered = weights.clone();
        let tensor = &mut altered.tensors[at];
        let name = tensor.name.clone();
        *tensor.shape.last_mut().unwrap() -= 1;
        tensor.data.truncate(tensor.shape.iter().product());
        let error = NetEvaluator::<Giuthi>::new(&rules, &altered).err().unwrap().to_string();
        assert!(error.contains(&format!("tensor {name} is ")), "{error}");
        altered.tensors.remove(at);
        let error = NetEvaluator::<Giuthi>::new(&rules, &altered).err().unwrap().to_string();
        assert!(error.contains(&format!("tensor {name} is missing")), "{error}");
    }
}

#[test]
fn a_cut_off_file_is_refused_at_every_length() {
    let bytes = weights().1.to_bytes();
    for length in (0..bytes.len()).step_by(97).chain(bytes.len() - 5..bytes.len()) {
        assert!(Weights::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
}

#[test]
fn a_net_of_another_game_is_refused_with_both_named() {
    let (_, weights) = weights();
    let other = GiuthiRules::new(6, 6).unwrap();
    let error = NetEvaluator::<Giuthi>::new(&other, &weights).err().unwrap().to_string();
    assert!(error.contains("giuthi-5x4") && error.contains("giuthi-6x6"), "{error}");
    let kiothi = KiothiRules::new(6, 5).unwrap();
    let error = NetEvaluator::<Kiothi>::new(&kiothi, &weights).err().unwrap().to_string();
    assert!(error.contains("giuthi-5x4") && error.contains("kiothi-6x5"), "{error}");
}

#[test]
fn a_newer_observation_version_is_refused_with_both_named() {
    let (rules, mut weights) = weights();
    weights.header.observation_version += 1;
    let error = NetEvaluator::<Giuthi>::new(&rules, &weights).err().unwrap().to_string();
    assert!(error.contains("observation version 2") && error.contains("observation version 1"), "{error}");
}

#[test]
fn a_net_is_found_as_run_checkpoint_and_file() {
    let (rules, weights) = weights();
    let run = tempfile::tempdir().unwrap();
    let checkpoint = run.path().join("checkpoints/latest");
    std::fs::create_dir_all(&checkpoint).unwrap();
    let file = checkpoint.join("net.safetensors");
    std::fs::write(&file, weights.to_bytes()).unwrap();
    for what in [run.path(), &checkpoint, &file] {
        let what = what.to_str().unwrap();
        assert_eq!(locate(what).unwrap(), file);
        let mut agent = agent::<Giuthi>(what, &rules, NetOptions::simulations(4), None).unwrap();
        let position = Position::initial(rules);
        assert!(position.is_legal(agent.act(&position).unwrap()));
    }
}

#[test]
fn a_missing_or_broken_net_is_named() {
    let (rules, weights) = weights();
    let error = |what: &str| {
        agent::<Giuthi>(what, &rules, NetOptions::simulations(1), None).err().unwrap().to_string()
    };
    assert!(error("no/such/run").contains("no/such/run: no such file or folder"));
    let run = tempfile::tempdir().unwrap();
    assert!(error(run.path().to_str().unwrap()).contains("no checkpoint here"));
    let file = run.path().join("net.safetensors");
    std::fs::write(&file, &weights.to_bytes()[..500]).unwrap();
    assert!(error(run.path().to_str().unwrap()).contains("not a whole net"));
}

#[test]
fn an_altered_net_in_a_checkpoint_is_refused() {
    let (rules, weights) = weights();
    let run = tempfile::tempdir().unwrap();
    let mut bytes = weights.to_bytes();
    let sum = format!("{:08x}", crc32fast::hash(&bytes));
    let manifest = format!(
        r#"{{"format": 1, "files": {{"net.safetensors": {{"bytes": {}, "crc32": "{sum}"}}}}}}"#,
        bytes.len()
    );
    std::fs::write(run.path().join("manifest.json"), manifest).unwrap();
    let file = run.path().join("net.safetensors");
    std::fs::write(&file, &bytes).unwrap();
    let what = run.path().to_str().unwrap();
    assert!(agent::<Giuthi>(what, &rules, NetOptions::simulations(1), None).is_ok());
    // The lowest bit of a weight: still a net, but another.
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let error = agent::<Giuthi>(what, &rules, NetOptions::simulations(1), None).err().unwrap();
    assert!(matches!(error, AgentError::Unfit(_)), "{error:?}");
    assert!(error.to_string().contains("has been altered"), "{error}");
}

#[test]
fn nets_that_ship_play_their_game_without_a_file() {
    for name in shipped() {
        let weights = read(name).unwrap();
        assert_eq!(weights.header.game, name.parse::<GameSpec>().unwrap().id());
        assert_eq!(read(&weights.header.game).unwrap().header, weights.header);
        assert!(weights.to_bytes().len() <= 1_000_000, "{name} is too large");
        for_game!(name.parse::<GameSpec>().unwrap(), |rules: G| beats_random::<G>(name, rules));
    }
    assert!(read("giuthi-6x6?capture=occupied").is_err(), "another game");
    let error = read("giuthi-9x9").unwrap_err().to_string();
    assert!(error.contains("giuthi-9x9: no such file or folder") && error.contains("giuthi-5x4"), "{error}");
}

fn beats_random<G: Game>(name: &str, rules: G::Rules) {
    let mut points = 0.0;
    for game in 0..20 {
        let mut rng = stream(Stream::Arena, 5, game, 0);
        let mut net = agent::<G>(name, &rules, NetOptions::simulations(16), None).unwrap();
        let mut position = Position::<G>::initial(rules);
        let own = Player::from_index(game as usize % 2);
        while !position.is_over() {
            let action = match position.to_move() == own {
                true => net.act(&position).unwrap(),
                false => random_action(position.state(), &mut rng).unwrap(),
            };
            position.play(action).unwrap();
        }
        points += match position.winner() {
            Some(winner) if winner == own => 1.0,
            None => 0.5,
            Some(_) => 0.0,
        };
    }
    assert!(points >= 16.0, "{name}: {points} of 20 against random play");
}
