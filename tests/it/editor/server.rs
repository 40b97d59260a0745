//! The server itself, over standard input and output.

use crate::cli::Folder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client that talks to the server.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: i64,
    /// All published diagnostics: document, version, diagnostics.
    published: Vec<(String, i64, Vec<Value>)>,
    verdicts: Vec<Value>,
}

impl Client {
    fn start(folder: &Folder, capabilities: &Value) -> (Self, Value) {
        Self::limited(folder, capabilities, "60s")
    }
    fn limited(folder: &Folder, capabilities: &Value, time: &str) -> (Self, Value) {
        let mut child = folder
            .command(["lsp", "--delay", "30ms", "--time-limit", time])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut client = Self { child, input, output, asked: 0, published: Vec::new(), verdicts: Vec::new() };
        let answer = client
            .ask("initialize", &json!({ "processId": null, "rootUri": null, "capabilities": capabilities }));
        client.tell("initialized", &json!({}));
        (client, answer)
    }
    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }
    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "the server ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a length"),
                _ if line.trim().is_empty() => break,
                _ => {}
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).expect("a message");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                let uri = message["params"]["uri"].as_str().unwrap_or_default().to_string();
                let version = message["params"]["version"].as_i64().unwrap_or(-1);
                let all = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
                self.published.push((uri, version, all));
            }
            Some("$/tsl-synth/verdict") => self.verdicts.push(message["params"].clone()),
            _ => {}
        }
        message
    }
    /// The whole answer to a request.
    fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }
    fn open(&mut self, uri: &str, language: &str, text: &str) {
        self.tell(
            "textDocument/didOpen",
            &json!({ "textDocument": { "uri": uri, "languageId": language, "version": 1, "text": text } }),
        );
    }
    /// Replaces a range between two positions, each a line and a UTF-16 column.
    fn edit(&mut self, uri: &str, version: i64, start: (u64, u64), end: (u64, u64), text: &str) {
        let place = |(line, character)| json!({ "line": line, "character": character });
        self.tell(
            "textDocument/didChange",
            &json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{ "range": { "start": place(start), "end": place(end) }, "text": text }],
            }),
        );
    }
    /// Waits for the verdict on a version.
    fn rest(&mut self, uri: &str, version: i64) -> Value {
        loop {
            let done =
                |note: &&Value| note["uri"] == uri && note["version"] == version && note["done"] == true;
            if let Some(note) = self.verdicts.iter().find(done) {
                return note.clone();
            }
            self.receive();
        }
    }
    fn last(&self, uri: &str) -> (i64, Vec<Value>) {
        let last = self.published.iter().rev().find(|(of, ..)| of == uri).expect("published");
        (last.1, last.2.clone())
    }
    fn end(mut self) {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        assert!(self.child.wait().expect("the server ends").success());
    }
}

fn uri(folder: &Folder, name: &str) -> String {
    format!("file://{}", folder.path().join(name).display())
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().filter_map(|one| one["code"].as_str()).collect()
}

#[test]
fn a_text_is_typed_and_what_is_shown_at_rest_is_of_its_end() {
    let folder = Folder::new();
    let (mut client, _) = Client::start(&folder, &json!({}));
    let uri = uri(&folder, "typed.tsl");
    client.open(&uri, "tsl", "");
    // The blue heart is two units of UTF-16 wide.
    let text = "/* 💙 */ always guarantee { [x <- a()]; p -> [x <- b()]; }";
    let (mut version, mut column) = (1, 0);
    for c in text.chars() {
        version += 1;
        client.edit(&uri, version, (0, column), (0, column), &c.to_string());
        column += c.len_utf16() as u64;
    }
    let note = client.rest(&uri, version);
    assert_eq!(note["headline"], "unrealizable");
    let (of, found) = client.last(&uri);
    assert_eq!(of, version, "nothing older is shown at rest");
    assert_eq!(codes(&found), ["TSL0300"], "{found:#?}");
    let first = &found[0];
    assert_eq!(first["range"]["start"], json!({ "line": 0, "character": text.find('[').expect("[") - 2 }));
    // A repair is offered.
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": column } });
    let about = json!({ "uri": uri });
    let actions = client.ask(
        "textDocument/codeAction",
        &json!({ "textDocument": about, "range": range, "context": { "diagnostics": [] } }),
    );
    let repair =
        actions.as_array().expect("actions").iter().find(|one| {
            one["title"].as_str().is_some_and(|title| title.starts_with("Apply the checked repair"))
        });
    assert!(repair.is_some(), "{actions:#}");
    let lenses = client.ask("textDocument/codeLens", &json!({ "textDocument": about }));
    let commands: Vec<_> =
        lenses.as_array().expect("lenses").iter().map(|one| &one["command"]["command"]).collect();
    assert_eq!(commands, ["tsl-synth.check", "tsl-synth.view", "tsl-synth.simulate"]);
    // After a change in a comment the verdict is reused.
    client.edit(&uri, version + 1, (0, column), (0, column), " // more");
    assert_eq!(client.rest(&uri, version + 1)["reused"], true);
    // The whole text is replaced.
    client.tell(
        "textDocument/didChange",
        &json!({
            "textDocument": { "uri": uri, "version": version + 2 },
            "contentChanges": [{ "text": "always guarantee { p -> [x <- b()]; }" }],
        }),
    );
    let note = client.rest(&uri, version + 2);
    assert!(note["headline"].as_str().is_some_and(|text| text.starts_with("realizable, 1 state")), "{note}");
    client.tell("textDocument/didClose", &json!({ "textDocument": about }));
    assert_eq!(client.ask("textDocument/codeLens", &json!({ "textDocument": about })), Value::Null);
    assert!(client.last(&uri).1.is_empty());
    client.end();
}

