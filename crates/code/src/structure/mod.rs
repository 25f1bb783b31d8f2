//! Contracts and infrastructure: files that declare instead of compute.
//!
//! One file a format. Each says which paths it reads and turns their bytes
//! into definitions (tables, services, resources, jobs) and relations by
//! name; `link::relations` looks the names up when all files are known. No
//! expression is evaluated: what is only known at run time stays out.

mod actions;
mod cloudformation;
mod compose;
pub(crate) mod contract;
mod css;
mod dockerfile;
mod gitlab;
mod hcl;
mod kubernetes;
mod openapi;
mod outline;
mod proto;
mod serverless;
mod sql;
mod tokens;
mod yaml;

use crate::facts::{Builder, FileFacts, Rules};
use crate::lang::ModuleNaming;

/// A format that declares things.
pub(crate) struct Format {
    pub name: &'static str,
    /// By the path alone.
    reads: fn(path: &str) -> bool,
    read: fn(builder: &mut Builder<'_>, path: &str),
    naming: ModuleNaming,
}

const BY_FILE: ModuleNaming = ModuleNaming::File { of_folder: &[] };

static ALL: &[Format] = &[
    Format { name: "css", reads: css::reads, read: css::read, naming: BY_FILE },
    Format {
        name: "dockerfile",
        reads: dockerfile::reads,
        read: dockerfile::read,
        naming: BY_FILE,
    },
    Format { name: "hcl", reads: hcl::reads, read: hcl::read, naming: BY_FILE },
    Format { name: "proto", reads: proto::reads, read: proto::read, naming: ModuleNaming::Folder },
    Format { name: "sql", reads: sql::reads, read: sql::read, naming: BY_FILE },
    Format { name: "yaml", reads: yaml_path, read: read_yaml, naming: BY_FILE },
];

/// How files of a format are named.
pub(crate) fn module_naming(name: &str) -> ModuleNaming {
    ALL.iter().find(|format| format.name == name).map_or(BY_FILE, |format| format.naming)
}

pub(crate) fn by_path(path: &str) -> Option<&'static Format> {
    ALL.iter().find(|format| (format.reads)(path))
}

pub(crate) fn extract(format: &Format, path: &str, bytes: &[u8]) -> FileFacts {
    let mut builder = Builder::new(format.name, bytes, Rules::default());
    (format.read)(&mut builder, path);
    builder.finish()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn has_extension(path: &str, wanted: &[&str]) -> bool {
    let name = file_name(path);
    name.rsplit_once('.').is_some_and(|(_, end)| wanted.iter().any(|w| end.eq_ignore_ascii_case(w)))
}

/// YAML, and the few names under which JSON holds the same.
fn yaml_path(path: &str) -> bool {
    let name = file_name(path);
    let is_known_json = has_extension(path, &["json"])
        && (name.contains("openapi") || name.contains("swagger") || name.contains("template"));
    has_extension(path, &["yml", "yaml"]) || is_known_json
}

/// What a YAML file is about, its path and its top keys say.
fn read_yaml(builder: &mut Builder<'_>, path: &str) {
    let (documents, trouble) = yaml::parse(builder.source);
    if let Some(trouble) = trouble {
        builder.trouble(trouble);
    }
    let name = file_name(path);
    for document in &documents {
        let has = |key: &str| document.get(key).is_some();
        if path.contains(".github/workflows/") {
            actions::read(builder, document);
        } else if name.ends_with(".gitlab-ci.yml") || name.ends_with(".gitlab-ci.yaml") {
            gitlab::read(builder, document);
        } else if has("openapi") || has("swagger") {
            openapi::read(builder, document);
        } else if has("apiVersion") && has("kind") {
            kubernetes::read(builder, document);
        } else if has("Resources")
            && (has("AWSTemplateFormatVersion")
                || has("Transform")
                || cloudformation::fits(document))
        {
            cloudformation::read(builder, document);
        } else if name.starts_with("serverless.") || has("service") && has("functions") {
            serverless::read(builder, document);
        } else if has("services") && (name.contains("compose") || compose::fits(document)) {
            compose::read(builder, document);
        }
    }
}
