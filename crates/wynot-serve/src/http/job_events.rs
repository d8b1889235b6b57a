//! The events of a job as they happen (server-sent events).
//!
//! Each event of the search has an id: the number of the attempt, and the place in its events after which the event ends. A
//! watcher that comes back sends the last id that it has seen, and gets everything after it.

use super::api_error::ApiError;
use super::app::App;
use super::metrics::CountedWatcher;
use crate::jobs::job_process::complete_lines;
use crate::store::{JobCode, JobState};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

/// The number of events that wait for a slow watcher.
const BUFFERED_EVENTS: usize = 64;

/// The time after which an idle connection gets a comment, so that proxies keep it.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long a watcher sleeps at most, if a notification was missed.
const MAX_SLEEP: Duration = Duration::from_secs(20);

/// A place in the events of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPlace {
    /// The number of the attempt.
    pub attempt: i64,
    /// The number of bytes before the place.
    pub bytes: u64,
}

impl EventPlace {
    /// The place that an id means; the start, if it means none.
    pub fn parse(id: Option<&str>) -> Self {
        let parts = id.and_then(|id| id.split_once('-'));
        let numbers =
            parts.and_then(|(attempt, bytes)| Some((attempt.parse().ok()?, bytes.parse().ok()?)));
        let (attempt, bytes) = numbers.unwrap_or((1, 0));
        Self { attempt: std::cmp::max(attempt, 1), bytes }
    }

    fn id(self) -> String {
        format!("{}-{}", self.attempt, self.bytes)
    }
}

/// The last event that a watcher has seen.
pub fn last_event_id(headers: &HeaderMap, query: Option<&str>) -> EventPlace {
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    EventPlace::parse(header.or(query))
}

/// The events of a job from a place on, until it has ended.
pub fn job_events(
    app: &App,
    code: JobCode,
    from: EventPlace,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let (sender, receiver) = mpsc::channel(BUFFERED_EVENTS);
    let (app, counted) = (app.clone(), CountedWatcher::new(&app.metrics));
    tokio::spawn(async move {
        // An error means that the watcher is gone, or that the job was removed.
        let _ = send_events(&app, &code, from, &sender).await;
        drop(counted);
    });
    Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

type EventSender = mpsc::Sender<Result<Event, Infallible>>;

async fn send_events(
    app: &App,
    code: &JobCode,
    mut place: EventPlace,
    sender: &EventSender,
) -> Result<(), ApiError> {
    let gone = |_| ApiError::not_found("watcher");
    let mut last_state = None;
    loop {
        let live = app.live.job(code);
        let mut changes = live.watch();
        let wanted = code.clone();
        let job = app.ask(move |store| store.job(&wanted)).await?;
        let job = job.ok_or_else(|| ApiError::not_found("job"))?;
        while place.attempt <= job.attempts {
            let sent = send_lines(app, code, &mut place, sender).await?;
            if !sent && place.attempt == job.attempts {
                break;
            }
            if !sent {
                place = EventPlace { attempt: place.attempt + 1, bytes: 0 };
            }
        }
        if last_state != Some((job.state, job.attempts)) {
            last_state = Some((job.state, job.attempts));
            let state =
                json!({"state": job.state, "attempt": job.attempts, "message": job.message});
            let event = Event::default().event("state").data(state.to_string());
            sender.send(Ok(event)).await.map_err(gone)?;
        }
        if job.state.is_ended() {
            return Ok(());
        }
        tokio::select! {
            _ = changes.changed() => {}
            () = sender.closed() => return Ok(()),
            () = tokio::time::sleep(MAX_SLEEP) => {}
        }
        if job.state == JobState::Running {
            // Several events arrive together.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Sends the complete lines after a place. Returns whether there were any.
async fn send_lines(
    app: &App,
    code: &JobCode,
    place: &mut EventPlace,
    sender: &EventSender,
) -> Result<bool, ApiError> {
    let (context, code, from) = (Arc::clone(&app.context), code.clone(), *place);
    let lines = app
        .blocking(move || {
            let path = context.data.job(&code).events(from.attempt);
            Ok(complete_lines(&path, from.bytes)?)
        })
        .await?;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        place.bytes += line.len() as u64;
        let text = String::from_utf8_lossy(line);
        let event = Event::default().event("search").id(place.id()).data(text.trim_end());
        sender.send(Ok(event)).await.map_err(|_| ApiError::not_found("watcher"))?;
    }
    Ok(!lines.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_places() {
        let place = EventPlace { attempt: 3, bytes: 4711 };
        assert_eq!(EventPlace::parse(Some(&place.id())), place);
        for start in [None, Some(""), Some("x-y"), Some("-1-2"), Some("0-0")] {
            assert_eq!(EventPlace::parse(start), EventPlace { attempt: 1, bytes: 0 }, "{start:?}");
        }
    }
}
