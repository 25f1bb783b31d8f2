//! The compilation database that clangd reads: the one of the repository, or one
//! made up from its folders. Written outside of the repository, so that clangd
//! keeps its index there as well.

use crate::graph::Graph;
use model::{Error, Result};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

/// Where build tools put it.
const PLACES: &[&str] =
    &["compile_commands.json", "build/compile_commands.json", "out/compile_commands.json"];
const MAX_SIZE: u64 = 64 << 20;
/// More folders of headers than this are not searched by a compiler either.
const MOST_FOLDERS: usize = 128;

pub fn write(graph: &Graph, dir: &Path) -> Result<()> {
    let top = graph.top()?;
    let found =
        PLACES.iter().find_map(|place| files::read_below(top, Path::new(place), MAX_SIZE).ok());
    let found = found.filter(|bytes| matches!(serde_json::from_slice(bytes), Ok(Value::Array(_))));
    let bytes = found.unwrap_or_else(|| made_up(graph, top));
    let cannot = |error| Error::internal("cannot write clangd's database").caused_by(error);
    let mut file = files::create_new(&dir.join("compile_commands.json"), 0o600).map_err(cannot)?;
    file.write_all(&bytes).map_err(cannot)
}

fn made_up(graph: &Graph, top: &Path) -> Vec<u8> {
    let is_header =
        |path: &str| [".h", ".hh", ".hpp", ".hxx"].iter().any(|end| path.ends_with(end));
    let mut folders: BTreeSet<&str> = BTreeSet::from([""]);
    for path in graph.tracked().filter(|path| is_header(path)) {
        // `#include "a/b.h"` is written relative to any folder above.
        let mut folder = path;
        while let Some((parent, _)) = folder.rsplit_once('/') {
            folders.insert(parent);
            folder = parent;
        }
    }
    let includes: Vec<String> = folders
        .iter()
        .take(MOST_FOLDERS)
        .map(|folder| format!("-I{}", top.join(folder).display()))
        .collect();
    let units = graph.files.iter().filter(|file| file.language == "cpp" && !is_header(&file.path));
    let commands: Vec<Value> = units
        .map(|file| {
            let is_c = file.path.rsplit('.').next() == Some("c");
            let mut arguments = vec![if is_c { "clang" } else { "clang++" }.to_owned()];
            arguments.push(if is_c { "-std=gnu17" } else { "-std=gnu++20" }.to_owned());
            arguments.extend(includes.iter().cloned());
            arguments.extend(["-c".to_owned(), file.path.clone()]);
            json!({"directory": top, "file": top.join(&file.path), "arguments": arguments})
        })
        .collect();
    serde_json::to_vec(&commands).unwrap_or_default()
}
