//! Questions to the database about jobs, and the changes of their states.

use super::database::{Store, StoreError};
use super::job::{JobCode, JobState, ServedJob, now};
use super::submission::Submission;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde::Serialize;
use serde_json::Value;

/// Which jobs to list, newest first.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    /// Those of a project.
    pub project: Option<String>,
    /// Those in a state.
    pub state: Option<JobState>,
    /// Those with an identity of the failure.
    pub failure: Option<String>,
    /// Those with a text in title, project, code or the message of the failure.
    pub text: Option<String>,
    /// Those before a number.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: usize,
}

/// What a user says about the answer to a job.
#[derive(Clone, Debug, Serialize)]
pub struct Feedback {
    /// Whether it helped.
    pub helped: bool,
    /// A comment.
    pub comment: String,
    /// The name of the token with which it was given.
    pub author: Option<String>,
    /// When it was given.
    pub given: i64,
}

/// How a job ended.
#[derive(Clone, Debug, Default)]
pub struct JobEnd {
    /// The exit code of its process.
    pub exit: Option<i32>,
    /// Why it failed, or what else there is to say.
    pub message: Option<String>,
    /// The result object.
    pub result: Option<Value>,
    /// The identity of the failure and its text, if it is known.
    pub failure: Option<(String, String)>,
}

const COLUMNS: &str = "number, code, submission, environment_version, state, submitted, started, ended, attempts, \
                       submitter, exit, message, result, failure, is_cancelled";

/// The most bytes of a result object in a list of jobs.
const MAX_LISTED_RESULT_BYTES: usize = 100_000;

fn job_of(row: &Row<'_>) -> rusqlite::Result<Result<ServedJob, StoreError>> {
    let code: String = row.get(1)?;
    let submission: String = row.get(2)?;
    let state: String = row.get(4)?;
    let result: Option<String> = row.get(12)?;
    let parse = || -> Result<(Submission, Option<Value>), serde_json::Error> {
        let mut value: Value = serde_json::from_str(&submission)?;
        // Submitters cannot name files, so they are not part of what is read otherwise.
        let files = value.as_object_mut().and_then(|all| all.remove("files")).unwrap_or_default();
        let mut submission: Submission = serde_json::from_value(value)?;
        submission.files = serde_json::from_value(files)?;
        Ok((submission, result.as_deref().map(serde_json::from_str).transpose()?))
    };
    let (submission, result) = match parse() {
        Ok(parsed) => parsed,
        Err(error) => return Ok(Err(error.into())),
    };
    let (Ok(code), Some(state)) = (code.parse(), JobState::of_name(&state)) else {
        return Err(rusqlite::Error::InvalidQuery);
    };
    Ok(Ok(ServedJob {
        number: row.get(0)?,
        code,
        submission,
        environment_version: row.get(3)?,
        state,
        submitted: row.get(5)?,
        started: row.get(6)?,
        ended: row.get(7)?,
        attempts: row.get(8)?,
        submitter: row.get(9)?,
        exit: row.get(10)?,
        message: row.get(11)?,
        result,
        failure: row.get(13)?,
        is_cancelled: row.get(14)?,
    }))
}

