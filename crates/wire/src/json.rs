//! The codec `json`: the payload as serde writes it, without blanks.

use crate::{Codec, Payload, malformed};
use model::{Error, Result};

#[derive(Debug, Clone, Copy, Default)]
pub struct Json;

impl Codec for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn is_text(&self) -> bool {
        true
    }

    fn encode(&self, payload: &Payload) -> Result<Vec<u8>> {
        payload.check()?;
        serde_json::to_vec(payload)
            .map_err(|error| Error::internal("cannot write the payload as JSON").caused_by(error))
    }

    fn decode(&self, bytes: &[u8]) -> Result<Payload> {
        let payload: Payload = serde_json::from_slice(bytes)
            .map_err(|error| malformed(format!("this is no payload in JSON: {error}")))?;
        payload.check().map_err(|error| malformed(error.message()))?;
        Ok(payload)
    }
}
