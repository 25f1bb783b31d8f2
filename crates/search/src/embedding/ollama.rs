//! A model server that speaks Ollama's API.

use super::{CHUNKING, Provider};
use model::{Error, ErrorCode, Result};
use reqwest::{Client, Method, StatusCode, redirect};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use store::vectors::EmbeddingSpace;
use tokio::task::JoinSet;

/// Texts in one request.
const BATCH: usize = 32;
/// Requests in flight.
const CONCURRENCY: usize = 4;
/// The trained context of nomic-embed-text is 2,048 tokens whatever is
/// configured; the rest is margin for our estimate of what a token is.
const MAX_TOKENS: usize = 1_500;
/// A server may have to load the model first, and may have no graphics card.
const PATIENCE: Duration = Duration::from_secs(300);
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// A text is halved at most this often when the model refuses its length.
const MOST_HALVINGS: u32 = 4;
const MAX_ANSWER: usize = 64 << 20;
/// Tries of a request that the server failed at.
const TRIES: u32 = 3;

/// Models whose dimensions need not be asked for.
const KNOWN_DIMS: &[(&str, usize)] = &[
    ("all-minilm", 384),
    ("bge-m3", 1024),
    ("mxbai-embed-large", 1024),
    ("nomic-embed-text", 768),
    ("snowflake-arctic-embed2", 1024),
];

pub struct Ollama {
    server: Arc<Server>,
    dims: usize,
    concurrency: usize,
    runtime: tokio::runtime::Runtime,
}

struct Server {
    client: Client,
    base_url: String,
    model: String,
}

/// Why a request brought no vectors.
enum Refusal {
    /// The texts are at fault, or the server with these texts.
    Texts(Error),
    TooLong,
    /// Others would fare no better.
    Server(Error),
}

impl Ollama {
    pub fn new(base_url: &str, model: &str) -> Result<Ollama> {
        Ollama::with_patience(base_url, model, PATIENCE)
    }

    /// A provider that gives up on an answer after `patience`. A model whose
    /// dimensions lore does not know is asked for them here.
    pub fn with_patience(base_url: &str, model: &str, patience: Duration) -> Result<Ollama> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_PATIENCE)
            .timeout(patience)
            .build()
            .map_err(|error| Error::internal("cannot make an HTTP client").caused_by(error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::internal("cannot start the runtime").caused_by(error))?;
        let (base_url, model) = (base_url.trim_end_matches('/').to_owned(), model.to_owned());
        let server = Arc::new(Server { client, base_url, model });
        let name = server.model.split(':').next().unwrap_or_default();
        let known = KNOWN_DIMS.iter().find(|(known, _)| *known == name);
        let dims = match known {
            Some((_, dims)) => *dims,
            None => {
                let probe = runtime.block_on(server.embed(&["dimensions".to_owned()]));
                probe.map_err(|refusal| server.error(refusal))?.first().map_or(0, Vec::len)
            }
        };
        if dims == 0 {
            return Err(Error::new(
                ErrorCode::EmbeddingFailed,
                format!("{} at {} gives no vectors", server.model, server.base_url),
            )
            .suggest("choose a model for embeddings with embedding.model, e.g. nomic-embed-text"));
        }
        Ok(Ollama { server, dims, concurrency: CONCURRENCY, runtime })
    }

    /// Asks with so many requests at once.
    pub fn with_concurrency(self, concurrency: usize) -> Ollama {
        Ollama { concurrency: concurrency.max(1), ..self }
    }

    /// Nomic's models are trained with these words before each text.
    fn prefixed(&self, prefix: &str, text: &str) -> String {
        if self.server.model.starts_with("nomic-embed") {
            format!("{prefix}: {text}")
        } else {
            text.to_owned()
        }
    }

    fn measured(&self, vector: Vec<f32>) -> Result<Vec<f32>> {
        if vector.len() != self.dims {
            return Err(Error::new(
                ErrorCode::EmbeddingFailed,
                format!(
                    "{} gave a vector of {} numbers instead of {}",
                    self.server.model,
                    vector.len(),
                    self.dims
                ),
            )
            .suggest("the model was replaced by another of the same name; set embedding.model"));
        }
        normalized(vector).ok_or_else(|| {
            Error::new(ErrorCode::EmbeddingFailed, "the server gave a vector without direction")
        })
    }
}

impl Provider for Ollama {
    fn space(&self) -> EmbeddingSpace {
        EmbeddingSpace {
            model: format!("ollama/{}", self.server.model),
            dims: self.dims,
            chunking: CHUNKING,
        }
    }

    fn max_tokens(&self) -> usize {
        MAX_TOKENS
    }

