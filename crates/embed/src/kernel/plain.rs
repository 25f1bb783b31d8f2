//! The kernel for any processor, and the definition of what is right.

use super::{Kernel, Line};
use crate::forward::{Pass, forward};
use crate::weights::{GROUP, WeightBlock};

#[derive(Clone, Copy)]
pub struct Plain;

const ROWS: usize = 4;

impl Kernel for Plain {
    type Codes = [[i8; GROUP]; ROWS];

    const EMPTY: Self::Codes = [[0; GROUP]; ROWS];
    const ROWS: usize = ROWS;
    const PANELS: usize = 1;
    const FEED_ROWS: usize = 96;

    #[inline(always)]
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]) {
        codes[row] = values.map(|value| value as i8);
    }

    #[inline(always)]
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], _sums: &[i32], out: &mut [Line]) {
        let out = &mut out[..ROWS];
        out.fill([0; 16]);
        for (codes, step) in codes.iter().zip(steps) {
            let (columns, _) = step.as_chunks::<GROUP>();
            for (line, row) in out.iter_mut().zip(codes) {
                for (sum, weights) in line.iter_mut().zip(columns) {
                    for (weight, code) in weights.iter().zip(row) {
                        *sum += i32::from(weight.cast_signed()) * i32::from(*code);
                    }
                }
            }
        }
    }

    fn run(self, pass: Pass<'_, Self>) {
        forward(self, pass);
    }
}
