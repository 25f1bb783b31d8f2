//! Which file became which, where the path did not stay.

use super::candidates::{Scored, best_first};
use super::symbols::Side;
use super::{names, rules};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Lines that more files than this have say nothing of one of them.
const COMMON_LINE: usize = 100;
/// Lines of a file that are looked at.
const MOST_LINES: usize = 20_000;

/// For each old file the new one of its path, or the one most like it.
pub fn map(old: &Side<'_>, new: &Side<'_>) -> Vec<Option<u32>> {
    let by_path: FxHashMap<&str, u32> =
        new.files.iter().enumerate().map(|(at, file)| (file.path, at as u32)).collect();
    let mut mapped: Vec<Option<u32>> =
        old.files.iter().map(|file| by_path.get(file.path).copied()).collect();
    let mut is_taken = vec![false; new.files.len()];
    for at in mapped.iter().flatten() {
        is_taken[*at as usize] = true;
    }
    let gone: Vec<u32> = free(&mapped.iter().map(Option::is_some).collect::<Vec<_>>());
    let fresh: Vec<u32> = free(&is_taken);
    let lines: Vec<Vec<u64>> = fresh.iter().map(|at| lines_of(new, *at)).collect();
    let mut with_line: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (at, lines) in lines.iter().enumerate() {
        let mut last = None;
        for line in lines {
            if last != Some(*line) {
                with_line.entry(*line).or_default().push(at as u32);
            }
            last = Some(*line);
        }
    }
    let mut scored = Vec::new();
    for at in &gone {
        let own = lines_of(old, *at);
        let path = old.files[*at as usize].path;
        for other in near(&own, &with_line) {
            let other_path = new.files[fresh[other as usize] as usize].path;
            if extension(path) != extension(other_path) {
                continue;
            }
            let alike = names::dice(&own, &lines[other as usize]);
            let same_name = base_name(path) == base_name(other_path);
            let least = if same_name { rules::FILE_LINES_SAME_NAME } else { rules::FILE_LINES };
            if alike >= least {
                let stems = names::similarity(names::stem(path), names::stem(other_path));
                let score = alike
                    + if same_name { rules::FILE_SAME_NAME } else { 0.0 }
                    + rules::FILE_STEM * stems
                    + rules::FILE_PATH * names::path_similarity(path, other_path);
                scored.push(Scored { score, old: *at, new: fresh[other as usize] });
            }
        }
    }
    best_first(&mut scored);
    for it in scored {
        if mapped[it.old as usize].is_none() && !is_taken[it.new as usize] {
            mapped[it.old as usize] = Some(it.new);
            is_taken[it.new as usize] = true;
        }
    }
    mapped
}

fn free(is_taken: &[bool]) -> Vec<u32> {
    (0..is_taken.len() as u32).filter(|at| !is_taken[*at as usize]).collect()
}

/// The files with most lines in common that are not common to many.
fn near(lines: &[u64], with_line: &FxHashMap<u64, Vec<u32>>) -> Vec<u32> {
    let mut n_common: FxHashMap<u32, u32> = FxHashMap::default();
    for line in lines {
        if let Some(files) = with_line.get(line)
            && files.len() <= COMMON_LINE
        {
            for file in files {
                *n_common.entry(*file).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(u32, u32)> = n_common.into_iter().collect();
    found.sort_by_key(|(file, n_common)| (std::cmp::Reverse(*n_common), *file));
    found.into_iter().take(rules::MOST_CANDIDATES).map(|(file, _)| file).collect()
}

/// The lines of a file but imports, comments and empty ones, as sorted numbers.
fn lines_of(side: &Side<'_>, at: u32) -> Vec<u64> {
    let file = &side.files[at as usize];
    let mut lines: Vec<u64> = file
        .bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| line.len() > 1 && !is_aside(line))
        .take(MOST_LINES)
        .map(|line| {
            let mut hasher = FxHasher::default();
            line.hash(&mut hasher);
            hasher.finish()
        })
        .collect();
    lines.sort_unstable();
    lines
}

fn is_aside(line: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] =
        &[b"import ", b"from ", b"package ", b"use ", b"using ", b"#", b"//", b"*", b"/*"];
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn extension(path: &str) -> &str {
    base_name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}
