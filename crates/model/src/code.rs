//! The words of the code graph: what a node is, what an edge says, how lore
//! knows it.
//!
//! Words are part of hashes and of output; numbers are how the store keeps
//! them. Neither may ever change for what exists: append only.

use crate::vocabulary;

vocabulary! {
    /// What a node is.
    pub enum NodeKind {
        Function = 1 "function",
        Method = 2 "method",
        Type = 3 "type",
        Class = 4 "class",
        Interface = 5 "interface",
        Trait = 6 "trait",
        Enum = 7 "enum",
        Const = 8 "const",
        Var = 9 "var",
        Field = 10 "field",
        Module = 11 "module",
        Package = 12 "package",
        RouteHandler = 13 "route_handler",
        Service = 14 "service",
        Table = 15 "table",
        Column = 16 "column",
        Resource = 17 "resource",
        Message = 18 "message",
        Rpc = 19 "rpc",
        Selector = 20 "selector",
        Job = 21 "job",
        /// Named by this repository, defined outside of it.
        External = 22 "external",
    }
}

vocabulary! {
    /// What the source of an edge does to its target.
    pub enum EdgeKind {
        Contains = 1 "contains",
        Calls = 2 "calls",
        Imports = 3 "imports",
        Implements = 4 "implements",
        Inherits = 5 "inherits",
        Overrides = 6 "overrides",
        References = 7 "references",
        HandlesRoute = 8 "handles_route",
        Tests = 9 "tests",
        DependsOn = 10 "depends_on",
        Deploys = 11 "deploys",
        Exposes = 12 "exposes",
        Configures = 13 "configures",
        RpcCalls = 14 "rpc_calls",
        ProducesEvent = 15 "produces_event",
        ConsumesEvent = 16 "consumes_event",
        ReadsField = 17 "reads_field",
        WritesField = 18 "writes_field",
        OwnedByTeam = 19 "owned_by_team",
        OwnedByUser = 20 "owned_by_user",
        RuntimeCalls = 21 "runtime_calls",
        RuntimeRpc = 22 "runtime_rpc",
        RuntimeProduces = 23 "runtime_produces",
        RuntimeConsumes = 24 "runtime_consumes",
        RuntimeQueries = 25 "runtime_queries",
    }
}

vocabulary! {
    /// How lore knows of an edge.
    pub enum Provenance {
        /// Read from the syntax, names looked up by lore's own rules.
        AstInferred = 1 "ast_inferred",
        /// Read from the syntax, where nothing needs looking up.
        AstResolved = 2 "ast_resolved",
        LspResolved = 3 "lsp_resolved",
        ScipResolved = 4 "scip_resolved",
        /// Follows from the files as such, e.g. CODEOWNERS.
        Structural = 5 "structural",
        /// Seen in production.
        Runtime = 6 "runtime",
    }
}

/// The confidence, in percent, of an import of everything a module has. No
/// other import has it, so it tells them apart.
pub const WILDCARD_IMPORT: u8 = 60;

impl Provenance {
    /// Whether it follows from the commit alone, on every machine.
    pub const fn is_static(self) -> bool {
        matches!(self, Self::AstInferred | Self::AstResolved | Self::Structural)
    }
}

/// Whether a path is of tests, by the habits of the common languages.
pub fn is_test_path(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let Some(name) = parts.pop() else { return false };
    let is_folder = |part: &&str| {
        let part = part.to_ascii_lowercase();
        matches!(
            part.as_str(),
            "test" | "tests" | "testing" | "spec" | "specs" | "__tests__" | "testdata" | "e2e"
        ) || part.starts_with("test_")
            || part.ends_with("_test")
            || part.ends_with("_tests")
    };
    let stem = name.split('.').next().unwrap_or(name);
    parts.iter().any(is_folder)
        || name == "conftest.py"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || (stem.len() > 4 && (stem.ends_with("Test") || stem.ends_with("Tests")))
}
