//! The nets that ship: they are compiled in, and play without any file.

use mancala_env::GameSpec;

/// Name and file of each. How they were trained is in `docs/nets.md`.
const SHIPPED: [(&str, &[u8]); 4] = [
    ("giuthi-5x4", include_bytes!("../../nets/giuthi-5x4.safetensors")),
    ("giuthi-6x6", include_bytes!("../../nets/giuthi-6x6.safetensors")),
    ("giuthi-8x8", include_bytes!("../../nets/giuthi-8x8.safetensors")),
    ("kiothi", include_bytes!("../../nets/kiothi.safetensors")),
];

/// The names of the nets that ship, each that of its game.
pub fn shipped() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The file of the net of this name: `kiothi` and `kiothi-6x5` are one game.
pub(super) fn file(name: &str) -> Option<&'static [u8]> {
    let is_of =
        |shipped: &str| shipped == name || shipped.parse::<GameSpec>().is_ok_and(|game| game.id() == name);
    SHIPPED.iter().find(|(shipped, _)| is_of(shipped)).map(|(_, bytes)| *bytes)
}
