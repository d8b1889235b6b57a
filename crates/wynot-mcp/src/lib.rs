//! The searches of wynot as tools of the Model Context Protocol, for coding agents.
//!
//! [`serve`] speaks the protocol on standard input and output. A search is a process of the command line, started with
//! `--json` and `--events`, so that an agent gets exactly what a user gets.
//!
//! Here: the tools and their parameters (`tool_table`, `parameter`), the command line of a call (`tool_call`), searches and
//! their processes (`search_registry`, `search_process`, `search_state`), and the answers in words (`answer`, `summary`,
//! `result_file`). Not here: searching, and the meaning of options, both of which belong to the command line. The types of
//! the SDK stay in `agent_server` and `answer`.
//!
//! All of it runs on one thread: processes that are started by it die with it.

mod agent_server;
mod answer;
mod input_end;
mod parameter;
mod result_file;
mod search_process;
mod search_registry;
mod search_state;
mod summary;
mod tool_call;
mod tool_table;

use agent_server::AgentServer;
use input_end::EndNoticingInput;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
pub use search_process::SearchProgram;
use search_registry::SearchRegistry;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

/// How long the answers of stopped searches may take to be written after the end of the input.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Serves one client on standard input and output until its input ends, or until SIGTERM or SIGINT.
///
/// # Errors
///
/// If the client does not speak the protocol, or if the runtime cannot be started.
pub fn serve(program: SearchProgram) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve_until_end(program));
    // A read of standard input that blocks must not delay the end.
    runtime.shutdown_background();
    served
}

async fn serve_until_end(program: SearchProgram) -> io::Result<()> {
    let searches = Arc::new(SearchRegistry::new(program));
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (input, output) = stdio_pipes();
    let (input, mut input_end) = EndNoticingInput::new(input);
    let mut session = Box::pin(session(AgentServer::new(searches.clone()), input, output));
    let served = tokio::select! {
        served = &mut session => Some(served),
        () = input_end.wait() => None,
        _ = terminate.recv() => None,
        _ = interrupt.recv() => None,
    };
    searches.stop_all().await;
    match served {
        Some(served) => served,
        None => timeout(LAST_ANSWERS, session).await.unwrap_or(Ok(())),
    }
}

/// The session with the client.
async fn session(
    server: AgentServer,
    input: EndNoticingInput<StdioReader>,
    output: StdioWriter,
) -> io::Result<()> {
    match server.serve((input, output)).await {
        Ok(running) => {
            running.waiting().await.map_err(io::Error::other)?;
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}
