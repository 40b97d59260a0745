//! Answers to requests, from the present text.

use super::convert::{self, Places};
use super::documents::{Document, Progress};
use super::server::{Server, params};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeLens, Command, CompletionItem,
    DocumentFormattingParams, DocumentHighlight, DocumentHighlightKind, DocumentSymbolParams, Hover,
    HoverContents, InlayHint, InlayHintLabel, InlayHintParams, Location, MarkupContent, MarkupKind,
    ReferenceParams, RenameParams, SemanticTokens, TextDocumentIdentifier, TextDocumentPositionParams, Uri,
    WorkspaceEdit,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth::service::editor::{Introduction, Lines, Proposal, Sketch};
use tsl_synth::service::{Input, Session, SpecLanguage, SpecRequest, StopFlag};
use tsl_synth::syntax::Dialect;

type Answer = Result<Value, (ErrorCode, String)>;

/// What requests about one document have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    text_document: TextDocumentIdentifier,
}

/// A document as a request finds it.
struct Desk {
    uri: Uri,
    text: Arc<str>,
    lines: Lines,
    sketch: Arc<Sketch>,
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, (ErrorCode, String)> {
    params(value).ok_or_else(|| (ErrorCode::InvalidParams, "the parameters have another form".into()))
}

impl Server {
    /// The answer to a request; `null` for documents that are not open.
    pub(super) fn asked_for(&mut self, method: &str, value: Value) -> Answer {
        let known = [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/references",
            "textDocument/documentHighlight",
            "textDocument/documentSymbol",
            "textDocument/formatting",
            "textDocument/prepareRename",
            "textDocument/rename",
            "textDocument/completion",
            "textDocument/codeAction",
            "textDocument/codeLens",
            "textDocument/inlayHint",
            "textDocument/semanticTokens/full",
        ];
        if !known.contains(&method) {
            return Err((ErrorCode::MethodNotFound, format!("`{method}` is not served")));
        }
        let About { text_document: about } = read(value.clone())?;
        let uri = about.uri;
        if method == "textDocument/codeLens" {
            return Ok(self.documents.get(&uri).map_or(Value::Null, |document| json!(lenses(document))));
        }
        let Some(document) = self.documents.get_mut(&uri) else { return Ok(Value::Null) };
        let (text, lines) = (Arc::clone(&document.text), document.lines.clone());
        let Some(sketch) = document.sketch() else { return Ok(Value::Null) };
        let desk = Desk { uri, text, lines, sketch };
        let unit = self.client.unit;
        let places = Places { text: &desk.text, lines: &desk.lines, unit };
        let offset = |value: Value| {
            let at: TextDocumentPositionParams = read(value)?;
            Ok(places.offset(at.position))
        };
        let range_of = |range: &Range<usize>| places.range(range);
        match method {
            "textDocument/hover" => {
                let names = Arc::clone(&document.names);
                let hover = desk.sketch.hover(offset(value)?, &names);
                Ok(hover.map_or(Value::Null, |hover| {
                    let content = MarkupContent { kind: MarkupKind::Markdown, value: hover.text };
                    let range = Some(range_of(&hover.range));
                    json!(Hover { contents: HoverContents::Markup(content), range })
                }))
            }
            "textDocument/definition" => {
                let found = desk.sketch.definition(offset(value)?);
                Ok(json!(found.and_then(|found| self.location(&desk, &found))))
            }
            "textDocument/references" => {
                let asked: ReferenceParams = read(value)?;
                let at = places.offset(asked.text_document_position.position);
                let introduced = desk.sketch.named_at(at).and_then(|(thing, _)| thing.introduced.clone());
                let uses = desk.sketch.references(at).into_iter().filter(|one| {
                    asked.context.include_declaration || Some(&one.range) != introduced.as_ref()
                });
                let all: Vec<_> =
                    uses.map(|one| Location::new(desk.uri.clone(), range_of(&one.range))).collect();
                Ok(json!(all))
            }
            "textDocument/documentHighlight" => {
                let uses = desk.sketch.references(offset(value)?).into_iter();
                let kind = |written| {
                    if written { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ }
                };
                let all: Vec<_> = uses
                    .map(|one| DocumentHighlight {
                        range: range_of(&one.range),
                        kind: Some(kind(one.written)),
                    })
                    .collect();
                Ok(json!(all))
            }
            "textDocument/documentSymbol" => {
                let _: DocumentSymbolParams = read(value)?;
                let symbols: Vec<_> =
                    desk.sketch.outline().iter().map(|item| convert::symbol(item, &places)).collect();
                Ok(json!(symbols))
            }
            "textDocument/formatting" => {
                let _: DocumentFormattingParams = read(value)?;
                Ok(formatted(&desk).map_or(Value::Null, |after| json!(places.changed(&after))))
            }
            "textDocument/prepareRename" => {
                let named = desk.sketch.named_at(offset(value)?);
                Ok(named.map_or(
                    Value::Null,
                    |(thing, range)| json!({ "range": range_of(&range), "placeholder": thing.name }),
                ))
            }
            "textDocument/rename" => {
                let asked: RenameParams = read(value)?;
                let at = places.offset(asked.text_document_position.position);
                match desk.sketch.rename(at, &asked.new_name) {
                    Ok(edits) => Ok(json!(whole_edit(&desk, places.edits(&edits)))),
                    Err(why) => Err((ErrorCode::RequestFailed, why)),
                }
            }
            "textDocument/completion" => {
                let names = Arc::clone(&document.names);
                let all = desk.sketch.completions(offset(value)?, &names).into_iter().enumerate();
                let items: Vec<_> = all
                    .map(|(i, one)| CompletionItem {
                        label: one.text,
                        kind: Some(convert::completion_kind(one.kind)),
                        detail: Some(one.detail),
                        sort_text: Some(format!("{i:04}")),
                        ..CompletionItem::default()
                    })
                    .collect();
                Ok(json!(items))
            }
            "textDocument/inlayHint" => {
                let asked: InlayHintParams = read(value)?;
                let shown = places.offset(asked.range.start)..=places.offset(asked.range.end);
                let inlays = desk.sketch.inlays().into_iter().filter(|one| shown.contains(&one.offset));
                let all: Vec<_> = inlays
                    .map(|one| InlayHint {
                        position: places.position(one.offset),
                        label: InlayHintLabel::String(one.text.into()),
                        kind: None,
                        text_edits: None,
                        tooltip: None,
                        padding_left: None,
                        padding_right: None,
                        data: None,
                    })
                    .collect();
                Ok(json!(all))
            }
            "textDocument/semanticTokens/full" => {
                let tokens = desk.sketch.tokens(&document.names);
                let data = convert::semantic_tokens(&tokens, &places);
                Ok(json!(SemanticTokens { result_id: None, data }))
            }
            _ => {
                let asked: CodeActionParams = read(value)?;
                let range = places.offset(asked.range.start)..places.offset(asked.range.end);
                Ok(json!(self.actions(&desk, &range)))
            }
        }
    }

