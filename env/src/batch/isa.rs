//! The choice of instruction set at run time, and all the `unsafe` of this crate.
//!
//! The kernels are plain safe loops over fixed arrays, which the compiler turns into vector code for whatever features the
//! function that they are inlined into has. [`Level::run`] is that function, once for each level: code with `#[target_feature]`
//! may only be called where the processor has the features, which the compiler cannot know, so the call is `unsafe`.
//!
//! Why it is sound: a [`Level`] other than the plain one, and the tokens [`Avx2`] and [`Avx512`], can only be made in this
//! module, after `is_x86_feature_detected!` has found every feature that the level stands for.
//!
//! Why it is worth it: see `docs/batch-engine.md` (the same source is several times as fast with AVX-512 as with the
//! baseline, and a build flag would make binaries that do not run everywhere).
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls of functions with target features, after the features were found")
)]

#[cfg(target_arch = "x86_64")]
mod x86;

use super::{LANES, Row};

/// Work that is compiled once for each instruction set. `run` must be `#[inline(always)]`, and so must all it calls.
pub(super) trait Kernel {
    /// What comes of it.
    type Output;
    /// Does the work.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// What the compiler does not find by itself in plain loops.
pub(super) trait Isa: Copy {
    /// Bit i tells whether lane i is not zero.
    fn nonzero(self, row: &Row<u8>) -> u64;
    /// Moves the lanes of `mask` to the front of `to`, in order; what is behind them is of no meaning.
    fn compress(self, mask: u64, from: &Row<u8>, to: &mut Row<u8>);
    /// The inverse: the first lanes of `from` go to the lanes of `mask`; the others of `to` stay.
    fn expand(self, mask: u64, from: &Row<u8>, to: &mut Row<u8>);
    /// Where the bits of `mask` are, ascending; what is behind them is of no meaning.
    #[inline(always)]
    fn places(self, mut mask: u64, to: &mut Row<u8>) {
        let mut next = 0;
        while mask != 0 {
            to[next % LANES] = mask.trailing_zeros() as u8;
            next += 1;
            mask &= mask - 1;
        }
    }
    /// Bit i tells whether lane i of both is the same.
    fn equal(self, a: &Row<u16>, b: &Row<u16>) -> u64;
    /// Lanes as truth, true for the bits of `mask`.
    fn spread(self, mask: u64, to: &mut [bool; LANES]);
    /// The place of the set bit number `index`, 64 if there are fewer.
    fn select(self, bits: u64, index: u8) -> u32;
    /// Asks the memory for the line at an address, which need not be one that exists.
    fn fetch_line(self, address: usize);

    /// Asks for all the lines of a value, which will be wanted soon.
    #[inline(always)]
    fn fetch<T: ?Sized>(self, value: &T) {
        self.fetch_span(std::ptr::from_ref(value).addr(), size_of_val(value));
    }

    /// Asks for the lines of `len` bytes from `address` on.
    #[inline(always)]
    fn fetch_span(self, address: usize, len: usize) {
        for at in (0..len).step_by(LINE) {
            self.fetch_line(address.wrapping_add(at));
        }
    }
}

/// Bytes that memory hands out together.
const LINE: usize = 64;

/// Whatever the compiler takes for granted: SSE2 on x86-64.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Isa for Plain {
    #[inline(always)]
    fn nonzero(self, row: &Row<u8>) -> u64 {
        let mut mask = 0;
        for (i, chunk) in row.as_chunks::<8>().0.iter().enumerate() {
            let mut bytes = [0; 8];
            for (byte, &lane) in bytes.iter_mut().zip(chunk) {
                *byte = (lane != 0).into();
            }
            mask |= u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * i);
        }
        mask
    }

    #[inline(always)]
    fn compress(self, mut mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
        let mut next = 0;
        while mask != 0 {
            to[next % LANES] = from[mask.trailing_zeros() as usize % LANES];
            next += 1;
            mask &= mask - 1;
        }
    }

    #[inline(always)]
    fn expand(self, mut mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
        let mut next = 0;
        while mask != 0 {
            to[mask.trailing_zeros() as usize % LANES] = from[next % LANES];
            next += 1;
            mask &= mask - 1;
        }
    }

    #[inline(always)]
    fn equal(self, a: &Row<u16>, b: &Row<u16>) -> u64 {
        let mut same = [0; LANES];
        for i in 0..LANES {
            same[i] = (a[i] == b[i]).into();
        }
        self.nonzero(&same)
    }

    #[inline(always)]
    fn spread(self, mask: u64, to: &mut [bool; LANES]) {
        for (bits, chunk) in mask.to_le_bytes().into_iter().zip(to.as_chunks_mut::<8>().0) {
            // Every byte gets all bits, and keeps its own.
            let own = u64::from(bits).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            *chunk = own.to_le_bytes().map(|byte| byte != 0);
        }
    }

    #[inline(always)]
    fn select(self, mut bits: u64, index: u8) -> u32 {
        for _ in 0..index {
            bits &= bits.wrapping_sub(1);
        }
        bits.trailing_zeros()
    }

    #[inline(always)]
    fn fetch_line(self, _: usize) {}
}

/// Which instruction set the kernels run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// All that this processor can run, the best first.
    pub(super) fn supported() -> impl Iterator<Item = Self> {
        let kinds = [
            #[cfg(target_arch = "x86_64")]
            x86::has_avx512().then_some(Kind::Avx512),
            #[cfg(target_arch = "x86_64")]
            x86::has_avx2().then_some(Kind::Avx2),
            Some(Kind::Plain),
        ];
        kinds.into_iter().flatten().map(Self)
    }

    /// The best that this processor can run.
    pub(super) fn detect() -> Self {
        Self::supported().next().unwrap_or(Self(Kind::Plain))
    }

    /// Its name, as `avx512`.
    pub(super) fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    /// Runs a kernel compiled for this level.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Kind::Plain => kernel.run(Plain),
            // SAFETY: these kinds are only made by `supported`, where all the features were found.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { x86::run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { x86::run_avx512(kernel) },
        }
    }
}
