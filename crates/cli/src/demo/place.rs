//! Where the tour happens: a simulated GitLab, a folder, surroundings.

use crate::config::file::{CLONE_DIR, TOML_NAME};
use crate::config::repo_trust::Repository;
use crate::config::trust::{Pins, RepositoryPin};
use crate::ctx::Ctx;
use crate::env::Env;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use sim::scenario::demo;
use sim::{Options, Server};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const DATABASE: &str = "lore.db";
const TOKEN: &str = "sim-token";
const EMBEDDING: &str = "LORE_EMBEDDING_PROVIDER";

pub(super) struct Place {
    dir: PathBuf,
    /// Removed when the tour is over; none when the folder is kept.
    temporary: Option<TempDir>,
    vars: BTreeMap<String, String>,
    projects: Vec<String>,
    /// Whether there are local clones to ask.
    pub has_clones: bool,
    // Serves until dropped.
    _server: Server,
}

impl Place {
    pub fn prepare(ctx: &Ctx, has_color: bool, keep: Option<&Path>) -> Result<Place> {
        let (dir, temporary) = match keep {
            Some(keep) => (new_folder(&ctx.env.cwd.join(keep))?, None),
            None => {
                let temporary = TempDir::with_prefix("lore-demo-").map_err(|error| {
                    Error::internal("cannot make a temporary folder").caused_by(error)
                })?;
                (temporary.path().to_path_buf(), Some(temporary))
            }
        };
        let (world, has_clones) = match demo::load_with_git(&dir) {
            // A tour can do without clones, and so without git.
            Err(_) if temporary.is_some() => (demo::load(), false),
            loaded => (loaded, true),
        };
        let world = world.map_err(|error| {
            Error::internal(format!("the demo history does not load: {error}"))
                .suggest("check that git is installed (`lore doctor`)")
        })?;
        let now = world.now();
        let projects: Vec<String> = world.projects().map(|project| project.path.clone()).collect();
        let server = Server::start(world, Options::default()).map_err(|error| {
            Error::internal("cannot start the simulated GitLab").caused_by(error)
        })?;
        let home = dir.join("home");
        let place = |name: &str, value: String| (name.to_owned(), value);
        let mut vars = BTreeMap::from([
            place("HOME", home.display().to_string()),
            place("LORE_CONFIG", home.join(TOML_NAME).display().to_string()),
            place("LORE_DB", dir.join(DATABASE).display().to_string()),
            place("LORE_NOW", now.to_rfc3339()),
            place("GITLAB_TOKEN", TOKEN.to_owned()),
            place("COLUMNS", ctx.env.width.to_string()),
        ]);
        if ctx.env.stdout_is_tty {
            vars.insert("LORE_FORCE_TTY".to_owned(), ctx.env.width.to_string());
        }
        // What the tour's own stream may show, its commands may.
        let color = if has_color { "CLICOLOR_FORCE" } else { "NO_COLOR" };
        vars.insert(color.to_owned(), "1".to_owned());
        write(&home.join(TOML_NAME), &config(server.base_url(), &projects))?;
        Ok(Place { dir, temporary, vars, projects, has_clones, _server: server })
    }

    /// Surroundings in which only this place exists.
    pub fn env(&self) -> Env {
        Env::from_vars(self.vars.clone(), self.dir.clone())
    }

    /// The same with embedding on, unless the user has it off: the tour itself does
    /// without, because it is over in a second.
    pub fn embedding_env(&self, user: &Env) -> Env {
        let mut vars = self.vars.clone();
        let provider = user.var(EMBEDDING).unwrap_or("builtin");
        vars.insert(EMBEDDING.to_owned(), provider.to_owned());
        Env::from_vars(vars, self.dir.clone())
    }

    /// Clears away; a kept folder gets a config of its own, without the
    /// server that ends with us. lore wrote it, so the user need not trust it.
    pub fn finish(self, user: &Env) -> Result<Option<PathBuf>> {
        // Only what cannot be removed would stay, and then saying so helps nobody.
        let _ = std::fs::remove_dir_all(self.dir.join("home"));
        if self.temporary.is_some() {
            return Ok(None);
        }
        let mut pins = Pins::load(user)?;
        self.write_config("", DATABASE, &mut pins)?;
        for project in &self.projects {
            let up = project.split('/').map(|_| "../").collect::<String>();
            self.write_config(project, &format!("{up}{DATABASE}"), &mut pins)?;
        }
        pins.save()?;
        Ok(Some(self.dir))
    }

    /// The config of a folder below, with the database as seen from there.
    fn write_config(&self, folder: &str, database: &str, pins: &mut Pins) -> Result<()> {
        let mut text = String::from("# The history of `lore demo`; its GitLab is gone.\n");
        text.push_str(&format!("[storage]\ndb_path = \"{database}\"\n"));
        for project in &self.projects {
            text.push_str(&format!("[[projects]]\npath = \"{project}\"\n"));
        }
        let path = self.dir.join(folder).join(CLONE_DIR).join(TOML_NAME);
        write(&path, &text)?;
        pins.pin(&path, Hash32::of(text.as_bytes()).to_string());
        // The memory of the demo's clones is lore's own too.
        if let Some(repository) = Repository::around(&path) {
            let origin = repository.origin();
            let pin = RepositoryPin { origin, memory: true, databases: false };
            pins.repositories.insert(repository.key, pin);
        }
        Ok(())
    }
}

fn config(base_url: &str, projects: &[String]) -> String {
    // The tour is over in a second; embedding its texts would take several.
    let mut text = format!(
        "[gitlab]\nbase_url = \"{base_url}\"\n[sync]\nrequests_per_second = 1000\n\
         [embedding]\n# \"builtin\" and then `lore embed` to search by meaning too\n\
         provider = \"none\"\n"
    );
    for project in projects {
        text.push_str(&format!("[[projects]]\npath = \"{project}\"\n"));
    }
    text
}

/// A folder of our own: an existing one may hold somebody's work.
fn new_folder(dir: &Path) -> Result<PathBuf> {
    let is_taken =
        dir.read_dir().is_ok_and(|mut entries| entries.next().is_some()) || dir.is_file();
    if is_taken {
        return Err(Error::usage(format!("`{}` exists and is not empty", dir.display()))
            .suggest("name a new folder"));
    }
    files::create_dirs(dir).map_err(|error| {
        Error::new(ErrorCode::Usage, format!("cannot make the folder `{}`", dir.display()))
            .caused_by(error)
            .suggest("name a folder in a place you can write to")
    })?;
    Ok(dir.to_path_buf())
}

fn write(path: &Path, text: &str) -> Result<()> {
    files::replace(path, text.as_bytes(), 0o666).map_err(|error| {
        Error::internal(format!("cannot write {}", path.display())).caused_by(error)
    })
}