    fn tokens(&self, text: &str) -> Vec<Range<usize>> {
        estimated_tokens(text)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        let text = self.prefixed("search_query", text);
        let vector = self.runtime.block_on(self.server.embed_one(text, MOST_HALVINGS));
        self.measured(vector.map_err(|refusal| self.server.error(refusal))?)
    }

    fn embed_documents(&self, texts: &[String]) -> Result<Vec<Result<Vec<f32>>>> {
        let texts: Vec<String> =
            texts.iter().map(|text| self.prefixed("search_document", text)).collect();
        let mut results = Vec::with_capacity(texts.len());
        let batches: Vec<&[String]> = texts.chunks(BATCH).collect();
        for group in batches.chunks(self.concurrency) {
            let made = self.runtime.block_on(Server::embed_group(&self.server, group))?;
            results.extend(made.into_iter().map(|made| made.and_then(|it| self.measured(it))));
        }
        Ok(results)
    }

    fn check(&self) -> Result<String> {
        self.runtime.block_on(self.server.check()).map_err(|refusal| self.server.error(refusal))?;
        Ok(format!("{} at {}", self.server.model, self.server.base_url))
    }
}

impl Server {
    /// The server answers and has the model.
    async fn check(&self) -> Result<(), Refusal> {
        let (status, answer) = self.ask(Method::GET, "/api/tags", None).await?;
        let tags: Tags = match serde_json::from_slice(&answer) {
            Ok(tags) if status.is_success() => tags,
            _ => return Err(Refusal::Server(self.strange(status, &answer))),
        };
        let has_tag = self.model.contains(':');
        let is_it = |name: &str| {
            name == self.model || (!has_tag && name.split(':').next() == Some(&self.model))
        };
        if tags.models.iter().any(|model| is_it(&model.name)) {
            return Ok(());
        }
        Err(Refusal::Server(self.no_model()))
    }

    async fn embed_group(
        server: &Arc<Server>,
        group: &[&[String]],
    ) -> Result<Vec<EmbeddingOutcome>> {
        let mut tasks = JoinSet::new();
        for (index, batch) in group.iter().enumerate() {
            let (server, batch) = (Arc::clone(server), batch.to_vec());
            tasks.spawn(async move { (index, server.embed_batch(batch).await) });
        }
        let mut made: Vec<Vec<EmbeddingOutcome>> = group.iter().map(|_| Vec::new()).collect();
        while let Some(done) = tasks.join_next().await {
            let (index, batch) =
                done.map_err(|error| Error::internal("a request ended early").caused_by(error))?;
            made[index] = batch?;
        }
        Ok(made.into_iter().flatten().collect())
    }

    /// All at once; when that is refused, one by one, so that one bad text
    /// does not take the others with it.
    async fn embed_batch(&self, texts: Vec<String>) -> Result<Vec<EmbeddingOutcome>> {
        match self.embed(&texts).await {
            Ok(vectors) => return Ok(vectors.into_iter().map(Ok).collect()),
            Err(Refusal::Server(error)) => return Err(error),
            Err(Refusal::Texts(_) | Refusal::TooLong) => {}
        }
        let mut made = Vec::with_capacity(texts.len());
        for text in texts {
            made.push(match self.embed_one(text, MOST_HALVINGS).await {
                Ok(vector) => Ok(vector),
                Err(Refusal::Server(error)) => return Err(error),
                Err(refusal) => Err(self.error(refusal)),
            });
        }
        Ok(made)
    }

