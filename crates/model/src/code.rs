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
    /// What a symbol is in an answer: a node, with owners told apart.
    pub enum SymbolKind {
        Function = "function",
        Method = "method",
        Type = "type",
        Class = "class",
        Interface = "interface",
        Trait = "trait",
        Enum = "enum",
        Const = "const",
        Var = "var",
        Field = "field",
        Module = "module",
        Package = "package",
        RouteHandler = "route_handler",
        Service = "service",
        Table = "table",
        Column = "column",
        Resource = "resource",
        Message = "message",
        Rpc = "rpc",
        Selector = "selector",
        Job = "job",
        External = "external",
        /// A block of implementations for a type that another library defines.
        Impl = "impl",
        /// Owns code by `CODEOWNERS`, as a group.
        Team = "team",
        /// Owns code by `CODEOWNERS`, as a person.
        User = "user",
    }
}

impl From<NodeKind> for SymbolKind {
    fn from(kind: NodeKind) -> Self {
        match kind {
            NodeKind::Function => Self::Function,
            NodeKind::Method => Self::Method,
            NodeKind::Type => Self::Type,
            NodeKind::Class => Self::Class,
            NodeKind::Interface => Self::Interface,
            NodeKind::Trait => Self::Trait,
            NodeKind::Enum => Self::Enum,
            NodeKind::Const => Self::Const,
            NodeKind::Var => Self::Var,
            NodeKind::Field => Self::Field,
            NodeKind::Module => Self::Module,
            NodeKind::Package => Self::Package,
            NodeKind::RouteHandler => Self::RouteHandler,
            NodeKind::Service => Self::Service,
            NodeKind::Table => Self::Table,
            NodeKind::Column => Self::Column,
            NodeKind::Resource => Self::Resource,
            NodeKind::Message => Self::Message,
            NodeKind::Rpc => Self::Rpc,
            NodeKind::Selector => Self::Selector,
            NodeKind::Job => Self::Job,
            NodeKind::External => Self::External,
        }
    }
}

impl PartialEq<NodeKind> for SymbolKind {
    fn eq(&self, other: &NodeKind) -> bool {
        *self == SymbolKind::from(*other)
    }
}

vocabulary! {
    /// What the source of an edge does to its target.
    // The one vocabulary of relations between symbols, from the parser to JSON.
    // The numbers 15, 16, 19 and 20 were given to kinds that nobody ever stored;
    // they stay free.
    pub enum EdgeKind {
        /// The target is written inside the source, or is a member of it.
        Contains = 1 "contains",
        Calls = 2 "calls",
        Imports = 3 "imports",
        Implements = 4 "implements",
        Inherits = 5 "inherits",
        Overrides = 6 "overrides",
        References = 7 "references",
        /// From a route to the function that answers it.
        HandlesRoute = 8 "handles_route",
        /// A test calls what is no test.
        Tests = 9 "tests",
        DependsOn = 10 "depends_on",
        Deploys = 11 "deploys",
        Exposes = 12 "exposes",
        Configures = 13 "configures",
        /// A call that a contract describes and another process answers.
        RpcCalls = 14 "rpc_calls",
        /// A field of a value.
        ReadsField = 17 "reads_field",
        WritesField = 18 "writes_field",
        // Seen in production: only ever in a layer of `OtelTrace`.
        RuntimeCalls = 21 "runtime_calls",
        RuntimeRpc = 22 "runtime_rpc",
        RuntimeProduces = 23 "runtime_produces",
        RuntimeConsumes = 24 "runtime_consumes",
        RuntimeQueries = 25 "runtime_queries",
        /// From a file to a team that owns it by `CODEOWNERS`.
        OwnedByTeam = 26 "owned_by_team",
        /// The same for a person.
        OwnedByUser = 27 "owned_by_user",
    }
}

impl EdgeKind {
    /// Whether it says whose code is, and nothing of what code does.
    pub const fn is_ownership(self) -> bool {
        matches!(self, Self::OwnedByTeam | Self::OwnedByUser)
    }
}

/// The language of the packages that stand for owners: one is called
/// `owner://@group/team`.
pub const OWNER: &str = "owner";

