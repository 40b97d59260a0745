//! The words of vocabularies are held to their corpora in `fixtures/vocabularies`.

use std::borrow::Cow;
use std::path::PathBuf;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{HostEvent, HostEventKind, JsonText};
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::language::{DefaultRuling, EventKind, VOCABULARIES, load_policy};
use tsl_synth_policy::{CompiledPolicy, EventContent, Interpreter};
use tsl_synth_shell::{CommandPattern, argv_automaton, letter_automaton, script_automaton};

/// Launchers, of which the reader of commands does not follow all: lines with these may be wrong in the strict direction.
const LAUNCHERS: &[&str] = &["npx ", "bunx ", "uv run ", "poetry run ", "pipenv run ", "pnpm exec ", "<<'E'"];

/// A policy that forbids a word.
fn forbidding(word: &str) -> CompiledPolicy {
    let text = format!(
        "policy = 1\nunmatched = \"allow\"\nuse = [\"{word}\"]\n[[law]]\nid = \"never\"\nltl = \"G !{word}\"\n"
    );
    let mut map = SourceMap::new();
    let source = map.add("never.toml", text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut map, source, &mut diagnostics);
    let findings: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{word}: {findings:?}");
    CompiledPolicy::new(policy.expect("a policy"), &Budget::unlimited()).expect("a small law")
}

struct CorpusCall {
    server: Option<String>,
    tool: String,
    arguments: serde_json::Value,
}

fn call(text: &str) -> CorpusCall {
    let text = text.replace('⏎', "\n");
    let Some(call) = text.strip_prefix('@') else {
        return CorpusCall {
            server: None,
            tool: "Bash".into(),
            arguments: serde_json::json!({ "command": text }),
        };
    };
    let (name, arguments) = call.split_once(' ').expect("arguments");
    let (server, tool) = match name.split_once(':') {
        Some((server, tool)) => (Some(server.to_owned()), tool),
        None => (None, name),
    };
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{text}: {error}"));
    CorpusCall { server, tool: tool.to_owned(), arguments }
}

/// The sign that the tables give to a call.
fn sign(compiled: &CompiledPolicy, call: &CorpusCall) -> char {
    let command = &call.arguments["command"];
    let script = match (command.as_str(), command.as_array()) {
        (Some(text), _) => Some(script_automaton(text)),
        (None, Some(words)) => {
            let words: Vec<String> =
                words.iter().map(|word| word.as_str().expect("a word").to_owned()).collect();
            Some(argv_automaton(&words))
        }
        _ => None,
    };
    let is_shell = |glob: &tsl_synth_core::base::Glob| glob.matches(&call.tool);
    let clauses: Vec<_> = compiled
        .policy
        .matches
        .iter()
        .filter(|table| {
            table.on == EventKind::Call && call.server.is_none() && table.tools.iter().any(is_shell)
        })
        .filter_map(|table| table.shell.as_ref().map(|shell| &shell.clause))
        .collect();
    let mut may_be = false;
    if let Some(script) = script.filter(|_| !clauses.is_empty()) {
        let pattern = CommandPattern { any: clauses, asks_for_files: false, is_sure: true };
        let automaton = letter_automaton(&script, &[pattern]);
        if automaton.letters.iter().any(|letter| !letter.sure.is_empty()) {
            return '+';
        }
        may_be = automaton.letters.iter().any(|letter| !letter.maybe.is_empty() || letter.opaque);
    }
    let event = HostEvent::new(
        "s",
        1,
        HostEventKind::Call {
            id: None,
            server: call.server.as_deref().map(Cow::Borrowed),
            tool: Cow::Borrowed(&call.tool),
            arguments: JsonText(Cow::Owned(call.arguments.to_string())),
        },
    );
    let mut faults = Vec::new();
    let content = Interpreter::new(compiled).read(compiled, &event, &mut faults);
    let EventContent::Call { program, .. } = content else { return '-' };
    let named = program.arrows.iter().flatten().filter_map(|arrow| arrow.letter.as_ref());
    let is_word = named.into_iter().any(|letter| !letter.letter.is_empty()) && !may_be;
    match (is_word, may_be || !faults.is_empty()) {
        (true, _) => '+',
        (_, true) => '?',
        _ => '-',
    }
}

#[test]
fn words_mean_what_their_corpora_say() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vocabularies");
    let mut wrong = Vec::new();
    for own in VOCABULARIES {
        let compiled = forbidding(own.name);
        assert_eq!(compiled.policy.unmatched, DefaultRuling::Allow);
        let text = std::fs::read_to_string(folder.join(format!("{}.txt", own.name))).expect("a corpus");
        let lines: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        assert!(lines.len() >= 20, "{}", own.name);
        for line in lines {
            let (expected, text) = line.split_at(1);
            let found = sign(&compiled, &call(text.trim()));
            if expected == "+" && found != '+' && LAUNCHERS.iter().any(|name| line.contains(name)) {
                println!("open: {}: {found} instead of {line}", own.name);
            } else if !expected.starts_with(found) {
                wrong.push(format!("{}: {found} instead of {line}", own.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
