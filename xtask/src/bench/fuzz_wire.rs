//! `cargo xtask fuzz wire [--minutes N] [--seed N]`: payloads of the fixtures,
//! written by every codec and damaged; what can still be read must be written
//! and read back as the same. For coverage-guided runs see the folder `fuzz`.

use fastrand::Rng;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use wire::{Payload, Session, gcf, registry};

const SPLINTERS: [&str; 18] = [
    "\n",
    "\n=0",
    "\n@ a .",
    "\n0 method a:1",
    "\t~",
    " w_",
    " .5/_//1",
    "\norder 1 0",
    "\n> +calls/90 0>1,0",
    "\nnote issue 1\ntitle",
    "\nknown -calls:0>1",
    "\n1 .b",
    "\nwarn+ x",
    "\ncut symbols=1",
    "\"",
    "\\",
    "\u{202e}",
    "99999999999",
];

pub fn run(root: &Path, options: &[&str]) -> ExitCode {
    let option = |name: &str, default: u64| {
        let at = options.iter().position(|word| *word == name);
        at.and_then(|at| options.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let seeds = seeds(&root.join("crates/wire/tests/fixtures"));
    if seeds.is_empty() {
        eprintln!("error: no fixtures of the wire formats");
        return ExitCode::from(2);
    }
    let time = Duration::from_secs(60 * option("--minutes", 1));
    fuzz(&seeds, time, option("--seed", 1))
}

/// Every fixture as every codec writes it.
fn seeds(folder: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
    files.sort();
    let texts = files.iter().filter_map(|path| std::fs::read(path).ok());
    let payloads: Vec<Payload> =
        texts.filter_map(|json| registry().decode("json", &json).ok()).collect();
    let mut seeds = Vec::new();
    for codec in registry().list() {
        let written = payloads.iter().filter_map(|it| registry().encode(codec, it).ok());
        seeds.extend(written.map(|bytes| (codec, bytes)));
    }
    seeds
}

fn fuzz(seeds: &[(&'static str, Vec<u8>)], time: Duration, seed: u64) -> ExitCode {
    let mut rng = Rng::with_seed(seed);
    let started = Instant::now();
    let (mut n, mut n_read) = (0_u64, 0_u64);
    while started.elapsed() < time {
        let (codec, bytes) = &seeds[rng.usize(0..seeds.len())];
        let mut bytes = bytes.clone();
        damage(&mut bytes, &mut rng);
        n += 1;
        let _ = gcf::decode_in(&mut Session::new(), &bytes);
        let Ok(payload) = registry().decode(codec, &bytes) else { continue };
        n_read += 1;
        let again = registry().encode(codec, &payload).and_then(|it| registry().decode(codec, &it));
        if !again.is_ok_and(|again| again == payload) {
            let name = format!("wire-{codec}-{seed}-{n}.bin");
            let _ = std::fs::write(&name, &bytes);
            eprintln!("error: {codec} does not read back what it read; kept as {name}");
            return ExitCode::FAILURE;
        }
    }
    println!("{n} damaged payloads, {n_read} still read, none panicked");
    ExitCode::SUCCESS
}

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(0..=bytes.len());
        let to = (at + rng.usize(0..40)).min(bytes.len());
        match rng.u8(0..5) {
            0 => drop(bytes.drain(at..to)),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..to].to_vec();
                bytes.splice(at..at, copy);
            }
            3 => bytes[at..to].iter_mut().for_each(|byte| *byte ^= rng.u8(..)),
            _ => {
                let splinter = SPLINTERS[rng.usize(0..SPLINTERS.len())];
                bytes.splice(at..at, splinter.bytes());
            }
        }
    }
}
