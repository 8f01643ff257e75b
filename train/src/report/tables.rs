//! What a run came to, in tables.

use serde_json::Value;

use super::Report;
use super::html::{duration, figure, grouped, table};
use crate::lines::{Line, number, text};

/// The run in figures.
pub(super) fn summary(report: &Report) -> String {
    let last = report.metrics.last();
    let total = |field: &str| last.and_then(|line| number(line, field)).map_or("-".into(), grouped);
    let done = last.and_then(|line| number(line, "iteration")).unwrap_or(0.0);
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    if let Some((_, config)) = &report.config {
        row("game", config.game.clone());
        row("seed", config.seed.to_string());
        row("iterations", format!("{} of {}", grouped(done), grouped(config.iterations as f64)));
    } else {
        row("iterations", grouped(done));
    }
    row("games", total("total_games"));
    row("positions", total("total_positions"));
    row("steps of the learner", total("total_steps"));
    row("time", last.and_then(|line| number(line, "elapsed_seconds")).map_or("-".into(), duration));
    let sum = |field: &str| report.metrics.iter().filter_map(|line| number(line, field)).sum::<f64>();
    let (positions, seconds) = (sum("positions"), sum("self_play_seconds"));
    row(
        "positions a second of self-play",
        if seconds > 0.0 { figure(positions / seconds) } else { "-".into() },
    );
    row(
        "parameters of the net",
        match &report.parameters {
            Ok(count) => grouped(*count as f64),
            Err(problem) => problem.clone(),
        },
    );
    table(&["", ""], &rows)
}

/// The matches, in the net's view; `None` if there are none.
pub(super) fn arena(lines: &[Line]) -> Option<String> {
    let count = |line: &Line, field| number(line, field).map_or("-".into(), grouped);
    let signed = |line: &Line, field| number(line, field).map(|elo| format!("{elo:+.0}"));
    let rows: Vec<_> = lines
        .iter()
        .map(|line| {
            let interval = match (signed(line, "elo_low"), signed(line, "elo_high")) {
                (Some(low), Some(high)) => format!("{low} to {high}"),
                _ => "unbounded".into(),
            };
            let score = |field| number(line, field).map_or("-".into(), |score| format!("{score:.3}"));
            let opponent = text(line, "opponent").unwrap_or("-").to_owned();
            let mut row = vec![opponent, count(line, "iteration"), count(line, "simulations")];
            row.extend(["games", "wins", "draws", "losses"].map(|field| count(line, field)));
            row.extend([score("score"), score("score_se")]);
            row.extend([signed(line, "elo").unwrap_or("-".into()), interval]);
            row
        })
        .collect();
    let head = [
        "against",
        "iteration",
        "simulations",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "standard error",
        "Elo",
        "95% interval",
    ];
    (!rows.is_empty()).then(|| table(&head, &rows))
}

/// The scores against each opponent over the iterations, where it was met more than once.
pub(super) fn scores(lines: &[Line]) -> Vec<(&str, Vec<(f64, f64)>)> {
    let mut scores: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for line in lines {
        let (Some(opponent), Some(iteration), Some(score)) =
            (text(line, "opponent"), number(line, "iteration"), number(line, "score"))
        else {
            continue;
        };
        let found = scores.iter_mut().find(|(name, _)| *name == opponent);
        match found {
            Some((_, points)) => points.push((iteration, score)),
            None => scores.push((opponent, vec![(iteration, score)])),
        }
    }
    for (_, points) in &mut scores {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    scores.retain(|(_, points)| points.len() > 1);
    scores
}

/// All fields of the metrics that are numbers, in the order in which they first stand there.
pub(super) fn fields(lines: &[Line]) -> Vec<&str> {
    let mut fields = Vec::new();
    for (field, value) in lines.iter().flatten() {
        if matches!(value, Value::Number(_)) && !fields.contains(&field.as_str()) {
            fields.push(field.as_str());
        }
    }
    fields
}
