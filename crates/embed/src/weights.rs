//! The model file, read in place: where each matrix lies in it.
//!
//! The layout is described in `models/README.md`. Matrices stay where they
//! are; only the few numbers per column are copied out. The header is checked
//! whenever the file is opened, its checksum in a test.

use model::{Error, ErrorCode, Result};

/// Columns of a panel.
pub const PANEL: usize = 16;
/// Neighbouring inputs that lie together in a panel.
pub const GROUP: usize = 4;

/// One step of a panel: a cache line with the weights of four inputs for
/// sixteen columns, column by column.
pub type WeightBlock = [u8; PANEL * GROUP];

const MAGIC: &[u8; 8] = b"LORE-VEC";
const VERSION: u32 = 1;
const HEADER: usize = 256;
const ALIGN: usize = 64;

/// The sizes this code is written for. A file with others is another model.
pub const HIDDEN: usize = 384;
pub const HEADS: usize = 12;
pub const FEED: usize = 1536;
const LAYERS: usize = 12;
const POSITIONS: usize = 512;

pub struct Weights {
    /// Pieces in the order of their ids, one a line.
    pub vocabulary: &'static str,
    words: &'static [u8],
    word_scales: Vec<f32>,
    positions: &'static [u8],
    pub embedding_norm: Norm,
    pub layers: Vec<Layer>,
    pub epsilon: f32,
}

pub struct Layer {
    /// Queries (already divided by the root of the head size), keys, values.
    pub attention: Linear,
    pub attention_output: Linear,
    pub attention_norm: Norm,
    pub feed_up: Linear,
    pub feed_down: Linear,
    pub feed_norm: Norm,
}

pub struct Norm {
    pub gain: Vec<f32>,
    pub offset: Vec<f32>,
}

/// A matrix in eight bits with a scale for each column of its result.
pub struct Linear {
    /// Panel after panel, each with its steps along the inputs.
    pub steps: &'static [WeightBlock],
    pub n_inputs: usize,
    pub scales: Vec<f32>,
    /// The sum of the codes of each column.
    pub sums: Vec<i32>,
    /// The sum of the weights of each column.
    pub totals: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Weights {
    pub fn read(file: &'static [u8]) -> Result<Weights> {
        let (n_pieces, vocabulary_len, epsilon) = check_header(file)?;
        let mut sections = Sections { rest: &file[HEADER..] };
        let vocabulary = std::str::from_utf8(sections.take(vocabulary_len)?)
            .map_err(|_| damaged("its vocabulary is not text"))?;
        let words = sections.take(n_pieces * HIDDEN)?;
        let word_scales = sections.floats(n_pieces)?;
        let positions = sections.take(POSITIONS * HIDDEN * size_of::<f32>())?;
        let embedding_norm = sections.norm()?;
        let layers = (0..LAYERS).map(|_| sections.layer()).collect::<Result<_>>()?;
        if !sections.rest.is_empty() {
            return Err(damaged("there is more in it than there should be"));
        }
        Ok(Weights { vocabulary, words, word_scales, positions, embedding_norm, layers, epsilon })
    }

    pub fn n_pieces(&self) -> usize {
        self.word_scales.len()
    }

    /// What the encoder begins with: the piece and where it stands.
    #[inline(always)]
    pub fn embedding(&self, id: usize, position: usize, out: &mut [f32]) {
        let codes = &self.words[id * HIDDEN..][..HIDDEN];
        let row = size_of::<f32>() * HIDDEN;
        let (place, _) = self.positions[position * row..][..row].as_chunks::<4>();
        let scale = self.word_scales[id];
        for ((out, code), place) in out.iter_mut().zip(codes).zip(place) {
            *out = f32::from(code.cast_signed()) * scale + f32::from_le_bytes(*place);
        }
    }
}

/// The number of pieces, the length of the vocabulary and the epsilon.
fn check_header(file: &[u8]) -> Result<(usize, usize, f32)> {
    if file.len() < HEADER || !file.starts_with(MAGIC) {
        return Err(damaged("it does not begin like one"));
    }
    let word = |at: usize| u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]);
    if word(8) != VERSION {
        return Err(damaged(&format!("its layout is {}, this build knows {VERSION}", word(8))));
    }
    let sizes = [HIDDEN, LAYERS, HEADS, FEED, POSITIONS, PANEL, GROUP];
    let found = [16, 20, 24, 28, 32, 36, 40].map(|at| word(at) as usize);
    if found != sizes {
        return Err(damaged(&format!("its sizes are {found:?}, not {sizes:?}")));
    }
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    if long(48) != file.len() as u64 {
        return Err(damaged(&format!("it has {} bytes and should have {}", file.len(), long(48))));
    }
    let vocabulary = usize::try_from(long(56)).map_err(|_| damaged("its vocabulary is endless"))?;
    Ok((word(12) as usize, vocabulary, f32::from_bits(word(44))))
}

fn damaged(why: &str) -> Error {
    Error::new(ErrorCode::EmbeddingFailed, format!("the built-in model cannot be read: {why}"))
        .suggest("install lore again")
}

/// What is left of the file, taken section by section.
struct Sections {
    rest: &'static [u8],
}

impl Sections {
    fn take(&mut self, len: usize) -> Result<&'static [u8]> {
        let padded = len.next_multiple_of(ALIGN);
        let (section, rest) =
            self.rest.split_at_checked(padded).ok_or_else(|| damaged("it ends too early"))?;
        self.rest = rest;
        Ok(&section[..len])
    }

    fn floats(&mut self, n: usize) -> Result<Vec<f32>> {
        let bytes = self.take(n * size_of::<f32>())?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|it| f32::from_le_bytes(*it)).collect())
    }

    fn integers(&mut self, n: usize) -> Result<Vec<i32>> {
        let bytes = self.take(n * size_of::<i32>())?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|it| i32::from_le_bytes(*it)).collect())
    }

    fn norm(&mut self) -> Result<Norm> {
        Ok(Norm { gain: self.floats(HIDDEN)?, offset: self.floats(HIDDEN)? })
    }

    fn linear(&mut self, n_inputs: usize, n_outputs: usize) -> Result<Linear> {
        let steps = self.take(n_inputs * n_outputs)?.as_chunks().0;
        let (scales, sums) = (self.floats(n_outputs)?, self.integers(n_outputs)?);
        let totals = scales.iter().zip(&sums).map(|(scale, sum)| scale * *sum as f32).collect();
        let bias = self.floats(n_outputs)?;
        Ok(Linear { steps, n_inputs, scales, sums, totals, bias })
    }

    fn layer(&mut self) -> Result<Layer> {
        Ok(Layer {
            attention: self.linear(HIDDEN, 3 * HIDDEN)?,
            attention_output: self.linear(HIDDEN, HIDDEN)?,
            attention_norm: self.norm()?,
            feed_up: self.linear(HIDDEN, FEED)?,
            feed_down: self.linear(FEED, HIDDEN)?,
            feed_norm: self.norm()?,
        })
    }
}
