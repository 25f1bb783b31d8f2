//! A user's machine next to a simulated GitLab: `lore` can sync for real.

use crate::TestEnv;
use sim::{Options, Server, World};
use std::fmt::Write as _;
use std::path::PathBuf;

/// The simulator, and a [`TestEnv`] configured for its projects.
pub struct Site {
    pub server: Server,
    pub env: TestEnv,
}

impl Site {
    /// Serves a history written in the scenario language.
    pub fn scenario(binary: impl Into<PathBuf>, text: &str) -> Site {
        let world = sim::scenario::load(text, "test").unwrap_or_else(|error| panic!("{error}"));
        Site::of(binary, world)
    }

    /// Like [`Site::scenario`], with a clone of every project that has files in
    /// the machine's folder: `group/project`, its `origin` at the simulator.
    pub fn with_clones(binary: impl Into<PathBuf>, text: &str) -> Site {
        let site = Site::scenario(binary, text);
        let dir = site.env.dir();
        sim::scenario::load_with_git(text, "test", &dir).unwrap_or_else(|error| panic!("{error}"));
        for project in site.server.world().projects() {
            let clone = dir.join(&project.path);
            if clone.is_dir() {
                let clone = clone.display().to_string();
                // Without a port, so that the name of the clone is the same in every run.
                let url = format!("git@127.0.0.1:{}.git", project.path);
                let _done =
                    site.env.git(&["-C", &clone, "remote", "add", "origin", &url]).success();
            }
        }
        site
    }

    pub fn of(binary: impl Into<PathBuf>, world: World) -> Site {
        let server = Server::start(world, Options::default()).expect("loopback has a free port");
        let env = machine(&server, binary);
        Site { server, env }
    }

    /// Another user's machine beside the same GitLab.
    pub fn another_machine(&self, binary: impl Into<PathBuf>) -> TestEnv {
        machine(&self.server, binary)
    }

    /// `lore sync`, which must go well.
    pub fn sync(&self) {
        let _checked = self.env.lore(&["sync", "-q"]).success();
    }
}

fn machine(server: &Server, binary: impl Into<PathBuf>) -> TestEnv {
    let mut config = format!(
        // Searching by meaning has tests of its own; the others need not wait for it.
        "[gitlab]\nbase_url = \"{}\"\n[sync]\nrequests_per_second = 1000\nreconcile = 0\n\
         [embedding]\nprovider = \"none\"\n",
        server.base_url()
    );
    for project in server.world().projects() {
        let _ = write!(config, "[[projects]]\npath = \"{}\"\n", project.path);
    }
    TestEnv::new(binary)
        .with_config(&config)
        .with_var("GITLAB_TOKEN", "sim-token")
        .with_var("USER", "tester")
}

/// A machine's database by logical names, for comparing.
pub fn dump(env: &TestEnv) -> Vec<String> {
    let reader = store::Reader::open(&env.db()).expect("the database opens");
    store::dump::logical(&reader).expect("the database can be read")
}
