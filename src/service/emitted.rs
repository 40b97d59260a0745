//! Files made of behaviors and policies.

use super::VERSION;
use std::path::Path;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_documents::{EmitDocument, EmitFile};
use tsl_synth_emit::EmittedFile;

/// The files of a behavior or a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FilesReport {
    /// The name of the text.
    pub name: String,
    /// The name of the target.
    pub target: &'static str,
    /// The files; one of them is the main file.
    pub files: Vec<EmittedFile>,
    /// Warnings and notes.
    pub diagnostics: Diagnostics,
}

impl FilesReport {
    /// The document of `emit --format json`: the files that are text.
    pub fn document(&self) -> EmitDocument {
        let file = |f: &EmittedFile| {
            Some(EmitFile { path: f.path.clone(), main: f.main, text: f.text()?.to_string() })
        };
        EmitDocument::new(VERSION, &self.name, self.target, self.files.iter().filter_map(file).collect())
    }
}

/// The stem of the names of emitted files: the requested one, else that of the text, else, as for standard input,
/// `usual`. Characters that are unusual in file names are replaced.
pub(super) fn stem(asked: Option<&str>, text: &str, usual: &str) -> String {
    let of_text = || Path::new(text).file_stem().filter(|_| text != "<stdin>").and_then(|stem| stem.to_str());
    asked
        .or_else(of_text)
        .unwrap_or(usual)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn the_requested_stem_comes_first_also_for_standard_input() {
        assert_eq!(stem(Some("gate"), "<stdin>", "policy"), "gate");
        assert_eq!(stem(Some("gate"), "laws/refunds.toml", "policy"), "gate");
        assert_eq!(stem(None, "laws/re funds.toml", "policy"), "re_funds");
        assert_eq!(stem(None, "<stdin>", "policy"), "policy");
    }
}
