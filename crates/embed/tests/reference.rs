//! The model beside its reference: ids by Hugging Face's `tokenizers`, vectors
//! by onnxruntime in 32 bits, written by `models/make_gte_small.py`.

use embed::{Arithmetic, DIMS, MAX_TOKENS, Model};

#[derive(serde::Deserialize)]
struct Expected {
    ids: Vec<u32>,
    vector: Vec<f32>,
}

fn reference() -> Vec<(String, Expected)> {
    let texts: Vec<String> =
        serde_json::from_str(include_str!("reference/texts.json")).expect("texts are JSON");
    let lines = include_str!("reference/expected.jsonl").lines();
    let expected = lines.map(|line| serde_json::from_str(line).expect("a line is JSON"));
    texts.into_iter().zip(expected).collect()
}

fn model() -> &'static Model {
    Model::builtin().expect("the model is readable")
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn ids_are_those_of_the_reference() {
    for (text, expected) in reference() {
        let ids = model().tokenizer().encode_up_to(&text, MAX_TOKENS - 2);
        assert_eq!(ids, expected.ids[1..expected.ids.len() - 1], "{text:?}");
    }
}

/// Whether a text is mostly written in letters the model was trained on. It
/// has few pieces for the others, and there small errors grow: noise of .001 in
/// the embeddings of the original moves such a vector to a cosine of .9993,
/// others to .99999, and so do the roundings of eight bits.
fn is_readable(text: &str) -> bool {
    let foreign = text.chars().filter(|c| ('\u{590}'..'\u{1e00}').contains(c) || *c > '\u{2fff}');
    2 * foreign.count() <= text.chars().count()
}

#[test]
fn vectors_are_close_to_the_reference() {
    let mut embedder = model().embedder();
    let (mut all, mut readable) = (Vec::new(), Vec::new());
    for (text, expected) in reference() {
        all.push(cosine(&embedder.embed(&text), &expected.vector));
        readable.extend(all.last().filter(|_| is_readable(&text)).copied());
    }
    let mean = |cosines: &[f32]| cosines.iter().sum::<f32>() / cosines.len() as f32;
    let least = |cosines: &[f32]| cosines.iter().copied().fold(1.0, f32::min);
    assert!(mean(&readable) >= 0.9995 && least(&readable) >= 0.999, "{readable:?}");
    assert!(mean(&all) >= 0.999 && least(&all) >= 0.996, "{all:?}");
}

#[test]
fn vectors_have_length_one() {
    for text in ["", "\0", "retry", &"word ".repeat(1_000)] {
        let vector = model().embed(text);
        assert_eq!(vector.len(), DIMS);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn all_arithmetic_gives_the_same_bits() {
    let mut plain = model().embedder_with(Arithmetic::Plain);
    for text in ["", "why did the deploy fail?", &"twice the words. ".repeat(8)] {
        let expected = plain.embed(text);
        for arithmetic in Arithmetic::available() {
            let found = model().embedder_with(arithmetic).embed(text);
            assert!(found == expected, "{arithmetic:?} differs on {text:?}");
        }
    }
}

#[test]
fn an_embedder_forgets_the_text_before() {
    let mut embedder = model().embedder();
    let fresh = embedder.embed("short");
    embedder.embed(&"a much longer text than the other ".repeat(40));
    assert_eq!(embedder.embed("short"), fresh);
}

#[test]
fn ids_the_model_does_not_have_are_read_as_unknown() {
    let mut embedder = model().embedder();
    assert_eq!(embedder.embed_tokens(&[u32::MAX]), embedder.embed_tokens(&[100]));
}
