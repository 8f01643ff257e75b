//! Errors by whose fault they are.

use crate::checkpoint::CheckpointError;
use crate::config::ConfigError;
use crate::replay::ShardError;

/// Bad usage or bad input: the user can put it right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(String);

impl Usage {
    /// Bad usage, in words.
    pub fn new(problem: impl std::fmt::Display) -> Self {
        Self(problem.to_string())
    }
}

/// The exit code of an error: 2 for bad usage or input, 1 for a failure.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let is_input = error.chain().any(|cause| {
        let checkpoint =
            cause.downcast_ref().is_some_and(|error| !matches!(error, CheckpointError::Io { .. }));
        let shard = cause.downcast_ref().is_some_and(|error| !matches!(error, ShardError::Io { .. }));
        cause.is::<Usage>() || cause.is::<ConfigError>() || checkpoint || shard
    });
    if is_input { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn what_the_user_can_put_right_has_code_2() {
        let damaged = ShardError::Damaged { path: "x".into(), problem: "y".into() };
        for error in [Usage::new("no such game").into(), damaged.into()] {
            let error: anyhow::Error = error;
            assert_eq!(exit_code(&Err::<(), _>(error).context("while resuming").unwrap_err()), 2);
        }
        let failed = std::io::Error::other("disk full");
        assert_eq!(exit_code(&failed.into()), 1);
    }
}
