//! The searches of a server: those that wait, those that run, and the last ones that have ended.

use crate::search_process::{SearchProgram, run_search};
use crate::search_state::{Ending, SearchState};
use crate::tool_call::SearchCall;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// How many searches run at the same time. Each of them uses all cores by itself.
const MAX_RUNNING: usize = 2;

/// How many searches may wait or run.
const MAX_OPEN: usize = 200;

/// How many searches that have ended are kept.
const MAX_ENDED: usize = 100;

/// How long the end of all searches may take: longer than a search has until it is killed.
const STOP_LIMIT: Duration = Duration::from_secs(15);

/// The searches of a server.
#[derive(Debug)]
pub struct SearchRegistry {
    program: SearchProgram,
    slots: Semaphore,
    list: Mutex<SearchList>,
}

#[derive(Debug, Default)]
struct SearchList {
    started: u64,
    is_closed: bool,
    /// From the oldest to the newest.
    searches: Vec<Arc<RegisteredSearch>>,
}

/// A search with its id.
#[derive(Debug)]
pub struct RegisteredSearch {
    /// The id, by which agents ask for it.
    pub id: String,
    /// What was called.
    pub call: SearchCall,
    state: watch::Sender<SearchState>,
    stop: watch::Sender<bool>,
}

impl SearchRegistry {
    /// No searches yet; `program` runs them.
    pub fn new(program: SearchProgram) -> Self {
        Self { program, slots: Semaphore::new(MAX_RUNNING), list: Mutex::default() }
    }

    fn list(&self) -> MutexGuard<'_, SearchList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a search, or lets it wait until others have ended.
    pub fn start(self: &Arc<Self>, call: SearchCall) -> Result<Arc<RegisteredSearch>, String> {
        let mut list = self.list();
        if list.is_closed {
            return Err("the server is ending".to_owned());
        }
        if list.searches.iter().filter(|search| !search.has_ended()).count() >= MAX_OPEN {
            return Err(format!(
                "cannot start a search: {MAX_OPEN} searches run or wait; wait for some of them, or cancel them"
            ));
        }
        list.started += 1;
        let search = Arc::new(RegisteredSearch {
            id: format!("{}-{}", call.tool, list.started),
            call,
            state: watch::Sender::new(SearchState::waiting()),
            stop: watch::Sender::new(false),
        });
        list.searches.push(search.clone());
        list.forget_old();
        tokio::spawn(self.clone().run(search.clone()));
        Ok(search)
    }

    async fn run(self: Arc<Self>, search: Arc<RegisteredSearch>) {
        let mut stop = search.stop.subscribe();
        let slot = tokio::select! {
            biased;
            _ = stop.wait_for(|is_stopped| *is_stopped) => None,
            slot = self.slots.acquire() => slot.ok(),
        };
        let ending = match &slot {
            Some(_) => {
                search.state.send_modify(SearchState::begin);
                run_search(&self.program, &search.call, &search.state, &mut stop).await
            }
            None => Ending {
                process: "the search was stopped before it began".to_owned(),
                is_cancelled: true,
                ..Ending::default()
            },
        };
        search.state.send_modify(|state| state.end(ending));
    }

    /// The search with an id.
    pub fn find(&self, id: &str) -> Option<Arc<RegisteredSearch>> {
        self.list().searches.iter().find(|search| search.id == id).cloned()
    }

    /// All searches, from the oldest to the newest.
    pub fn all(&self) -> Vec<Arc<RegisteredSearch>> {
        self.list().searches.clone()
    }

    /// How many searches that have not ended were started before this one.
    pub fn ahead_of(&self, search: &RegisteredSearch) -> usize {
        let list = self.list();
        let earlier = list.searches.iter().take_while(|other| other.id != search.id);
        earlier.filter(|other| !other.has_ended()).count()
    }

    /// Stops all searches and waits for their ends. No further ones are started.
    pub async fn stop_all(&self) {
        self.list().is_closed = true;
        let searches = self.all();
        searches.iter().for_each(|search| search.stop());
        let ends = async {
            for search in &searches {
                search.wait_for_end().await;
            }
        };
        // What is still there then is killed by the kernel when this process ends.
        let _ = timeout(STOP_LIMIT, ends).await;
    }
}

impl SearchList {
    /// Forgets the oldest searches that have ended, if there are too many.
    fn forget_old(&mut self) {
        let ended = self.searches.iter().filter(|search| search.has_ended()).count();
        let mut excess = ended.saturating_sub(MAX_ENDED);
        self.searches.retain(|search| {
            let is_forgotten = excess > 0 && search.has_ended();
            excess -= usize::from(is_forgotten);
            !is_forgotten
        });
    }
}

impl RegisteredSearch {
    /// How it stands.
    pub fn state(&self) -> SearchState {
        self.state.borrow().clone()
    }

    fn has_ended(&self) -> bool {
        self.state.borrow().ending().is_some()
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until it has ended.
    pub async fn wait_for_end(&self) {
        // There is no error while this search, which has the sender, exists.
        let _ = self.state.subscribe().wait_for(|state| state.ending().is_some()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(program: &str) -> Arc<SearchRegistry> {
        let program = SearchProgram { path: program.into(), environment: Vec::new() };
        Arc::new(SearchRegistry::new(program))
    }

    fn call(word: &str) -> SearchCall {
        SearchCall {
            tool: "reduce",
            command_line: vec![word.to_owned()],
            directory: "/".into(),
            is_background: false,
        }
    }

    #[tokio::test]
    async fn two_run_and_the_others_wait() {
        let registry = registry("sleep");
        let searches: Vec<_> = (0..5).map(|_| registry.start(call("60")).unwrap()).collect();
        tokio::time::sleep(Duration::from_millis(200)).await;
        let phases = searches.iter().map(|search| search.state().phase_name());
        assert_eq!(
            phases.collect::<Vec<_>>(),
            ["running", "running", "waiting", "waiting", "waiting"]
        );
        assert_eq!(registry.ahead_of(&searches[3]), 3);
        registry.stop_all().await;
        assert!(searches.iter().all(|search| search.state().phase_name() == "cancelled"));
        assert!(registry.start(call("0")).is_err());
    }

    #[tokio::test]
    async fn a_program_that_cannot_be_started_is_a_failed_search() {
        let registry = registry("/no/such/program");
        let search = registry.start(call("x")).unwrap();
        search.wait_for_end().await;
        let state = search.state();
        assert_eq!(state.phase_name(), "failed");
        assert!(state.ending().unwrap().process.starts_with("cannot start /no/such/program: "));
    }

    #[tokio::test]
    async fn old_searches_are_forgotten() {
        let registry = registry("true");
        for _ in 0..MAX_ENDED + 10 {
            registry.start(call("x")).unwrap().wait_for_end().await;
        }
        registry.start(call("x")).unwrap().wait_for_end().await;
        assert_eq!(registry.all().len(), MAX_ENDED + 1);
        assert!(registry.find("reduce-1").is_none());
    }
}
