//! `help`: the usage of the program or a verb, and the pages of the manual, which are the Markdown files in
//! `topics`; only their fences and headings are changed for a terminal.

use crate::exit::Exit;
use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command};
use std::fmt::Write;

/// `help`
#[derive(Args, Debug)]
pub(crate) struct HelpArgs {
    /// A topic of the manual, or a verb
    #[arg(value_name = "TOPIC|VERB", value_parser = crate::help::subjects())]
    pub(crate) subject: Option<String>,
}

/// A page of the manual.
struct Topic {
    name: &'static str,
    /// One line for the list.
    about: &'static str,
    /// The verbs that the page is about: their help names it.
    verbs: &'static [&'static str],
    text: &'static str,
}

macro_rules! topics {
    ($($name:literal, $about:literal, [$($verb:literal),*];)*) => {
        &[$(Topic {
            name: $name,
            about: $about,
            verbs: &[$($verb),*],
            text: include_str!(concat!("topics/", $name, ".md")),
        }),*]
    };
}

/// The manual, in the order in which it is listed.
const TOPICS: &[Topic] = topics! {
    "install", "Installing: from a clone, as archives, wheels, npm packages, containers", [];
    "tsl", "The language TSL: sections, updates, operators, declarations, macros", ["check", "fmt"];
    "patterns", "Specification patterns: absence, response, precedence, scopes, bounds", [];
    "ltl", "Specifications in LTL, in files and on the command line", ["check"];
    "tlsf", "Specifications in TLSF 1.2: parameters, semantics, targets", ["check"];
    "verdicts", "What the answers mean, how they are certified, warnings, exit codes", ["check"];
    "programs", "Games over programs with integers and reals: .rpg and .issy files", ["check", "emit"];
    "fret", "Requirements that NASA's FRET exports: which components are realizable", ["check"];
    "explain", "Why there is no controller, what would help, and why something happened", ["explain"];
    "emit", "The emitted code: its interface, what it promises, options", ["emit"];
    "simulate", "Playing a controller by hand, from a file, at random and in the browser", ["simulate", "view"];
    "verify", "Checking machines against a specification, whoever made them", ["verify", "diff"];
    "agent", "Agents: a controller drives models, a user and a world; prompts, records", ["agent", "experiment"];
    "oracles", "Who fills in content: chat models, programs, scripts, you; how each is asked", ["oracle"];
    "policy", "Policies of agents: laws, tables of events, conflicts, judging logs", ["check", "critic", "monitor", "explain", "emit", "new", "schema"];
    "shield", "The gate in front of an agent's calls: hooks, MCP, JSON lines, journals", ["shield", "explain"];
    "hosts", "What hosts tell the gate: shapes of results, gaps, protection, what logs lack", ["shield", "monitor"];
    "plan", "Plans under a grammar: the language .cfg, laws, driving an oracle", ["plan"];
    "formats", "HOA, AIGER, machine JSON, traces, words, JSON results", ["emit", "verify", "diff", "convert", "simulate", "schema"];
    "project", "The file tsl-synth.toml, imports, several files", ["check", "emit"];
    "editor", "In VS Code, Neovim and other editors: the language server", ["lsp"];
    "ci", "In workflows and hooks: annotations, SARIF, limits", ["check"];
    "engines", "How it decides: the engines, their order, limits, reproducibility", ["check", "bench"];
    "figures", "What it solves and how long that takes, with the commands that measure it", ["bench"];
    "trust", "How answers are checked, and what is done about hostile input", ["verify"];
    "certificate", "Certificates as files, and the program tsl-check that checks them", ["check"];
    "recipes", "One question, one command: what is asked most, with what is printed", ["check", "explain", "verify", "emit", "view", "bench"];
    "library", "Using the crate from a Rust program, in WebAssembly, as JSON", [];
    "tools", "Other tools, and when to choose them", [];
};

/// The verbs, listed here in addition to `Verb` because the argument parser of `help` needs their names.
const VERBS: [&str; 24] = [
    "check",
    "emit",
    "simulate",
    "view",
    "verify",
    "diff",
    "convert",
    "plan",
    "policy",
    "monitor",
    "shield",
    "critic",
    "new",
    "fmt",
    "explain",
    "bench",
    "lsp",
    "agent",
    "experiment",
    "oracle",
    "schema",
    "completions",
    "man",
    "help",
];