vocabulary! {
    /// How lore knows of an edge.
    pub enum Provenance {
        /// Read from the syntax, names looked up by lore's own rules.
        AstInferred = 1 "ast_inferred",
        /// Read from the syntax, where nothing needs looking up: what contains what.
        AstResolved = 2 "ast_resolved",
        /// A language server said so.
        LspResolved = 3 "lsp_resolved",
        /// An index made by a compiler said so.
        ScipResolved = 4 "scip_resolved",
        /// A contract or a configuration names it.
        ConfigDeclared = 5 "config_declared",
        /// Seen in production.
        OtelTrace = 6 "otel_trace",
        /// A person said so.
        Manual = 7 "manual",
    }
}

/// The confidence, in percent, of an import of everything a module has. No
/// other import has it, so it tells them apart.
pub const WILDCARD_IMPORT: u8 = 60;

/// The method of a route that stands for a router mounted under a prefix: it
/// leads to the function, variable or module that is mounted.
pub const MOUNT: &str = "MOUNT";

/// The method of a route that stands for a subscription to a topic of a queue.
pub const TOPIC: &str = "TOPIC";

/// The method by which calls of a contract are kept beside HTTP routes; their
/// pattern is the path that gRPC sends: `/package.Service/Method`.
pub const GRPC: &str = "GRPC";

impl Provenance {
    /// Whether it follows from the commit alone, on every machine: such edges
    /// are linked with the files. All others come in layers beside them.
    pub const fn is_static(self) -> bool {
        matches!(self, Self::AstInferred | Self::AstResolved | Self::ConfigDeclared)
    }

    /// Whether the root of a snapshot covers it: what was seen in production
    /// never comes out the same twice.
    pub const fn is_deterministic(self) -> bool {
        !matches!(self, Self::OtelTrace)
    }

    /// Its place on the ladder: of two that know the same edge, the higher one is named.
    pub const fn rank(self) -> u8 {
        match self {
            Self::Manual => 7,
            Self::AstResolved => 6,
            Self::ScipResolved => 5,
            Self::LspResolved => 4,
            Self::ConfigDeclared => 3,
            Self::AstInferred => 2,
            Self::OtelTrace => 1,
        }
    }
}

/// A language by the name people know it under: JavaScript is read as
/// TypeScript without types, and C as C++, but each is called by its own name.
pub fn language_name<'l>(language: &'l str, path: &str) -> &'l str {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match language {
        "typescript" if matches!(ending, "js" | "jsx" | "mjs" | "cjs") => "javascript",
        "cpp" if ending == "c" => "c",
        other => other,
    }
}

/// The language of a header (`.h`), by how many sources there are of a language.
pub fn header_language(n_sources: impl Fn(&str) -> u64) -> &'static str {
    if n_sources("c") > n_sources("cpp") { "c" } else { "cpp" }
}

/// Whether a type of the language implements an interface by having its methods.
pub fn has_implicit_interfaces(language: &str) -> bool {
    language == "go"
}

/// Whether a path is of code that was copied in from elsewhere, by the names of its
/// folders.
pub fn is_vendored_path(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    folders.iter().any(|folder| {
        matches!(
            folder.to_ascii_lowercase().as_str(),
            "vendor"
                | "vendored"
                | "_vendor"
                | "third_party"
                | "third-party"
                | "thirdparty"
                | "3rdparty"
                | "node_modules"
                | "deps"
                | "externals"
        )
    })
}

/// Whether a file is a header: what it declares, other files define.
pub fn is_header_path(path: &str) -> bool {
    const ENDINGS: [&str; 4] = ["h", "hh", "hpp", "hxx"];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Whether a file holds tests; others of a test folder only serve them.
pub fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let serves = |part: &str| {
        let part = part.to_ascii_lowercase();
        ["testing", "testdata", "testutil", "helper", "support", "fixture", "mock"]
            .iter()
            .any(|it| part.trim_matches('_').starts_with(it))
    };
    is_test_path(name) || (is_test_path(path) && !folders.split('/').any(serves))
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
