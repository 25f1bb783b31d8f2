//! Stands between lore and a GitLab and notes what is asked for, so that a bare
//! client can ask the same of a server that keeps no notes of its own.

use super::forge::Outcome;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

pub struct Recorder {
    pub base_url: String,
    notes: Arc<Notes>,
}

struct Notes {
    server: String,
    client: reqwest::Client,
    asked: Mutex<Vec<String>>,
}

impl Recorder {
    /// Passes everything on to `server`, until the runtime ends.
    pub async fn start(server: &str) -> Outcome<Recorder> {
        let notes = Arc::new(Notes {
            server: server.trim_end_matches('/').to_owned(),
            client: reqwest::Client::builder().build()?,
            asked: Mutex::default(),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(pass_on).with_state(Arc::clone(&notes));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Recorder { base_url, notes })
    }

    /// The addresses asked for, on the server itself.
    pub fn asked(&self) -> VecDeque<String> {
        let asked = self.notes.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().cloned().collect()
    }
}

async fn pass_on(State(notes): State<Arc<Notes>>, request: Request) -> Response<Body> {
    let address = format!("{}{}", notes.server, request.uri());
    notes.asked.lock().unwrap_or_else(PoisonError::into_inner).push(address.clone());
    let mut forward = notes.client.get(address);
    if let Some(token) = request.headers().get("private-token") {
        forward = forward.header("private-token", token);
    }
    let answer = async {
        let answer = forward.send().await?;
        let mut response = Response::builder().status(answer.status());
        for (name, value) in answer.headers() {
            // The body is passed on unpacked and whole.
            if !matches!(name.as_str(), "content-encoding" | "content-length" | "transfer-encoding")
            {
                response = response.header(name, value);
            }
        }
        let body = answer.bytes().await?;
        Ok::<_, reqwest::Error>(response.body(Body::from(body)))
    };
    match answer.await {
        Ok(Ok(response)) => response,
        _ => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        }
    }
}
