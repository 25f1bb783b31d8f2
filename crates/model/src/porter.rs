//! The stem of an English word, as FTS5's `porter` finds it: the words of a
//! text have to be told apart in the way the index does. A test holds both
//! against each other.

/// Longer and shorter words are left as they are.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// Leaves of a word in small letters its stem.
pub fn shorten(word: &mut String) {
    if !LENGTHS.contains(&word.len()) {
        return;
    }
    let mut word = Word(word);
    word.plural();
    if word.past_or_gerund() && !word.first_rule(&MENDED, |_| true) {
        word.mend_ending();
    }
    if word.ends("y") && has_vowel(word.head(1)) {
        word.replace(1, "i");
    }
    word.first_rule(&SECOND, |head| measure(head) > 0);
    word.first_rule(&THIRD, |head| measure(head) > 0);
    word.drop_ending();
    word.drop_final_letters();
}

const MENDED: [(&str, &str); 3] = [("at", "ate"), ("bl", "ble"), ("iz", "ize")];

const SECOND: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const THIRD: [(&str, &str); 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Endings that say nothing after two syllables.
const FOURTH: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

struct Word<'a>(&'a mut String);

impl Word<'_> {
    /// Whether something stands before this ending.
    fn ends(&self, ending: &str) -> bool {
        self.0.len() > ending.len() && self.0.ends_with(ending)
    }

    /// What stands before the last `n` letters.
    fn head(&self, n: usize) -> &[u8] {
        &self.0.as_bytes()[..self.0.len() - n]
    }

    /// Only where the last `n` bytes are letters known to be ASCII.
    fn replace(&mut self, n: usize, ending: &str) {
        self.0.truncate(self.0.len() - n);
        self.0.push_str(ending);
    }

    /// The first rule whose ending the word has decides, whether it may be
    /// applied or not.
    fn first_rule(&mut self, rules: &[(&str, &str)], may: impl Fn(&[u8]) -> bool) -> bool {
        let Some((ending, other)) = rules.iter().find(|(ending, _)| self.ends(ending)) else {
            return false;
        };
        let is_applied = may(self.head(ending.len()));
        if is_applied {
            self.replace(ending.len(), other);
        }
        is_applied
    }

    fn plural(&mut self) {
        if !self.ends("s") || self.ends("ss") {
            return;
        }
        let n = if self.ends("sses") || self.ends("ies") { 2 } else { 1 };
        self.replace(n, "");
    }

    /// Whether the word lost an ending and may need another.
    fn past_or_gerund(&mut self) -> bool {
        if self.ends("eed") {
            if measure(self.head(3)) > 0 {
                self.replace(3, "ee");
            }
            return false;
        }
        let Some(ending) = ["ed", "ing"].into_iter().find(|ending| self.ends(ending)) else {
            return false;
        };
        let may = has_vowel(self.head(ending.len()));
        if may {
            self.replace(ending.len(), "");
        }
        may
    }

    /// `hopp` to `hop`, `fil` to `file`.
    fn mend_ending(&mut self) {
        let bytes = self.0.as_bytes();
        let [.., before, last] = bytes else { return };
        let is_double = before == last && last.is_ascii();
        if is_double && !is_vowel(*last, false) && !matches!(last, b'l' | b's' | b'z') {
            self.replace(1, "");
        } else if measure(bytes) == 1 && ends_short(bytes) {
            self.0.push('e');
        }
    }

    fn drop_ending(&mut self) {
        let Some(ending) = FOURTH.into_iter().find(|ending| self.ends(ending)) else { return };
        let head = self.head(ending.len());
        let may = ending != "ion" || matches!(head.last(), Some(b's' | b't'));
        if may && measure(head) > 1 {
            self.replace(ending.len(), "");
        }
    }

    fn drop_final_letters(&mut self) {
        if self.ends("e") {
            let head = self.head(1);
            let n = measure(head);
            if n > 1 || (n == 1 && !ends_short(head)) {
                self.replace(1, "");
            }
        }
        if self.ends("ll") && measure(self.head(1)) > 1 {
            self.replace(1, "");
        }
    }
}

/// A `y` is a vowel after a consonant.
const fn is_vowel(letter: u8, is_after_consonant: bool) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u') || (is_after_consonant && letter == b'y')
}

/// Whether each letter is a consonant.
fn consonants(word: &[u8]) -> impl Iterator<Item = bool> {
    word.iter().scan(false, |was_consonant, letter| {
        *was_consonant = !is_vowel(*letter, *was_consonant);
        Some(*was_consonant)
    })
}

fn has_vowel(head: &[u8]) -> bool {
    head.iter().enumerate().any(|(at, letter)| is_vowel(*letter, at > 0))
}

/// How often a consonant follows a vowel.
fn measure(head: &[u8]) -> usize {
    let mut was_vowel = false;
    let mut n = 0;
    for is_consonant in consonants(head) {
        n += usize::from(was_vowel && is_consonant);
        was_vowel = !is_consonant;
    }
    n
}

/// Whether it ends with consonant, vowel, consonant, the last not `w x y`.
fn ends_short(head: &[u8]) -> bool {
    if matches!(head.last(), None | Some(b'w' | b'x' | b'y')) {
        return false;
    }
    let last: Vec<bool> = consonants(head).collect();
    last.ends_with(&[true, false, true])
}
