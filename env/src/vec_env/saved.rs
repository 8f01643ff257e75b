//! All of an environment as bytes.

use super::config::VecEnvConfig;
use super::start::Episode;
use crate::game::Game;
use crate::position::Position;
use crate::saved::{Reader, SavedError, check_rules, open, seal, write_text};

const LINE: &str = "mancala-rl vec-env 1\n";

/// All that belongs to a game, however it is played.
#[derive(Clone, Debug)]
pub struct SavedGame<G: Game> {
    pub(crate) position: Position<G>,
    /// Plies of the opening, which the position counts too.
    pub(crate) opening_plies: u32,
    pub(crate) episode: Episode,
    /// Neither reset nor stepped yet.
    pub(crate) untouched: bool,
    /// Words drawn from the sampler's stream.
    pub(crate) sampled: u64,
}

/// Writes what an environment is made of, as far as games depend on it, and its games.
pub(crate) fn write_games<G: Game>(
    rules: &G::Rules,
    config: &VecEnvConfig,
    games: impl Iterator<Item = SavedGame<G>>,
) -> Vec<u8> {
    let mut out = LINE.as_bytes().to_vec();
    write_text(&G::id(rules), &mut out);
    out.extend(G::RULES_VERSION.to_le_bytes());
    out.extend((config.num_envs as u64).to_le_bytes());
    out.extend(config.max_plies.unwrap_or(0).to_le_bytes());
    out.extend(config.random_opening_plies.to_le_bytes());
    out.push(config.random_first_player.into());
    for SavedGame { position, opening_plies, episode, untouched, sampled } in games {
        out.extend(episode.seed.to_le_bytes());
        out.extend(episode.number.to_le_bytes());
        out.push(untouched.into());
        out.extend(opening_plies.to_le_bytes());
        out.extend(sampled.to_le_bytes());
        position.write_saved(&mut out);
    }
    seal(out)
}

/// Reads the games of an environment like this one.
pub(crate) fn read_games<G: Game>(
    rules: &G::Rules,
    config: &VecEnvConfig,
    saved: &[u8],
) -> Result<Vec<SavedGame<G>>, SavedError> {
    let mut fields = open(saved, LINE)?;
    check_rules::<G>(rules, &mut fields)?;
    check_config(config, &mut fields)?;
    let games = (0..config.num_envs)
        .map(|env| read_game(*rules, env, &mut fields).map_err(|error| error.of_env(env)))
        .collect::<Result<_, _>>()?;
    fields.finish()?;
    Ok(games)
}

fn check_config(config: &VecEnvConfig, fields: &mut Reader<'_>) -> Result<(), SavedError> {
    let number = |what: &'static str, saved: u128, here: u128| match saved == here {
        true => Ok(()),
        false => Err(SavedError::differs(what, saved, here)),
    };
    number("num_envs", fields.int::<8>("num_envs")?, config.num_envs as u128)?;
    let limit = |most: u32| if most == 0 { "None".to_owned() } else { most.to_string() };
    let (saved, here) = (fields.int::<4>("max_plies")? as u32, config.max_plies.unwrap_or(0));
    if saved != here {
        return Err(SavedError::differs("max_plies", limit(saved), limit(here)));
    }
    let plies = fields.int::<4>("random_opening_plies")?;
    number("random_opening_plies", plies, config.random_opening_plies.into())?;
    let (saved, here) = (fields.flag("random_first_player")?, config.random_first_player);
    if saved == here { Ok(()) } else { Err(SavedError::differs("random_first_player", saved, here)) }
}

fn read_game<G: Game>(
    rules: G::Rules,
    env: usize,
    fields: &mut Reader<'_>,
) -> Result<SavedGame<G>, SavedError> {
    let (seed, number) = (fields.int::<8>("seed")? as u64, fields.count::<8>("episode")?);
    let episode = Episode { seed, game: env as u64, number };
    let untouched = fields.flag("untouched")?;
    let opening_plies = fields.count::<4>("opening plies")? as u32;
    let sampled = fields.count::<8>("words sampled")?;
    let position = Position::read_saved(rules, fields)?;
    if position.is_over() {
        return Err(SavedError::field("position", format!("{:?} is a finished game", position.write())));
    }
    if position.plies() < opening_plies {
        let problem = format!("{} in all, {opening_plies} of them of the opening", position.plies());
        return Err(SavedError::field("plies", problem));
    }
    Ok(SavedGame { position, opening_plies, episode, untouched, sampled })
}
