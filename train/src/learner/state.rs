//! The learner's state as files: the net to play with, and what only learning needs.

use mancala_search::net::{NetHeader, Tensor as Named, Weights};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use tch::Tensor;

use super::Learner;
use crate::config::Learner as LearnerConfig;
use crate::net::{Parameters, unflatten};

/// Why a learner cannot be had from files.
#[derive(Debug, thiserror::Error)]
#[error("not a whole optimizer state: {0}")]
pub struct StateError(String);

/// What a file of the optimizer holds for each tensor of the net, as prefixes of its names.
const PARTS: [&str; 3] = ["weights", "moment1", "moment2"];

impl Learner {
    /// The state of the optimizer as a safetensors file: for each tensor `NAME` of the net its `weights.NAME` (those being
    /// learned, not their moving average), `moment1.NAME` and `moment2.NAME`, all f32.
    pub fn optimizer_bytes(&self) -> Vec<u8> {
        let header = self.parameters.header();
        let flats = [self.parameters.flat(), &self.optimizer.moment1, &self.optimizer.moment2];
        let mut tensors = Vec::new();
        for (part, flat) in PARTS.into_iter().zip(flats) {
            for Named { name, shape, data } in unflatten(header, flat) {
                let data: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
                tensors.push((format!("{part}.{name}"), shape, data));
            }
        }
        let views = tensors.iter().map(|(name, shape, data)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), data);
            (name.as_str(), view.expect("shapes agree with data"))
        });
        safetensors::serialize(views, None).expect("names are unique")
    }

    /// The learner as it was after `steps` steps: `net` is what [`weights`](Self::weights) was and `optimizer` what
    /// [`optimizer_bytes`](Self::optimizer_bytes) was.
    ///
    /// # Errors
    /// If the optimizer's file is cut off or of another net.
    pub fn restore(
        net: &Weights,
        optimizer: &[u8],
        config: LearnerConfig,
        steps: u64,
    ) -> Result<Self, StateError> {
        let file = SafeTensors::deserialize(optimizer).map_err(|error| StateError(error.to_string()))?;
        let [weights, moment1, moment2] = [0, 1, 2].map(|part| read(&file, PARTS[part], &net.header));
        let parameters = Parameters::new(&Weights { header: net.header.clone(), tensors: weights? });
        let flat = |tensors| Parameters::new(&Weights { header: net.header.clone(), tensors });
        let mut learner = Self::new(net.header.clone(), config, 0);
        learner.parameters = parameters;
        learner.optimizer.moment1 = flat(moment1?).flat().copy();
        learner.optimizer.moment2 = flat(moment2?).flat().copy();
        learner.optimizer.steps = steps;
        learner.average = learner.average.map(|_: Tensor| flat(net.tensors.clone()).flat().copy());
        Ok(learner)
    }
}

/// The tensors of one part, in the order of the net.
fn read(file: &SafeTensors<'_>, part: &str, header: &NetHeader) -> Result<Vec<Named>, StateError> {
    let tensor = |(name, shape): (String, Vec<usize>)| {
        let full = format!("{part}.{name}");
        let view = file.tensor(&full).map_err(|_| StateError(format!("tensor {full} is missing")))?;
        if view.dtype() != Dtype::F32 || view.shape() != shape {
            let (dtype, found) = (view.dtype(), view.shape());
            return Err(StateError(format!("tensor {full} is {dtype:?} {found:?}, not F32 {shape:?}")));
        }
        let (chunks, _) = view.data().as_chunks::<4>();
        Ok(Named { name, shape, data: chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect() })
    };
    header.tensors().into_iter().map(tensor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replay;
    use crate::replay::tests::random_samples;
    use mancala_env::{Giuthi, GiuthiRules};
    use mancala_search::net::NetConfig;

    fn begin(config: &LearnerConfig, net: NetConfig) -> Learner {
        let rules = GiuthiRules::new(3, 2).unwrap();
        Learner::new(NetHeader::of::<Giuthi>(&rules, net), config.clone(), 1)
    }

    const NET: NetConfig = NetConfig::plain(16, 2, 8, 8);

    #[test]
    fn a_restored_learner_goes_on_as_if_never_stopped() {
        let rules = GiuthiRules::new(3, 2).unwrap();
        let mut replay = Replay::new(rules, 200, true);
        replay.extend(random_samples::<Giuthi>(rules, 64, 1));
        for ema_decay in [0.0, 0.9] {
            let config = LearnerConfig { batch: 16, ema_decay, ..Default::default() };
            let mut straight = begin(&config, NET);
            straight.learn(&replay, 1, 1, 5, 2, || ()).unwrap();
            let (net, optimizer) = (straight.weights(), straight.optimizer_bytes());
            let mut resumed = Learner::restore(&net, &optimizer, config.clone(), straight.steps()).unwrap();
            straight.learn(&replay, 1, 2, 5, 2, || ()).unwrap();
            resumed.learn(&replay, 1, 2, 5, 2, || ()).unwrap();
            assert_eq!(straight.weights().to_bytes(), resumed.weights().to_bytes());
            assert_eq!(straight.optimizer_bytes(), resumed.optimizer_bytes());
        }
    }

    #[test]
    fn the_state_of_another_net_is_refused() {
        let config = LearnerConfig::default();
        let learner = begin(&config, NET);
        let other = begin(&config, NetConfig { blocks: 3, ..NET }).weights();
        let error = Learner::restore(&other, &learner.optimizer_bytes(), config.clone(), 0).unwrap_err();
        assert!(error.to_string().contains("block.2.first.weight is missing"), "{error}");
        let bytes = learner.optimizer_bytes();
        assert!(Learner::restore(&learner.weights(), &bytes[..bytes.len() - 1], config, 0).is_err());
    }
}
