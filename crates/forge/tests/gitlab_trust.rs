//! Where the token goes, and where it never goes; which addresses and
//! certificates are accepted.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod support;

use expect_test::expect;
use forge::api::{ProjectLocator, Result};
use forge::gitlab::{Client, Options};
use forge::{FailureKind, Forge};
use model::ErrorCode;
use model::ids::ForgeId;
use model::progress::NoProgress;
use secrecy::SecretString;
use std::sync::Arc;
use support::{ProgressLog, Reply, Server, TOKEN, client};

async fn project(client: &Client, path: &str) -> Result<i64> {
    let answer = client.project(ProjectLocator::Path(path.to_owned())).await?;
    Ok(answer.value.forge_id.0)
}

fn good() -> Reply {
    Reply::json(r#"{"id":42,"path_with_namespace":"group/project"}"#)
}

#[tokio::test]
async fn every_request_carries_the_token_in_its_header_and_nowhere_else() {
    let server = Server::always(good()).await;
    project(&server.client(), "group/sub group/project").await.unwrap();
    let request = &server.asked()[0];
    assert_eq!(request.path, "/api/v4/projects/group%2Fsub%20group%2Fproject");
    assert_eq!(request.query, "");
    assert_eq!(request.header("private-token"), Some(TOKEN));
    assert_eq!(request.header("accept"), Some("application/json"));
    assert!(request.header("user-agent").unwrap().starts_with("lore/"));
}

#[tokio::test]
async fn a_renamed_project_is_followed_on_the_same_server() {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/api/v4/projects/42" => good(),
        _ => Reply::status(301, "This resource has been moved permanently")
            .header("Location", "/api/v4/projects/42"),
    })
    .await;
    assert_eq!(project(&server.client(), "old/name").await.unwrap(), 42);
    assert_eq!(server.asked()[1].header("private-token"), Some(TOKEN));
}

#[tokio::test]
async fn a_redirect_to_the_servers_public_name_is_followed_where_it_was_reached() {
    // As behind a tunnel: the server knows itself by another address.
    let elsewhere = Server::always(good()).await;
    let target = format!("{}/api/v4/projects/42?simple=true", elsewhere.url);
    let server = Server::start(move |request, _| match request.path.as_str() {
        "/api/v4/projects/42" => good(),
        _ => Reply::status(301, "").header("Location", target.clone()),
    })
    .await;
    assert_eq!(project(&server.client(), "old/name").await.unwrap(), 42);
    assert_eq!(server.log(), "projects/old%2Fname\nprojects/42?simple=true\n");
    assert!(elsewhere.asked().is_empty(), "the token went to another host");
}

