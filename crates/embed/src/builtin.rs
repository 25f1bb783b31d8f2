//! The weights that come with the binary. The only place that links them.
//!
//! Nothing is read or copied here: the file lies in the read-only part of the
//! binary, and the system brings in a page when it is first touched.

/// The file, beginning at a cache line as its sections do.
pub static GTE_SMALL: &[u8] = &LINED.bytes;

#[repr(C, align(64))]
struct Lined<T: ?Sized> {
    bytes: T,
}

static LINED: Lined<[u8; include_bytes!("../../../models/gte-small-int8.bin").len()]> =
    Lined { bytes: *include_bytes!("../../../models/gte-small-int8.bin") };

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_weights_are_those_the_readme_names() {
        let sum: String = Sha256::digest(GTE_SMALL).iter().map(|it| format!("{it:02x}")).collect();
        let readme = include_str!("../../../models/README.md");
        assert!(readme.contains(&sum), "models/README.md does not name {sum}");
    }

    #[test]
    fn the_weights_begin_at_a_cache_line() {
        assert_eq!(GTE_SMALL.as_ptr().addr() % 64, 0);
    }
}
