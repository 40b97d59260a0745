//! Answers to requests about the current text.

use super::convert::{self, TextPositions};
use super::documents::{DocumentLanguage, EditedDocument, VerdictProgress};
use super::server::{Server, params};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeLens, Command, CompletionItem, DocumentHighlight,
    DocumentHighlightKind, Hover, HoverContents, InlayHint, InlayHintLabel, InlayHintParams, Location,
    MarkupContent, MarkupKind, ReferenceParams, RenameParams, SemanticTokens, TextDocumentIdentifier,
    TextDocumentPositionParams, Uri, WorkspaceEdit,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth_service::Dialect;
use tsl_synth_service::editor;
use tsl_synth_service::editor::{
    ColumnUnit, EditProposal, Introduction, KnownNames, Lines, Sketch, SpecVerdict,
};
use tsl_synth_service::{Session, SpecLanguage, SpecRequest, StopFlag};

type Answer = Result<Value, (ErrorCode, String)>;

/// The parameters that all requests about one document have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentParams {
    text_document: TextDocumentIdentifier,
}

/// A snapshot of a document for one request.
struct OpenDocument {
    uri: Uri,
    text: Arc<str>,
    lines: Lines,
    unit: ColumnUnit,
    sketch: Arc<Sketch>,
    names: Arc<KnownNames>,
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, (ErrorCode, String)> {
    params(value).ok_or_else(|| (ErrorCode::InvalidParams, "the parameters have another form".into()))
}

impl OpenDocument {
    fn places(&self) -> TextPositions<'_> {
        TextPositions { text: &self.text, lines: &self.lines, unit: self.unit }
    }

    /// The byte offset of the position in a request.
    fn offset(&self, value: Value) -> Result<usize, (ErrorCode, String)> {
        let at: TextDocumentPositionParams = read(value)?;
        Ok(self.places().offset(at.position))
    }

    fn hover(&self, at: usize) -> Value {
        let hover = self.sketch.hover(at, &self.names);
        hover.map_or(Value::Null, |hover| {
            let content = MarkupContent { kind: MarkupKind::Markdown, value: hover.text };
            let range = Some(self.places().range(&hover.range));
            json!(Hover { contents: HoverContents::Markup(content), range })
        })
    }

    fn references(&self, value: Value) -> Answer {
        let asked: ReferenceParams = read(value)?;
        let at = self.places().offset(asked.text_document_position.position);
        let introduced = self.sketch.named_at(at).and_then(|(thing, _)| thing.introduced.clone());
        let uses = self.sketch.references(at).into_iter();
        let uses =
            uses.filter(|one| asked.context.include_declaration || Some(&one.range) != introduced.as_ref());
        let location = |range| Location::new(self.uri.clone(), self.places().range(&range));
        Ok(json!(uses.map(|one| location(one.range)).collect::<Vec<_>>()))
    }

