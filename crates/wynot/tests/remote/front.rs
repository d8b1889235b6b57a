//! What stands in front of a server in a company: encryption, client certificates, and a token in a header.

use hyper::body::Incoming;
use hyper::client::conn::http2 as client;
use hyper::server::conn::http2 as server;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// A front of a server.
pub struct Front {
    pub address: SocketAddr,
    _runtime: Runtime,
}

/// An authority, and the certificates that it has signed.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, in PEM format.
pub struct Signed {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self { issuer: CertifiedIssuer::self_signed(params, key).unwrap() }
    }

    pub fn certificate(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for a host or a client.
    pub fn sign(&self, name: &str) -> Signed {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Signed { certificate, key: key.serialize_pem() }
    }
}

impl Front {
    /// A front without encryption that wants a header.
    pub fn with_token(server: SocketAddr, token: &'static str) -> Self {
        Self::start(server, Some(token), None)
    }

    /// A front with encryption that wants clients of an authority and a header.
    pub fn encrypted(
        server: SocketAddr,
        token: Option<&'static str>,
        host: &Signed,
        clients: Option<&Authority>,
    ) -> Self {
        let builder = ServerConfig::builder_with_provider(Arc::new(
            tokio_rustls::rustls::crypto::ring::default_provider(),
        ))
        .with_safe_default_protocol_versions()
        .unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                let pem = authority.certificate();
                roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
                let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let certificate = CertificateDer::from_pem_slice(host.certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(host.key.as_bytes()).unwrap();
        let mut config = builder.with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        Self::start(server, token, Some(TlsAcceptor::from(Arc::new(config))))
    }

    fn start(
        server: SocketAddr,
        token: Option<&'static str>,
        encryption: Option<TlsAcceptor>,
    ) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let encryption = encryption.clone();
                tokio::spawn(async move {
                    match encryption {
                        Some(encryption) => {
                            if let Ok(stream) = encryption.accept(stream).await {
                                serve(stream, server, token).await;
                            }
                        }
                        None => serve(stream, server, token).await,
                    }
                });
            }
        });
        Self { address, _runtime: runtime }
    }
}

/// Passes the requests of a connection on, if they have the token.
async fn serve<S>(stream: S, to: SocketAddr, token: Option<&'static str>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Ok(sender) = connect(to).await else { return };
    let service = service_fn(move |request: Request<Incoming>| {
        let mut sender = sender.clone();
        async move {
            let given = request.headers().get("authorization");
            let is_welcome = token.is_none_or(|token| {
                given.is_some_and(|given| given.as_bytes() == token.as_bytes())
            });
            let body = http_body_util::Either::Left;
            let refused = |code: &'static str| {
                let builder = Response::builder().header("content-type", "application/grpc");
                let builder = builder.header("grpc-status", code);
                let nothing = http_body_util::Empty::<hyper::body::Bytes>::new();
                builder.body(http_body_util::Either::Right(nothing)).unwrap()
            };
            Ok::<_, Infallible>(match is_welcome {
                false => refused("16"),
                true => match sender.send_request(request).await {
                    Ok(response) => response.map(body),
                    Err(_) => refused("14"),
                },
            })
        }
    });
    let _ = server::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn connect(to: SocketAddr) -> io::Result<client::SendRequest<Incoming>> {
    let stream = TcpStream::connect(to).await?;
    let (sender, connection) = client::Builder::new(TokioExecutor::new())
        .handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Writes PEM files for the options of wynot.
pub fn write_pem(directory: &Path, name: &str, signed: &Signed) {
    std::fs::write(directory.join(format!("{name}.pem")), &signed.certificate).unwrap();
    std::fs::write(directory.join(format!("{name}.key")), &signed.key).unwrap();
}
