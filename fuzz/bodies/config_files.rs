//! Any text as a config file, TOML or JSON: settings, or an error that names what is
//! wrong. Run by the fuzzer and, on fewer inputs, by `crates/cli/tests/it/fuzz_smoke.rs`.

use cli::config::layer;
use cli::config::tree::{self, Syntax};

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for syntax in [Syntax::Toml, Syntax::Json] {
        let read = tree::parse(&text, syntax).and_then(|root| layer::read(&root, syntax));
        if let Err(error) = read {
            assert!(!error.message().is_empty());
        }
    }
    let _ = cli::config::glab::token(&text, "gitlab.example.com");
}
