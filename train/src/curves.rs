//! How the figures of a run are grouped where they are drawn: TensorBoard and the report.

/// The groups in the order in which they are read.
pub(crate) const GROUPS: [(&str, &str); 6] = [
    ("loss", "Losses and entropies"),
    ("games", "Self-play games"),
    ("learner", "Learner"),
    ("speed", "Speed"),
    ("run", "The run so far"),
    ("other", "Other figures"),
];

/// The group of a field of `metrics.jsonl`, by its name, so that a new field finds its place.
pub(crate) fn group(field: &str) -> &'static str {
    let ends = |ends: &[&str]| ends.iter().any(|end| field.ends_with(end));
    let has = |parts: &[&str]| parts.iter().any(|part| field.contains(part));
    match field {
        _ if ends(&["_loss", "_kl"]) || has(&["entropy"]) => "loss",
        "steps" => "learner",
        _ if has(&["learning_rate", "gradient", "weight_"]) => "learner",
        "buffer" | "elapsed_seconds" => "run",
        _ if ends(&["_seconds", "_per_second"]) => "speed",
        _ if field.starts_with("total_") => "run",
        "games" | "positions" | "game_length" => "games",
        _ if ends(&["_rate", "_score"]) => "games",
        _ => "other",
    }
}

/// Whether a field tells which line it is rather than how the run goes.
pub(crate) fn is_label(field: &str) -> bool {
    matches!(field, "iteration" | "time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Metrics;

    #[test]
    fn every_field_has_its_group() {
        let metrics = serde_json::to_value(Metrics::default()).unwrap();
        for field in metrics.as_object().unwrap().keys().filter(|field| !is_label(field)) {
            let found = group(field);
            assert!(GROUPS.iter().any(|(name, _)| *name == found));
        }
        for (field, expected) in [
            ("value_loss", "loss"),
            ("policy_kl", "loss"),
            ("target_entropy", "loss"),
            ("draw_rate", "games"),
            ("first_player_score", "games"),
            ("learning_rate", "learner"),
            ("gradient_norm", "learner"),
            ("positions_per_second", "speed"),
            ("buffer", "run"),
            ("something", "other"),
        ] {
            assert_eq!(group(field), expected, "{field}");
        }
    }
}
