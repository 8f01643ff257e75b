//! Linear layers on a few rows: products of small matrices, with the weights laid out beforehand for the vector units.
//!
//! A general product packs both its sides at each call, which for the handful of leaves of a search is a third of the time; see
//! `docs/nets.md` for what this brings. The instruction set is chosen at run time by pulp.

use pulp::{Arch, Simd, WithSimd};

/// Columns of weights that stand together: two vectors of AVX-512.
const PANEL: usize = 32;
/// Rows that are multiplied together: with two vectors of sums each they leave registers for the weights.
const TALL: usize = 8;
const LOW: usize = 4;

/// A linear layer, `x W + b`.
pub(super) struct Linear {
    inputs: usize,
    outputs: usize,
    /// Panel after panel of up to `PANEL` columns (the rest zeros), each input after input.
    panels: Vec<f32>,
    bias: Vec<f32>,
    arch: Arch,
}

impl Linear {
    /// The layer with a weight of shape `(outputs, inputs)`, as libtorch has it, and a bias of length `outputs`, or empty for none.
    pub(super) fn new(weight: &[f32], bias: &[f32], inputs: usize, outputs: usize) -> Self {
        assert_eq!(weight.len(), inputs * outputs, "a weight of this shape");
        let mut panels = vec![0.0; outputs.div_ceil(PANEL) * PANEL * inputs];
        for (output, row) in weight.chunks_exact(inputs.max(1)).enumerate() {
            let panel = &mut panels[output / PANEL * PANEL * inputs..];
            for (input, &weight) in row.iter().enumerate() {
                panel[input * PANEL + output % PANEL] = weight;
            }
        }
        let mut padded = vec![0.0; outputs];
        padded[..bias.len()].copy_from_slice(bias);
        Self { inputs, outputs, panels, bias: padded, arch: Arch::new() }
    }

    /// The bias.
    pub(super) fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// `out = x W + b`, row after row.
    pub(super) fn apply(&self, x: &[f32], out: &mut [f32]) {
        for row in out.chunks_exact_mut(self.outputs) {
            row.copy_from_slice(&self.bias);
        }
        self.add(x, out);
    }

    /// `out += x W`, row after row. What comes of a row does not depend on the others.
    pub(super) fn add(&self, x: &[f32], out: &mut [f32]) {
        let rows = out.len() / self.outputs;
        assert_eq!((x.len(), out.len()), (rows * self.inputs, rows * self.outputs), "as many rows in as out");
        self.arch.dispatch(Product { layer: self, x, out });
    }
}

/// The work of [`Linear::add`].
struct Product<'a> {
    layer: &'a Linear,
    x: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { layer, x, out } = self;
        let Linear { inputs, outputs, ref panels, .. } = *layer;
        let rows = out.len() / outputs;
        for (index, panel) in panels.chunks_exact((PANEL * inputs).max(1)).enumerate() {
            let mut row = 0;
            while row < rows {
                let rest = rows - row;
                let (x, out) = (&x[row * inputs..], &mut out[row * outputs..]);
                let tile = Tile { inputs, outputs, first: index * PANEL, x, panel };
                row += match rest {
                    TALL.. => tile.run::<S, TALL>(simd, out),
                    LOW.. => tile.run::<S, LOW>(simd, out),
                    _ => tile.run::<S, 1>(simd, out),
                };
            }
        }
    }
}

/// Some rows by the columns of a panel.
struct Tile<'a> {
    inputs: usize,
    outputs: usize,
    /// The first column.
    first: usize,
    x: &'a [f32],
    panel: &'a [f32],
}

