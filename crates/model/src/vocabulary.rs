//! Vocabularies: closed sets of words, from the parser to the JSON.
//!
//! [`vocabulary!`](crate::vocabulary!) makes an enum with one word for each
//! variant. The word is what the database, JSON and JSON Schema hold.

/// An enum whose variants are words. Made by [`vocabulary!`](crate::vocabulary!).
pub trait Vocabulary: Copy + Eq + 'static {
    /// Every variant, in order of declaration.
    const VARIANTS: &'static [Self];

    /// The word in the database and in JSON.
    fn word(self) -> &'static str;

    /// The variant of a word or of one of its aliases.
    fn from_word(word: &str) -> Option<Self>;
}

/// Declares an enum with a word for each variant: `Closes = "closes"`. After
/// `|` stand words that are read but never written. With a number before the
/// word, `number` and `from_number` are how the store keeps the variant.
///
/// The crate that uses it needs `serde` and `schemars`.
#[macro_export]
macro_rules! vocabulary {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal $(| $alias:literal)*,)*
    }) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        $vis enum $name { $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)* }

        #[allow(dead_code, reason = "not every vocabulary needs every function")]
        impl $name {
            /// Every variant, in order of declaration.
            pub const ALL: [$name; [$($word,)*].len()] = [$($name::$variant,)*];

            /// The word in the database and in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The variant of a word, as it is written.
            pub fn parse(word: &str) -> Option<$name> {
                match word { $($word $(| $alias)* => Some($name::$variant),)* _ => None }
            }
        }

        impl $crate::vocabulary::Vocabulary for $name {
            const VARIANTS: &'static [$name] = &$name::ALL;

            fn word(self) -> &'static str {
                self.as_str()
            }

            fn from_word(word: &str) -> Option<$name> {
                $name::parse(word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $number:literal $word:literal,)*
    }) => {
        $crate::vocabulary! {
            $(#[$meta])* $vis enum $name { $($(#[$variant_meta])* $variant = $word,)* }
        }

        impl $name {
            /// The number in the database.
            pub const fn number(self) -> u8 {
                match self { $($name::$variant => $number,)* }
            }

            pub const fn from_number(number: u8) -> Option<$name> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    vocabulary! {
        /// How loud.
        enum Volume {
            Quiet = "quiet",
            /// Not to be missed.
            Loud = "loud" | "noisy",
        }
    }

    vocabulary! {
        enum Direction { Up = 1 "up", Down = 4 "down", }
    }

    #[test]
    fn words_are_written_and_read_back() {
        for volume in Volume::ALL {
            let json = serde_json::to_string(&volume).unwrap();
            assert_eq!(json, format!("\"{volume}\""));
            assert_eq!(serde_json::from_str::<Volume>(&json).unwrap(), volume);
            assert_eq!(Volume::parse(volume.as_str()), Some(volume));
        }
        assert_eq!(Volume::parse("noisy"), Some(Volume::Loud));
        assert_eq!(Volume::parse("Loud"), None);
        assert!(serde_json::from_str::<Volume>("\"hearsay\"").is_err());
    }

    #[test]
    fn words_are_padded_as_text_is() {
        assert_eq!(format!("{:<6}|{:>6}", Volume::Loud, Volume::Quiet), "loud  | quiet");
    }

    #[test]
    fn numbers_are_read_back_and_gaps_are_none() {
        for direction in Direction::ALL {
            assert_eq!(Direction::from_number(direction.number()), Some(direction));
        }
        assert_eq!(Direction::from_number(2), None);
    }

    #[test]
    fn the_schema_lists_every_word() {
        let schema = serde_json::to_string(&schemars::schema_for!(Volume)).unwrap();
        assert!(schema.contains("quiet") && schema.contains("Not to be missed."), "{schema}");
    }
}
