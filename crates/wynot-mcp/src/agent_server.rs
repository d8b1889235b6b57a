//! The server as the SDK sees it: the list of tools, and their calls.

use crate::answer::{refusal, result_of, started, status_of, waiting_line};
use crate::search_registry::{RegisteredSearch, SearchRegistry};
use crate::search_state::{Phase, SearchState};
use crate::tool_call::{Arguments, SearchCall};
use crate::tool_table::{Action, TOOLS, ToolEntry};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The time between two notifications of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// The longest time for which `result` waits.
const MAX_WAIT: Duration = Duration::from_secs(600);

const INSTRUCTIONS: &str = "\
wynot finds out what a failure needs by running experiments: the smallest failing input (reduce), the deciding difference \
between two inputs (isolate), the option (options), the commit and its lines (changes, history), the variables of a running \
program (explain). Give absolute paths, or the directory to which paths refer. A search stops after 10 minutes with its best \
so far unless max_time says otherwise; the same call goes on where it stopped. Use background where calls must be short. At most 2 searches \
run at a time; others wait. \
Hints may name options of the command line: --fail-when is the parameter fail_when, and so on; those that are no parameters \
go into more_options.";

/// What to do about wrong arguments.
const ARGUMENTS_HINT: &str =
    "correct the arguments as the schema of the tool says, and call it again";

/// What to do about an unknown id.
const ID_HINT: &str = "status without an id lists all searches; those of an earlier server are gone, but the same call of \
                       their tool goes on where they stopped";

/// The server of one client.
pub struct AgentServer {
    searches: Arc<SearchRegistry>,
}

impl AgentServer {
    /// A server with these searches.
    pub fn new(searches: Arc<SearchRegistry>) -> Self {
        Self { searches }
    }

    fn find(&self, arguments: &Arguments) -> Result<Arc<RegisteredSearch>, CallToolResult> {
        let id = arguments.text("id").unwrap_or_default();
        let found = self.searches.find(id);
        found.ok_or_else(|| refusal(&format!("there is no search {id:?}"), ID_HINT))
    }

    async fn call(
        &self,
        tool: &'static ToolEntry,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, CallToolResult> {
        let arguments = Arguments::check(tool, &request.arguments.unwrap_or_default())
            .map_err(|error| refusal(&error, ARGUMENTS_HINT))?;
        match tool.action {
            Action::Search => {
                let call = arguments.search().map_err(|error| refusal(&error, ARGUMENTS_HINT))?;
                self.search(call, context).await
            }
            Action::Status if arguments.text("id").is_some() => {
                let search = self.find(&arguments)?;
                Ok(status_of(&[&*search], &self.searches))
            }
            Action::Status => {
                let all = self.searches.all();
                let all: Vec<&RegisteredSearch> = all.iter().map(|search| &**search).collect();
                Ok(status_of(&all, &self.searches))
            }
            Action::Result => {
                let search = self.find(&arguments)?;
                let wait = arguments.text("wait_seconds").and_then(|wait| wait.parse().ok());
                let wait = wait.map_or(Duration::ZERO, Duration::from_secs).min(MAX_WAIT);
                // A request that is cancelled leaves the search as it is.
                tokio::select! {
                    _ = timeout(wait, search.wait_for_end()) => {}
                    () = context.ct.cancelled() => {}
                }
                Ok(result_of(&search, &self.searches))
            }
            Action::Cancel => {
                let search = self.find(&arguments)?;
                search.stop();
                search.wait_for_end().await;
                Ok(result_of(&search, &self.searches))
            }
        }
    }

    /// Starts a search and waits for its end, unless it runs in the background. The end of the request ends the search.
    async fn search(
        &self,
        call: SearchCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, CallToolResult> {
        let is_background = call.is_background;
        let search = self
            .searches
            .start(call)
            .map_err(|error| refusal(&error, "ask with status how the other searches stand"))?;
        if is_background {
            // Long enough to tell whether it waits.
            let _ = timeout(Duration::from_millis(20), search.wait_for_end()).await;
            return Ok(started(&search, &self.searches));
        }
        tokio::select! {
            () = search.wait_for_end() => {}
            () = self.show_progress(&search, context) => {}
            () = context.ct.cancelled() => {
                search.stop();
                search.wait_for_end().await;
            }
        }
        Ok(result_of(&search, &self.searches))
    }

    /// Sends notifications of progress, if the client wants them; never ends.
    async fn show_progress(&self, search: &RegisteredSearch, context: &RequestContext<RoleServer>) {
        let Some(token) = context.meta.get_progress_token() else {
            return std::future::pending().await;
        };
        let mut sent = -1.0;
        loop {
            tokio::time::sleep(PROGRESS_INTERVAL).await;
            let state = search.state();
            let progress = progress_of(&state);
            // The protocol wants numbers that increase.
            if progress > sent {
                sent = progress;
                let message = match state.phase {
                    Phase::Waiting => waiting_line(search, &self.searches),
                    _ => state.line(),
                };
                notify(context, token.clone(), progress, message).await;
            }
        }
    }
}

/// The number of tests, with one more for the beginning.
fn progress_of(state: &SearchState) -> f64 {
    match state.phase {
        Phase::Waiting => 0.0,
        _ => state.tests as f64 + 1.0,
    }
}

async fn notify(
    context: &RequestContext<RoleServer>,
    token: ProgressToken,
    progress: f64,
    message: String,
) {
    let notification = ProgressNotificationParam::new(token, progress).with_message(message);
    // A client that is gone ends its searches by the end of its input.
    let _ = context.peer.notify_progress(notification).await;
}

/// A tool as the protocol describes it.
fn described(tool: &ToolEntry) -> Tool {
    // Tests are programs of the agent's choice: nobody knows what they do.
    let is_search = tool.action == Action::Search;
    let annotations = ToolAnnotations::new()
        .read_only(matches!(tool.action, Action::Status | Action::Result))
        .destructive(is_search)
        .open_world(is_search);
    Tool::new(tool.name, tool.description(), tool.schema()).with_annotations(annotations)
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("wynot", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ToolEntry::find(&request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("there is no tool {:?}; use {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let answered = self.call(tool, request, &context).await;
        Ok(answered.unwrap_or_else(|refused| refused).into())
    }
}