impl Tile<'_> {
    /// Does `ROWS` rows; so many.
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(&self, simd: S, out: &mut [f32]) -> usize {
        let columns = PANEL.min(self.outputs - self.first);
        let width = 2 * S::F32_LANES;
        if !(8..=PANEL).contains(&width) {
            self.plain::<ROWS>(out, columns);
            return ROWS;
        }
        for column in (0..columns).step_by(width) {
            self.columns::<S, ROWS>(simd, out, column, width.min(columns - column));
        }
        ROWS
    }

    /// Two vectors of columns from `column` on, of which `wanted` are.
    #[inline(always)]
    fn columns<S: Simd, const ROWS: usize>(&self, simd: S, out: &mut [f32], column: usize, wanted: usize) {
        let inputs = self.inputs;
        let x: [&[f32]; ROWS] = std::array::from_fn(|row| &self.x[row * inputs..][..inputs]);
        let weights = S::as_simd_f32s(self.panel).0;
        let (a_pair, at) = (PANEL / S::F32_LANES, column / S::F32_LANES);
        let mut sums = [[simd.splat_f32s(0.0); 2]; ROWS];
        for (input, weights) in weights.chunks_exact(a_pair).enumerate().take(inputs) {
            let (left, right) = (weights[at], weights[at + 1]);
            for row in 0..ROWS {
                let x = simd.splat_f32s(x[row][input]);
                sums[row][0] = simd.mul_add_f32s(x, left, sums[row][0]);
                sums[row][1] = simd.mul_add_f32s(x, right, sums[row][1]);
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            let out = &mut out[row * self.outputs + self.first + column..][..wanted];
            if wanted == 2 * S::F32_LANES {
                let out = S::as_mut_simd_f32s(out).0;
                out[0] = simd.add_f32s(out[0], sums[0]);
                out[1] = simd.add_f32s(out[1], sums[1]);
            } else {
                let mut all = [0.0; PANEL];
                S::as_mut_simd_f32s(&mut all).0[..2].copy_from_slice(sums);
                out.iter_mut().zip(all).for_each(|(out, sum)| *out += sum);
            }
        }
    }

    /// Without vectors that are worth it.
    #[inline(always)]
    fn plain<const ROWS: usize>(&self, out: &mut [f32], columns: usize) {
        for row in 0..ROWS {
            let mut sums = [0.0; PANEL];
            let x = &self.x[row * self.inputs..][..self.inputs];
            for (x, weights) in x.iter().zip(self.panel.as_chunks::<PANEL>().0) {
                for i in 0..PANEL {
                    sums[i] += x * weights[i];
                }
            }
            let out = &mut out[row * self.outputs + self.first..][..columns];
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
        }
    }
}

/// A table of embeddings, of whose rows sums are wanted.
pub(super) struct Table {
    columns: usize,
    cells: Vec<f32>,
    arch: Arch,
}

impl Table {
    /// The table with these cells, row after row.
    pub(super) fn new(cells: Vec<f32>, columns: usize) -> Self {
        Self { columns, cells, arch: Arch::new() }
    }

    /// Adds these rows to `out`.
    pub(super) fn add(&self, rows: &[usize], out: &mut [f32]) {
        assert_eq!(out.len(), self.columns, "as many columns as the table has");
        self.arch.dispatch(Sum { table: self, rows, out });
    }
}

/// The work of [`Table::add`].
struct Sum<'a> {
    table: &'a Table,
    rows: &'a [usize],
    out: &'a mut [f32],
}

