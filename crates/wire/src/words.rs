//! The words of the code graph in JSON: `model` has them, without serde.

macro_rules! word {
    ($module:ident, $type:ty) => {
        pub mod $module {
            use serde::de::Error as _;
            use serde::{Deserialize, Deserializer, Serializer};

            pub fn serialize<S: Serializer>(
                word: &$type,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(word.as_str())
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$type, D::Error> {
                let word = String::deserialize(deserializer)?;
                let unknown = || D::Error::custom(format!("no {} `{word}`", stringify!($module)));
                <$type>::parse(&word).ok_or_else(unknown)
            }
        }
    };
}

word!(node_kind, model::code::NodeKind);
word!(edge_kind, model::code::EdgeKind);
word!(edge_status, crate::EdgeStatus);
word!(note_kind, crate::NoteKind);

/// May be absent.
pub mod provenance {
    use model::code::Provenance;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "the form serde asks for"
    )]
    pub fn serialize<S: Serializer>(
        word: &Option<Provenance>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match word {
            Some(word) => serializer.serialize_str(word.as_str()),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Provenance>, D::Error> {
        let Some(word) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let unknown = || D::Error::custom(format!("no provenance `{word}`"));
        Provenance::parse(&word).map(Some).ok_or_else(unknown)
    }
}
