// Starts `tsl-synth lsp` and registers the commands of its code lenses.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const languages = ["tsl", "tlsf", "ltl"];
let client;
let status;

function setting(name) {
  return vscode.workspace.getConfiguration("tsl-synth").get(name);
}

// The file of a code lens, else the one in the active editor.
function fileOf(uri) {
  if (uri) return vscode.Uri.parse(uri).fsPath;
  return vscode.window.activeTextEditor?.document.uri.fsPath;
}

async function run(verb, uri, options = []) {
  const file = fileOf(uri);
  if (!file) return;
  // Saved first, since the program reads the file and not the editor.
  await vscode.workspace.save(vscode.Uri.file(file));
  // A terminal without a shell, so that no file name is interpreted as a command.
  const terminal = vscode.window.createTerminal({
    name: `tsl-synth ${verb}`,
    shellPath: setting("path"),
    shellArgs: [verb, ...options, "--", file],
    isTransient: true,
  });
  terminal.show(true);
}

async function activate(context) {
  const server = {
    command: setting("path"),
    args: ["lsp", "--time-limit", setting("timeLimit")],
    transport: TransportKind.stdio,
  };
  const selector = languages.map((language) => ({ language }));
  selector.push({ language: "toml", scheme: "file" });
  client = new LanguageClient(
    "tsl-synth",
    "tsl-synth",
    { run: server, debug: server },
    {
      documentSelector: selector,
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.tsl") },
    },
  );
  status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  context.subscriptions.push(status);
  const verdicts = new Map();
  const show = () => {
    const document = vscode.window.activeTextEditor?.document;
    const known = document && verdicts.get(document.uri.toString());
    if (!known) return status.hide();
    status.text = known.done ? `tsl-synth: ${known.headline}` : "$(sync~spin) tsl-synth";
    status.show();
  };
  client.onNotification("$/tsl-synth/verdict", (verdict) => {
    verdicts.set(vscode.Uri.parse(verdict.uri).toString(), verdict);
    show();
  });
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(show),
    vscode.workspace.onDidCloseTextDocument((document) => verdicts.delete(document.uri.toString())),
    vscode.commands.registerCommand("tsl-synth.check", (uri) => run("check", uri)),
    vscode.commands.registerCommand("tsl-synth.view", (uri) => run("view", uri)),
    vscode.commands.registerCommand("tsl-synth.simulate", (uri) => run("simulate", uri)),
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`tsl-synth does not start: ${error.message}. Set tsl-synth.path to the program.`);
  }
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
