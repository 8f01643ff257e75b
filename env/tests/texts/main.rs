//! Texts that are none: which field an error names, and that no text whatever panics.

mod any_text;
mod games;
mod giuthi;
mod kiothi;

use mancala_env::GameSpec;

/// Reads each text as a position of `game` and checks which field the error names, and that it quotes the text.
fn check_refused(game: &str, refused: &[(&str, &str)]) {
    let spec = GameSpec::parse(game).unwrap();
    for (text, field) in refused {
        let error = spec.read(text).expect_err(text);
        assert_eq!(error.field, *field, "{error}");
        assert_eq!(error.kind, "position");
        let message = error.to_string();
        assert!(message.contains(field) && message.contains(&error.problem), "{message}");
        assert!(message.contains(&format!("{:?}", error.text)), "{message}");
        assert!(text.starts_with(error.text.trim_end_matches('…')), "{message}");
    }
}
