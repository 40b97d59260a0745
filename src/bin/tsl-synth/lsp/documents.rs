//! The open documents: their texts, what is known of them, and which of it is of the present text.

use super::convert;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tsl_synth::service::editor::{ColumnUnit, Finding, JudgedSpec, KnownNames, Lines, Reading, Sketch};
use tsl_synth::service::{SpecLanguage, StopFlag};

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentLanguage {
    Spec(SpecLanguage),
    Policy,
    /// TOML that is no policy.
    Other,
}

/// How far the verdict is.
#[derive(Clone, Debug)]
pub(super) enum VerdictProgress {
    /// The text was edited and not read yet.
    Edited,
    /// It was read; the verdict is to come.
    Read,
    /// Everything is known.
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
    /// Of the present text.
    pub(super) reading: Option<Arc<Reading>>,
    /// Of the last text that could be read.
    pub(super) names: Arc<KnownNames>,
    pub(super) progress: VerdictProgress,
    /// Ends the work on the present text.
    pub(super) stop: StopFlag,
    /// When the text is to be read.
    pub(super) due: Option<Instant>,
    /// When its verdict is given up.
    pub(super) deadline: Option<Instant>,
}

impl EditedDocument {
    pub(super) fn new(uri: Uri, given: String, version: i32, text: &str) -> Self {
        Self {
            path: convert::path_of(&uri),
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

    /// The language by what the editor calls it, else by the ending of the file.
    pub(super) fn language(&self) -> DocumentLanguage {
        let ending =
            self.path.as_deref().and_then(Path::extension).map(|e| e.to_string_lossy().to_lowercase());
        let by = |word: &str| match word {
            "tsl" => Some(DocumentLanguage::Spec(SpecLanguage::Tsl)),
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

    /// Takes edits; whatever is known of the text before counts no longer.
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

    /// What is known of the text counts no longer, because it or a file that it imports is another one.
    pub(super) fn forget(&mut self) {
        self.stop.raise(tsl_synth::service::LimitKind::Superseded);
        self.stop = StopFlag::new();
        self.reading = None;
        self.progress = VerdictProgress::Edited;
        self.deadline = None;
    }

    /// What the text consists of; nothing for policies.
    pub(super) fn sketch(&mut self) -> Option<Arc<Sketch>> {
        let DocumentLanguage::Spec(language) = self.language() else { return None };
        let text = &self.text;
        Some(Arc::clone(self.sketch.get_or_insert_with(|| Arc::new(Sketch::new(language, text)))))
    }

    /// What is known to be found in the present text.
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
