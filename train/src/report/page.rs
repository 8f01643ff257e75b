//! The page.

use std::fmt::Write;

use super::chart::chart;
use super::games::{Sample, Samples};
use super::html::escaped;
use super::{Report, tables};
use crate::curves::{GROUPS, group, is_label};
use crate::lines::{Line, number};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("step.js");

pub(super) fn write(report: &Report) -> String {
    let folder = report.folder.display().to_string();
    let game = report.config.as_ref().map_or("", |(_, config)| &config.game);
    let title = escaped(format!("{game} {folder}").trim());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    out += &tables::summary(report);

    section(
        &mut out,
        "Matches",
        &tables::arena(&report.arena).unwrap_or_else(|| missing("No match has ended yet.")),
    );
    let scores = tables::scores(&report.arena);
    charts(&mut out, "Scores of matches", scores.iter().map(|(name, points)| (*name, points.clone())));

    curves(&mut out, &report.metrics);
    section(&mut out, "Games of self-play", &games(&report.samples));
    let config = match &report.config {
        Some((text, _)) => format!("<pre>{}</pre>\n", escaped(text)),
        None => missing("There is no config.toml."),
    };
    section(&mut out, "Config", &config);
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

fn section(out: &mut String, title: &str, content: &str) {
    let _ = write!(out, "<h2>{title}</h2>\n{content}");
}

/// What is not there.
fn missing(what: &str) -> String {
    format!("<p class=\"missing\">{}</p>\n", escaped(what))
}

/// Every figure of the metrics over the iterations.
fn curves(out: &mut String, metrics: &[Line]) {
    if metrics.is_empty() {
        section(out, "Curves", &missing("No iteration is complete yet."));
        return;
    }
    let fields = tables::fields(metrics);
    for (name, title) in GROUPS {
        let of_group = fields.iter().filter(|field| !is_label(field) && group(field) == name);
        let points = |field: &str| {
            let point = |line: &Line| Some((number(line, "iteration")?, number(line, field)?));
            metrics.iter().filter_map(point).collect()
        };
        charts(out, title, of_group.map(|field| (*field, points(field))));
    }
}

fn charts<'a>(out: &mut String, title: &str, curves: impl Iterator<Item = (&'a str, Vec<(f64, f64)>)>) {
    let drawn: String = curves.filter_map(|(name, points)| chart(&name.replace('_', " "), &points)).collect();
    if !drawn.is_empty() {
        section(out, title, &format!("<div class=\"charts\">\n{drawn}</div>\n"));
    }
}

fn games(samples: &Samples) -> String {
    let mut out: String = samples.problems.iter().map(|problem| missing(problem)).collect();
    if !samples.games.is_empty() {
        let _ = writeln!(
            out,
            "<p>Of iteration {}. The arrow keys step through the game that was clicked; Player 0 sits below.</p>",
            samples.iteration
        );
    }
    samples.games.iter().for_each(|sample| game(&mut out, sample));
    out
}

/// A game as a list of all its positions, of which the script leaves one to be seen.
fn game(out: &mut String, Sample { title, frames }: &Sample) {
    let _ = writeln!(
        out,
        "<section class=\"game\" tabindex=\"0\"><h3>{}</h3><p class=\"keys\" hidden>\
         <button data-to=\"first\" aria-label=\"to the start\">|&lt;</button> \
         <button data-to=\"back\" aria-label=\"a ply back\">&lt;</button> \
         <button data-to=\"on\" aria-label=\"a ply on\">&gt;</button> \
         <button data-to=\"last\" aria-label=\"to the end\">&gt;|</button> <span class=\"at\"></span></p>\n\
         <ol class=\"frames\" start=\"0\">",
        escaped(title)
    );
    for frame in frames {
        let _ = writeln!(
            out,
            "<li data-move=\"{}\"><pre>{}</pre><p>{}</p><code>{}</code></li>",
            escaped(&frame.action),
            escaped(&frame.board.join("\n")),
            escaped(&frame.words.join(" ")),
            escaped(&frame.position)
        );
    }
    let moves: Vec<_> = frames.iter().skip(1).map(|frame| escaped(&frame.action)).collect();
    let _ =
        writeln!(out, "</ol><details><summary>moves</summary><p>{}</p></details></section>", moves.join(" "));
}
