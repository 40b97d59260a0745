//! The open documents: their texts, and the results about the current text.

use super::uri;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tsl_synth_service::editor::{ColumnUnit, Finding, JudgedSpec, KnownNames, Lines, Reading, Sketch};
use tsl_synth_service::{SpecLanguage, StopFlag};

/// The language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentLanguage {
    Spec(SpecLanguage),
    Policy,
    /// Anything else, such as TOML that is not a policy; it is not checked.
    Other,
}

/// The progress of the work on the current text.
#[derive(Clone, Debug)]
pub(super) enum VerdictProgress {
    /// The text was edited and not read yet.
    Edited,
    /// It was read; there is no verdict yet.
    Read,
    /// The work is done; a verdict may be missing because of a limit.
    Judged(Box<JudgedSpec>),
}

/// An open document.
pub(super) struct EditedDocument {
    pub(super) uri: Uri,
    pub(super) path: Option<PathBuf>,
    given: String,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    pub(super) lines: Lines,
    sketch: Option<Arc<Sketch>>,
    /// The reading of the current text, once there is one.
    pub(super) reading: Option<Arc<Reading>>,
    /// The names of the last text that could be read.
    pub(super) names: Arc<KnownNames>,
    pub(super) progress: VerdictProgress,
    /// Cancels the work on the current text.
    pub(super) stop: StopFlag,
    /// When to read the text; `None` if that was started.
    pub(super) due: Option<Instant>,
    /// When to stop the computation of the verdict; `None` if none is running.
    pub(super) deadline: Option<Instant>,
}

impl EditedDocument {
    pub(super) fn new(uri: Uri, given: String, version: i32, text: &str) -> Self {
        Self {
            path: uri::path_of(&uri),
            uri,
            given,
            version,
            text: text.into(),
            lines: Lines::new(text),
            sketch: None,
            reading: None,
            names: Arc::default(),
            progress: VerdictProgress::Edited,
            stop: StopFlag::new(),
            due: None,
            deadline: None,
        }
    }

    /// The language by the identifier from the editor, else by the ending of the file, else a policy if a line of the
    /// text sets `policy`.
    pub(super) fn language(&self) -> DocumentLanguage {
        let ending =
            self.path.as_deref().and_then(Path::extension).map(|e| e.to_string_lossy().to_lowercase());
        let by = |word: &str| match word {
            "tsl" | "tslmt" => Some(DocumentLanguage::Spec(SpecLanguage::Tsl)),
            "tlsf" => Some(DocumentLanguage::Spec(SpecLanguage::Tlsf)),
            "ltl" => Some(DocumentLanguage::Spec(SpecLanguage::Ltl)),
            "tsl-policy" => Some(DocumentLanguage::Policy),
            _ => None,
        };
        by(&self.given).or_else(|| by(ending.as_deref()?)).unwrap_or_else(|| {
            let says_so = |line: &str| {
                line.trim_start()
                    .strip_prefix("policy")
                    .is_some_and(|rest| rest.trim_start().starts_with('='))
            };
            if self.text.lines().any(says_so) { DocumentLanguage::Policy } else { DocumentLanguage::Other }
        })
    }

    /// Applies edits and discards the results about the text before.
    pub(super) fn edit(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        unit: ColumnUnit,
    ) {
        self.version = version;
        for change in changes {
            match change.range {
                None => self.text = change.text.into(),
                Some(range) => {
                    let place =
                        |at: lsp_types::Position| self.lines.offset(&self.text, at.line, at.character, unit);
                    let (start, end) = (place(range.start), place(range.end));
                    let mut text = String::with_capacity(self.text.len() + change.text.len());
                    text.push_str(&self.text[..start]);
                    text.push_str(&change.text);
                    text.push_str(&self.text[end.max(start)..]);
                    self.text = text.into();
                }
            }
            self.lines = Lines::new(&self.text);
        }
        self.sketch = None;
        self.forget();
    }

    /// Cancels the work and discards its results, because the text or a file that it imports changed.
    pub(super) fn forget(&mut self) {
        self.stop.raise(tsl_synth_service::LimitKind::Superseded);
        self.stop = StopFlag::new();
        self.reading = None;
        self.progress = VerdictProgress::Edited;
        self.deadline = None;
    }

    /// The sketch of the text, made on first use; `None` unless the document is a specification.
    pub(super) fn sketch(&mut self) -> Option<Arc<Sketch>> {
        let DocumentLanguage::Spec(language) = self.language() else { return None };
        let text = &self.text;
        Some(Arc::clone(self.sketch.get_or_insert_with(|| Arc::new(Sketch::new(language, text)))))
    }

    /// The findings about the current text so far.
    pub(super) fn findings(&self) -> &[Finding] {
        match (&self.progress, &self.reading) {
            (VerdictProgress::Judged(judged), _) => &judged.findings,
            (_, Some(reading)) => &reading.findings,
            _ => &[],
        }
    }

    /// The name of the file without its folders.
    pub(super) fn short_name(&self) -> String {
        let name =
            self.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "untitled".into())
    }
}