/// The jobs of a question.
fn jobs_of(
    connection: &Connection,
    question: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<ServedJob>, StoreError> {
    jobs_with(connection, COLUMNS, question, values)
}

/// The jobs of a question for a list, in which results of many bytes are left out.
fn listed_jobs_of(
    connection: &Connection,
    question: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<ServedJob>, StoreError> {
    let small = format!("CASE WHEN length(result) <= {MAX_LISTED_RESULT_BYTES} THEN result END");
    jobs_with(connection, &COLUMNS.replace(" result,", &format!(" {small},")), question, values)
}

fn jobs_with(
    connection: &Connection,
    columns: &str,
    question: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<ServedJob>, StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {columns} FROM jobs {question}"))?;
    statement.query_map(values, job_of)?.map(|row| row?).collect()
}

impl Store {
    /// Adds a job that waits. If a job with the same key exists, it is returned instead: a submitter who is not sure
    /// whether a request arrived can repeat it.
    pub fn add_job(
        &self,
        code: &JobCode,
        submission: &Submission,
        environment_version: Option<i64>,
        submitter: Option<&str>,
        key: Option<&str>,
    ) -> Result<JobCode, StoreError> {
        // A key belongs to its submitter.
        let key = key.map(|key| format!("{}\n{key}", submitter.unwrap_or_default()));
        let text = serde_json::to_string(submission)?;
        self.write(|database| {
            let mut known = database.prepare_cached("SELECT code FROM jobs WHERE key = ?")?;
            let known: Option<String> = match &key {
                Some(key) => known.query_row([key], |row| row.get(0)).optional()?,
                None => None,
            };
            if let Some(Ok(known)) = known.map(|code| code.parse()) {
                return Ok(known);
            }
            let mut insert = database.prepare_cached(
                "INSERT INTO jobs (code, submission, project, environment, environment_version, state, \
                 submitted, submitter, key) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?)",
            )?;
            insert.execute(params![
                code.as_str(),
                text,
                submission.project,
                submission.environment,
                environment_version,
                now(),
                submitter,
                key
            ])?;
            Ok(code.clone())
        })
    }

    /// A job.
    pub fn job(&self, code: &JobCode) -> Result<Option<ServedJob>, StoreError> {
        self.read(|database| Ok(jobs_of(database, "WHERE code = ?", &[&code.as_str()])?.pop()))
    }

    /// The jobs that a filter selects, newest first.
    pub fn jobs(&self, filter: &JobFilter) -> Result<Vec<ServedJob>, StoreError> {
        let mut conditions = Vec::new();
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut add = |condition: &str, value: Box<dyn ToSql>| {
            conditions.push(condition.to_owned());
            values.push(value);
        };
        if let Some(project) = &filter.project {
            add("project = ?", Box::new(project.clone()));
        }
        if let Some(state) = filter.state {
            add("state = ?", Box::new(state.name()));
        }
        if let Some(failure) = &filter.failure {
            add("failure = ?", Box::new(failure.clone()));
        }
        if let Some(text) = filter.text.as_deref().filter(|text| !text.is_empty()) {
            add(
                "instr(lower(code || ' ' || project || ' ' || submission || ' ' || coalesce(failure_text, '')), ?) > 0",
                Box::new(text.to_lowercase()),
            );
        }
        if let Some(before) = filter.before {
            add("number < ?", Box::new(before));
        }
        let condition = match conditions.is_empty() {
            true => String::new(),
            false => format!("WHERE {}", conditions.join(" AND ")),
        };
        let question = format!("{condition} ORDER BY number DESC LIMIT {}", filter.limit);
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        self.read(|database| listed_jobs_of(database, &question, &values))
    }

    /// The oldest job that waits. It is running from now on.
    pub fn claim_job(&self) -> Result<Option<ServedJob>, StoreError> {
        self.write(|database| {
            let question = "WHERE state = 'queued' ORDER BY number LIMIT 1";
            let Some(mut job) = jobs_of(database, question, &[])?.pop() else { return Ok(None) };
            job.state = JobState::Running;
            job.started = Some(now());
            job.attempts += 1;
            database.execute(
                "UPDATE jobs SET state = 'running', started = ?, attempts = ? WHERE number = ?",
                params![job.started, job.attempts, job.number],
            )?;
            Ok(Some(job))
        })
    }

    /// Records the end of a job.
    pub fn end_job(&self, code: &JobCode, state: JobState, end: &JobEnd) -> Result<(), StoreError> {
        let result = end.result.as_ref().map(serde_json::to_string).transpose()?;
        let (failure, failure_text) = end.failure.clone().unzip();
        self.write(|database| {
            database.execute(
                "UPDATE jobs SET state = ?, ended = ?, exit = ?, message = ?, result = ?, \
                 failure = coalesce(?, failure), failure_text = coalesce(?, failure_text) WHERE code = ?",
                params![
                    state.name(),
                    now(),
                    end.exit,
                    end.message,
                    result,
                    failure,
                    failure_text,
                    code.as_str()
                ],
            )?;
            Ok(())
        })
    }

    /// Lets all jobs wait again that were running when the server died. Returns how many.
    pub fn requeue_running(&self) -> Result<usize, StoreError> {
        self.write(|database| {
            let sql = "UPDATE jobs SET state = 'queued' WHERE state = 'running'";
            Ok(database.execute(sql, [])?)
        })
    }

    /// Lets one running job wait again, because the server is about to stop.
    pub fn requeue(&self, code: &JobCode) -> Result<(), StoreError> {
        self.write(|database| {
            let sql = "UPDATE jobs SET state = 'queued' WHERE code = ? AND state = 'running'";
            database.execute(sql, [code.as_str()])?;
            Ok(())
        })
    }

    /// Cancels a job: one that waits at once, one that runs as soon as its process has ended. Returns its state after
    /// that; `None` if there is no such job.
    pub fn cancel(&self, code: &JobCode) -> Result<Option<JobState>, StoreError> {
        self.write(|database| {
            let at = now();
            database.execute(
                "UPDATE jobs SET state = 'cancelled', ended = ?, is_cancelled = 1 WHERE code = ? AND state = 'queued'",
                params![at, code.as_str()],
            )?;
            database.execute(
                "UPDATE jobs SET is_cancelled = 1 WHERE code = ? AND state = 'running'",
                [code.as_str()],
            )?;
            state_of(database, code)
        })
    }

    /// Lets a job that has ended wait again. What its journal knows is not tested again. Returns whether it was possible.
    pub fn retry(&self, code: &JobCode) -> Result<bool, StoreError> {
        self.write(|database| {
            let changed = database.execute(
                "UPDATE jobs SET state = 'queued', ended = NULL, exit = NULL, message = NULL, result = NULL, \
                 is_cancelled = 0 WHERE code = ? AND state IN ('done', 'failed', 'cancelled')",
                [code.as_str()],
            )?;
            Ok(changed > 0)
        })
    }

    /// The number of jobs in each state.
    pub fn count_states(&self) -> Result<Vec<(JobState, u64)>, StoreError> {
        self.read(|database| {
            let count = |state: JobState| {
                let sql = "SELECT count(*) FROM jobs WHERE state = ?";
                database.query_row(sql, [state.name()], |row| row.get(0))
            };
            let counts = JobState::ALL.into_iter().map(|state| Ok((state, count(state)?)));
            counts.collect()
        })
    }

    /// The number of jobs that wait.
    pub fn count_queued_all(&self) -> Result<u64, StoreError> {
        let counts = self.count_states()?;
        Ok(counts
            .iter()
            .find(|(state, _)| *state == JobState::Queued)
            .map_or(0, |(_, count)| *count))
    }

    /// The number of jobs before another one in the queue.
    pub fn count_before(&self, number: i64) -> Result<u64, StoreError> {
        self.read(|database| {
            let sql = "SELECT count(*) FROM jobs WHERE state = 'queued' AND number < ?";
            Ok(database.query_row(sql, [number], |row| row.get(0))?)
        })
    }

    /// The number of jobs of a submitter that wait.
    pub fn count_queued(&self, submitter: Option<&str>) -> Result<u64, StoreError> {
        self.read(|database| {
            let sql = "SELECT count(*) FROM jobs WHERE submitter IS ? AND state = 'queued'";
            Ok(database.query_row(sql, [submitter], |row| row.get(0))?)
        })
    }

    /// The other jobs about the same failure, oldest first.
    pub fn duplicates(&self, job: &ServedJob, limit: usize) -> Result<Vec<ServedJob>, StoreError> {
        let Some(failure) = &job.failure else { return Ok(Vec::new()) };
        let question = format!("WHERE failure = ? AND number <> ? ORDER BY number LIMIT {limit}");
        self.read(|database| listed_jobs_of(database, &question, &[failure, &job.number]))
    }

    /// The names of all projects.
    pub fn projects(&self) -> Result<Vec<String>, StoreError> {
        self.read(|database| {
            let mut statement = database.prepare_cached(
                "SELECT DISTINCT project FROM jobs WHERE project <> '' ORDER BY project",
            )?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// Adds feedback to a job.
    pub fn add_feedback(&self, code: &JobCode, feedback: &Feedback) -> Result<(), StoreError> {
        let Feedback { helped, comment, author, given } = feedback;
        self.write(|database| {
            database.execute(
                "INSERT INTO feedback (job, helped, comment, author, given) VALUES (?, ?, ?, ?, ?)",
                params![code.as_str(), helped, comment, author, given],
            )?;
            Ok(())
        })
    }

    /// The feedback on a job, oldest first.
    pub fn feedback(&self, code: &JobCode) -> Result<Vec<Feedback>, StoreError> {
        self.read(|database| {
            let mut statement = database.prepare_cached(
                "SELECT helped, comment, author, given FROM feedback WHERE job = ? ORDER BY number",
            )?;
            let rows = statement.query_map([code.as_str()], |row| {
                Ok(Feedback {
                    helped: row.get(0)?,
                    comment: row.get(1)?,
                    author: row.get(2)?,
                    given: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Removes the jobs that ended before a time. Returns their codes.
    pub fn remove_ended_before(&self, time: i64) -> Result<Vec<JobCode>, StoreError> {
        self.write(|database| {
            let mut statement = database.prepare_cached(
                "DELETE FROM jobs WHERE ended < ? AND state IN ('done', 'failed', 'cancelled') RETURNING code",
            )?;
            let codes = statement.query_map([time], |row| row.get::<_, String>(0))?;
            Ok(codes.filter_map(|code| code.ok()?.parse().ok()).collect())
        })
    }
}

fn state_of(database: &Connection, code: &JobCode) -> Result<Option<JobState>, StoreError> {
    let sql = "SELECT state FROM jobs WHERE code = ?";
    let state =
        database.query_row(sql, [code.as_str()], |row| row.get::<_, String>(0)).optional()?;
    Ok(state.and_then(|state| JobState::of_name(&state)))
}
