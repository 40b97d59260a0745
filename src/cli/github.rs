//! Diagnostics as annotations of GitHub workflows.
//!
//! The format: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.

use std::fmt::Write;
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::source::SourceMap;

/// The text of a command: `%` and line ends are escaped; other control characters too, for the log.
fn data(text: &str) -> String {
    let kept = crate::terminal::escape_lines(text);
    kept.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command, in which `:` and `,` are escaped too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// One annotation, a line.
pub(crate) fn annotation(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(label) = diagnostic.labels.first() {
        let (start, end) = map.positions(label.span);
        properties.push(format!("file={}", property(&map.get(label.span.source).name)));
        properties.push(format!("line={}", start.line));
        properties.push(format!("endLine={}", end.line));
        if start.line == end.line {
            properties.push(format!("col={}", start.column));
            properties.push(format!("endColumn={}", end.column.max(start.column + 1)));
        }
    }
    properties.push(format!("title={}", diagnostic.code));
    let mut message = diagnostic.message.clone();
    for label in diagnostic.labels.iter().filter(|label| !label.text.is_empty()) {
        let position = map.positions(label.span).0;
        let _ = write!(message, "\n{}:{}: {}", position.line, position.column, label.text);
    }
    for hint in &diagnostic.hints {
        message.push_str("\nhint: ");
        message.push_str(hint);
    }
    format!("::{level} {}::{}\n", properties.join(","), data(&message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::diag::Code;
    use tsl_synth_core::source::Span;

    #[test]
    fn nothing_breaks_out_of_an_annotation() {
        let mut map = SourceMap::new();
        let source = map.add("a,b:c%.tsl", "x\ny z\n");
        let diagnostic = Diagnostic::error(Code::SYNTAX, "50% off\n::error::mine")
            .at(Span::new(source, 2, 3), "")
            .hint("say `z`\u{1b}[0m");
        assert_eq!(
            annotation(&diagnostic, &map),
            "::error file=a%2Cb%3Ac%25.tsl,line=2,endLine=2,col=1,endColumn=2,title=TSL0001\
             ::50%25 off%0A::error::mine%0Ahint: say `z`\\u{1b}[0m\n"
        );
    }
}