    fn highlights(&self, at: usize) -> Value {
        let kind = |written| if written { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
        let uses = self.sketch.references(at).into_iter();
        let all: Vec<_> = uses
            .map(|one| DocumentHighlight {
                range: self.places().range(&one.range),
                kind: Some(kind(one.written)),
            })
            .collect();
        json!(all)
    }

    /// The edits into the standard layout; `null` for languages other than TSL.
    fn formatted(&self) -> Value {
        if self.sketch.language != SpecLanguage::Tsl {
            return Value::Null;
        }
        let request = SpecRequest::text(SpecLanguage::Tsl, "", &*self.text);
        let formatted = request.inputs.first().map(|input| Session::new().format(input, Dialect::default()));
        match formatted {
            Some(Ok(formatted)) => json!(self.places().changed(&formatted.after)),
            _ => Value::Null,
        }
    }

    fn prepare_rename(&self, at: usize) -> Value {
        let named = self.sketch.named_at(at);
        let range = |range| self.places().range(&range);
        named.map_or(Value::Null, |(thing, at)| json!({ "range": range(at), "placeholder": thing.name }))
    }

    fn rename(&self, value: Value) -> Answer {
        let asked: RenameParams = read(value)?;
        let at = self.places().offset(asked.text_document_position.position);
        match self.sketch.rename(at, &asked.new_name) {
            Ok(edits) => Ok(json!(self.whole_edit(&edits))),
            Err(why) => Err((ErrorCode::RequestFailed, why)),
        }
    }

    fn completions(&self, at: usize) -> Value {
        let all = self.sketch.completions(at, &self.names).into_iter().enumerate();
        let items: Vec<_> = all
            .map(|(i, one)| CompletionItem {
                label: one.text,
                kind: Some(convert::completion_kind(one.kind)),
                detail: Some(one.detail),
                sort_text: Some(format!("{i:04}")),
                ..CompletionItem::default()
            })
            .collect();
        json!(items)
    }

    fn inlays(&self, value: Value) -> Answer {
        let asked: InlayHintParams = read(value)?;
        let places = self.places();
        let shown = places.offset(asked.range.start)..=places.offset(asked.range.end);
        let inlays = self.sketch.inlays().into_iter().filter(|one| shown.contains(&one.offset));
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

    fn whole_edit(&self, edits: &[editor::TextEdit]) -> WorkspaceEdit {
        #[expect(clippy::mutable_key_type, reason = "the type of the protocol; URIs are not changed")]
        let changes = HashMap::from([(self.uri.clone(), self.places().edits(edits))]);
        WorkspaceEdit::new(changes)
    }
}

const SERVED: [&str; 13] = [
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/formatting",
    "textDocument/hover",
    "textDocument/inlayHint",
    "textDocument/prepareRename",
    "textDocument/references",
    "textDocument/rename",
    "textDocument/semanticTokens/full",
];

impl Server {
    /// The answer to a request; `null` for documents that are not open.
    pub(super) fn asked_for(&mut self, method: &str, value: Value) -> Answer {
        if !SERVED.contains(&method) {
            return Err((ErrorCode::MethodNotFound, format!("`{method}` is not served")));
        }
        let DocumentParams { text_document: about } = read(value.clone())?;
        let uri = about.uri;
        if method == "textDocument/codeLens" {
            return Ok(self.documents.get(&uri).map_or(Value::Null, |document| json!(lenses(document))));
        }
        let Some(document) = self.documents.get_mut(&uri) else { return Ok(Value::Null) };
        let Some(sketch) = document.sketch() else { return Ok(Value::Null) };
        let (text, lines) = (Arc::clone(&document.text), document.lines.clone());
        let names = Arc::clone(&document.names);
        let document = OpenDocument { uri, text, lines, unit: self.client.unit, sketch, names };
        let places = document.places();
        match method {
            "textDocument/hover" => Ok(document.hover(document.offset(value)?)),
            "textDocument/definition" => {
                let found = document.sketch.definition(document.offset(value)?);
                Ok(json!(found.and_then(|found| self.location(&document, &found))))
            }
            "textDocument/references" => document.references(value),
            "textDocument/documentHighlight" => Ok(document.highlights(document.offset(value)?)),
            "textDocument/documentSymbol" => {
                let items = document.sketch.outline().iter();
                Ok(json!(items.map(|item| convert::symbol(item, &places)).collect::<Vec<_>>()))
            }
            "textDocument/formatting" => Ok(document.formatted()),
            "textDocument/prepareRename" => Ok(document.prepare_rename(document.offset(value)?)),
            "textDocument/rename" => document.rename(value),
            "textDocument/completion" => Ok(document.completions(document.offset(value)?)),
            "textDocument/inlayHint" => document.inlays(value),
            "textDocument/semanticTokens/full" => {
                let tokens = document.sketch.tokens(&document.names);
                let data = convert::semantic_tokens(&tokens, &places);
                Ok(json!(SemanticTokens { result_id: None, data }))
            }
            _ => {
                let asked: CodeActionParams = read(value)?;
                let range = places.offset(asked.range.start)..places.offset(asked.range.end);
                Ok(json!(self.actions(&document, &range)))
            }
        }
    }

    /// The location where a name is introduced.
    fn location(&self, document: &OpenDocument, found: &Introduction) -> Option<Location> {
        let places = |text: &str, range: &Range<usize>| {
            TextPositions { text, lines: &Lines::new(text), unit: self.client.unit }.range(range)
        };
        match found {
            Introduction::Here(range) => {
                Some(Location::new(document.uri.clone(), places(&document.text, range)))
            }
            Introduction::Import(path, name) => {
                let from = self.documents.get(&document.uri)?.path.clone()?;
                let path: PathBuf = super::files::canonical(&from.parent()?.join(path));
                let text = self.files().text(&path)?;
                let there = Sketch::new(document.sketch.language, &text).introduced(name).unwrap_or(0..0);
                Some(Location::new(super::uri::uri_of(&path)?, places(&text, &there)))
            }
        }
    }

    /// The edits that fix findings in a range, and the repairs of an unrealizable specification.
    fn actions(&self, open: &OpenDocument, range: &Range<usize>) -> Vec<CodeAction> {
        let (Some(document), Some(mut job)) = (self.documents.get(&open.uri), self.job(&open.uri)) else {
            return Vec::new();
        };
        // The time limit of the verdict does not apply to fixes.
        job.stop = StopFlag::new();
        let places = open.places();
        let shown = convert::diagnostics(document, &places);
        let action = |proposal: &EditProposal, diagnostic: Option<&lsp_types::Diagnostic>| CodeAction {
            title: proposal.title.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: diagnostic.map(|diagnostic| vec![diagnostic.clone()]),
            edit: Some(open.whole_edit(&proposal.edits)),
            ..CodeAction::default()
        };
        let mut all = Vec::new();
        let near = |other: &Range<usize>| other.start <= range.end && range.start <= other.end;
        if let Some(reading) = &document.reading {
            for (finding, diagnostic) in document.findings().iter().zip(&shown) {
                if near(&finding.range) {
                    let fixes = open.sketch.fixes(finding, reading, &mut |text| job.read(text));
                    all.extend(fixes.iter().map(|fix| action(fix, Some(diagnostic))));
                }
            }
        }
        if let VerdictProgress::Judged(judged) = &document.progress {
            let verdict = shown
                .iter()
                .find(|one| one.code == Some(lsp_types::NumberOrString::String("TSL0300".into())));
            all.extend(judged.repairs.iter().map(|repair| action(repair, verdict)));
        }
        all
    }
}

/// The code lenses above the first line: the verdict, and commands to view or simulate the strategy.
fn lenses(document: &EditedDocument) -> Vec<CodeLens> {
    let (verdict, words) = match (document.language(), &document.progress) {
        (DocumentLanguage::Other, _) => return Vec::new(),
        (_, VerdictProgress::Judged(judged)) => (Some(judged.verdict), judged.headline.as_str()),
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
    let answered = matches!(verdict, Some(SpecVerdict::Realizable | SpecVerdict::Unrealizable));
    if answered && document.language() != DocumentLanguage::Policy {
        all.push(lens("view", "tsl-synth.view"));
        all.push(lens("simulate", "tsl-synth.simulate"));
    }
    all
}
