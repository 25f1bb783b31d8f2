//! Making an answer fit its number of tokens: the list it is about is given in
//! pages, long texts are cut, other lists are shortened. What was done is said.

use crate::tokens::estimate;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What is not in the answer for want of room.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Cut {
    /// The part of the list that is shown, and its whole length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// Texts that end early; `…` marks them.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts: usize,
    /// Other lists that end early.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ShortList>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Page {
    /// The list, e.g. `/items`.
    pub list: String,
    /// Place of the first one shown, from 0.
    pub from: usize,
    pub shown: usize,
    pub of: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShortList {
    pub list: String,
    pub shown: usize,
    pub of: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// An answer that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedAnswer {
    pub data: Value,
    pub cut: Cut,
    /// Where the next page begins, if there is one.
    pub next: Option<usize>,
}

/// Steps of cutting: the longest text, and the longest of the other lists.
const STEPS: [(usize, usize); 7] =
    [(usize::MAX, usize::MAX), (2_000, 100), (1_000, 40), (500, 20), (280, 10), (140, 5), (80, 2)];
/// Fewer than these on a page, and texts are cut shorter instead.
const FEW: usize = 5;

/// `list`: where the list is that pages go through; `from`: where this one begins.
pub fn fit(data: Value, list: Option<&str>, from: usize, most: usize) -> FittedAnswer {
    // Most answers fit as they are, and need not be taken apart to see it.
    if from == 0 && estimate(&data.to_string()) <= most {
        return FittedAnswer { data, cut: Cut::default(), next: None };
    }
    let mut last: Option<Attempt> = None;
    for (longest, most_items) in STEPS {
        let fitted = attempt(&data, list, from, most, longest, most_items);
        let fits = fitted.cost <= most;
        if fits && (fitted.next.is_none() || fitted.n_shown >= FEW) {
            return fitted.fitted;
        }
        // A page of few is better than one of none, or one too long.
        let is_better = |kept: &Attempt| kept.cost > most || (fits && fitted.n_shown > 0);
        if last.as_ref().is_none_or(is_better) {
            last = Some(fitted);
        }
    }
    last.map_or(FittedAnswer { data, cut: Cut::default(), next: None }, |attempt| attempt.fitted)
}

struct Attempt {
    fitted: FittedAnswer,
    next: Option<usize>,
    n_shown: usize,
    cost: usize,
}

fn attempt(
    data: &Value,
    list: Option<&str>,
    from: usize,
    most: usize,
    longest: usize,
    most_items: usize,
) -> Attempt {
    let mut data = data.clone();
    let mut cut = Cut::default();
    let items = list.and_then(|list| data.pointer_mut(list)).and_then(Value::as_array_mut);
    let mut items = items.map(std::mem::take).unwrap_or_default();
    let total = items.len();
    shorten(&mut data, &mut String::new(), longest, most_items, &mut cut);
    let mut cost = estimate(&data.to_string());
    let from = from.min(total);
    let mut shown = Vec::new();
    let mut of_items = format!("{}/*", list.unwrap_or_default());
    for mut item in items.drain(from..) {
        let mut with_item = cut.clone();
        shorten(&mut item, &mut of_items, longest, most_items, &mut with_item);
        let item_cost = estimate(&item.to_string()) + 1;
        if cost + item_cost > most && !shown.is_empty() {
            break;
        }
        cost += item_cost;
        cut = with_item;
        shown.push(item);
        if cost > most {
            break;
        }
    }
    let n_shown = shown.len();
    let end = from + n_shown;
    let next = (end < total).then_some(end);
    if let Some(list) = list
        && let Some(place) = data.pointer_mut(list)
    {
        *place = Value::Array(shown);
        if from > 0 || next.is_some() {
            cut.page = Some(Page { list: list.to_owned(), from, shown: n_shown, of: total });
        }
    }
    Attempt { fitted: FittedAnswer { data, cut, next }, next, n_shown, cost }
}

/// `path` is where the value stands; it is as before afterwards.
fn shorten(value: &mut Value, path: &mut String, longest: usize, most_items: usize, cut: &mut Cut) {
    match value {
        Value::String(text) => {
            if text.len() > longest
                && let Some((end, _)) = text.char_indices().nth(longest)
            {
                text.truncate(end);
                text.push('…');
                cut.texts += 1;
            }
        }
        Value::Array(items) => {
            if items.len() > most_items {
                let list = ShortList { list: path.clone(), shown: most_items, of: items.len() };
                items.truncate(most_items);
                note(cut, list);
            }
            let length = path.len();
            path.push_str("/*");
            for item in items {
                shorten(item, path, longest, most_items, cut);
            }
            path.truncate(length);
        }
        Value::Object(fields) => {
            let length = path.len();
            for (name, field) in fields {
                path.push('/');
                path.push_str(name);
                shorten(field, path, longest, most_items, cut);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// Lists inside of list items are told once for all of them.
fn note(cut: &mut Cut, short: ShortList) {
    match cut.lists.iter_mut().find(|known| known.list == short.list) {
        Some(known) => {
            known.shown += short.shown;
            known.of += short.of;
        }
        None => cut.lists.push(short),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn hits(n: usize, text: &str) -> Value {
        let items: Vec<Value> = (0..n).map(|n| json!({"id": n, "text": text})).collect();
        json!({"items": items, "total": n})
    }

    #[test]
    fn what_fits_is_left_alone() {
        let data = hits(3, "short");
        let fitted = fit(data.clone(), Some("/items"), 0, 1_000);
        assert_eq!((fitted.data, fitted.cut, fitted.next), (data, Cut::default(), None));
    }

    #[test]
    fn a_long_list_is_given_in_pages_and_every_item_once() {
        let data = hits(100, "a text of some words");
        let (mut seen, mut from, mut n_pages) = (Vec::new(), 0, 0);
        loop {
            let fitted = fit(data.clone(), Some("/items"), from, 300);
            let page = fitted.data["items"].as_array().unwrap().clone();
            assert!(estimate(&fitted.data.to_string()) <= 320);
            seen.extend(page.iter().map(|item| item["id"].as_u64().unwrap()));
            n_pages += 1;
            match fitted.next {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(seen, (0..100).collect::<Vec<u64>>());
        assert!(n_pages > 3);
    }

    #[test]
    fn long_texts_are_cut_before_a_page_has_too_few() {
        let fitted = fit(hits(6, &"word ".repeat(1_000)), Some("/items"), 0, 2_000);
        assert!(fitted.data["items"].as_array().unwrap().len() >= FEW);
        assert!(fitted.cut.texts >= FEW);
        assert!(fitted.data["items"][0]["text"].as_str().unwrap().ends_with('…'));
    }

    #[test]
    fn lists_nobody_pages_through_are_shortened() {
        let data = json!({"files": vec!["src/a/long/path.rs"; 5_000], "title": "x"});
        let fitted = fit(data, None, 0, 500);
        let short = &fitted.cut.lists[0];
        assert_eq!((short.list.as_str(), short.of), ("/files", 5_000));
        assert!(short.shown < 50);
        assert!(estimate(&fitted.data.to_string()) <= 500);
    }

    #[test]
    fn a_page_after_the_end_is_empty() {
        let fitted = fit(hits(3, "x"), Some("/items"), 99, 500);
        assert_eq!(fitted.data["items"], json!([]));
        assert_eq!(fitted.next, None);
    }

    proptest! {
        #[test]
        fn every_page_makes_progress(n in 1usize..60, len in 0usize..3_000, most in 50usize..2_000) {
            let data = hits(n, &"é ".repeat(len));
            let mut from = 0;
            let mut n_pages = 0;
            while let Some(next) = fit(data.clone(), Some("/items"), from, most).next {
                prop_assert!(next > from);
                from = next;
                n_pages += 1;
                prop_assert!(n_pages <= n);
            }
        }
    }
}
