//! Sums of products of small integers, the one thing that is written for each
//! kind of processor.
//!
//! A kernel computes a tile: some rows of activations against some panels of
//! sixteen columns. All of them are exact, so they agree to the bit, and the
//! plain one says what is right.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
mod neon_dot;
mod plain;
#[cfg(test)]
mod tests;

use crate::forward::{Engine, Forward, Pass};
use crate::weights::{PANEL, WeightBlock};

/// One row of one panel of a result.
pub type Line = [i32; PANEL];

/// The most lines a tile of any kernel has.
pub const MAX_TILE: usize = 24;

/// A way to multiply. A value of an implementing type is the proof that this
/// processor can do it: it is only ever made after asking.
pub trait Kernel: Copy + Send + 'static {
    /// The activations of all rows of a tile for four neighbouring inputs.
    type Codes: Copy + Send + 'static;

    /// No activation at all.
    const EMPTY: Self::Codes;
    /// Rows of a tile.
    const ROWS: usize;
    /// Panels of a tile.
    const PANELS: usize;
    /// How many rows of the wide feed-forward layer are worked on together, so
    /// that they stay in the second cache; a multiple of `ROWS`.
    const FEED_ROWS: usize;

    /// Enters the activations of a row, each in -127..=127.
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]);

    /// The products of a tile: `ROWS` lines for each panel, panel after panel.
    ///
    /// `steps` holds the panels of the tile one after the other, each as long
    /// as `codes`; `sums` the sum of weights for each of their columns.
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], sums: &[i32], out: &mut [Line]);

    /// Runs the whole pass, compiled for the processor of this kernel.
    fn run(self, pass: Pass<'_, Self>);
}

/// Which of the kernels is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// x86 with dot products of bytes in 512 bits.
    Avx512Vnni,
    /// x86 with dot products of bytes in 256 bits.
    AvxVnni,
    /// x86 with 256 bits.
    Avx2,
    /// ARM with dot products of bytes.
    NeonDot,
    /// ARM.
    Neon,
    /// Any processor.
    Plain,
}

impl Arithmetic {
    /// The best this processor can do.
    pub fn best() -> Arithmetic {
        Arithmetic::available()[0]
    }

    /// All this processor can do, the best first.
    pub fn available() -> Vec<Arithmetic> {
        let all = [
            Arithmetic::Avx512Vnni,
            Arithmetic::AvxVnni,
            Arithmetic::Avx2,
            Arithmetic::NeonDot,
            Arithmetic::Neon,
            Arithmetic::Plain,
        ];
        all.into_iter().filter(|it| it.engine().is_some()).collect()
    }

    /// Something that runs the model this way, or plainly.
    pub(crate) fn engine_or_plain(self) -> Box<dyn Forward> {
        self.engine().unwrap_or_else(|| Engine::boxed(plain::Plain))
    }

    /// Something that runs the model this way, if this processor can.
    pub(crate) fn engine(self) -> Option<Box<dyn Forward>> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Arithmetic::Avx512Vnni => avx512::Avx512::detect().map(Engine::boxed),
            #[cfg(target_arch = "x86_64")]
            Arithmetic::AvxVnni => avx_vnni::AvxVnni::detect().map(Engine::boxed),
            #[cfg(target_arch = "x86_64")]
            Arithmetic::Avx2 => avx2::Avx2::detect().map(Engine::boxed),
            #[cfg(target_arch = "aarch64")]
            Arithmetic::NeonDot => neon_dot::NeonDot::detect().map(Engine::boxed),
            #[cfg(target_arch = "aarch64")]
            Arithmetic::Neon => neon::Neon::detect().map(Engine::boxed),
            Arithmetic::Plain => Some(Engine::boxed(plain::Plain)),
            // The kernels of other processors.
            _ => None,
        }
    }
}
