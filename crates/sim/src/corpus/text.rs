//! Words, sentences and whole texts from a seed.
//!
//! Word frequencies follow Zipf's law over a fixed vocabulary, so that full
//! text search over a corpus meets common and rare words as in real trackers.

use fastrand::Rng;

const WORDS: &str = "the to a of in is and it for on we this that with not be as when should from \
    have if error page user can issue but are test or after file new an by does code would add \
    which fix see data using set only also request there works first null time value server \
    response now change branch all build token timeout api list same login default retry label \
    merge index query config cache session table update note thread review state commit deploy \
    version schema column parse cursor number label background worker queue lock migration \
    pipeline release milestone search field button modal avatar webhook redirect header cookie \
    browser safari firefox mobile layout sidebar dropdown tooltip keyboard focus screen reader \
    latency memory leak crash panic overflow deadlock race condition throughput benchmark profile \
    allocation buffer stream socket connection handshake certificate proxy gateway container \
    cluster node scheduler replica shard partition backup restore snapshot checksum compression \
    encoding unicode emoji timezone calendar currency locale translation plural invoice payment \
    refund subscription license quota permission role group owner guest invite audit export import \
    csv json yaml toml markdown diff patch rebase squash cherry blame bisect submodule tag remote";

/// A source of texts.
pub struct Texts {
    vocabulary: Vec<String>,
    /// Cumulative Zipf weights of the vocabulary.
    weights: Vec<f64>,
}

impl Texts {
    /// The vocabulary is the same for every seed; only its use differs.
    pub fn new() -> Texts {
        let mut vocabulary: Vec<String> = Vec::new();
        for word in WORDS.split_whitespace() {
            if !vocabulary.iter().any(|known| known == word) {
                vocabulary.push(word.to_owned());
            }
        }
        // A long tail of names and identifiers.
        let mut rng = Rng::with_seed(0x776f_7264);
        const SYLLABLES: [&str; 24] = [
            "ka", "lo", "mi", "ter", "vox", "san", "dri", "pel", "qui", "ro", "nex", "bal", "shu",
            "tor", "gra", "zen", "ulm", "fei", "jor", "wyn", "cas", "hub", "ox", "yar",
        ];
        while vocabulary.len() < 6000 {
            let n_syllables = rng.usize(2..5);
            let parts: Vec<&str> =
                (0..n_syllables).map(|_| SYLLABLES[rng.usize(..SYLLABLES.len())]).collect();
            let word = if rng.u8(..4) == 0 { parts.join("_") } else { parts.concat() };
            vocabulary.push(word);
        }
        let weights = cumulative_zipf(vocabulary.len());
        Texts { vocabulary, weights }
    }

    fn word(&self, rng: &mut Rng) -> &str {
        &self.vocabulary[pick(&self.weights, rng)]
    }

    pub fn title(&self, rng: &mut Rng) -> String {
        let mut title = String::new();
        for index in 0..rng.usize(3..11) {
            if index > 0 {
                title.push(' ');
            }
            title.push_str(self.word(rng));
        }
        capitalize(&mut title);
        title
    }

    /// About `length` bytes of paragraphs, lists and code.
    pub fn body(&self, rng: &mut Rng, length: usize) -> String {
        let mut text = String::with_capacity(length + 64);
        while text.len() < length {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            match rng.u8(..12) {
                0 => self.code(rng, &mut text),
                1 => self.checklist(rng, &mut text),
                _ => self.paragraph(rng, &mut text, length),
            }
        }
        // Hundreds of thousands of these are kept.
        text.shrink_to_fit();
        text
    }

    fn paragraph(&self, rng: &mut Rng, text: &mut String, length: usize) {
        for _ in 0..rng.usize(1..6) {
            let start = text.len();
            for index in 0..rng.usize(4..18) {
                if index > 0 {
                    text.push(' ');
                }
                text.push_str(self.word(rng));
            }
            if let Some(first) = text.get_mut(start..=start) {
                first.make_ascii_uppercase();
            }
            text.push_str(". ");
            if text.len() >= length {
                break;
            }
        }
    }

    fn code(&self, rng: &mut Rng, text: &mut String) {
        text.push_str("```\n");
        for _ in 0..rng.usize(1..6) {
            let (name, argument) = (self.word(rng).to_owned(), self.word(rng).to_owned());
            text.push_str("let ");
            text.push_str(&name);
            text.push_str(" = ");
            text.push_str(&argument);
            text.push_str("(#1)?;\n");
        }
        text.push_str("```");
    }

    fn checklist(&self, rng: &mut Rng, text: &mut String) {
        for _ in 0..rng.usize(1..5) {
            text.push_str(if rng.bool() { "- [x] " } else { "- [ ] " });
            text.push_str(self.word(rng));
            text.push('\n');
        }
    }

    /// A path such as `src/session/cookie.rs`.
    pub fn path(&self, rng: &mut Rng) -> String {
        const ENDINGS: [&str; 5] = ["rs", "rb", "ts", "md", "vue"];
        let mut path = String::from("src");
        for _ in 0..rng.usize(1..4) {
            path.push('/');
            path.push_str(self.word(rng));
        }
        path.push('.');
        path.push_str(ENDINGS[rng.usize(..ENDINGS.len())]);
        path
    }
}

impl Default for Texts {
    fn default() -> Self {
        Texts::new()
    }
}

/// Text that trips programs: line ends, right-to-left marks, astral and
/// combining characters, terminal escapes, markup, endless words.
pub fn odd(rng: &mut Rng) -> &'static str {
    const ODD: [&str; 12] = [
        "line one\r\nline two\r\n",
        "family 👩‍👩‍👧‍👦 and flag 🇳🇴 and 🤷🏽‍♀️",
        "שלום עולם — مرحبا بالعالم",
        "user\u{202e}gpj.exe\u{202c}",
        "zero\u{200b}width\u{feff}joiner\u{200d}",
        "e\u{0301}\u{0302}\u{0303} combining",
        "\u{1b}[31mred\u{1b}[0m \u{7}bell",
        "<script>alert('x')</script> & <b>bold</b>",
        "日本語の説明。全角スペース　付き",
        "'; DROP TABLE notes; -- \"quoted\" \\ back",
        "𝕬𝖘𝖙𝖗𝖆𝖑 𐍈 \u{10ffff}",
        "Loremipsumdolorsitametconsecteturadipiscingelitseddoeiusmodtemporincididuntutlabore",
    ];
    ODD[rng.usize(..ODD.len())]
}

/// Cumulative weights 1, 1/2, 1/3 … scaled to end at 1.
pub fn cumulative_zipf(n: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let mut weights: Vec<f64> = (1..=n)
        .map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        })
        .collect();
    for weight in &mut weights {
        *weight /= sum;
    }
    weights
}

/// An index by cumulative weights.
pub fn pick(weights: &[f64], rng: &mut Rng) -> usize {
    let roll = rng.f64();
    weights.partition_point(|weight| *weight < roll).min(weights.len().saturating_sub(1))
}

/// A heavy-tailed length: mostly near `median`, sometimes many times that.
pub fn heavy_tail(rng: &mut Rng, median: f64, cap: f64) -> f64 {
    // The sum of a few rolls stands in for a normal distribution.
    let normal: f64 = (0..6).map(|_| rng.f64()).sum::<f64>() - 3.0;
    (median * (normal * 1.6).exp()).min(cap)
}

fn capitalize(text: &mut str) {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
}
