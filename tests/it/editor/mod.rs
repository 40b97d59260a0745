//! The service for editors: incomplete texts, names, fixes, verdicts, and the language server.

mod names;
mod server;
mod shown;
mod typing;
mod verdicts;

use super::gallery::gallery;
use std::path::{Path, PathBuf};
use tsl_synth_service::editor::{Finding, Reading, Sketch};
use tsl_synth_service::{Session, SpecLanguage, SpecRequest};

/// The specifications of the gallery with their languages and texts.
fn texts() -> Vec<(PathBuf, SpecLanguage, String)> {
    let read = |path: PathBuf| {
        let language = SpecLanguage::of_ending(&path).expect("a specification");
        let text = std::fs::read_to_string(&path).expect("a specification");
        (path, language, text)
    };
    let all: Vec<_> = gallery().into_iter().map(read).collect();
    assert!(all.len() >= 40, "{} specifications", all.len());
    all
}

fn request(path: &Path, language: SpecLanguage, text: &str) -> SpecRequest {
    SpecRequest::text(language, path.to_string_lossy(), text)
}

fn read(language: SpecLanguage, text: &str) -> Reading {
    Session::new().read_spec(&request(Path::new("x"), language, text))
}

fn tsl(text: &str) -> Sketch {
    Sketch::new(SpecLanguage::Tsl, text)
}

/// A text without its mark `§`, and the offset of the mark.
fn marked(text: &str) -> (String, usize) {
    let at = text.find('§').expect("a mark");
    (text.replacen('§', "", 1), at)
}

/// A finding in a form that can be compared: code, message, start.
fn shown(finding: &Finding) -> (String, String, usize) {
    (finding.code.to_string(), finding.message.clone(), finding.range.start)
}
