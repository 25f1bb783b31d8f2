//! The Ollama client against a server that behaves like one, and against those
//! that do not.

use crate::index::{Index, request};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use model::ErrorCode;
use search::embedding::{EmbedOptions, Ollama, Provider};
use search::{Mode, Request, Syntax};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How the server misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Well,
    NoModel,
    WrongDims,
    Slow,
    Broken,
    /// Refuses what is longer than 40 characters, as a small context does.
    Strict,
    Nonsense,
}

#[derive(Clone)]
struct Stub {
    mood: Mood,
    asked: Arc<Mutex<Vec<Value>>>,
}

struct Server {
    url: String,
    stub: Stub,
    _runtime: tokio::runtime::Runtime,
}

fn serve(mood: Mood) -> Server {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let stub = Stub { mood, asked: Arc::default() };
    let app = Router::new()
        .route("/api/tags", get(tags))
        .route("/api/embed", post(embed))
        .with_state(stub.clone());
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(async move { axum::serve(listener, app).await });
    Server { url, stub, _runtime: runtime }
}

async fn tags(State(stub): State<Stub>) -> Json<Value> {
    let name = if stub.mood == Mood::NoModel { "llama3:8b" } else { "nomic-embed-text:latest" };
    Json(json!({ "models": [{ "name": name, "size": 274_302_450 }] }))
}

async fn embed(State(stub): State<Stub>, Json(body): Json<Value>) -> (StatusCode, Json<Value>) {
    let texts: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap();
    stub.asked.lock().unwrap().push(body);
    let dims = if stub.mood == Mood::WrongDims { 512 } else { 768 };
    let vector = |text: &String| {
        let mut vector = vec![0.01_f32; dims];
        for byte in text.bytes() {
            vector[usize::from(byte)] += 1.0;
        }
        vector
    };
    match stub.mood {
        Mood::NoModel => {
            let error = "model \"nomic-embed-text\" not found, try pulling it first";
            (StatusCode::NOT_FOUND, Json(json!({ "error": error })))
        }
        Mood::Broken if texts.iter().any(|text| text.contains("poison")) => {
            (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({ "error": "EOF" })))
        }
        Mood::Strict if texts.iter().any(|text| text.len() > 40) => {
            let error = "the input length exceeds the context length";
            (StatusCode::BAD_REQUEST, Json(json!({ "error": error })))
        }
        Mood::Slow => std::future::pending().await,
        Mood::Nonsense => (StatusCode::OK, Json(json!({ "embedding": [1, 2] }))),
        _ => {
            let vectors: Vec<Vec<f32>> = texts.iter().map(vector).collect();
            (StatusCode::OK, Json(json!({ "embeddings": vectors })))
        }
    }
}

fn provider(server: &Server) -> Ollama {
    Ollama::new(&server.url, "nomic-embed-text").unwrap()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn texts_are_sent_in_batches_with_their_prefix() {
    let server = serve(Mood::Well);
    let ollama = provider(&server);
    let many: Vec<String> = (0..70).map(|n| format!("text {n}")).collect();
    let vectors = ollama.embed_documents(&many).unwrap();
    assert_eq!(vectors.len(), 70);
    let length: f32 = vectors[0].as_ref().unwrap().iter().map(|x| x * x).sum();
    assert!((length - 1.0).abs() < 1e-4, "{length}");
    ollama.embed_query("a question").unwrap();
    let asked = server.stub.asked.lock().unwrap();
    let sizes: Vec<usize> =
        asked.iter().map(|body| body["input"].as_array().unwrap().len()).collect();
    let mut sorted = sizes.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 6, 32, 32]);
    assert!(asked.iter().all(|body| body["truncate"] == true));
    assert_eq!(asked.last().unwrap()["input"][0], "search_query: a question");
    let inputs: Vec<&str> = asked
        .iter()
        .flat_map(|body| body["input"].as_array().unwrap())
        .filter_map(Value::as_str)
        .collect();
    assert!(inputs.contains(&"search_document: text 69"));
}

