//! `lsp`: a language server over standard input and output. The analysis of texts is in the library
//! (`tsl_synth_service::editor`); this module has the protocol, the open documents, the clock and the threads.

mod convert;
mod documents;
mod editor_files;
mod files;
mod requests;
mod server;
mod stdio;
mod uri;
mod work;

use crate::exit::Exit;
use crate::units::time;
use crate::{output, terminal};
use clap::Args;
use lsp_server::Connection;
use lsp_types::{InitializeParams, PositionEncodingKind};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;
use tsl_synth_service::VERSION;
use tsl_synth_service::editor::ColumnUnit;

/// `lsp`
#[derive(Args, Clone, Debug)]
pub(crate) struct LspArgs {
    /// How long a verdict may take before it is given up until the next edit
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10s")]
    pub(crate) time_limit: Duration,
    /// How long after a key the text is read: only then are findings shown
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "100ms")]
    pub(crate) delay: Duration,
    /// Show what reading finds, and no verdicts
    #[arg(long)]
    pub(crate) no_verdicts: bool,
    /// Write an extension for VS Code and a plugin for Neovim into this folder, and end
    #[arg(long, value_name = "DIR")]
    pub(crate) editor_files: Option<PathBuf>,
    /// Take the messages from standard input, as is done anyway: editors may pass it
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

/// The capabilities of the client that the server depends on.
#[derive(Clone, Debug, Default)]
struct ClientCapabilities {
    unit: ColumnUnit,
    refreshes_lenses: bool,
    refreshes_tokens: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &LspArgs) -> Exit {
    if let Some(folder) = &args.editor_files {
        return editor_files::write(folder);
    }
    if std::io::stdin().is_terminal() {
        terminal::eprint("this is a language server: an editor starts it, see `tsl-synth help editor`\n");
    }
    let (connection, threads) = match stdio::connect() {
        Ok(connected) => connected,
        Err(error) => return output::wrong(&format!("cannot start a thread: {error}")),
    };
    let begun = initialize(&connection);
    let (refused, served) = match begun {
        Ok(client) => (false, server::Server::new(args, client).run(&connection)),
        Err(message) => (true, Err(message)),
    };
    // The thread that writes ends when all senders are dropped.
    drop(connection);
    let Err(message) = served else {
        let _ = threads.join();
        return Exit::Yes;
    };
    // The error of the thread that reads is more informative than the closed channel.
    let why = match threads.join() {
        Err(error) if refused => format!("standard input has no message of the protocol: {error}"),
        Ok(()) if refused => "standard input ended before the request `initialize`".into(),
        _ => message,
    };
    output::wrong(&format!("{why}; an editor starts this language server, `tsl-synth help editor` says how"))
}

/// Negotiates capabilities with the client.
fn initialize(connection: &Connection) -> Result<ClientCapabilities, String> {
    let (id, params) = connection.initialize_start().map_err(|error| error.to_string())?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|error| error.to_string())?;
    let general = params.capabilities.general.unwrap_or_default();
    let offered = general.position_encodings.unwrap_or_default();
    let unit =
        if offered.contains(&PositionEncodingKind::UTF8) { ColumnUnit::Utf8 } else { ColumnUnit::Utf16 };
    let workspace = params.capabilities.workspace.unwrap_or_default();
    let client = ClientCapabilities {
        unit,
        refreshes_lenses: workspace.code_lens.and_then(|lens| lens.refresh_support).unwrap_or(false),
        refreshes_tokens: workspace
            .semantic_tokens
            .and_then(|tokens| tokens.refresh_support)
            .unwrap_or(false),
    };
    let answer = json!({
        "capabilities": capabilities(unit),
        "serverInfo": { "name": "tsl-synth", "version": VERSION },
    });
    connection.initialize_finish(id, answer).map_err(|error| error.to_string())?;
    Ok(client)
}

fn capabilities(unit: ColumnUnit) -> Value {
    json!({
        "positionEncoding": if unit == ColumnUnit::Utf8 { "utf-8" } else { "utf-16" },
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "documentFormattingProvider": true,
        "renameProvider": { "prepareProvider": true },
        "completionProvider": { "triggerCharacters": ["["] },
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "codeLensProvider": {},
        "inlayHintProvider": true,
        "semanticTokensProvider": {
            "legend": { "tokenTypes": convert::TOKEN_TYPES, "tokenModifiers": convert::TOKEN_MODIFIERS },
            "full": true,
        },
    })
}
