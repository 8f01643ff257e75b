//! How a search was asked for.

use mancala_search::mcts::{MAX_SIMULATIONS, Selection, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::batch::Layout;
use crate::options::{one_of, read_count, read_number, read_seed};

/// What makes a search try other root actions each time.
#[derive(Clone, Copy)]
pub(super) enum Noise {
    None,
    Gumbel {
        seed: u64,
    },
    Dirichlet {
        seed: u64,
        /// `None`: by the number of legal actions.
        alpha: Option<f64>,
        part: f32,
    },
}

/// Options that have been checked.
pub(super) struct Options {
    pub(super) settings: Settings,
    pub(super) noise: Noise,
    pub(super) action_features: Option<Layout>,
}

/// Options as they were given; `None` stands for the default.
pub(super) struct Given<'a, 'py> {
    pub(super) sims: Option<&'a Bound<'py, PyAny>>,
    pub(super) selection: Option<&'a Bound<'py, PyAny>>,
    pub(super) considered: Option<&'a Bound<'py, PyAny>>,
    pub(super) exploration: Option<&'a Bound<'py, PyAny>>,
    pub(super) sigma_scale: Option<&'a Bound<'py, PyAny>>,
    pub(super) contempt: Option<&'a Bound<'py, PyAny>>,
    pub(super) seed: Option<&'a Bound<'py, PyAny>>,
    pub(super) noise_alpha: Option<&'a Bound<'py, PyAny>>,
    pub(super) noise_part: Option<&'a Bound<'py, PyAny>>,
    pub(super) action_features: Option<&'a Bound<'py, PyAny>>,
}

impl Given<'_, '_> {
    pub(super) fn read(&self) -> PyResult<Options> {
        let simulations = match self.sims.map_or(Ok(64), |sims| read_count("sims", sims))? {
            sims if sims <= MAX_SIMULATIONS => sims,
            sims => {
                return Err(PyValueError::new_err(format!(
                    "sims is from 0 to {MAX_SIMULATIONS}, not {sims}"
                )));
            }
        };
        let is_gumbel = match self.selection {
            None => true,
            Some(word) => one_of("selection", word, ["gumbel", "puct"])? == 0,
        };
        self.refuse_options_of_the_other(is_gumbel)?;
        let mut settings =
            if is_gumbel { Settings::gumbel(simulations) } else { Settings::puct(simulations) };
        match &mut settings.selection {
            Selection::Gumbel { considered } => {
                if let Some(value) = self.considered {
                    *considered = read_count("considered", value)? as usize;
                    if *considered == 0 {
                        return Err(PyValueError::new_err("considered is at least 1, not 0"));
                    }
                }
            }
            Selection::Puct { exploration, .. } => {
                if let Some(value) = self.exploration {
                    *exploration = read_number("exploration", value, 0.0..=1e6)? as f32;
                }
            }
        }
        if let Some(value) = self.sigma_scale {
            settings.sigma_scale = read_number("sigma_scale", value, 0.0..=1e6)? as f32;
        }
        if let Some(value) = self.contempt {
            settings.contempt = read_number("contempt", value, 0.0..=1.0)? as f32;
        }
        let alpha =
            self.noise_alpha.map(|alpha| read_number("noise_alpha", alpha, 1e-6..=1e6)).transpose()?;
        let part =
            self.noise_part.map_or(Ok(0.25), |part| read_number("noise_part", part, 0.0..=1.0))? as f32;
        let noise = match self.seed.map(read_seed).transpose()? {
            None => Noise::None,
            Some(seed) if is_gumbel => Noise::Gumbel { seed },
            Some(seed) => Noise::Dirichlet { seed, alpha, part },
        };
        let layout = self.action_features.map(|word| one_of("action_features", word, ["dense", "ragged"]));
        let action_features =
            layout.transpose()?.map(|word| if word == 0 { Layout::Dense } else { Layout::Ragged });
        Ok(Options { settings, noise, action_features })
    }

    /// An option without effect is more likely a mistake.
    fn refuse_options_of_the_other(&self, is_gumbel: bool) -> PyResult<()> {
        let given = [
            ("considered", self.considered, true),
            ("sigma_scale", self.sigma_scale, true),
            ("exploration", self.exploration, false),
            ("noise_alpha", self.noise_alpha, false),
            ("noise_part", self.noise_part, false),
        ];
        for (name, value, of_gumbel) in given {
            if value.is_some() && of_gumbel != is_gumbel {
                let other = if of_gumbel { "gumbel" } else { "puct" };
                return Err(PyValueError::new_err(format!("{name} is an option of selection='{other}'")));
            }
        }
        for (name, value) in [("noise_alpha", self.noise_alpha), ("noise_part", self.noise_part)] {
            if value.is_some() && self.seed.is_none() {
                return Err(PyValueError::new_err(format!(
                    "{name} needs a seed: without one there is no noise"
                )));
            }
        }
        Ok(())
    }
}