    /// Where something is introduced.
    fn location(&self, desk: &Desk, found: &Introduction) -> Option<Location> {
        let places = |text: &str, range: &Range<usize>| {
            Places { text, lines: &Lines::new(text), unit: self.client.unit }.range(range)
        };
        match found {
            Introduction::Here(range) => Some(Location::new(desk.uri.clone(), places(&desk.text, range))),
            Introduction::Import(path, name) => {
                let from = self.documents.get(&desk.uri)?.path.clone()?;
                let path: PathBuf = super::files::canonical(&from.parent()?.join(path));
                let text = self.files().text(&path)?;
                let there = Sketch::new(desk.sketch.language, &text).introduced(name).unwrap_or(0..0);
                Some(Location::new(convert::uri_of(&path)?, places(&text, &there)))
            }
        }
    }

    /// The edits that settle findings at a place, and repairs of an unrealizable specification.
    fn actions(&self, desk: &Desk, range: &Range<usize>) -> Vec<CodeAction> {
        let (Some(document), Some(mut job)) = (self.documents.get(&desk.uri), self.job(&desk.uri)) else {
            return Vec::new();
        };
        // The time limit of the verdict does not count here.
        job.stop = StopFlag::new();
        let places = Places { text: &desk.text, lines: &desk.lines, unit: self.client.unit };
        let shown = convert::diagnostics(document, &places);
        let action = |proposal: &Proposal, diagnostic: Option<&lsp_types::Diagnostic>| CodeAction {
            title: proposal.title.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: diagnostic.map(|diagnostic| vec![diagnostic.clone()]),
            edit: Some(whole_edit(desk, places.edits(&proposal.edits))),
            ..CodeAction::default()
        };
        let mut all = Vec::new();
        let near = |other: &Range<usize>| other.start <= range.end && range.start <= other.end;
        if let Some(reading) = &document.reading {
            for (finding, diagnostic) in document.findings().iter().zip(&shown) {
                if near(&finding.range) {
                    let fixes = desk.sketch.fixes(finding, reading, &mut |text| job.read(text));
                    all.extend(fixes.iter().map(|fix| action(fix, Some(diagnostic))));
                }
            }
        }
        if let Progress::Judged(judged) = &document.progress {
            let verdict = shown
                .iter()
                .find(|one| one.code == Some(lsp_types::NumberOrString::String("TSL0300".into())));
            all.extend(judged.repairs.iter().map(|repair| action(repair, verdict)));
        }
        all
    }
}

fn whole_edit(desk: &Desk, edits: Vec<lsp_types::TextEdit>) -> WorkspaceEdit {
    // The type of the protocol; the key is not changed.
    #[expect(clippy::mutable_key_type, reason = "URIs are not changed")]
    let changes = HashMap::from([(desk.uri.clone(), edits)]);
    WorkspaceEdit::new(changes)
}

/// The text in the standard layout, which only TSL has.
fn formatted(desk: &Desk) -> Option<String> {
    if desk.sketch.language != SpecLanguage::Tsl {
        return None;
    }
    let request = SpecRequest::text(SpecLanguage::Tsl, "", &*desk.text);
    let input: &Input = request.inputs.first()?;
    Session::new().format(input, Dialect::default()).ok().map(|formatted| formatted.after)
}

/// The verdict above the first line, with what can be done next.
fn lenses(document: &Document) -> Vec<CodeLens> {
    use super::documents::Language;
    let (verdict, words) = match (document.language(), &document.progress) {
        (Language::Other, _) => return Vec::new(),
        (_, Progress::Judged(judged)) => (Some(judged.verdict), judged.headline.as_str()),
        _ => (None, "checking…"),
    };
    let lens = |title: &str, command: &str| CodeLens {
        range: lsp_types::Range::default(),
        command: Some(Command {
            title: title.into(),
            command: command.into(),
            arguments: Some(vec![json!(document.uri)]),
        }),
        data: None,
    };
    let mut all = vec![lens(words, "tsl-synth.check")];
    let answered = verdict.is_some_and(|verdict| {
        use tsl_synth::service::editor::SpecVerdict::{Realizable, Unrealizable};
        matches!(verdict, Realizable | Unrealizable)
    });
    if answered && document.language() != Language::Policy {
        all.push(lens("view", "tsl-synth.view"));
        all.push(lens("simulate", "tsl-synth.simulate"));
    }
    all
}
