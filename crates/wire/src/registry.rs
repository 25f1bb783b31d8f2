//! Codecs by name.

use crate::{Binary, Gcf, Json, Payload};
use model::{Error, Result};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// A way to write a payload as bytes and to read it back without loss.
///
/// A decoder gets bytes from anywhere: it returns an error for what it does
/// not understand, never panics, and needs memory in proportion to its input.
pub trait Codec: Send + Sync {
    /// What people and tools call it, e.g. `gcf`.
    fn name(&self) -> &'static str;

    /// Whether what it writes is UTF-8 text.
    fn is_text(&self) -> bool;

    fn encode(&self, payload: &Payload) -> Result<Vec<u8>>;

    fn decode(&self, bytes: &[u8]) -> Result<Payload>;
}

/// Codecs by name; may be shared between threads.
#[derive(Default)]
pub struct Registry {
    codecs: RwLock<BTreeMap<&'static str, Arc<dyn Codec>>>,
}

static SHARED: LazyLock<Registry> = LazyLock::new(Registry::with_builtin);

/// The registry of this process, with the codecs of lore in it.
pub fn registry() -> &'static Registry {
    &SHARED
}

impl Registry {
    /// With `binary`, `gcf` and `json`.
    pub fn with_builtin() -> Self {
        let builtin: [Arc<dyn Codec>; 3] = [Arc::new(Binary), Arc::new(Gcf), Arc::new(Json)];
        let codecs = builtin.map(|codec| (codec.name(), codec));
        Registry { codecs: RwLock::new(codecs.into()) }
    }

    /// Refuses a name that is taken.
    pub fn register(&self, codec: Arc<dyn Codec>) -> Result<()> {
        let mut codecs = self.codecs.write().unwrap_or_else(PoisonError::into_inner);
        let name = codec.name();
        if codecs.contains_key(name) {
            return Err(Error::internal(format!("there is already a codec `{name}`")));
        }
        codecs.insert(name, codec);
        Ok(())
    }

    pub fn get(&self, name: &str) -> Result<Arc<dyn Codec>> {
        let codecs = self.codecs.read().unwrap_or_else(PoisonError::into_inner);
        codecs.get(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = codecs.keys().copied().collect();
            Error::usage(format!("no format `{name}`"))
                .suggest(format!("use one of {}", known.join(", ")))
        })
    }

    /// The names, sorted.
    pub fn list(&self) -> Vec<&'static str> {
        self.codecs.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    pub fn encode(&self, name: &str, payload: &Payload) -> Result<Vec<u8>> {
        self.get(name)?.encode(payload)
    }

    pub fn decode(&self, name: &str, bytes: &[u8]) -> Result<Payload> {
        self.get(name)?.decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ErrorCode;

    /// Writes only the name of the tool.
    struct Tool;

    impl Codec for Tool {
        fn name(&self) -> &'static str {
            "a-tool"
        }

        fn is_text(&self) -> bool {
            true
        }

        fn encode(&self, payload: &Payload) -> Result<Vec<u8>> {
            Ok(payload.tool.as_bytes().to_vec())
        }

        fn decode(&self, bytes: &[u8]) -> Result<Payload> {
            Ok(Payload {
                tool: String::from_utf8_lossy(bytes).as_ref().into(),
                ..Payload::default()
            })
        }
    }

    #[test]
    fn a_codec_is_registered_once_and_used_by_its_name() {
        let registry = Registry::with_builtin();
        registry.register(Arc::new(Tool)).unwrap();
        assert_eq!(registry.list(), ["a-tool", "binary", "gcf", "json"]);
        let payload = Payload { tool: "search".into(), ..Payload::default() };
        let bytes = registry.encode("a-tool", &payload).unwrap();
        assert_eq!(registry.decode("a-tool", &bytes).unwrap(), payload);
        for taken in [Arc::new(Tool) as Arc<dyn Codec>, Arc::new(Json)] {
            assert_eq!(registry.register(taken).unwrap_err().code(), ErrorCode::Internal);
        }
        assert_eq!(registry.list().len(), 4);
    }

    #[test]
    fn an_unknown_format_is_refused_with_those_there_are() {
        let refused = registry().encode("yaml", &Payload::default()).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::Usage);
        assert_eq!(refused.suggestion(), Some("use one of binary, gcf, json"));
    }

    #[test]
    fn threads_register_and_encode_at_once() {
        let registry = Registry::with_builtin();
        let n_accepted: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let is_first = registry.register(Arc::new(Tool)).is_ok();
                        registry.encode("json", &Payload::default()).unwrap();
                        usize::from(is_first)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(n_accepted, 1);
    }
}