impl WithSimd for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { table, rows, out } = self;
        let row_of =
            |row: usize, first: usize, count: usize| &table.cells[row * table.columns + first..][..count];
        let width = 4 * S::F32_LANES;
        let wide = out.len() - out.len() % width;
        let (whole, rest) = out.split_at_mut(wide);
        for (index, out) in whole.chunks_exact_mut(width).enumerate() {
            let out = S::as_mut_simd_f32s(out).0;
            let mut sums = [out[0], out[1], out[2], out[3]];
            for &row in rows {
                let cells = S::as_simd_f32s(row_of(row, index * width, width)).0;
                for i in 0..4 {
                    sums[i] = simd.add_f32s(sums[i], cells[i]);
                }
            }
            out.copy_from_slice(&sums);
        }
        for &row in rows {
            let cells = row_of(row, wide, rest.len());
            rest.iter_mut().zip(cells).for_each(|(out, cell)| *out += cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use mancala_env::{Stream, stream};
    use rand::RngExt;

    use super::*;

    /// Every instruction set that can be had here.
    fn archs() -> Vec<Arch> {
        let mut archs = vec![Arch::Scalar, Arch::new()];
        #[cfg(target_arch = "x86_64")]
        archs.extend(pulp::x86::V3::try_new().map(Arch::V3));
        archs
    }

    /// A layer with its weight and bias.
    fn layer(
        inputs: usize,
        outputs: usize,
        cells: &mut impl FnMut(usize) -> Vec<f32>,
    ) -> (Linear, Vec<f32>, Vec<f32>) {
        let (weight, bias) = (cells(inputs * outputs), cells(outputs));
        (Linear::new(&weight, &bias, inputs, outputs), weight, bias)
    }

    #[test]
    fn products_are_those_of_the_definition_whatever_the_shape() {
        let mut rng = stream(Stream::Arena, 3, 0, 0);
        let mut cells = |count| (0..count).map(|_| rng.random_range(-1.0f32..1.0)).collect::<Vec<_>>();
        for inputs in [1, 3, 33, 128] {
            for outputs in [1, 3, 16, 31, 32, 48, 65, 128] {
                let (mut layer, weight, bias) = layer(inputs, outputs, &mut cells);
                for (arch, rows) in
                    archs().into_iter().flat_map(|arch| [0, 1, 3, 4, 7, 8, 13, 30].map(|n| (arch, n)))
                {
                    layer.arch = arch;
                    let x = cells(rows * inputs);
                    let mut out = vec![f32::NAN; rows * outputs];
                    layer.apply(&x, &mut out);
                    for (at, &out) in out.iter().enumerate() {
                        let (row, output) = (at / outputs, at % outputs);
                        let terms = (0..inputs)
                            .map(|i| f64::from(x[row * inputs + i]) * f64::from(weight[output * inputs + i]));
                        let expected = f64::from(bias[output]) + terms.sum::<f64>();
                        assert!(
                            (f64::from(out) - expected).abs() < 1e-4,
                            "{inputs}x{outputs} at {row}, {output}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_row_comes_out_the_same_in_any_company() {
        let mut rng = stream(Stream::Arena, 4, 0, 0);
        let mut cells = |count| (0..count).map(|_| rng.random_range(-1.0f32..1.0)).collect::<Vec<_>>();
        for (inputs, outputs) in [(33, 48), (128, 128), (64, 3)] {
            let (mut layer, ..) = layer(inputs, outputs, &mut cells);
            let x = cells(30 * inputs);
            for arch in archs() {
                layer.arch = arch;
                let mut together = vec![0.0; 30 * outputs];
                layer.apply(&x, &mut together);
                for row in 0..30 {
                    let mut alone = vec![0.0; outputs];
                    layer.apply(&x[row * inputs..][..inputs], &mut alone);
                    assert_eq!(
                        alone,
                        together[row * outputs..][..outputs],
                        "{arch:?}: {inputs}x{outputs}, row {row}"
                    );
                }
            }
        }
    }

    #[test]
    fn sums_of_rows_are_those_of_the_definition() {
        let mut rng = stream(Stream::Arena, 5, 0, 0);
        for columns in [1, 31, 32, 48, 64, 128, 200] {
            let cells: Vec<f32> = (0..9 * columns).map(|_| rng.random_range(-1.0f32..1.0)).collect();
            for rows in [&[][..], &[8], &[0, 3, 3, 7, 8, 1]] {
                for arch in archs() {
                    let table = Table { arch, ..Table::new(cells.clone(), columns) };
                    let mut out: Vec<f32> = (0..columns).map(|column| column as f32).collect();
                    let mut expected = out.clone();
                    table.add(rows, &mut out);
                    for &row in rows {
                        expected.iter_mut().zip(&cells[row * columns..]).for_each(|(sum, cell)| *sum += cell);
                    }
                    assert_eq!(out, expected, "{arch:?}: {columns} columns, rows {rows:?}");
                }
            }
        }
    }
}
