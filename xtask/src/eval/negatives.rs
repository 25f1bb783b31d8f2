//! Questions that no software project's history answers: made-up words, and
//! plain English about other things. Deterministic, and made of parts, so that
//! there are hundreds of them and nothing can be tuned to a list.

/// A generator that needs no crate; the same numbers everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const ONSETS: &[&str] = &[
    "b", "bl", "br", "d", "dr", "f", "fl", "fr", "g", "gl", "gr", "h", "j", "k", "kl", "l", "m",
    "n", "p", "pl", "qu", "r", "s", "sk", "sn", "st", "t", "tr", "v", "w", "x", "z", "zw",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "oo", "y", "ai", "ea"];
const CODAS: &[&str] =
    &["", "", "b", "ck", "g", "lk", "m", "mp", "n", "nk", "rb", "rx", "sh", "x", "zz"];

/// A word nobody has written.
fn made_up(chance: &mut Chance) -> String {
    let n_syllables = 2 + chance.below(2);
    (0..n_syllables)
        .map(|_| {
            let (onset, vowel) = (chance.pick(ONSETS), chance.pick(VOWELS));
            format!("{onset}{vowel}{}", chance.pick(CODAS))
        })
        .collect()
}

/// `{}` is a made-up word.
const MADE_UP: &[&str] = &[
    "{}",
    "{} {}",
    "{} {} {}",
    "why did we {} the {}",
    "how does the {} {}",
    "who decided to {} {}",
    "what is {}",
    "where is the {} of the {}",
];

/// Things, what is done with them, and what goes with them, of fields that have
/// nothing to do with software.
struct Field {
    things: &'static [&'static str],
    deeds: &'static [&'static str],
    with: &'static [&'static str],
}

const FIELDS: &[Field] = &[
    Field {
        things: &[
            "sourdough bread",
            "chicken soup",
            "chocolate cake",
            "mushroom risotto",
            "pancakes",
            "roast lamb",
        ],
        deeds: &["bake", "season", "reheat", "cook", "freeze", "serve"],
        with: &["without an oven", "for ten guests", "with fresh herbs", "on a cold evening"],
    },
    Field {
        things: &[
            "tomato plants",
            "rose bushes",
            "an apple tree",
            "the lawn",
            "garden slugs",
            "lavender",
        ],
        deeds: &["water", "prune", "fertilise", "plant", "get rid of", "transplant"],
        with: &["in early spring", "on a balcony", "during a drought", "in clay soil"],
    },
    Field {
        things: &[
            "a marathon",
            "a penalty kick",
            "the backstroke",
            "a tennis serve",
            "yoga",
            "the high jump",
        ],
        deeds: &["train for", "practise", "win", "warm up for", "teach children", "watch"],
        with: &["after a knee injury", "at the age of sixty", "in hot weather", "before breakfast"],
    },
    Field {
        things: &[
            "the Roman aqueducts",
            "Cleopatra",
            "the French revolution",
            "Viking ships",
            "medieval castles",
            "Napoleon",
        ],
        deeds: &["describe", "visit", "paint", "write a poem about", "remember", "draw"],
        with: &[
            "in the ninth century",
            "before the great plague",
            "near the river Nile",
            "as a school pupil",
        ],
    },
    Field {
        things: &[
            "a toddler",
            "my grandmother",
            "a teenage daughter",
            "a kitten",
            "an old dog",
            "a parrot",
        ],
        deeds: &["feed", "comfort", "take on holiday", "bathe", "entertain", "photograph"],
        with: &["on a long flight", "during a thunderstorm", "at the zoo", "with a sore throat"],
    },
    Field {
        things: &[
            "a violin",
            "a wool sweater",
            "an oak table",
            "watercolours",
            "a wedding dress",
            "a guitar solo",
        ],
        deeds: &["tune", "knit", "polish", "wash", "play", "sew"],
        with: &[
            "for a beginner",
            "in an afternoon",
            "at a concert hall",
            "without staining the carpet",
        ],
    },
    Field {
        things: &[
            "Lisbon",
            "the Alps",
            "a cheap hotel in Rome",
            "a sandy beach",
            "a ferry to Iceland",
            "a rain forest",
        ],
        deeds: &["reach", "photograph", "enjoy", "recommend", "hike through", "travel to"],
        with: &["in august", "with two suitcases", "on horseback", "during the monsoon"],
    },
];

/// `{d}` a deed, `{t}` a thing, `{w}` what goes with it.
const PLAIN: &[&str] = &[
    "how do I {d} {t} {w}",
    "when should I {d} {t}",
    "best way to {d} {t} {w}",
    "why is it hard to {d} {t}",
    "{d} {t} {w}",
    "what does it cost to {d} {t} {w}",
    "is it healthy to {d} {t} {w}",
];

fn off_topic(chance: &mut Chance) -> String {
    let field = &FIELDS[chance.below(FIELDS.len())];
    let form = chance.pick(PLAIN);
    let (deed, thing) = (chance.pick(field.deeds), chance.pick(field.things));
    form.replace("{d}", deed).replace("{t}", thing).replace("{w}", chance.pick(field.with))
}

/// `n` of each kind, with the name of the kind.
pub fn negatives(n: usize) -> Vec<(&'static str, String)> {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::new();
    for number in 0..n {
        let mut text = MADE_UP[number % MADE_UP.len()].to_owned();
        while text.contains("{}") {
            text = text.replacen("{}", &made_up(&mut chance), 1);
        }
        all.push(("made up", text));
    }
    while all.len() < 2 * n {
        let text = off_topic(&mut chance);
        if !all.iter().any(|(_, known)| *known == text) {
            all.push(("off topic", text));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_questions_every_time_and_none_twice() {
        let all = negatives(200);
        assert_eq!(all, negatives(200));
        let mut texts: Vec<&String> = all.iter().map(|it| &it.1).collect();
        texts.sort();
        texts.dedup();
        assert_eq!((texts.len(), all.len()), (400, 400));
    }
}
