//! A small world and a client that reads it.

use model::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::Value;
use sim::server::Token;
use sim::world::{
    EntityKey, NewIssue, NewLabel, NewMergeRequest, NewMilestone, NewProject, NewUser, ProjectId,
};
use sim::{Options, Server, World};
use std::sync::Once;
use std::time::Duration;

/// Minutes after 2024-01-09T10:00:00Z, the first morning of every test.
pub fn at(minutes: u64) -> Timestamp {
    seconds(minutes * 60)
}

pub fn seconds(seconds: u64) -> Timestamp {
    let start = Timestamp::parse_rfc3339("2024-01-09T10:00:00Z").unwrap();
    start.plus(Duration::from_secs(seconds))
}

/// Three people; `harbor/tide`, its neighbour `harbor/charts` and the foreign
/// `tools/crane`, each with labels and milestones.
pub fn world() -> World {
    let mut world = World::new();
    world.set_now(at(0));
    for name in ["ada", "bo", "cem"] {
        world.add_user(NewUser::named(name)).unwrap();
    }
    for path in ["harbor/tide", "harbor/charts", "tools/crane"] {
        let project = world.add_project(NewProject::at_path(path, at(0))).unwrap();
        for label in ["bug", "auth"] {
            world.add_label(project, NewLabel::named(label)).unwrap();
        }
        for milestone in ["1.0", "1.1"] {
            world.add_milestone(project, NewMilestone::titled(milestone)).unwrap();
        }
    }
    world
}

pub const TIDE: ProjectId = ProjectId(1);
pub const CHARTS: ProjectId = ProjectId(2);
pub const CRANE: ProjectId = ProjectId(3);

pub fn issue(world: &mut World, project: ProjectId, title: &str) -> EntityKey {
    let now = world.now();
    world.create_issue(project, "ada", now, NewIssue::titled(title)).unwrap()
}

pub fn mr(world: &mut World, project: ProjectId, description: &str) -> EntityKey {
    let now = world.now();
    let new = NewMergeRequest::titled("Fix it", "fix").described(description);
    world.create_mr(project, "bo", now, new).unwrap()
}

pub fn system_notes(world: &World, key: EntityKey) -> Vec<String> {
    let notes = world.entity(key).unwrap().notes().filter(|note| note.system);
    notes.map(|note| note.body.clone()).collect()
}

/// A server and a client that holds a token and follows no redirects.
pub struct Api {
    pub server: Server,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The `iid`s of a list, in order.
    pub fn iids(&self) -> Vec<i64> {
        let list = self.json();
        list.as_array().unwrap().iter().map(|item| item["iid"].as_i64().unwrap()).collect()
    }
}

impl Api {
    pub fn new(world: World) -> Api {
        Api::with(world, Options::default())
    }

    pub fn with(world: World, options: Options) -> Api {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Api { server: Server::start(world, options).unwrap(), client, runtime }
    }

    /// `path` is below `/api/v4`.
    pub fn get(&self, path: &str) -> Got {
        self.try_get(path, Some(Token::VALID)).unwrap()
    }

    pub fn get_as(&self, path: &str, token: Option<&str>) -> Got {
        self.try_get(path, token).unwrap()
    }

    pub fn try_get(&self, path: &str, token: Option<&str>) -> Result<Got, reqwest::Error> {
        let mut request = self.client.get(self.url(path));
        if let Some(token) = token {
            request = request.header("PRIVATE-TOKEN", token);
        }
        self.send(request)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}/api/v4{path}", self.server.base_url())
    }

    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }

    pub fn send(&self, request: reqwest::RequestBuilder) -> Result<Got, reqwest::Error> {
        self.runtime.block_on(async {
            let response = request.send().await?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Ok(Got { status, headers, text: response.text().await? })
        })
    }

    /// All items by following `X-Next-Page`, with the sizes of the pages.
    pub fn all(&self, path: &str) -> (Vec<Value>, Vec<usize>) {
        let separator = if path.contains('?') { '&' } else { '?' };
        let (mut items, mut sizes, mut page) = (Vec::new(), Vec::new(), "1".to_owned());
        while !page.is_empty() {
            let got = self.get(&format!("{path}{separator}page={page}"));
            let list = got.json();
            let list = list.as_array().unwrap();
            sizes.push(list.len());
            items.extend(list.iter().cloned());
            got.header("x-next-page").unwrap_or("").clone_into(&mut page);
        }
        (items, sizes)
    }
}
