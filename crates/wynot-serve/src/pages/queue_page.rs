//! The first page: the newest jobs, and a search among all.

use super::answer_text::sizes;
use super::page_error::PageError;
use super::page_layout::{PageFrame, page};
use super::page_visitor::PageVisitor;
use super::state_mark::{job_title, state_mark};
use super::visible_text::visible;
use crate::http::api::ListQuery;
use crate::http::api_error::ApiError;
use crate::http::app::App;
use crate::http::job_json::percent_encoded;
use crate::http::time_text::{ago, rfc3339};
use crate::store::{JobState, Right, ServedJob, now};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Html;
use maud::{Markup, html};
use wynot_report::number::grouped;

/// The number of jobs on a page.
const PAGE_LENGTH: usize = 50;

/// The seconds after which a list with jobs that run is loaded again.
const REFRESH_SECONDS: u32 = 5;

/// What the list shows.
struct JobList {
    query: ListQuery,
    jobs: Vec<ServedJob>,
    projects: Vec<String>,
    counts: Vec<(JobState, u64)>,
    has_more: bool,
}

/// `GET /`
pub async fn show(
    State(app): State<App>,
    visitor: PageVisitor,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Html<String>, PageError> {
    visitor.require(Right::Read)?;
    let Query(query) = query.map_err(|error| ApiError::bad_request(error.body_text()))?;
    let mut filter = query.filter()?;
    // One more than is shown says whether there are older ones.
    filter.limit = query.limit.unwrap_or(PAGE_LENGTH).clamp(1, PAGE_LENGTH) + 1;
    let limit = filter.limit - 1;
    let (mut jobs, projects, counts) = app
        .ask(move |store| Ok((store.jobs(&filter)?, store.projects()?, store.count_states()?)))
        .await?;
    let has_more = jobs.len() > limit;
    jobs.truncate(limit);
    let list = JobList { query, jobs, projects, counts, has_more };
    let frame =
        PageFrame::plain("Jobs").at("/").refreshed(list.is_active().then_some(REFRESH_SECONDS));
    Ok(page(&frame, Some(&visitor), &list.body()))
}

impl JobList {
    /// Whether a job waits or runs.
    fn is_active(&self) -> bool {
        self.counts.iter().any(|(state, count)| !state.is_ended() && *count > 0)
    }

    fn is_filtered(&self) -> bool {
        let query = &self.query;
        let given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        [&query.q, &query.project, &query.state, &query.failure].into_iter().any(given)
            || query.before.is_some()
    }

    fn body(&self) -> Markup {
        let refresh = self.is_active().then_some(REFRESH_SECONDS);
        html! {
            div.heading {
                h1 { "Jobs" }
                a.button href="/submit" { "Submit a failure" }
            }
            (self.search_form())
            div id="jobs" data-refresh=[refresh] {
                (self.count_line())
                @if self.jobs.is_empty() {
                    (self.nothing())
                } @else {
                    (self.table())
                }
                (self.paging())
            }
        }
    }

    fn search_form(&self) -> Markup {
        let query = &self.query;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        html! {
            form.search role="search" method="get" action="/" {
                label { span { "Text" }
                    input type="search" name="q" value=(text(&query.q)) placeholder="title, file, message, code"; }
                label { span { "Project" }
                    select name="project" {
                        option value="" { "all" }
                        @for project in &self.projects {
                            option value=(project) selected[Some(project) == query.project.as_ref()] { (visible(project)) }
                        }
                    }
                }
                label { span { "State" }
                    select name="state" {
                        option value="" { "all" }
                        @for state in JobState::ALL {
                            option value=(state.name()) selected[Some(state.name()) == query.state.as_deref()] { (state.name()) }
                        }
                    }
                }
                button type="submit" { "Search" }
                @if self.is_filtered() { a href="/" { "Show all" } }
            }
        }
    }

    fn count_line(&self) -> Markup {
        html! {
            p.note {
                @for (index, (state, count)) in self.counts.iter().filter(|(_, count)| *count > 0).enumerate() {
                    @if index > 0 { " · " }
                    (grouped(*count)) " " (state.name())
                }
            }
        }
    }

    fn nothing(&self) -> Markup {
        html! {
            @if self.is_filtered() {
                p.empty { "No job matches. " a href="/" { "Show all jobs" } }
            } @else {
                p.empty {
                    "No failure has been submitted yet. " a href="/submit" { "Submit the first one" }
                    ", or try " a href="/submit?example=reduce" { "an example" } "."
                }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            table.jobs {
                thead {
                    tr {
                        th scope="col" { "State" }
                        th scope="col" { "Job" }
                        th scope="col" { "Project" }
                        th.number scope="col" { "Result" }
                        th.number scope="col" { "Tests" }
                        th scope="col" { "Submitted" }
                    }
                }
                tbody {
                    @for job in &self.jobs { (row(job)) }
                }
            }
        }
    }

    fn paging(&self) -> Markup {
        let last = self.jobs.last().filter(|_| self.has_more);
        html! {
            @if self.query.before.is_some() || last.is_some() {
                nav.paging aria-label="More jobs" {
                    @if self.query.before.is_some() { a href=(self.address(None)) { "Newest jobs" } }
                    @if let Some(last) = last { a href=(self.address(Some(last.number))) rel="next" { "Older jobs" } }
                }
            }
        }
    }

    /// The address of the same search from another job on.
    fn address(&self, before: Option<i64>) -> String {
        let query = &self.query;
        let texts = [
            ("q", query.q.clone()),
            ("project", query.project.clone()),
            ("state", query.state.clone()),
            ("failure", query.failure.clone()),
            ("limit", query.limit.map(|limit| limit.to_string())),
            ("before", before.map(|before| before.to_string())),
        ];
        let given = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
        let pairs: Vec<String> = given
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| format!("{name}={}", percent_encoded(&text)))
            .collect();
        format!("/?{}", pairs.join("&"))
    }
}

fn row(job: &ServedJob) -> Markup {
    let project = &job.submission.project;
    let tests = job.result.as_ref().and_then(|result| result["tests"]["executed"].as_u64());
    html! {
        tr {
            td { (state_mark(job.state)) }
            th scope="row" {
                a href={ "/jobs/" (job.code) } { (job_title(job)) }
                " " span.verb { (job.submission.verb.name()) }
            }
            td data-label="Project" {
                @if !project.is_empty() {
                    a href={ "/?project=" (percent_encoded(project)) } { (visible(project)) }
                }
            }
            td.number data-label="Result" { (sizes(job).unwrap_or_default()) }
            td.number data-label="Tests" { @if let Some(tests) = tests { (grouped(tests)) } }
            td data-label="Submitted" {
                time datetime=(rfc3339(job.submitted)) title=(rfc3339(job.submitted)) { (ago(job.submitted, now())) }
            }
        }
    }
}
