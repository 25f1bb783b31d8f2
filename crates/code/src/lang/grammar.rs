//! Node kinds and fields of a grammar as Rust names.
//!
//! The tree names kinds by number; comparing text for every node would cost
//! more than walking the tree. A table made once per grammar maps numbers to
//! the variants a language uses, all others to `Other`.

macro_rules! grammar {
    (
        language: $language:expr;
        kinds: { $($kind:ident = $kind_text:literal,)* }
        fields: { $($field:ident = $field_text:literal,)* }
    ) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kind { Other, $($kind,)* }

        pub struct Fields { $(pub $field: u16,)* }

        struct Tables { kinds: Vec<Kind>, fields: Fields }

        static TABLES: std::sync::LazyLock<Tables> = std::sync::LazyLock::new(|| {
            let language: tree_sitter::Language = $language;
            let kinds = (0..language.node_kind_count())
                .map(|id| {
                    let id = u16::try_from(id).unwrap_or(u16::MAX);
                    match language.node_kind_for_id(id) {
                        $(Some($kind_text) if language.node_kind_is_named(id) => Kind::$kind,)*
                        _ => Kind::Other,
                    }
                })
                .collect();
            let field = |name: &str| language.field_id_for_name(name).map_or(0, u16::from);
            Tables { kinds, fields: Fields { $($field: field($field_text),)* } }
        });

        pub fn kind(node: tree_sitter::Node<'_>) -> Kind {
            TABLES.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
        }

        pub fn fields() -> &'static Fields {
            &TABLES.fields
        }
    };
}

pub(crate) use grammar;
