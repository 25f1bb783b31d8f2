//! `cargo xtask fuzz code DIR [--minutes N] [--seed N]`: real files, damaged in
//! every way that comes to mind; none may panic or take long.
//!
//! What is long is told beside what the same number of bytes usually takes, so
//! that a busy machine does not look like a slow file. The slowest are kept in
//! the folder it was started in when they are past the mark.

use fastrand::Rng;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A file may take this long, and this much more than others of its size.
const LONG: Duration = Duration::from_secs(2);

const SPLINTERS: [&str; 24] = [
    "(", ")", "{", "}", "[", "]", "<", ">", "\"", "'", "`", "\"\"\"", "/*", "*/", "//", "#", "\\",
    "\0", "\u{feff}", "\u{202e}", "class ", "def ", "<<EOS\n", "@",
];

pub fn run(folder: &str, options: &[&str]) -> ExitCode {
    let option = |name: &str, default: u64| {
        let at = options.iter().position(|word| *word == name);
        at.and_then(|at| options.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let mut files = Vec::new();
    gather(Path::new(folder), &mut files);
    files.sort();
    if files.is_empty() {
        eprintln!("error: no files of a known language in {folder}");
        return ExitCode::from(2);
    }
    let time = Duration::from_secs(60 * option("--minutes", 1));
    fuzz(&files, time, option("--seed", 1))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy() == ".git";
        if path.is_dir() && !is_hidden {
            gather(&path, files);
        } else if path.to_str().is_some_and(code::lang::is_known) {
            files.push(path);
        }
    }
}

fn fuzz(files: &[PathBuf], time: Duration, seed: u64) -> ExitCode {
    let mut rng = Rng::with_seed(seed);
    let started = Instant::now();
    let (mut n, mut n_bytes, mut total) = (0_u64, 0, Duration::ZERO);
    let mut slowest: Vec<(Duration, PathBuf, usize)> = Vec::new();
    let mut n_long = 0;
    while started.elapsed() < time {
        let path = &files[rng.usize(0..files.len())];
        let Ok(mut bytes) = std::fs::read(path) else { continue };
        damage(&mut bytes, &mut rng);
        let at = Instant::now();
        let facts = code::extract(&path.to_string_lossy(), &bytes);
        let took = at.elapsed();
        let _ = std::hint::black_box(facts.encode());
        (n, n_bytes, total) = (n + 1, n_bytes + bytes.len() as u64, total + took);
        if took > LONG {
            n_long += 1;
            let end = path.extension().and_then(|end| end.to_str()).unwrap_or("txt");
            let _ = std::fs::write(format!("slow-{seed}-{n}.{end}"), &bytes);
        }
        slowest.push((took, path.clone(), bytes.len()));
        slowest.sort_by(|a, b| b.cmp(a));
        slowest.truncate(5);
    }
    let usual = total.as_secs_f64() / n_bytes.max(1) as f64;
    println!("{n} damaged files, {n_bytes} bytes, none panicked");
    for (took, path, size) in slowest {
        let times = took.as_secs_f64() / (usual * size.max(1) as f64);
        println!("{took:>12?}  {times:>6.1} x the usual  {size:>8} bytes  {}", path.display());
    }
    if n_long == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.usize(1..8) {
        let at = rng.usize(0..=bytes.len());
        let to = (at + rng.usize(0..400)).min(bytes.len());
        match rng.u8(0..6) {
            0 => drop(bytes.drain(at..to)),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..to].to_vec();
                let n = [1, 2, 50, 2_000][rng.usize(0..4)];
                bytes.splice(at..at, copy.repeat(n).into_iter().take(200_000));
            }
            3 => {
                let n = [1, 3, 500, 20_000][rng.usize(0..4)];
                let splinter = SPLINTERS[rng.usize(0..SPLINTERS.len())].repeat(n);
                bytes.splice(at..at, splinter.into_bytes());
            }
            4 => bytes[at..to].iter_mut().for_each(|byte| *byte ^= rng.u8(..)),
            _ => {
                let splinter = SPLINTERS[rng.usize(0..SPLINTERS.len())];
                bytes.splice(at..at, splinter.bytes());
            }
        }
    }
}