#[test]
fn columns_are_bytes_if_the_client_says_so() {
    let folder = Folder::new();
    let capabilities = json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } });
    let (mut client, answer) = Client::start(&folder, &capabilities);
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    let uri = uri(&folder, "a.tsl");
    client.open(&uri, "tsl", "always guarantee { /* ä💙 */ a & [x <- b()]; }");
    client.rest(&uri, 1);
    let (_, found) = client.last(&uri);
    assert_eq!(found[0]["code"], "TSL0016");
    assert_eq!(found[0]["range"]["start"]["character"], "always guarantee { /* ä💙 */ a ".len());
    client.end();
}

#[test]
fn names_are_found_and_renamed_over_the_protocol() {
    let folder = Folder::new();
    let library = folder.file("lib/lamps.tsl", "toggle x = x -> [lamp <- on()];\n");
    folder.file(".git/config", "");
    let main = "import \"lib/lamps.tsl\" as Lamps\n\nalways guarantee {\n  Lamps.toggle press;\n  press -> press;\n}\n";
    folder.file("main.tsl", main);
    let (mut client, answer) = Client::start(&folder, &json!({}));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    let uri_main = uri(&folder, "main.tsl");
    client.open(&uri_main, "tsl", main);
    let note = client.rest(&uri_main, 1);
    assert!(note["headline"].as_str().is_some_and(|text| text.starts_with("realizable")), "{note}");
    let at = |line: u64, character: u64| json!({ "textDocument": { "uri": uri_main }, "position": { "line": line, "character": character } });
    let target = client.ask("textDocument/definition", &at(3, 10));
    assert!(target["uri"].as_str().is_some_and(|uri| uri.ends_with("lamps.tsl")), "{target}");
    assert_eq!(target["range"]["end"], json!({ "line": 0, "character": 6 }));
    let hover = client.ask("textDocument/hover", &at(4, 4));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("**input** `press: Bool`")));
    let rename = |name: &str| {
        let mut params = at(4, 4);
        params["newName"] = name.into();
        params
    };
    let refused = client.answer("textDocument/rename", &rename("always"));
    assert!(
        refused["error"]["message"].as_str().is_some_and(|text| text.contains("cannot be a name")),
        "{refused}"
    );
    let edit = client.ask("textDocument/rename", &rename("pressed"));
    assert_eq!(edit["changes"][&uri_main].as_array().map(Vec::len), Some(3), "{edit:#}");
    // An unsaved edit of the imported file: the file that imports it is checked again.
    let uri_library = uri(&folder, "lib/lamps.tsl");
    client.open(&uri_library, "tsl", &std::fs::read_to_string(library).expect("the file"));
    client.rest(&uri_library, 1);
    client.verdicts.clear();
    client.edit(&uri_library, 2, (0, 0), (0, 6), "switch");
    client.rest(&uri_main, 1);
    let (_, found) = client.last(&uri_main);
    assert!(!found.is_empty(), "`Lamps.toggle` is gone");
    let unknown = client.answer("textDocument/unheard", &json!({ "textDocument": { "uri": uri_main } }));
    assert_eq!(unknown["error"]["code"], -32601);
    let wrong = client.answer("textDocument/hover", &json!({ "textDocument": 3 }));
    assert_eq!(wrong["error"]["code"], -32602);
    client.end();
}

#[test]
fn policies_are_checked_and_other_toml_is_left_alone() {
    let folder = Folder::new();
    let (mut client, _) = Client::start(&folder, &json!({}));
    let other = uri(&folder, "Cargo.toml");
    client.open(&other, "toml", "[package]\nname = 3\nlaw = \n");
    let good = std::fs::read_to_string(super::super::gallery::folder().join("policies/retries.toml"))
        .expect("a policy");
    let policy = uri(&folder, "retries.toml");
    client.open(&policy, "toml", &good);
    assert_eq!(client.rest(&policy, 1)["headline"], "consistent");
    assert!(client.last(&policy).1.iter().all(|one| one["severity"] != 1));
    let lines = good.lines().count() as u64;
    client.edit(&policy, 2, (lines, 0), (lines, 0), "\n[[law]]\nid = \"x\"\nrule = \"never fech\"\n");
    client.rest(&policy, 2);
    let (_, found) = client.last(&policy);
    assert!(found.iter().any(|one| one["severity"] == 1), "{found:#?}");
    assert!(client.published.iter().filter(|one| one.0 == other).all(|one| one.2.is_empty()));
    client.end();
}

