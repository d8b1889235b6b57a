//! The actions of a search: a template for each specification, and how often each test has run.

use crate::blob::BlobDigest;
use crate::execution::PreparedAction;
use crate::remote_options::RemoteOptions;
use crate::test_action::{ActionTemplate, ContentDigests, RunParameters};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use wynot_exec::TestSpec;
use wynot_session::{Digest, ExecutorError, Job};

/// The number of templates that are kept. A search has a few specifications at a time.
const MAX_TEMPLATES: usize = 8;

/// A test of a variant: the specification, and the digest of the variant.
pub(crate) type TestKey = (BlobDigest, Digest);

/// Makes actions of jobs.
pub(crate) struct Actions {
    pub options: RemoteOptions,
    has_output_paths: bool,
    templates: Vec<(Arc<TestSpec>, ActionTemplate)>,
    digests: ContentDigests,
    /// How often each test was observed.
    observed: HashMap<TestKey, u32>,
}

impl Actions {
    pub(crate) fn new(options: RemoteOptions, has_output_paths: bool) -> Self {
        Self {
            options,
            has_output_paths,
            templates: Vec::new(),
            digests: ContentDigests::new(),
            observed: HashMap::new(),
        }
    }

    /// The template of a specification.
    pub(crate) fn template(
        &mut self,
        spec: &Arc<TestSpec>,
    ) -> Result<&ActionTemplate, ExecutorError> {
        let index = self.index_of(spec)?;
        Ok(&self.templates[index].1)
    }

    /// The index of the template of a specification, which is made if it is new.
    fn index_of(&mut self, spec: &Arc<TestSpec>) -> Result<usize, ExecutorError> {
        let known = self.templates.iter().position(|(known, _)| Arc::ptr_eq(known, spec));
        if let Some(index) = known {
            return Ok(index);
        }
        let template = ActionTemplate::new(spec, &self.options, self.has_output_paths)
            .map_err(ExecutorError::NotForWorkers)?;
        if self.templates.len() >= MAX_TEMPLATES {
            self.templates.remove(0);
        }
        self.templates.push((Arc::clone(spec), template));
        Ok(self.templates.len() - 1)
    }

    /// The paths that a command mentions, and that workers may not have.
    pub(crate) fn doubtful_paths(
        &mut self,
        spec: &Arc<TestSpec>,
    ) -> Result<Vec<PathBuf>, ExecutorError> {
        Ok(self.template(spec)?.doubtful_paths().to_vec())
    }

    /// The action of a job. A test that was observed before gets a new one, since it is to run once more.
    pub(crate) fn prepare(
        &mut self,
        job: &Job<TestSpec>,
    ) -> Result<(TestKey, PreparedAction), ExecutorError> {
        let index = self.index_of(&job.spec)?;
        let template = &self.templates[index].1;
        let key = (template.key, job.digest);
        let run = RunParameters {
            timeout: job.timeout,
            alone: job.alone,
            repetition: self.observed.get(&key).copied().unwrap_or_default(),
            is_cached: self.options.use_cache,
        };
        let action = template.action(&job.variant, &run, &mut self.digests);
        Ok((key, action.map_err(ExecutorError::NotForWorkers)?))
    }

    /// Counts a run of a test.
    pub(crate) fn count(&mut self, key: TestKey) {
        *self.observed.entry(key).or_default() += 1;
    }
}
