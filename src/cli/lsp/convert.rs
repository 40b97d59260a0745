//! Conversions between the data of the library and the types of the protocol.

use super::documents::EditedDocument;
use super::files::canonical;
use super::uri::uri_of;
use lsp_types::{
    CompletionItemKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentSymbol,
    Location, NumberOrString, Position, SemanticToken, SymbolKind, TextEdit,
};
use std::ops::Range;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::editor;
use tsl_synth_service::editor::{
    ColumnUnit, CompletionKind, Finding, HighlightKind, HighlightToken, Lines, NameRole, OutlineItem,
    OutlineKind,
};

/// The types of semantic tokens, in the order of their numbers.
pub(super) const TOKEN_TYPES: [&str; 13] = [
    "comment",
    "keyword",
    "operator",
    "number",
    "string",
    "type",
    "variable",
    "property",
    "function",
    "macro",
    "parameter",
    "enumMember",
    "namespace",
];
/// The modifiers, in the order of their bits.
pub(super) const TOKEN_MODIFIERS: [&str; 3] = ["declaration", "modification", "readonly"];

/// Converts between byte offsets in a text and positions of the protocol.
pub(super) struct TextPositions<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines,
    pub(super) unit: ColumnUnit,
}

impl TextPositions<'_> {
    pub(super) fn position(&self, offset: usize) -> Position {
        let (line, character) = self.lines.place(self.text, offset, self.unit);
        Position { line, character }
    }
    pub(super) fn range(&self, range: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range { start: self.position(range.start), end: self.position(range.end) }
    }
    pub(super) fn offset(&self, at: Position) -> usize {
        self.lines.offset(self.text, at.line, at.character, self.unit)
    }
    pub(super) fn edits(&self, edits: &[editor::TextEdit]) -> Vec<TextEdit> {
        edits
            .iter()
            .map(|edit| TextEdit { range: self.range(&edit.range), new_text: edit.text.clone() })
            .collect()
    }
    /// The change of the text into `after` as a single edit of the part that differs.
    pub(super) fn changed(&self, after: &str) -> Vec<TextEdit> {
        let before = self.text;
        if before == after {
            return Vec::new();
        }
        let same = |a: &[(usize, char)], b: &[(usize, char)]| {
            a.iter().zip(b).take_while(|(a, b)| a.1 == b.1).count()
        };
        let (mut a, mut b): (Vec<_>, Vec<_>) =
            (before.char_indices().collect(), after.char_indices().collect());
        let ahead = same(&a, &b);
        let start = a.get(ahead).map_or(before.len(), |(at, _)| *at);
        a.drain(..ahead);
        b.drain(..ahead);
        a.reverse();
        b.reverse();
        let behind: usize = a[..same(&a, &b)].iter().map(|(_, c)| c.len_utf8()).sum();
        let range = self.range(&(start..before.len() - behind));
        vec![TextEdit { range, new_text: after[start..after.len() - behind].to_string() }]
    }
}

/// The diagnostics of a document.
pub(super) fn diagnostics(document: &EditedDocument, places: &TextPositions<'_>) -> Vec<Diagnostic> {
    let short = document.short_name();
    let full = document.path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let plain = |text: &str| match &full {
        Some(full) => text.replace(full.as_str(), &short),
        None => text.to_string(),
    };
    document.findings().iter().map(|finding| diagnostic(finding, document, places, &plain)).collect()
}

