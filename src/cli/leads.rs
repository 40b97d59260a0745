//! Where calls lead that the program does not have: verbs of other tools, a file in the place of a verb, words that are no
//! topic of the manual.

use crate::help;
use crate::output;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;
use tsl_synth_service::SpecLanguage;

/// Verbs of other tools, each with the call that does it here.
const OTHER_WORDS: [(&[&str], &str); 7] = [
    (
        &["synth", "synthesize", "synthesise", "generate", "gen", "build", "compile", "realize", "solve"],
        "`tsl-synth check SPEC` tells whether there is a controller, `tsl-synth emit SPEC --lang js` writes it",
    ),
    (
        &["run", "play", "exec", "execute", "start", "step", "sim"],
        "`tsl-synth simulate SPEC` plays the controller step by step, `tsl-synth view SPEC -o play.html` in the browser",
    ),
    (
        &["graph", "draw", "dot", "svg", "show", "plot", "diagram", "open", "machine"],
        "`tsl-synth view SPEC -o machine.html` draws the machine, `tsl-synth emit SPEC -o machine.svg` as a picture",
    ),
    (
        &["init", "create", "scaffold", "template"],
        "`tsl-synth new spec|policy|agent|ci` writes files to start from",
    ),
    (
        &["test", "validate", "lint", "analyze", "analyse"],
        "`tsl-synth check FILE` checks a specification or a policy",
    ),
    (&["format", "pretty"], "`tsl-synth fmt FILE` rewrites a specification in the standard layout"),
    (&["why", "trace", "debug"], "`tsl-synth explain SPEC` and `tsl-synth explain TRACE` tell why"),
];

/// What to do instead of a verb that does not exist; `None` if nothing is known.
fn instead_of(verb: &str) -> Option<String> {
    if is_file(verb) {
        let what =
            if SpecLanguage::of_ending(Path::new(verb)).is_some() { "a specification" } else { "a file" };
        return Some(format!(
            "`{verb}` is {what}, and a verb is missing: `tsl-synth check {verb}` checks it, `tsl-synth view {verb} -o view.html` draws it, `tsl-synth simulate {verb}` plays it"
        ));
    }
    let known = OTHER_WORDS.iter().find(|(words, _)| words.contains(&verb));
    known.map(|(_, instead)| format!("there is no verb `{verb}`: {instead}"))
}

/// Whether a word is the name of a file rather than that of a verb or topic.
fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    SpecLanguage::of_ending(path).is_some() || path.is_file()
}

/// Reports a wrong call better than the parser does, if that is possible, and ends the process; other errors are those of the
/// parser.
pub(crate) fn exit(error: &clap::Error, arguments: &[String]) -> ! {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let message = match error.kind() {
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand).and_then(instead_of),
        ErrorKind::InvalidValue if arguments.get(1).is_some_and(|verb| verb == "help") => {
            // The parser names topics that are spelled alike.
            let is_near = error.get(ContextKind::SuggestedValue).is_some();
            text(ContextKind::InvalidValue).filter(|_| !is_near).and_then(no_topic)
        }
        _ => None,
    };
    match message {
        Some(message) => std::process::exit(output::wrong(&message).code()),
        None => error.exit(),
    }
}

/// Words of the languages, whose pages explain them.
const LANGUAGE_WORDS: [&str; 22] = [
    "always",
    "assume",
    "cell",
    "eventually",
    "finally",
    "function",
    "globally",
    "guarantee",
    "initially",
    "input",
    "next",
    "operator",
    "operators",
    "output",
    "past",
    "predicate",
    "release",
    "since",
    "syntax",
    "until",
    "update",
    "updates",
];

/// Where the manual speaks of a word that is no topic; `None` if it does not.
fn no_topic(word: &str) -> Option<String> {
    if is_file(word) {
        return Some(format!(
            "`{word}` is a file: `tsl-synth check {word}` checks it; `tsl-synth help` lists the topics of the manual"
        ));
    }
    let mut pages = help::pages_about(word);
    if LANGUAGE_WORDS.contains(&word) {
        pages = vec!["tsl", "ltl", "tlsf"];
    }
    if pages.is_empty() {
        return None;
    }
    let named: Vec<String> = pages.iter().map(|page| format!("`tsl-synth help {page}`")).collect();
    Some(format!("there is no topic `{word}`; {} tell of it", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_tools_lead_to_verbs() {
        for (words, instead) in OTHER_WORDS {
            for word in words {
                assert!(instead_of(word).is_some_and(|text| text.contains(instead)), "{word}");
            }
            // The verbs that are named exist.
            for call in instead.split("tsl-synth ").skip(1) {
                let verb = call.split_whitespace().next().unwrap_or_default();
                assert!(help::is_verb(verb), "{verb}");
            }
        }
        assert!(instead_of("guard.tsl").is_some_and(|text| text.contains("tsl-synth check guard.tsl")));
        assert_eq!(instead_of("chekc"), None);
    }

    #[test]
    fn words_lead_to_the_manual() {
        assert!(no_topic("until").is_some_and(|text| text.contains("help tsl")));
        assert!(no_topic("webassembly").is_some_and(|text| text.contains("help library")));
        assert_eq!(no_topic("xyzzyx"), None);
    }
}
