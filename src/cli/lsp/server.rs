//! The main loop: messages of the client, results of the workers, and timers.

use super::convert::{self, TextPositions};
use super::documents::{DocumentLanguage, EditedDocument, VerdictProgress};
use super::files::{EditorFiles, OpenTexts, canonical};
use super::work::{TextJob, WorkResult, Workers};
use super::{ClientCapabilities, LspArgs};
use crate::memory::{half_of_the_memory, resident_memory};
use crate::panics::panic_text;
use crossbeam_channel::{Receiver, after, never, select};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, PublishDiagnostics,
};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    PublishDiagnosticsParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tsl_synth_service::LimitKind;

/// The interval between checks of the memory of the process while a verdict is computed.
const TICK: Duration = Duration::from_millis(200);

pub(super) struct Server {
    pub(super) client: ClientCapabilities,
    pub(super) documents: BTreeMap<Uri, EditedDocument>,
    delay: Duration,
    time_limit: Duration,
    verdicts: bool,
    /// The number of requests sent to the client, which is the id of the last one.
    asked: i32,
}

impl Server {
    pub(super) fn new(args: &LspArgs, client: ClientCapabilities) -> Self {
        Self {
            client,
            documents: BTreeMap::new(),
            delay: args.delay,
            time_limit: args.time_limit,
            verdicts: !args.no_verdicts,
            asked: 0,
        }
    }

    /// Serves until the client shuts the server down or closes the connection.
    pub(super) fn run(mut self, connection: &Connection) -> Result<(), String> {
        let workers = Workers::start().map_err(|error| format!("cannot start a thread: {error}"))?;
        loop {
            let alarm = self.next_alarm();
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                            return Ok(());
                        }
                        let response = self.answer(request);
                        send(connection, response)?;
                    }
                    Ok(Message::Notification(note)) => {
                        if let Some(reported) = self.notification(note) {
                            send(connection, reported)?;
                        }
                    }
                    // Answers to requests for a refresh.
                    Ok(Message::Response(_)) => {}
                    // The client closed the connection.
                    Err(_) => return Ok(()),
                },
                recv(workers.done) -> done => {
                    if let Ok(done) = done {
                        self.take(done, connection, &workers)?;
                    }
                }
                recv(alarm) -> _ => {}
            }
            self.start_due(&workers);
            self.end_late();
        }
    }

    /// A timer for the next text to read, deadline or check of the memory.
    fn next_alarm(&self) -> Receiver<Instant> {
        let times = self.documents.values().flat_map(|document| [document.due, document.deadline]).flatten();
        let Some(first) = times.min() else { return never() };
        let wait = first.saturating_duration_since(Instant::now());
        let works = self.documents.values().any(|document| document.deadline.is_some());
        after(if works { wait.min(TICK) } else { wait })
    }

    /// Starts reading the texts whose delay after the last edit is over.
    fn start_due(&mut self, workers: &Workers) {
        let now = Instant::now();
        let due = |document: &EditedDocument| document.due.is_some_and(|due| due <= now);
        let uris: Vec<Uri> =
            self.documents.values().filter(|d| due(d)).map(|document| document.uri.clone()).collect();
        for uri in uris {
            let job = self.job(&uri);
            if let (Some(job), Some(document)) = (job, self.documents.get_mut(&uri)) {
                document.due = None;
                workers.read(job);
            }
        }
    }

    /// Stops the computation of verdicts that exceed the limit of time or memory.
    fn end_late(&mut self) {
        let now = Instant::now();
        let working = self.documents.values().any(|document| document.deadline.is_some());
        let full = working && resident_memory().is_some_and(|bytes| bytes > half_of_the_memory());
        for document in self.documents.values_mut() {
            let Some(deadline) = document.deadline else { continue };
            if full || deadline <= now {
                document.stop.raise(if full { LimitKind::Memory } else { LimitKind::Time });
                document.deadline = None;
            }
        }
    }

    /// The texts of all open files.
    pub(super) fn files(&self) -> EditorFiles {
        let open = self
            .documents
            .values()
            .filter_map(|document| Some((canonical(document.path.as_deref()?), Arc::clone(&document.text))));
        let open: OpenTexts = Arc::new(open.collect());
        EditorFiles::new(open)
    }

    pub(super) fn job(&self, uri: &Uri) -> Option<TextJob> {
        let document = self.documents.get(uri)?;
        Some(TextJob {
            uri: uri.clone(),
            version: document.version,
            name: document.path.clone().unwrap_or_else(|| PathBuf::from("untitled")),
            is_file: document.path.is_some(),
            text: Arc::clone(&document.text),
            language: document.language(),
            files: self.files(),
            stop: document.stop.clone(),
        })
    }

    /// Takes a result of a worker, if it is about the current text.
    fn take(&mut self, done: WorkResult, connection: &Connection, workers: &Workers) -> Result<(), String> {
        let (WorkResult::Read(job, _) | WorkResult::Begun(job) | WorkResult::Judged(job, _)) = &done;
        let same =
            |document: &&mut EditedDocument| document.version == job.version && document.text == job.text;
        let Some(document) = self.documents.get_mut(&job.uri).filter(same) else { return Ok(()) };
        let mut refreshes = Vec::new();
        match done {
            // A file that it imports changed; the text will be read again.
            WorkResult::Read(job, _) | WorkResult::Begun(job) | WorkResult::Judged(job, _)
                if job.stop.raised() == Some(LimitKind::Superseded) =>
            {
                return Ok(());
            }
            WorkResult::Read(job, reading) => {
                if let Some(names) = &reading.names
                    && *names != *document.names
                {
                    document.names = Arc::new(names.clone());
                    if self.client.refreshes_tokens {
                        refreshes.push("workspace/semanticTokens/refresh");
                    }
                }
                document.reading = Some(Arc::clone(&reading));
                document.progress = VerdictProgress::Read;
                if self.verdicts && document.language() != DocumentLanguage::Other {
                    let sketch = document.sketch();
                    workers.judge(job, reading, sketch);
                }
            }
            WorkResult::Begun(_) => {
                document.deadline = Some(Instant::now() + self.time_limit);
                return Ok(());
            }
            WorkResult::Judged(_, judged) => {
                document.deadline = None;
                document.progress = VerdictProgress::Judged(judged);
                if self.client.refreshes_lenses {
                    refreshes.push("workspace/codeLens/refresh");
                }
            }
        }
        let reported = (published(document, &self.client), status(document));
        send(connection, reported.0)?;
        send(connection, reported.1)?;
        for method in refreshes {
            self.asked += 1;
            send(connection, Request::new(self.asked.into(), method.into(), Value::Null))?;
        }
        Ok(())
    }

    /// Handles a notification, and returns one to send back, if any.
    fn notification(&mut self, note: Notification) -> Option<Notification> {
        match note.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let DidOpenTextDocumentParams { text_document: opened } = params(note.params)?;
                let mut document =
                    EditedDocument::new(opened.uri.clone(), opened.language_id, opened.version, &opened.text);
                document.due = Some(Instant::now());
                if let Some(before) = self.documents.insert(opened.uri.clone(), document) {
                    before.stop.raise(LimitKind::Superseded);
                }
                self.read_importers(&opened.uri);
            }
            DidChangeTextDocument::METHOD => {
                let changed: DidChangeTextDocumentParams = params(note.params)?;
                let (uri, version) = (changed.text_document.uri, changed.text_document.version);
                let document = self.documents.get_mut(&uri)?;
                document.edit(version, changed.content_changes, self.client.unit);
                document.due = Some(Instant::now() + self.delay);
                self.read_importers(&uri);
            }
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                // Imported files that are not open may have changed.
                let imports = |document: &mut EditedDocument| {
                    document.sketch().is_some_and(|sketch| !sketch.imports.is_empty())
                };
                for document in self.documents.values_mut().filter_map(|d| imports(d).then_some(d)) {
                    document.forget();
                    document.due = Some(Instant::now() + self.delay);
                }
            }
            DidCloseTextDocument::METHOD => {
                let DidCloseTextDocumentParams { text_document: closed } = params(note.params)?;
                let document = self.documents.remove(&closed.uri)?;
                document.stop.raise(LimitKind::Superseded);
                self.read_importers(&closed.uri);
                let nothing = PublishDiagnosticsParams::new(closed.uri, Vec::new(), None);
                return Some(Notification::new(PublishDiagnostics::METHOD.into(), nothing));
            }
            _ => {}
        }
        None
    }

    /// Schedules all documents with imports to be read again, because they may import the document that changed.
    fn read_importers(&mut self, changed: &Uri) {
        let delay = self.delay;
        for document in self.documents.values_mut().filter(|document| document.uri != *changed) {
            if document.sketch().is_some_and(|sketch| !sketch.imports.is_empty()) {
                document.forget();
                document.due = Some(Instant::now() + delay);
            }
        }
    }

    /// The answer to a request. A panic becomes an error response, and the server goes on.
    fn answer(&mut self, request: Request) -> Response {
        let (id, method) = (request.id.clone(), request.method.clone());
        match catch_unwind(AssertUnwindSafe(|| self.asked_for(&method, request.params))) {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err((code, message))) => Response::new_err(id, code as i32, message),
            Err(panic) => Response::new_err(id, ErrorCode::InternalError as i32, panic_text(&*panic)),
        }
    }
}

