//! What the tests of the command share.

use std::process::Output;

/// The message of a command that must have been refused with this exit code, in one line.
pub(crate) fn refusal(output: &Output, code: i32) -> String {
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert!(message.starts_with("error: ") && message.trim_end().lines().count() == 1, "{message}");
    message
}
