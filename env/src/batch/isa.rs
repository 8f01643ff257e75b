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
#![expect(unsafe_code, reason = "calls of functions with target features, after the features were found")]

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
    fn fetch<T>(self, value: &T) {
        self.fetch_span(std::ptr::from_ref(value).addr(), size_of::<T>());
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Isa, Kernel, LANES, Plain, Row};

    pub(super) fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    pub(super) fn has_avx512() -> bool {
        has_avx2()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Avx2(()))
    }

    #[target_feature(
        enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2"
    )]
    pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Avx512(()))
    }

    /// Proof that AVX2 was found.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Isa for Avx2 {
        #[inline(always)]
        fn nonzero(self, row: &Row<u8>) -> u64 {
            // SAFETY: the token was made by `run_avx2`.
            unsafe { nonzero_avx2(row) }
        }

        #[inline(always)]
        fn compress(self, mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
            // SAFETY: the token was made by `run_avx2`.
            unsafe { compress_bmi2(mask, from, to) }
        }

        #[inline(always)]
        fn expand(self, mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
            // SAFETY: the token was made by `run_avx2`.
            unsafe { expand_bmi2(mask, from, to) }
        }

        #[inline(always)]
        fn equal(self, a: &Row<u16>, b: &Row<u16>) -> u64 {
            let mut same = [0; LANES];
            for i in 0..LANES {
                same[i] = if a[i] == b[i] { 255 } else { 0 };
            }
            self.nonzero(&same)
        }

        #[inline(always)]
        fn spread(self, mask: u64, to: &mut [bool; LANES]) {
            Plain.spread(mask, to);
        }

        #[inline(always)]
        fn select(self, bits: u64, index: u8) -> u32 {
            // SAFETY: the token was made by `run_avx2`.
            unsafe { select_bmi2(bits, index) }
        }

        #[inline(always)]
        fn fetch_line(self, address: usize) {
            fetch_line(address);
        }
    }

    #[inline(always)]
    fn fetch_line(address: usize) {
        // SAFETY: asking for a line is a hint, which no address makes fault.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::without_provenance(address)) }
    }

    #[inline]
    #[target_feature(enable = "bmi1,bmi2")]
    fn select_bmi2(bits: u64, index: u8) -> u32 {
        _pdep_u64(1u64.checked_shl(index.into()).unwrap_or(0), bits).trailing_zeros()
    }

    /// Eight bits as eight bytes of ones or zeros.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of(bits: u8) -> u64 {
        _pdep_u64(bits.into(), 0x0101_0101_0101_0101).wrapping_mul(255)
    }

    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn compress_bmi2(mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
        // Eight bytes to spare: a word is stored whole, and the next one over what it had to spare.
        let mut packed = [0; LANES + 8];
        let mut next = 0;
        for (bits, chunk) in mask.to_le_bytes().into_iter().zip(from.as_chunks::<8>().0) {
            let word = _pext_u64(u64::from_le_bytes(*chunk), bytes_of(bits));
            packed[next..next + 8].copy_from_slice(&word.to_le_bytes());
            next = (next + bits.count_ones() as usize) % (LANES + 1);
        }
        to.copy_from_slice(&packed[..LANES]);
    }

    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn expand_bmi2(mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
        let mut packed = [0; LANES + 8];
        packed[..LANES].copy_from_slice(from);
        let mut next = 0;
        for (bits, chunk) in mask.to_le_bytes().into_iter().zip(to.as_chunks_mut::<8>().0) {
            let mut word = [0; 8];
            word.copy_from_slice(&packed[next..next + 8]);
            let bytes = bytes_of(bits);
            let new = _pdep_u64(u64::from_le_bytes(word), bytes);
            *chunk = (u64::from_le_bytes(*chunk) & !bytes | new).to_le_bytes();
            next = (next + bits.count_ones() as usize) % (LANES + 1);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn nonzero_avx2(row: &Row<u8>) -> u64 {
        let zero = _mm256_setzero_si256();
        let half = |at: usize| {
            // SAFETY: 32 bytes from `at` (0 or 32) lie within the row.
            let bytes = unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) };
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, zero)) as u32
        };
        !(u64::from(half(0)) | u64::from(half(32)) << 32)
    }

    /// Proof that AVX-512 with BW, DQ, VL, VBMI and VBMI2 was found.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    const NUMBERS: Row<u8> = {
        let mut row = [0; LANES];
        let mut i = 0;
        while i < LANES {
            row[i] = i as u8;
            i += 1;
        }
        row
    };

    // SAFETY (of all calls below): the token was made by `run_avx512`.
    impl Isa for Avx512 {
        #[inline(always)]
        fn nonzero(self, row: &Row<u8>) -> u64 {
            unsafe { nonzero_avx512(row) }
        }

        #[inline(always)]
        fn compress(self, mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
            unsafe { compress_avx512(mask, from, to) }
        }

        #[inline(always)]
        fn expand(self, mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
            unsafe { expand_avx512(mask, from, to) }
        }

        #[inline(always)]
        fn places(self, mask: u64, to: &mut Row<u8>) {
            self.compress(mask, &NUMBERS, to);
        }

        #[inline(always)]
        fn equal(self, a: &Row<u16>, b: &Row<u16>) -> u64 {
            unsafe { equal_avx512(a, b) }
        }

        #[inline(always)]
        fn spread(self, mask: u64, to: &mut [bool; LANES]) {
            unsafe { spread_avx512(mask, to) }
        }

        #[inline(always)]
        fn select(self, bits: u64, index: u8) -> u32 {
            unsafe { select_bmi2(bits, index) }
        }

        #[inline(always)]
        fn fetch_line(self, address: usize) {
            fetch_line(address);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(row: &Row<u8>) -> __m512i {
        // SAFETY: a row is 64 bytes.
        unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn store(bytes: __m512i, row: &mut Row<u8>) {
        // SAFETY: a row is 64 bytes.
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), bytes) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn nonzero_avx512(row: &Row<u8>) -> u64 {
        let bytes = load(row);
        _mm512_test_epi8_mask(bytes, bytes)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn compress_avx512(mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
        store(_mm512_maskz_compress_epi8(mask, load(from)), to);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn expand_avx512(mask: u64, from: &Row<u8>, to: &mut Row<u8>) {
        store(_mm512_mask_expand_epi8(load(to), mask, load(from)), to);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn equal_avx512(a: &Row<u16>, b: &Row<u16>) -> u64 {
        let half = |at: usize| {
            // SAFETY: 32 words from `at` (0 or 32) lie within both rows.
            let (a, b) = unsafe {
                (_mm512_loadu_si512(a.as_ptr().add(at).cast()), _mm512_loadu_si512(b.as_ptr().add(at).cast()))
            };
            u64::from(_mm512_cmpeq_epi16_mask(a, b))
        };
        half(0) | half(32) << 32
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn spread_avx512(mask: u64, to: &mut [bool; LANES]) {
        let bytes = _mm512_maskz_set1_epi8(mask, 1);
        // SAFETY: it is 64 bytes, and every one becomes 0 or 1.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }
}