#[test]
fn many_texts_at_once_all_have_their_verdicts() {
    let folder = Folder::new();
    let (mut client, _) = Client::start(&folder, &json!({}));
    let all: Vec<String> = (0..12).map(|i| uri(&folder, &format!("{i}.tsl"))).collect();
    for (i, uri) in all.iter().enumerate() {
        client.open(uri, "tsl", &format!("always guarantee {{ p{i} -> [x <- b()]; }}"));
    }
    for uri in &all {
        assert!(client.rest(uri, 1)["headline"].as_str().is_some_and(|text| text.starts_with("realizable")));
    }
    client.end();
}

#[test]
fn a_verdict_that_takes_too_long_is_given_up() {
    let folder = Folder::new();
    let (mut client, _) = Client::limited(&folder, &json!({}), "1ms");
    let text =
        std::fs::read_to_string(super::super::gallery::folder().join("tlsf/amba_decomposed_arbiter.tlsf"));
    let text = text.expect("a specification").replace("n = 2", "n = 6");
    let uri = uri(&folder, "amba.tlsf");
    client.open(&uri, "tlsf", &text);
    let note = client.rest(&uri, 1);
    let (_, found) = client.last(&uri);
    // A fast machine may decide the specification before the time limit is noticed.
    let given_up = note["headline"].as_str().is_some_and(|text| text.contains("time limit reached"));
    assert!(!given_up || codes(&found).contains(&"TSL0305"), "{note}: {found:#?}");
    client.end();
}

#[test]
fn the_project_file_says_what_is_an_input() {
    let folder = Folder::new();
    folder.file("tsl-synth.toml", "spec = \"a.ltl\"\ninputs = [\"req\"]\noutputs = [\"grant\"]\n");
    let text = "G (req -> F grant)\n";
    folder.file("a.ltl", text);
    let (mut client, _) = Client::start(&folder, &json!({}));
    let (named, other) = (uri(&folder, "a.ltl"), uri(&folder, "b.ltl"));
    client.open(&named, "ltl", text);
    assert!(client.rest(&named, 1)["headline"].as_str().is_some_and(|text| text.starts_with("realizable")));
    folder.file("b.ltl", text);
    client.open(&other, "ltl", text);
    assert_eq!(client.rest(&other, 1)["headline"], "errors");
    client.end();
}

#[test]
fn places_that_are_not_there_are_no_trouble() {
    let folder = Folder::new();
    let (mut client, _) = Client::start(&folder, &json!({}));
    let uri = uri(&folder, "a.tsl");
    client.open(&uri, "tsl", "always guarantee { p -> [x <- b()]; }\n");
    client.edit(&uri, 2, (0, 19), (0, 3), "q || ");
    client.edit(&uri, 3, (900, 7), (9000, 1), "// end\r\n");
    client.edit(&uri, 4, (1, 900), (1, u64::from(u32::MAX)), "💙");
    let far =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 4_000_000, "character": 4_000_000 } });
    for method in ["hover", "definition", "completion", "documentHighlight", "prepareRename"] {
        client.ask(&format!("textDocument/{method}"), &far);
    }
    client.rest(&uri, 4);
    let nowhere = json!({ "textDocument": { "uri": "untitled:Untitled-1" } });
    assert_eq!(client.ask("textDocument/documentSymbol", &nowhere), Value::Null);
    client.open("untitled:Untitled-1", "tsl", "always guarantee { p -> [x <- b()]; }");
    assert!(
        client.rest("untitled:Untitled-1", 1)["headline"].as_str().is_some_and(|t| t.starts_with("real"))
    );
    client.end();
}

#[test]
fn the_files_for_editors_are_written() {
    let folder = Folder::new();
    folder.run(["lsp", "--editor-files", "editor"]).exits(0);
    let package = std::fs::read(folder.path().join("editor/vscode/package.json")).expect("written");
    let package: Value = serde_json::from_slice(&package).expect("JSON");
    for grammar in package["contributes"]["grammars"].as_array().expect("grammars") {
        let path = folder.path().join("editor/vscode").join(grammar["path"].as_str().expect("a path"));
        let grammar: Value = serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON");
        assert!(grammar["scopeName"].as_str().is_some_and(|name| name.starts_with("source.")));
    }
    assert!(folder.path().join("editor/nvim/tsl-synth.lua").is_file());
}

#[test]
fn a_malformed_message_is_answered_and_the_next_one_is_served() {
    let folder = Folder::new();
    let (mut client, _) = Client::start(&folder, &json!({}));
    for (text, code) in [
        ("Content-Length: 5\r\n\r\n{bad}", -32700),
        ("Content-Length: x\r\n\r\n", -32700),
        ("hello\r\n\r\n", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
    ] {
        write!(client.input, "{text}").and_then(|()| client.input.flush()).expect("the server reads");
        let answer = client.receive();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(code)),
            "{text}: {answer}"
        );
    }
    let uri = uri(&folder, "a.ltl");
    client.open(&uri, "ltl", "// outputs: x\nG x\n");
    assert_eq!(client.rest(&uri, 1)["done"], true);
    client.end();
}
