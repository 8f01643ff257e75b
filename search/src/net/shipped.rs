//! The nets that ship: they are compiled in, and play without any file.

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

/// The file of the net of this name.
pub(super) fn file(name: &str) -> Option<&'static [u8]> {
    SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, bytes)| *bytes)
}