/// The parameters of a message; `None` if they do not have the expected form.
pub(super) fn params<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

fn send(connection: &Connection, message: impl Into<Message>) -> Result<(), String> {
    connection.sender.send(message.into()).map_err(|error| error.to_string())
}

/// The notification with all findings about the current text.
fn published(document: &EditedDocument, client: &ClientCapabilities) -> Notification {
    let places = TextPositions { text: &document.text, lines: &document.lines, unit: client.unit };
    let diagnostics = convert::diagnostics(document, &places);
    let found = PublishDiagnosticsParams::new(document.uri.clone(), diagnostics, Some(document.version));
    Notification::new(PublishDiagnostics::METHOD.into(), found)
}

/// The notification of a verdict. The protocol lets clients ignore unknown methods that begin with `$/`.
fn status(document: &EditedDocument) -> Notification {
    #[derive(Serialize)]
    struct StatusParams<'a> {
        uri: &'a Uri,
        version: i32,
        done: bool,
        headline: &'a str,
        reused: bool,
    }
    let (done, headline, reused) = match &document.progress {
        VerdictProgress::Judged(judged) => (true, judged.headline.as_str(), judged.reused),
        VerdictProgress::Read | VerdictProgress::Edited => (false, "", false),
    };
    let status = StatusParams { uri: &document.uri, version: document.version, done, headline, reused };
    Notification::new("$/tsl-synth/verdict".into(), json!(status))
}