#[test]
fn a_missing_model_names_the_command_that_brings_it() {
    let server = serve(Mood::NoModel);
    let ollama = provider(&server);
    for error in [ollama.check().unwrap_err(), ollama.embed_query("x").unwrap_err()] {
        assert_eq!(error.code(), ErrorCode::OllamaModelNotFound);
        assert_eq!(error.suggestion(), Some("ollama pull nomic-embed-text"));
    }
    assert_eq!(
        provider(&serve(Mood::Well)).check().unwrap().split(' ').next(),
        Some("nomic-embed-text")
    );
}

#[test]
fn nobody_there_and_nobody_answering_are_unavailable() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = Ollama::new(&format!("http://127.0.0.1:{port}"), "nomic-embed-text").unwrap();
    let server = serve(Mood::Slow);
    let slow = Ollama::with_patience(&server.url, "nomic-embed-text", Duration::from_millis(50));
    for (ollama, words) in
        [(refused, "cannot be reached"), (slow.unwrap(), "does not answer in time")]
    {
        let error = ollama.embed_query("x").unwrap_err();
        assert_eq!(error.code(), ErrorCode::OllamaUnavailable);
        assert!(error.message().contains(words), "{error}");
        assert!(error.suggestion().unwrap().contains("ollama serve"), "{error:?}");
        assert_eq!(
            ollama.embed_documents(&texts(&["x"])).unwrap_err().code(),
            ErrorCode::OllamaUnavailable
        );
    }
}

#[test]
fn one_text_the_server_breaks_at_does_not_take_the_others_along() {
    let server = serve(Mood::Broken);
    let vectors = provider(&server).embed_documents(&texts(&["good", "poison", "fine"])).unwrap();
    let is_ok: Vec<bool> = vectors.iter().map(Result::is_ok).collect();
    assert_eq!(is_ok, [true, false, true]);
    let error = vectors[1].as_ref().unwrap_err();
    assert_eq!(error.code(), ErrorCode::EmbeddingFailed);
    assert!(error.message().contains("answered 500: EOF"), "{error}");
}

#[test]
fn a_text_that_is_too_long_is_read_in_parts() {
    let server = serve(Mood::Strict);
    let long = "word ".repeat(12);
    let vectors = provider(&server).embed_documents(&[long.clone(), "short".to_owned()]).unwrap();
    assert!(vectors.iter().all(Result::is_ok), "{vectors:?}");
    let endless = "x".repeat(2_000);
    let refused = provider(&server).embed_documents(&[endless]).unwrap();
    assert_eq!(refused[0].as_ref().unwrap_err().code(), ErrorCode::EmbeddingFailed);
}

#[test]
fn other_dimensions_than_the_models_are_a_failure() {
    let server = serve(Mood::WrongDims);
    let index = Index::new(&["a boat"]);
    let report = index.embed(&provider(&server), EmbedOptions::default()).unwrap();
    assert_eq!((report.embedded, report.failed), (0, 1));
    let failures = store::embeddings::failures(&index.reader(), 1).unwrap();
    assert!(failures[0].1.contains("512 numbers instead of 768"), "{failures:?}");
    // A model lore does not know is asked for its dimensions.
    let unknown = Ollama::new(&server.url, "home-made").unwrap();
    assert_eq!(unknown.space().dims, 512);
}

#[test]
fn an_answer_that_is_none_is_said() {
    let server = serve(Mood::Nonsense);
    let error = provider(&server).embed_query("x").unwrap_err();
    assert_eq!(error.code(), ErrorCode::EmbeddingFailed);
    assert!(error.suggestion().unwrap().contains("lore embed --retry-failed"));
}

#[test]
fn a_run_stops_when_the_server_is_gone_and_search_goes_on_by_words() {
    let server = serve(Mood::Well);
    let index = Index::new(&["a boat at sea", "the price of it"]);
    let ollama = provider(&server);
    assert_eq!(index.embed(&ollama, EmbedOptions::default()).unwrap().embedded, 2);
    let hybrid = Request { mode: Mode::Hybrid, ..request("price", Syntax::Safe) };
    assert_eq!(index.found(&ollama, &hybrid)[0], "#1");
    drop(server);
    assert_eq!(index.found(&ollama, &hybrid), ["#1"]);
    index.change(&crate::index::document(model::ids::ProjectId(1), 5, "new"));
    let error = index.embed(&ollama, EmbedOptions::default()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::OllamaUnavailable);
}
