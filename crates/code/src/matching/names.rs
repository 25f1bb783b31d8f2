//! How alike names, signatures and paths are.

use model::text::name_parts;

/// From 0 to 1; 1 only for equal names.
pub fn similarity(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let (mut words_a, mut words_b) = (name_parts(a), name_parts(b));
    words_a.sort();
    words_b.sort();
    let by_words = dice(&words_a, &words_b);
    let (mut pairs_a, mut pairs_b) = (bigrams(a), bigrams(b));
    pairs_a.sort_unstable();
    pairs_b.sort_unstable();
    by_words.max(0.8 * dice(&pairs_a, &pairs_b)).min(0.99)
}

/// Whether two names share half their words.
pub fn share_words(a: &str, b: &str) -> bool {
    let (mut words_a, mut words_b) = (name_parts(a), name_parts(b));
    words_a.sort();
    words_b.sort();
    dice(&words_a, &words_b) >= 0.5
}

fn bigrams(text: &str) -> Vec<[u8; 2]> {
    let lower: Vec<u8> = text.bytes().map(|byte| byte.to_ascii_lowercase()).take(200).collect();
    lower.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// Dice's coefficient of two sorted lists, what is there twice counting twice.
/// Two empty lists are alike.
pub fn dice<T: Ord>(a: &[T], b: &[T]) -> f32 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let (mut at_a, mut at_b, mut n_common) = (0, 0, 0usize);
    while let (Some(x), Some(y)) = (a.get(at_a), b.get(at_b)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => at_a += 1,
            std::cmp::Ordering::Greater => at_b += 1,
            std::cmp::Ordering::Equal => {
                n_common += 1;
                at_a += 1;
                at_b += 1;
            }
        }
    }
    2.0 * n_common as f32 / (a.len() + b.len()) as f32
}

/// How much of two paths' folders is the same.
pub fn path_similarity(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let folders = |path: &str| -> Vec<String> {
        path.split('/').rev().skip(1).take(32).map(str::to_owned).collect()
    };
    let (mut folders_a, mut folders_b) = (folders(a), folders(b));
    folders_a.sort();
    folders_b.sort();
    dice(&folders_a, &folders_b)
}

/// The file's name without its extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
