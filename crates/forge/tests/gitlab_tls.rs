//! Encrypted connections: a certificate from a private authority is refused
//! until that authority is named, and only then.
//!
//! `support/test-*` were made for these tests alone: an authority, and a
//! certificate by it for 127.0.0.1, valid until 2120. Nothing else trusts them.

mod support;

use forge::api::{ProjectLocator, Result};
use forge::gitlab::{Client, Options};
use forge::{FailureKind, Forge};
use model::ids::ForgeId;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use secrecy::SecretString;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use support::{TOKEN, client};

const AUTHORITY: &[u8] = include_bytes!("support/test-authority.pem");

/// Answers every connection with one project, encrypted; returns the address.
fn serve() -> String {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(
        include_bytes!("support/test-server.key.der").as_slice(),
    ));
    let chain = vec![CertificateDer::from(include_bytes!("support/test-server.der").as_slice())];
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .expect("the test certificate is sound");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            // A client that refuses the certificate breaks off; that is its right.
            std::thread::spawn(move || answer(stream, config));
        }
    });
    format!("https://{address}")
}

fn answer(stream: TcpStream, config: Arc<ServerConfig>) -> Option<()> {
    let mut stream = StreamOwned::new(ServerConnection::new(config).ok()?, stream);
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            n => request.extend_from_slice(&buffer[..n]),
        }
    }
    let body = br#"{"id":42,"path_with_namespace":"group/project"}"#;
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).ok()?;
    stream.write_all(body).ok()?;
    stream.flush().ok()
}

async fn project(client: &Client) -> Result<i64> {
    let answer = client.project(ProjectLocator::Id(ForgeId(42))).await?;
    Ok(answer.value.forge_id.0)
}

#[tokio::test]
async fn an_unknown_authority_is_refused_at_once_with_a_way_out() {
    let options = Options::new(serve(), SecretString::from(TOKEN));
    let failure = project(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert_eq!(
        failure.to_string(),
        "GET projects/42 failed: no secure connection to `127.0.0.1`: \
         its certificate is not trusted (UnknownIssuer)"
    );
    assert!(failure.error.suggestion().unwrap().contains("gitlab.ca_file"));
}

#[tokio::test]
async fn a_named_authority_is_trusted() {
    let mut options = Options::new(serve(), SecretString::from(TOKEN));
    options.ca_pem = Some(AUTHORITY.to_vec());
    assert_eq!(project(&client(options)).await.unwrap(), 42);
}