/// The most pages that are named for a word.
const MOST_PAGES: usize = 4;

/// Whether this is a verb.
#[cfg(test)]
pub(crate) fn is_verb(name: &str) -> bool {
    VERBS.contains(&name)
}

/// The topics whose pages have a word, those that have it most often first.
pub(crate) fn pages_about(word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    let count = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|own| own.to_lowercase() == word).count()
    };
    let mut found: Vec<(usize, &str)> =
        TOPICS.iter().map(|topic| (count(topic.text) + count(topic.about), topic.name)).collect();
    found.retain(|&(count, _)| count > 0);
    found.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    found.into_iter().take(MOST_PAGES).map(|(_, name)| name).collect()
}

/// The parser of the argument of `help`: a topic or a verb.
pub(crate) fn subjects() -> PossibleValuesParser {
    let topics = TOPICS.iter().map(|topic| PossibleValue::new(topic.name).help(topic.about));
    let verbs = VERBS.into_iter().filter(|verb| TOPICS.iter().all(|topic| topic.name != *verb));
    PossibleValuesParser::new(
        topics.chain(verbs.map(|verb| PossibleValue::new(verb).help("The options of this verb"))),
    )
}

/// The list of topics.
fn list() -> String {
    let width = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let mut text = "Topics of the manual (tsl-synth help TOPIC):\n".to_string();
    for topic in TOPICS {
        let _ = writeln!(text, "  {:width$}  {}", topic.name, topic.about);
    }
    text
}

/// Lays out a page: headings are underlined, fenced blocks are indented.
fn page(text: &str) -> String {
    let (mut out, mut fenced) = (String::with_capacity(text.len()), false);
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced && !line.is_empty() {
            let _ = writeln!(out, "    {line}");
        } else if let Some(title) = line.strip_prefix("## ").filter(|_| !fenced) {
            let _ = writeln!(out, "{title}\n{}", "-".repeat(title.chars().count()));
        } else if let Some(title) = line.strip_prefix("# ").filter(|_| !fenced) {
            let _ = writeln!(out, "{title}\n{}", "=".repeat(title.chars().count()));
        } else {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

/// `help [TOPIC|VERB]`: the page of a topic; for a verb its options, then the page of the same name, if any, and the
/// names of further pages.
pub(crate) fn run(args: &HelpArgs, command: &Command) -> Exit {
    let Some(name) = args.subject.as_deref() else {
        return show(command.clone().print_help(), &format!("\n{}", list()));
    };
    let topic = TOPICS.iter().find(|topic| topic.name == name);
    let text = topic.map_or(String::new(), |topic| page(topic.text));
    if !VERBS.contains(&name) {
        return show(Ok(()), &text);
    }
    let mut rest = if text.is_empty() { text } else { format!("\n{text}") };
    let more: Vec<&str> =
        TOPICS.iter().filter(|t| t.name != name && t.verbs.contains(&name)).map(|t| t.name).collect();
    if !more.is_empty() {
        let _ = writeln!(rest, "\nIn the manual (tsl-synth help TOPIC): {}", more.join(", "));
    }
    // clap returns the text of `VERB --help` as a parse error.
    let usage = command.clone().try_get_matches_from(["tsl-synth", name, "--help"]);
    show(usage.map_or_else(|usage| usage.print(), |_| Ok(())), &rest)
}

/// Prints the rest after the output of clap. A closed pipe is not an error.
fn show(usage: std::io::Result<()>, rest: &str) -> Exit {
    let printed = match usage {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => output::deliver(None, rest),
    };
    printed.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verbs_are_those_of_the_program() {
        let command = crate::command::command();
        let names: std::collections::BTreeSet<&str> =
            command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(names, VERBS.into_iter().collect());
        assert!(TOPICS.iter().flat_map(|topic| topic.verbs).all(|verb| VERBS.contains(verb)));
    }

    #[test]
    fn pages_are_laid_out() {
        let laid_out = "T\n=\n\nS\n-\n    # no heading\n\n    $ x\nend\n";
        assert_eq!(page("# T\n\n## S\n```sh\n# no heading\n\n$ x\n```\nend\n"), laid_out);
    }
}
