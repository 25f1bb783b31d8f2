//! Constructors that are written in the heading of their type: `class Cart(Prices prices)`.

use crate::matching::{Sort, Symbol};

/// Whether a member of a type stands in the heading of one version and in the body of the
/// other: a constructor whose parameters the other heading has, or such a parameter. The
/// type is told to have another heading, and nobody misses the member.
pub fn is_in_heading(member: &Symbol, own_heading: &str, other_heading: &str) -> bool {
    let (own, other) = (parameters(own_heading), parameters(other_heading));
    match member.sort {
        Sort::Callable => other.is_some() && own.is_none() && member.is_constructor,
        Sort::Value => {
            member.visibility != crate::facts::Visibility::Public
                && own.is_some_and(|own| own.contains(&&*member.name))
        }
        Sort::Type => false,
    }
}

/// The words between the brackets behind the name of a type: none where no brackets stand
/// in front of what it inherits from.
fn parameters(heading: &str) -> Option<Vec<&str>> {
    let open = heading.find('(')?;
    // `class Cart : Basket(1)`, `class Cart extends Basket(1)` and `class Cart(Basket)` of
    // a language without types in front of names are bases.
    let before = &heading[..open];
    let is_of_base = before.contains(':')
        || before.split_whitespace().any(|word| matches!(word, "extends" | "implements" | "where"));
    if is_of_base {
        return None;
    }
    let mut depth = 0_i32;
    let close = heading[open..].char_indices().find_map(|(at, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(open + at)
    })?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    Some(heading[open + 1..close].split(|c| !is_word(c)).filter(|it| !it.is_empty()).collect())
}
