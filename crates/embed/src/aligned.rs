//! Buffers that begin at a cache line.
//!
//! A plain `Vec` begins at 16 bytes, and wide loads that straddle two lines
//! cost a third of the speed.

const LINE: usize = 64;

pub struct Aligned<T> {
    memory: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy> Aligned<T> {
    /// `len` times `value`.
    pub fn filled(value: T, len: usize) -> Self {
        let spare = LINE.div_ceil(size_of::<T>().max(1));
        let memory = vec![value; len + spare];
        // It is only a matter of speed: if no element begins at a line, any will do.
        let offset = memory.as_ptr().align_offset(LINE);
        let start = if offset <= spare { offset } else { 0 };
        Aligned { memory, start, len }
    }
}

impl<T> std::ops::Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl<T> std::ops::DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_at_a_cache_line() {
        for len in [1, 7, 384, 1000] {
            let buffer = Aligned::filled(0f32, len);
            assert_eq!((buffer.as_ptr().addr() % LINE, buffer.len()), (0, len));
        }
    }
}
