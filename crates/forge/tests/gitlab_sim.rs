//! Every endpoint, read from the simulated GitLab: what a good day and a bad
//! day have in common is the result.

mod support;

use forge::api::{ForgeAnswer, ListFrom, ProjectLocator};
use forge::gitlab::{Client, Options};
use forge::{FailureKind, Forge};
use model::EntityKind;
use model::backoff::Backoff;
use model::ids::ForgeId;
use model::record::DependentKind;
use secrecy::SecretString;
use sim::server::{Release, Token};
use sim::{Corpus, FaultPlan, Server};
use std::fmt::Write;
use std::time::Duration;
use support::client;

/// More than a page of each kind; dependents are read for this many.
const N_WITH_DEPENDENTS: usize = 12;

fn world() -> sim::World {
    Corpus { threads: 3.0, ..Corpus::new(7, 120, 110) }.build().expect("a corpus is sound")
}

fn connect(server: &Server, token: &str) -> Client {
    client(Options {
        requests_per_second: None,
        max_attempts: 12,
        backoff: Backoff { base: Duration::from_millis(1), cap: Duration::from_millis(2) },
        ..Options::new(server.base_url(), SecretString::from(token))
    })
}

/// Everything the client can tell about the first project, as text.
async fn everything(client: &Client, path: &str) -> forge::api::Result<String> {
    let mut told = String::new();
    let identity = client.identity().await?;
    let project = client.project(ProjectLocator::Path(path.to_owned())).await?.value;
    let id = project.forge_id;
    writeln!(told, "{:?}\n{project:?}", identity.user).expect("writing to text");
    for kind in EntityKind::ALL {
        let mut page = 1;
        let mut iids = Vec::new();
        loop {
            let from = ListFrom { updated_after: None, page };
            let listed = client.entities(id, kind, from).await?;
            assert_eq!(listed.unreadable, Vec::<String>::new());
            for item in &listed.items {
                iids.push(item.entity.core().iid);
                writeln!(told, "{:?}", item.entity).expect("writing to text");
            }
            if !listed.has_more {
                break;
            }
            page += 1;
        }
        for iid in iids.into_iter().take(N_WITH_DEPENDENTS) {
            let alone = client.entity(id, kind, iid).await?;
            assert_eq!(alone.entity.core().iid, iid);
            for what in DependentKind::ALL {
                let ForgeAnswer { value, .. } = client.dependents(id, kind, iid, what).await?;
                assert_eq!(value.dependent(), what);
                writeln!(told, "{kind} {iid} {value:?}").expect("writing to text");
            }
        }
    }
    Ok(told)
}

/// The same, with the server's address left out of it.
async fn read_from(options: sim::Options) -> String {
    let link_base = options.link_base.clone();
    let server = Server::start(world(), options).expect("loopback has a free port");
    let path = server.world().projects().next().expect("a corpus has a project").path.clone();
    match everything(&connect(&server, Token::VALID), &path).await {
        Ok(told) => told
            .replace(link_base.as_deref().unwrap_or(server.base_url()), "")
            .replace(server.base_url(), ""),
        Err(failure) => panic!("{failure:?}"),
    }
}

#[tokio::test]
async fn a_bad_day_reads_like_a_good_one() {
    let calm = read_from(sim::Options::default()).await;
    assert_eq!(calm.matches("IssueRecord {").count(), 120);
    assert_eq!(calm.matches("MergeRequestRecord {").count(), 110);
    for (weather, faults) in [
        (
            "failing and breaking off",
            FaultPlan {
                seed: 1,
                p500: 0.05,
                p502: 0.05,
                p503: 0.02,
                p429_endpoint: 0.05,
                p_reset_before: 0.03,
                p_reset_mid_body: 0.03,
                p_short_read: 0.03,
                p_truncate_json: 0.03,
                ..FaultPlan::default()
            },
        ),
        (
            "short pages and lost links",
            FaultPlan {
                seed: 2,
                p_short_page: 0.3,
                p_empty_page: 0.2,
                p_drop_link: 0.3,
                ..FaultPlan::default()
            },
        ),
        ("no word about pages", FaultPlan { seed: 3, p_drop_both: 1.0, ..FaultPlan::default() }),
        (
            "lost page numbers",
            FaultPlan { seed: 4, p_drop_next_page: 0.5, p_short_page: 0.3, ..FaultPlan::default() },
        ),
    ] {
        let rough = read_from(sim::Options { faults, ..sim::Options::default() }).await;
        assert!(rough == calm, "{weather}: the result differs");
    }
}

#[tokio::test]
async fn a_server_behind_a_tunnel_reads_like_one_in_the_open() {
    let open = read_from(sim::Options::default()).await;
    let link_base = Some("https://gitlab.unreachable.test".to_owned());
    let hidden = read_from(sim::Options { link_base, ..sim::Options::default() }).await;
    assert!(hidden == open);
}

#[tokio::test]
async fn every_release_can_be_read() {
    for release in [Release::v13_0(), Release::v18_2(), Release::v19_0()] {
        let version = release.version.clone();
        let options = sim::Options { release, unknown_keys: true, ..sim::Options::default() };
        let told = read_from(options).await;
        assert!(told.contains("FileChangeRecord {"), "{version}");
        assert!(told.contains("NoteRecord {"), "{version}");
    }
}

#[tokio::test]
async fn diffs_that_are_too_much_at_once_are_read_in_smaller_pages() {
    let calm = read_from(sim::Options::default()).await;
    let slow = sim::Options { diffs_fail_above: Some(10), ..sim::Options::default() };
    assert!(read_from(slow).await == calm);
}

#[tokio::test]
async fn bad_tokens_are_told_as_such() {
    let server = Server::start(world(), sim::Options::default()).expect("a free port");
    for token in [Token::EXPIRED, Token::REVOKED, Token::NO_SCOPE, "unknown"] {
        let failure = connect(&server, token).identity().await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unauthorized, "{token}: {failure}");
        assert!(failure.error.suggestion().unwrap().contains("read_api"), "{token}");
    }
    let client = connect(&server, Token::VALID);
    let gone = client.project(ProjectLocator::Id(ForgeId(999_999))).await.unwrap_err();
    assert_eq!(gone.kind, FailureKind::Gone);
}
