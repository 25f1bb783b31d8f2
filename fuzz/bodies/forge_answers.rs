//! Whatever a forge sends is understood or refused; notes of its own are one of the
//! known wordings or unknown. Run by the fuzzer and, on fewer inputs, by
//! `crates/forge/tests/fuzz_smoke.rs`.

pub fn check(bytes: &[u8]) {
    let n_read = forge::gitlab::read_as_everything(bytes);
    assert!(n_read == 0 || bytes.contains(&b'{'), "a record comes out of an object");
}
