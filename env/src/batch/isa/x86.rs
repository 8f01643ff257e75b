//! x86-64 with AVX2 and with AVX-512. Why all of this is sound stands in the module above.

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
