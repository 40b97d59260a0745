//! What requests have in common: a specification, and how it is solved.

use super::ports::{is_stdin, shown};
use std::path::{Path, PathBuf};
use tsl_synth_ltl::operators::Dialect;

/// A file, or a text in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// A file that the session's loader reads.
    File(PathBuf),
    /// A text in the request.
    Text {
        /// The name under which it is shown. Emitted files are named after it, and imports are relative to it; the language
        /// is never taken from it.
        name: String,
        /// The text.
        text: String,
    },
}

impl Input {
    /// Its path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Text { .. } => None,
        }
    }
    /// The name under which it is shown.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File(path) => shown(path),
            Self::Text { name, .. } => name.clone(),
        }
    }
}

/// Languages of specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecLanguage {
    /// Temporal stream logic.
    Tsl,
    /// Linear temporal logic.
    Ltl,
    /// Temporal logic synthesis format.
    Tlsf,
}

impl SpecLanguage {
    /// The language of a text whose name does not tell it. TLSF begins with a section of its own; TSL has updates,
    /// declarations, or sections of its own; everything else is LTL.
    pub fn of_text(text: &str) -> Self {
        let mut first = true;
        let mut in_comment = false;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let (before, comment) = line.split_once("/*").unwrap_or((line, ""));
            let is_inside = in_comment;
            in_comment =
                if is_inside { !line.contains("*/") } else { line.contains("/*") && !comment.contains("*/") };
            if is_inside {
                continue;
            }
            let line = before.split("//").next().unwrap_or_default().trim();
            let Some(word) = line.split(|c: char| !c.is_alphanumeric() && c != '_').next() else { continue };
            if line.is_empty() {
                continue;
            }
            if std::mem::take(&mut first) && matches!(word, "INFO" | "GLOBAL") {
                return Self::Tlsf;
            }
            let declares = [
                "always",
                "initially",
                "cell",
                "input",
                "output",
                "import",
                "include",
                "predicate",
                "function",
            ];
            if line.contains("<-") || declares.contains(&word) && line.len() > word.len() {
                return Self::Tsl;
            }
        }
        Self::Ltl
    }
    /// The language of a file with this ending.
    pub fn of_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match Some(ending.as_str()) {
            Some("tsl" | "tslmt") => Some(Self::Tsl),
            Some("ltl") => Some(Self::Ltl),
            Some("tlsf") => Some(Self::Tlsf),
            _ => None,
        }
    }

    /// Whether a file with this ending is a specification or a game in another language than these: of a tool whose files
    /// are not read, or for a few verbs only.
    pub fn is_other(path: &Path) -> bool {
        const OTHER: [&str; 13] = [
            "rpg",
            "issy",
            "llissy",
            "prog",
            "bosy",
            "part",
            "smv",
            "pml",
            "prom",
            "promela",
            "spectra",
            "slugsin",
            "structuredslugs",
        ];
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| OTHER.iter().any(|other| ending.eq_ignore_ascii_case(other)))
    }
}

/// A specification.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SpecRequest {
    /// Files and texts that together are one specification.
    pub inputs: Vec<Input>,
    /// LTL formulas in addition to them, each a conjunct.
    pub formulas: Vec<String>,
    /// The language of inputs whose ending does not show it.
    pub language: Option<SpecLanguage>,
    /// The dialect whose rules of precedence apply to TSL.
    pub dialect: Dialect,
    /// Whether every name of TSL must be declared.
    pub strict: bool,
    /// The inputs of LTL: names, or regular expressions between slashes.
    pub ins: Vec<String>,
    /// The outputs of LTL: names, or regular expressions between slashes.
    pub outs: Vec<String>,
    /// Values of parameters of TLSF.
    pub parameters: Vec<(String, i64)>,
    /// The component of an export of FRET.
    pub component: Option<String>,
}

impl SpecRequest {
    /// The specification in these files.
    pub fn files<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        let inputs = paths.into_iter().map(|path| Input::File(path.into())).collect();
        Self { inputs, ..Self::default() }
    }
    /// The specification that is this text.
    pub fn text(language: SpecLanguage, name: impl Into<String>, text: impl Into<String>) -> Self {
        let inputs = vec![Input::Text { name: name.into(), text: text.into() }];
        Self { inputs, language: Some(language), ..Self::default() }
    }
    /// The conjunction of LTL formulas with these outputs; all other propositions are inputs.
    pub fn formulas<T: Into<String>>(
        formulas: impl IntoIterator<Item = T>,
        outputs: impl IntoIterator<Item = T>,
    ) -> Self {
        let texts = |texts: &mut dyn Iterator<Item = T>| texts.map(Into::into).collect();
        let (formulas, outs) = (texts(&mut formulas.into_iter()), texts(&mut outputs.into_iter()));
        Self { formulas, outs, ..Self::default() }
    }
    /// The name of the specification in reports: its inputs, or `<formula>`.
    pub fn name(&self) -> String {
        if self.inputs.is_empty() {
            return "<formula>".into();
        }
        self.inputs.iter().map(Input::shown).collect::<Vec<_>>().join(", ")
    }
    /// The short name of a specification: the stem of its first input.
    pub(super) fn stem(&self) -> String {
        let first = self.inputs.first().map(|input| match input {
            Input::File(path) => path.as_path(),
            Input::Text { name, .. } => Path::new(name),
        });
        let stem = first.filter(|path| !is_stdin(path)).and_then(Path::file_stem);
        stem.map_or_else(|| "controller".into(), |stem| stem.to_string_lossy().into_owned())
    }
    /// The only file, unless it is standard input.
    pub(super) fn only_file(&self) -> Option<&Path> {
        match self.inputs.as_slice() {
            [Input::File(path)] if !is_stdin(path) => Some(path),
            _ => None,
        }
    }
}