#[tokio::test]
async fn other_redirects_are_refused_and_the_other_host_is_never_asked() {
    let elsewhere = Server::always(good()).await;
    let mut table = Vec::new();
    for location in [
        format!("{}/users/sign_in?token=x", elsewhere.url),
        "https://me:hunter2@gl.test/api/v4/projects/group%2Fproject".to_owned(),
        "/users/sign_in".to_owned(),
        "//".to_owned(),
    ] {
        let server = Server::always(Reply::status(302, "").header("Location", location)).await;
        let failure = project(&server.client(), "group/project").await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unreachable);
        table.push(
            failure
                .to_string()
                .replace(&elsewhere.url, "http://elsewhere")
                .replace(&server.url, "http://server"),
        );
    }
    assert!(elsewhere.asked().is_empty(), "the token went to another host");
    expect![[r#"
        GET projects/group%2Fproject failed: the server redirects to `http://elsewhere/users/sign_in`
        GET projects/group%2Fproject failed: the server redirects to `https://gl.test/api/v4/projects/group%2Fproject`
        GET projects/group%2Fproject failed: the server redirects to `http://server/users/sign_in`
        GET projects/group%2Fproject failed: the server redirects to nowhere"#]].assert_eq(&table.join("\n"));
}

#[tokio::test]
async fn redirects_in_circles_end() {
    let server = Server::start(|_, n| {
        Reply::status(301, "").header("Location", format!("/api/v4/projects/{n}"))
    })
    .await;
    let failure = project(&server.client(), "group/project").await.unwrap_err();
    assert!(failure.to_string().contains("in circles"), "{failure}");
    assert_eq!(server.asked().len(), 6);
}

#[tokio::test]
async fn the_token_is_never_shown() {
    let echo = format!("you sent {TOKEN}");
    for reply in [
        Reply::status(400, format!(r#"{{"message":"{echo}"}}"#)),
        Reply::status(401, format!(r#"{{"error":"{echo}","error_description":"{echo}"}}"#)),
        Reply::status(500, format!("<html><title>{echo}</title></html>")),
        Reply::status(200, echo.clone()),
        Reply::json(format!(r#"{{"id":"{echo}"}}"#)),
        Reply::status(302, "").header("Location", format!("https://gl.test/{TOKEN}?{TOKEN}")),
        Reply::reset(),
    ] {
        let server = Server::always(reply).await;
        let failure = project(&server.client(), "group/project").await.unwrap_err();
        let shown = format!("{failure} {failure:?} {:?}", failure.error.suggestion());
        assert!(!shown.contains(TOKEN), "{shown}");
    }
    let options = Options::new("https://gl.test", SecretString::from(TOKEN));
    let shown = format!("{options:?} {:?}", client(options.clone()));
    assert!(!shown.contains(TOKEN), "{shown}");
    assert!(shown.contains("https://gl.test"), "{shown}");
}

#[test]
fn options_that_cannot_work_are_refused_before_anything_is_sent() {
    let sound = Options::new("https://gl.test", SecretString::from(TOKEN));
    let token = |token: &str| Options { token: SecretString::from(token), ..sound.clone() };
    let pem = |pem: &[u8]| Options { ca_pem: Some(pem.to_vec()), ..sound.clone() };
    let pace = |rate| Options { requests_per_second: Some(rate), ..sound.clone() };
    let mut table = Vec::new();
    for options in [
        Options { base_url: "gitlab.example.com".to_owned(), ..sound.clone() },
        token(""),
        token(" \n"),
        token("two\nlines"),
        pem(b"not a certificate"),
        pem(b""),
        pem(b"-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n"),
        pace(0.0),
        pace(f64::NAN),
    ] {
        let error = Client::new(options, Arc::new(NoProgress)).unwrap_err();
        assert!(error.suggestion().is_some(), "{error}");
        table.push(format!("{}: {error}", error.code()));
    }
    expect![[r#"
        CONFIG_INVALID: gitlab.base_url `gitlab.example.com` is not a web address
        TOKEN_NOT_SET: the GitLab token is empty
        TOKEN_NOT_SET: the GitLab token is empty
        CONFIG_INVALID: the GitLab token holds characters no token has
        CONFIG_INVALID: gitlab.ca_file holds no PEM certificate
        CONFIG_INVALID: gitlab.ca_file holds no PEM certificate
        CONFIG_INVALID: gitlab.ca_file holds no PEM certificate
        CONFIG_INVALID: the number of requests per second must be more than 0
        CONFIG_INVALID: the number of requests per second must be more than 0"#]]
    .assert_eq(&table.join("\n"));
    let padded = Client::new(token(&format!(" {TOKEN}\n")), Arc::new(NoProgress));
    assert!(padded.is_ok(), "a line end from a file does no harm");
}

#[test]
fn plain_http_over_a_network_is_pointed_out() {
    for (base_url, notes) in [
        ("https://gl.test", &[][..]),
        ("http://localhost:3000", &[]),
        (
            "http://gl.test/gitlab",
            &["note: gitlab.base_url uses http: the token travels unencrypted to gl.test"],
        ),
    ] {
        let told = Arc::new(ProgressLog::default());
        Client::new(Options::new(base_url, SecretString::from(TOKEN)), told.clone()).unwrap();
        assert_eq!(told.lines(), notes, "{base_url}");
    }
}

#[tokio::test]
async fn a_relative_root_and_a_pasted_api_path_lead_to_the_same_place() {
    let server = Server::always(good()).await;
    for (suffix, path) in [
        ("/", "/api/v4/projects/a%2Fb"),
        ("/api/v4/", "/api/v4/projects/a%2Fb"),
        ("/gitlab", "/gitlab/api/v4/projects/a%2Fb"),
    ] {
        let mut options = server.options();
        options.base_url.push_str(suffix);
        project(&client(options), "/a/b/").await.unwrap();
        assert_eq!(server.asked().last().unwrap().path, path);
    }
}

#[tokio::test]
async fn what_is_no_path_is_not_sent() {
    let server = Server::script([]).await;
    for path in ["42", "project", "", "/", ".."] {
        let failure = project(&server.client(), path).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Gone);
        assert_eq!(failure.error.code(), ErrorCode::ForgeNotFound);
    }
    assert!(server.asked().is_empty());
    assert!(server.client().project(ProjectLocator::Id(ForgeId(42))).await.is_err());
    assert_eq!(server.log(), "projects/42\n");
}

#[tokio::test]
async fn https_to_a_plain_port_is_a_tls_failure_and_is_not_repeated() {
    let server = Server::always(good()).await;
    let mut options = server.options();
    options.base_url = server.url.replace("http://", "https://");
    let failure = project(&client(options), "group/project").await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    let text = failure.to_string();
    assert!(text.contains("no secure connection") && text.contains("does not speak TLS"), "{text}");
}