fn diagnostic(
    finding: &Finding,
    document: &EditedDocument,
    places: &TextPositions<'_>,
    plain: &dyn Fn(&str) -> String,
) -> Diagnostic {
    let mut message = plain(&finding.message);
    for hint in &finding.hints {
        message.push_str("\nhelp: ");
        message.push_str(&plain(hint));
    }
    let related = finding.places.iter().filter(|place| !place.remark.is_empty() || place.file.is_some());
    let related: Vec<DiagnosticRelatedInformation> = related
        .filter_map(|place| {
            let location = match &place.file {
                None => Location::new(document.uri.clone(), places.range(&place.range)),
                Some(file) => {
                    let path = canonical(Path::new(file));
                    let text = std::fs::read_to_string(&path).ok()?;
                    let lines = Lines::new(&text);
                    let there = TextPositions { text: &text, lines: &lines, unit: places.unit };
                    Location::new(uri_of(&path)?, there.range(&place.range))
                }
            };
            let message = if place.remark.is_empty() { "here".into() } else { plain(&place.remark) };
            Some(DiagnosticRelatedInformation { location, message })
        })
        .collect();
    Diagnostic {
        range: places.range(&finding.range),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.to_string())),
        source: Some("tsl-synth".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// An item of the outline.
pub(super) fn symbol(item: &OutlineItem, places: &TextPositions<'_>) -> DocumentSymbol {
    let children: Vec<_> = item.children.iter().map(|child| symbol(child, places)).collect();
    let (kind, detail) = match item.kind {
        OutlineKind::Section => (SymbolKind::NAMESPACE, None),
        OutlineKind::Clause => (SymbolKind::BOOLEAN, None),
        OutlineKind::Import => (SymbolKind::MODULE, None),
        OutlineKind::Name(role) => (symbol_kind(role), Some(role.noun().to_string())),
        _ => (SymbolKind::OBJECT, None),
    };
    #[expect(deprecated, reason = "the struct has a field that is no longer used")]
    DocumentSymbol {
        name: if item.name.trim().is_empty() { "(empty)".into() } else { item.name.clone() },
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: places.range(&item.range),
        selection_range: places.range(&item.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

fn symbol_kind(role: NameRole) -> SymbolKind {
    match role {
        NameRole::Input | NameRole::Proposition | NameRole::Variable => SymbolKind::VARIABLE,
        NameRole::Output | NameRole::Cell => SymbolKind::PROPERTY,
        NameRole::Constant | NameRole::Parameter => SymbolKind::CONSTANT,
        NameRole::Value => SymbolKind::ENUM_MEMBER,
        NameRole::Enumeration => SymbolKind::ENUM,
        NameRole::Module | NameRole::Imported => SymbolKind::MODULE,
        _ => SymbolKind::FUNCTION,
    }
}

/// The kind of a completion.
pub(super) fn completion_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Operator => CompletionItemKind::OPERATOR,
        CompletionKind::Name(role) => match role {
            NameRole::Predicate | NameRole::Function | NameRole::Definition => CompletionItemKind::FUNCTION,
            NameRole::Output | NameRole::Cell => CompletionItemKind::PROPERTY,
            NameRole::Constant | NameRole::Parameter => CompletionItemKind::CONSTANT,
            NameRole::Value => CompletionItemKind::ENUM_MEMBER,
            NameRole::Module => CompletionItemKind::MODULE,
            _ => CompletionItemKind::VARIABLE,
        },
        _ => CompletionItemKind::TEXT,
    }
}

/// Tokens in the encoding of the protocol: no token spans several lines, and a position is relative to the one before.
pub(super) fn semantic_tokens(tokens: &[HighlightToken], places: &TextPositions<'_>) -> Vec<SemanticToken> {
    let (mut all, mut before) = (Vec::new(), Position::default());
    for token in tokens {
        let (kind, readonly) = token_type(token.kind);
        let modifiers =
            u32::from(token.introduces) | u32::from(token.written) << 1 | u32::from(readonly) << 2;
        let mut start = token.range.start;
        for line in places.text[token.range.clone()].split_inclusive(['\n', '\r']) {
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            let (from, to) = (places.position(start), places.position(end));
            start += line.len();
            if from.line != to.line || from.character >= to.character {
                continue;
            }
            let same = from.line == before.line;
            all.push(SemanticToken {
                delta_line: from.line - before.line,
                delta_start: if same { from.character - before.character } else { from.character },
                length: to.character - from.character,
                token_type: kind,
                token_modifiers_bitset: modifiers,
            });
            before = from;
        }
    }
    all
}

/// The index of the type in [`TOKEN_TYPES`], and whether the modifier `readonly` applies.
fn token_type(kind: HighlightKind) -> (u32, bool) {
    let name = match kind {
        HighlightKind::Comment => "comment",
        HighlightKind::Keyword => "keyword",
        HighlightKind::Operator => "operator",
        HighlightKind::Number => "number",
        HighlightKind::Text => "string",
        HighlightKind::Sort | HighlightKind::Name(NameRole::Enumeration) => "type",
        HighlightKind::Name(role) => match role {
            NameRole::Output | NameRole::Cell => "property",
            NameRole::Predicate | NameRole::Function => "function",
            NameRole::Definition => "macro",
            NameRole::Parameter | NameRole::Variable => "parameter",
            NameRole::Value => "enumMember",
            NameRole::Module => "namespace",
            _ => "variable",
        },
        _ => "variable",
    };
    let index = TOKEN_TYPES.iter().position(|known| *known == name).unwrap_or(0);
    (index as u32, matches!(kind, HighlightKind::Name(NameRole::Input | NameRole::Constant)))
}