    /// One text; one that is too long is halved, and the halves' vectors are
    /// put together.
    async fn embed_one(&self, text: String, halvings: u32) -> Result<Vec<f32>, Refusal> {
        let mut queue = vec![(text, halvings)];
        let mut sum: Vec<f32> = Vec::new();
        while let Some((text, halvings)) = queue.pop() {
            match self.embed(std::slice::from_ref(&text)).await {
                Ok(vectors) => add(&mut sum, vectors.into_iter().next().unwrap_or_default()),
                Err(Refusal::TooLong) if halvings > 0 => {
                    let (left, right) = halves(&text);
                    queue.push((right.to_owned(), halvings - 1));
                    queue.push((left.to_owned(), halvings - 1));
                }
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(sum)
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Refusal> {
        let body = json!({ "model": self.model, "input": texts, "truncate": true });
        let mut tries = 0;
        let (status, answer) = loop {
            tries += 1;
            let (status, answer) = self.ask(Method::POST, "/api/embed", Some(&body)).await?;
            let may_pass = status.is_server_error() && !is_about_length(&answer);
            if !may_pass || tries == TRIES {
                break (status, answer);
            }
            let wait = model::backoff::Backoff::QUEUE.delay(tries, texts.len() as u64);
            tokio::time::sleep(wait.min(Duration::from_millis(200))).await;
        };
        if status.is_success() {
            let vectors = serde_json::from_slice::<Vectors>(&answer).ok().map(|it| it.embeddings);
            return match vectors {
                Some(vectors) if vectors.len() == texts.len() => Ok(vectors),
                _ => Err(Refusal::Server(self.strange(status, &answer))),
            };
        }
        if is_about_length(&answer) {
            return Err(Refusal::TooLong);
        }
        match status {
            StatusCode::NOT_FOUND => Err(Refusal::Server(self.no_model())),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(Refusal::Server(self.strange(status, &answer)))
            }
            _ => Err(Refusal::Texts(self.strange(status, &answer))),
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(StatusCode, Vec<u8>), Refusal> {
        let unreachable = |error: reqwest::Error| Refusal::Server(self.unreachable(error));
        let mut request = self.client.request(method, format!("{}{path}", self.base_url));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let mut answer = Vec::new();
        while let Some(part) = response.chunk().await.map_err(unreachable)? {
            answer.extend_from_slice(&part);
            if answer.len() > MAX_ANSWER {
                return Err(Refusal::Server(self.strange(status, b"an endless answer")));
            }
        }
        Ok((status, answer))
    }

    fn error(&self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Server(error) | Refusal::Texts(error) => error,
            Refusal::TooLong => Error::new(
                ErrorCode::EmbeddingFailed,
                format!("{} finds the text too long, even in parts", self.model),
            ),
        }
    }

    fn unreachable(&self, error: reqwest::Error) -> Error {
        let what = if error.is_timeout() { "does not answer in time" } else { "cannot be reached" };
        Error::new(ErrorCode::OllamaUnavailable, format!("ollama at {} {what}", self.base_url))
            .suggest("start it: ollama serve; or set embedding.provider = \"builtin\"")
            .caused_by(error)
    }

    fn no_model(&self) -> Error {
        Error::new(
            ErrorCode::OllamaModelNotFound,
            format!("ollama at {} does not have the model {}", self.base_url, self.model),
        )
        .suggest(format!("ollama pull {}", self.model))
    }

    fn strange(&self, status: StatusCode, answer: &[u8]) -> Error {
        let told = serde_json::from_slice::<ErrorBody>(answer).map(|told| told.error);
        let told = told.unwrap_or_else(|_| String::from_utf8_lossy(answer).into_owned());
        let told = model::text::one_line(&told, 200);
        Error::new(
            ErrorCode::EmbeddingFailed,
            format!("ollama at {} answered {}: {told}", self.base_url, status.as_u16()),
        )
        .suggest("look into the server's log, then run: lore embed --retry-failed")
    }
}

type EmbeddingOutcome = Result<Vec<f32>>;

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

#[derive(Deserialize)]
struct Vectors {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: String,
}

fn is_about_length(answer: &[u8]) -> bool {
    let told = String::from_utf8_lossy(answer);
    told.contains("input length exceeds") || told.contains("context length")
}

fn add(sum: &mut Vec<f32>, vector: Vec<f32>) {
    if sum.is_empty() {
        *sum = vector;
    } else {
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
}

fn normalized(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_finite() || length <= f32::EPSILON {
        return None;
    }
    for x in &mut vector {
        *x /= length;
    }
    Some(vector)
}

/// Near the middle, between words where there are any.
fn halves(text: &str) -> (&str, &str) {
    let middle = text.floor_char_boundary(text.len() / 2);
    let at = text[..middle].rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(middle);
    text.split_at(at)
}

/// Rather too many: four letters of a word are a token, and of anything else
/// every character.
fn estimated_tokens(text: &str) -> Vec<Range<usize>> {
    const LETTERS: usize = 4;
    let mut tokens: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        match tokens.last_mut() {
            Some(last)
                if c.is_ascii_alphabetic()
                    && last.end == at
                    && last.len() < LETTERS
                    && text[last.clone()].ends_with(|c: char| c.is_ascii_alphabetic()) =>
            {
                last.end = at + 1;
            }
            _ => tokens.push(at..at + c.len_utf8()),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        estimated_tokens(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn tokens_are_rather_too_many() {
        assert_eq!(tokens("retry the request"), ["retr", "y", "the", "requ", "est"]);
        assert_eq!(tokens("0x1f é!"), ["0", "x", "1", "f", "é", "!"]);
        assert_eq!(tokens(" \n"), Vec::<&str>::new());
    }

    #[test]
    fn a_text_is_halved_between_words() {
        assert_eq!(halves("one two three"), ("one", " two three"));
        assert_eq!(halves("éééé"), ("éé", "éé"));
    }

    #[test]
    fn a_vector_without_direction_is_none() {
        assert_eq!(normalized(vec![3.0, 4.0]), Some(vec![0.6, 0.8]));
        assert_eq!(normalized(vec![0.0, 0.0]), None);
        assert_eq!(normalized(vec![f32::NAN]), None);
    }
}
