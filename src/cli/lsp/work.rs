//! The worker threads: one reads texts, which takes milliseconds; another computes verdicts, which may take the whole
//! time limit.

use super::documents::DocumentLanguage;
use super::files::EditorFiles;
use crate::memory::half_of_the_memory;
use crate::panics::panic_text;
use crate::project::options_of;
use crate::settings::dialect;
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_types::Uri;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth_service::editor::{JudgedSpec, KeptVerdicts, Reading, Sketch};
use tsl_synth_service::{
    CheckRequest, Input, PolicyCheckRequest, Session, SpecLanguage, SpecRequest, StopFlag,
};

/// A text to work on.
#[derive(Clone)]
pub(super) struct TextJob {
    pub(super) uri: Uri,
    pub(super) version: i32,
    /// The name under which it is read.
    pub(super) name: PathBuf,
    /// Whether the name is the path of a file, which other files may import; `false` for an untitled text.
    pub(super) is_file: bool,
    pub(super) text: Arc<str>,
    pub(super) language: DocumentLanguage,
    pub(super) files: EditorFiles,
    /// Raised when the text or an import changed, or when the verdict exceeds a limit.
    pub(super) stop: StopFlag,
}

/// A result of a worker, or the start of the computation of a verdict.
pub(super) enum WorkResult {
    Read(TextJob, Arc<Reading>),
    Begun(TextJob),
    Judged(TextJob, Box<JudgedSpec>),
}

pub(super) struct Workers {
    readings: Sender<TextJob>,
    verdicts: Sender<VerdictJob>,
    pub(super) done: Receiver<WorkResult>,
}

impl Workers {
    pub(super) fn start() -> std::io::Result<Self> {
        let (readings, read) = unbounded::<TextJob>();
        let (verdicts, judge) = unbounded::<VerdictJob>();
        let (sender, done) = unbounded();
        let answers = sender.clone();
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        thread("reader").spawn(move || {
            for job in read {
                if job.stop.raised().is_none() {
                    let reading = Arc::new(job.read(&job.text));
                    let _ = answers.send(WorkResult::Read(job, reading));
                }
            }
        })?;
        thread("verdicts").spawn(move || {
            let mut kept = KeptVerdicts::default();
            let mut waiting = Vec::new();
            // The newest text comes first: it is the one that the user is editing.
            while let Some((job, reading, sketch)) = newest(&judge, &mut waiting) {
                let _ = sender.send(WorkResult::Begun(job.clone()));
                let judge = || job.judge(&reading, sketch.as_deref(), &mut kept);
                let judged = catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|panic| {
                    let message = format!("internal error: {}", panic_text(&*panic));
                    JudgedSpec::without_verdict(&reading, message)
                });
                let _ = sender.send(WorkResult::Judged(job, Box::new(judged)));
            }
        })?;
        Ok(Self { readings, verdicts, done })
    }
    pub(super) fn read(&self, job: TextJob) {
        let _ = self.readings.send(job);
    }
    pub(super) fn judge(&self, job: TextJob, reading: Arc<Reading>, sketch: Option<Arc<Sketch>>) {
        let _ = self.verdicts.send((job, reading, sketch));
    }
}

/// A text that waits for its verdict.
type VerdictJob = (TextJob, Arc<Reading>, Option<Arc<Sketch>>);

/// Waits for texts and returns the newest one that is still current; `None` when the server ends.
fn newest(wanted: &Receiver<VerdictJob>, waiting: &mut Vec<VerdictJob>) -> Option<VerdictJob> {
    loop {
        waiting.extend(wanted.try_iter());
        waiting.retain(|(job, ..)| job.stop.raised().is_none());
        match waiting.pop() {
            Some(next) => return Some(next),
            None => waiting.push(wanted.recv().ok()?),
        }
    }
}

impl TextJob {
    fn input(&self, text: &str) -> Input {
        if self.is_file {
            return Input::File(self.name.clone());
        }
        let name = self.name.to_string_lossy().into_owned();
        // `SpecRequest::text` makes an input that contains the text instead of the path of a file.
        let request = SpecRequest::text(SpecLanguage::Tsl, name, text);
        request.inputs.into_iter().next().unwrap_or_else(|| Input::File(self.name.clone()))
    }

    fn request(&self, language: SpecLanguage, text: &str) -> SpecRequest {
        let mut request = SpecRequest::text(language, "", "");
        request.inputs = vec![self.input(text)];
        if let Some(options) = self.is_file.then(|| options_of(&self.name)).flatten() {
            request.dialect = dialect(options.dialect);
            request.strict = options.strict;
            if language == SpecLanguage::Ltl {
                (request.ins, request.outs) = (options.ins, options.outs);
            }
        }
        request
    }

    /// Reads `text` as the text of the document.
    pub(super) fn read(&self, text: &str) -> Reading {
        let files = self.files.with(&self.name, text);
        let mut session = Session::new().with_loader(&files).with_cancel(self.stop.clone());
        match self.language {
            DocumentLanguage::Policy => session.read_policy(&self.input(text)),
            DocumentLanguage::Spec(language) => session.read_spec(&self.request(language, text)),
            DocumentLanguage::Other => Reading::default(),
        }
    }

    fn judge(&self, reading: &Reading, sketch: Option<&Sketch>, kept: &mut KeptVerdicts) -> JudgedSpec {
        let mut session = Session::new().with_loader(&self.files).with_cancel(self.stop.clone());
        match (self.language, sketch) {
            (DocumentLanguage::Spec(language), Some(sketch)) => {
                let mut request = CheckRequest::new(self.request(language, &self.text));
                request.solver.memory = half_of_the_memory();
                session.check_edited(&request, reading, sketch, kept)
            }
            _ => session.check_edited_policy(&PolicyCheckRequest::new(self.input(&self.text)), reading),
        }
    }
}
