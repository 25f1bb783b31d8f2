//! Names across files: a text's hash stands for it, so that files need no
//! common table and can be read in parallel.

/// FNV-1a with 64 bits: stable, good enough for identifiers, and computable
/// at compile time for names the linker itself asks for.
pub const fn hash(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        state ^= bytes[at] as u64;
        state = state.wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    state
}
