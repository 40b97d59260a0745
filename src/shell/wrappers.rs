//! What a command runs besides itself, by its words and its standard input. The tables are in `launchers`.

use super::argv::defines_alias;
use super::escapes::runs_commands;
use super::forms::formed;
use super::found::{found, repeated};
use super::git_commands::has_unknown_subcommand;
use super::launchers::{Launcher, Then, Without, is_of_system, launchers};
use super::outcome::{given, names_script};
use super::packages::{managed, program_word};
use super::programs::{
    GIT_COMMANDS, OPTION_COMMANDS, PROGRAM_VARIABLES, RUNNING_WORDS, SHELLS, UNREADABLE, VariableUse,
};
use super::runs::Runs;
use super::tree::Fed;
use super::word::{ShellWord, WordPiece};

/// A script that a program may run while it works, any number of times, or why its text is not known.
pub(super) type Meanwhile = Result<String, &'static str>;

pub(super) const UNREAD: &str = "a shell whose script is not known";
const UNCLEAR: &str = "options that are not known";
const FED_PROGRAM: &str = "a program whose name is read from its input";
const UNKNOWN_TEXT: &str = "a script whose text is not known";
/// Values of settings of git that name no command of their own.
const HARMLESS: &[&str] =
    &["", "true", "false", "cat", "less", "store", "cache", "osxkeychain", "manager", "/dev/null"];
/// What a command with these words runs, with a text on its standard input.
pub(super) fn runs(words: &[ShellWord], input: Option<&ShellWord>, fed: Option<&Fed>) -> Runs {
    let Some(name) = words.first().and_then(ShellWord::program) else {
        return Runs::Opaque("a program without a known name");
    };
    if UNREADABLE.contains(&name) || name.starts_with("ld-linux") && words.len() > 1 {
        return Runs::Opaque("a command that runs what it is given");
    }
    let arguments = &words[1..];
    let begins = |start: &str| {
        arguments
            .iter()
            .any(|word| matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with(start)))
    };
    if name == "tmux" && sends_control_keys(arguments) {
        return Runs::Nothing;
    }
    if RUNNING_WORDS.iter().any(|&(program, start)| program == name && begins(start)) {
        return Runs::Opaque("a command that runs what it is given");
    }
    if runs_commands(name, arguments, input) {
        return Runs::Opaque("code that runs commands");
    }
    if SHELLS.contains(&name) {
        return shell(name, arguments, input);
    }
    if name == "find" || name == "fd" {
        return find(name, arguments);
    }
    match launched(name, arguments, (input, fed)) {
        Runs::Nothing if name == "git" && !defines_alias(words) && has_unknown_subcommand(words) => {
            Runs::Opaque("a subcommand that git does not have, perhaps an alias")
        }
        runs => runs,
    }
}

/// The text on the standard input, and what is known of what a command before in a pipeline writes.
type Input<'i> = (Option<&'i ShellWord>, Option<&'i Fed>);

/// `tmux send-keys -t NAME C-c`: no text for a shell.
fn sends_control_keys(words: &[ShellWord]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(ShellWord::text).collect();
    let is_key = |text: &&str| {
        let control =
            text.strip_prefix("C-").or(text.strip_prefix("^")).is_some_and(|rest| rest.chars().count() == 1);
        control || ["Enter", "Escape", "q"].contains(text)
    };
    match texts.as_deref() {
        Some(["send-keys" | "send", "-t", _, keys @ ..] | ["send-keys" | "send", keys @ ..]) => {
            keys.iter().all(is_key)
        }
        _ => false,
    }
}

fn launched(name: &str, words: &[ShellWord], input: Input<'_>) -> Runs {
    if let Some(runs) = formed(name, words) {
        return runs;
    }
    let own = || launchers().filter(|launcher| launcher.names.contains(&name));
    let mut is_unclear = false;
    for launcher in own().filter(|launcher| !launcher.path.is_empty()) {
        match subcommand(launcher, words) {
            Some(Ok(at)) => {
                let (before, words) = words.split_at(at);
                return wrapped(name, launcher, before, words, input);
            }
            Some(Err(())) => is_unclear = true,
            None => {}
        }
    }
    if is_unclear {
        return Runs::Opaque(UNCLEAR);
    }
    if let Some(launcher) = own().find(|launcher| launcher.path.is_empty()) {
        return wrapped(name, launcher, &[], words, input);
    }
    match managed(name, words) {
        // `pnpm watch --mode dev` is no `watch` of the system.
        Runs::Either(inner)
            if inner[0].text().is_some_and(is_of_system)
                && matches!(runs(&inner, None, None), Runs::Opaque(_)) =>
        {
            Runs::Nothing
        }
        runs => runs,
    }
}

/// The position after the words of a subcommand; `None` if it is another one, and an error if that is not known.
fn subcommand(launcher: &Launcher, words: &[ShellWord]) -> Option<Result<usize, ()>> {
    let (mut at, mut is_sure) = (0, true);
    for wanted in launcher.path {
        loop {
            let word = words.get(at)?;
            at += 1;
            let Some(text) = word.text() else {
                if word.splits {
                    return Some(Err(()));
                }
                // It may be this word.
                is_sure = false;
                break;
            };
            if text == *wanted {
                break;
            }
            if !text.starts_with('-') {
                return None;
            }
            let Some(takes_word) = option(launcher, text) else {
                // It may take the next word, or not.
                let names = |word: &ShellWord| word.text().is_none_or(|text| text == *wanted);
                return words[at..].iter().any(names).then_some(Err(()));
            };
            at += usize::from(takes_word);
        }
    }
    // Where nothing follows, no command is named.
    if is_sure { Some(Ok(at)) } else { (at < words.len()).then_some(Err(())) }
}

/// Whether an option takes the next word; `None` if it is not known.
fn option(launcher: &Launcher, text: &str) -> Option<bool> {
    if launcher.long_flags.contains(&text) {
        return Some(false);
    }
    if launcher.long_valued.contains(&text) {
        return Some(true);
    }
    if text.starts_with("--") {
        let (name, _) = text.split_once('=')?;
        let is_known = launcher.long_valued.contains(&name) || launcher.long_flags.contains(&name);
        return (is_known || launcher.names == ["valgrind"]).then_some(false);
    }
    let letters = &text[1..];
    let valued = letters.find(|c| launcher.valued.contains(c));
    let flags = &letters[..valued.unwrap_or(letters.len())];
    if letters.is_empty() || !flags.chars().all(|c| launcher.flags.contains(c)) {
        return None;
    }
    // The value is the rest of the word, or the next one.
    Some(valued.is_some_and(|place| place + 1 == letters.len()))
}

pub(super) fn is_assignment(word: &ShellWord) -> bool {
    let Some(WordPiece::Text(text)) = word.pieces.first() else { return false };
    text.split_once('=').is_some_and(|(name, _)| {
        !word.splits && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The value of an option in its own word, or in the next one.
fn option_value(text: &str, next: Option<&ShellWord>) -> Option<ShellWord> {
    match text.split_once('=') {
        Some((_, value)) => Some(ShellWord::literal(value)),
        None => next.cloned(),
    }
}

/// The script that is the value of an option.
fn script_of_option(text: &str, next: Option<&ShellWord>) -> Runs {
    match option_value(text, next).as_ref().and_then(ShellWord::text) {
        Some(text) => Runs::Script(text.to_owned(), false, false),
        None => Runs::Opaque(UNKNOWN_TEXT),
    }
}

/// What a launcher runs with these words after those of its subcommand.
fn wrapped(
    name: &str,
    launcher: &Launcher,
    before: &[ShellWord],
    words: &[ShellWord],
    (input, fed): Input<'_>,
) -> Runs {
    if let Then::After(marks) = launcher.then {
        return after(launcher, marks, before, words);
    }
    let outcome = |runs: Runs, end: usize| {
        if launcher.outcomes.is_empty() {
            return runs.with_outcome(launcher, &[]);
        }
        let own: Vec<ShellWord> = before.iter().chain(&words[..end]).cloned().collect();
        runs.with_outcome(launcher, &given(launcher, &own))
    };
    let (mut at, mut options) = (0, true);
    let mut operands = launcher.operands;
    let (mut entrypoint, mut has_terminal) = (None, false);
    while let Some(word) = words.get(at) {
        if launcher.assignments && is_assignment(word) {
            at += 1;
            continue;
        }
        if word.splits && operands + usize::from(options) > 0 && launcher.then != Then::Text {
            return Runs::Opaque(UNCLEAR);
        }
        let option_text = match (word.text(), word.pieces.first()) {
            _ if !options => None,
            (Some(text), _) if text.starts_with('-') => Some(text),
            (None, Some(WordPiece::Text(text))) if text.starts_with("--") && text.contains('=') => {
                at += 1;
                continue;
            }
            (None, Some(WordPiece::Any)) if operands == 0 && !launcher.late_options => {
                return Runs::Opaque(UNCLEAR);
            }
            (None, Some(WordPiece::Text(text))) if text.starts_with('-') => {
                // An option with its value in the same word, as `-p$PORT`.
                let is_valued =
                    text.chars().nth(1).is_some_and(|c| launcher.valued.contains(c)) && text.len() > 1;
                if !is_valued || word.splits {
                    return Runs::Opaque(UNCLEAR);
                }
                at += 1;
                continue;
            }
            _ => None,
        };
        let Some(text) = option_text else {
            if operands == 0 {
                // A shell in a container that needs a terminal reads no script.
                let is_shell =
                    matches!(&words[at..], [only] if only.text().is_some_and(|text| SHELLS.contains(&text)));
                if has_terminal && is_shell && entrypoint.is_none() && input.is_none() {
                    return Runs::Nothing;
                }
                return outcome(command(name, launcher, entrypoint, words.split_at(at), fed), at);
            }
            (operands, at) = (operands - 1, at + 1);
            options &= launcher.late_options || operands > 0;
            continue;
        };
        at += 1;
        has_terminal |= launcher.names.iter().any(|own| matches!(*own, "docker" | "kubectl"))
            && (text == "--tty" || !text.starts_with("--") && text.contains('t'));
        if names_script(launcher, text) {
            return outcome(script_of_option(text, words.get(at)), words.len());
        }
        if text == "--entrypoint" || text.starts_with("--entrypoint=") {
            entrypoint = option_value(text, words.get(at));
            at += usize::from(!text.contains('='));
            continue;
        }
        match text {
            "--" => options = false,
            // `env -`, `su - user`.
            "-" if matches!(name, "env" | "genv" | "su" | "runuser") => {}
            _ if runs_nothing(name, launcher, text) => return Runs::Nothing,
            _ => match option(launcher, text) {
                Some(false) => {}
                Some(true) if words.get(at).is_some_and(|value| !value.splits) => at += 1,
                _ => return Runs::Opaque(UNCLEAR),
            },
        }
    }
    match (name, launcher.without) {
        // Without a command it runs `echo`.
        ("xargs" | "gxargs", _) => {
            Runs::Repeatedly(vec![vec![ShellWord::literal("echo"), ShellWord::unknown()]])
        }
        ("ssh", _) if operands == 0 => match input.map(ShellWord::text) {
            Some(Some(text)) => Runs::Script(text.to_owned(), false, false),
            Some(None) => Runs::Opaque(UNKNOWN_TEXT),
            None => Runs::Nothing,
        },
        (_, Without::Shell) => Runs::Opaque("a shell"),
        _ => Runs::Nothing,
    }
}

/// Whether with this option a launcher runs no command.
fn runs_nothing(name: &str, launcher: &Launcher, text: &str) -> bool {
    match (name, text) {
        ("command", "-v" | "-V")
        | ("sudo", "-l" | "-v" | "-K" | "-V")
        | ("screen", "-ls" | "-list")
        | ("ssh", "-N" | "-V" | "-Q")
        | ("uv", "-m" | "--module") => true,
        ("sudo", _) => false,
        (_, "-h") => launcher.path.is_empty() && !launcher.valued.contains('h'),
        (_, "--help" | "--version") => launcher.path.is_empty(),
        _ => false,
    }
}

/// The command that follows one of these words, or the script of an option before it.
fn after(launcher: &Launcher, marks: &[&str], path: &[ShellWord], words: &[ShellWord]) -> Runs {
    let mark = words.iter().position(|word| word.text().is_some_and(|text| marks.contains(&text)));
    let before = &words[..mark.unwrap_or(words.len())];
    let name = |text: &str| text.split_once('=').map_or(text, |(name, _)| name).to_owned();
    let option = before
        .iter()
        .position(|word| word.text().is_some_and(|text| launcher.scripts.contains(&&*name(text))));
    // `-cTEXT`
    let attached = before.iter().filter_map(ShellWord::text).find_map(|text| {
        launcher.scripts.iter().filter(|own| own.len() == 2).find_map(|own| text.strip_prefix(own))
    });
    let runs = match (option, mark) {
        _ if before.iter().any(|word| word.splits) => Runs::Opaque(UNCLEAR),
        (Some(at), _) => script_of_option(words[at].text().unwrap_or_default(), words.get(at + 1)),
        (None, _) if attached.is_some_and(|text| !text.is_empty()) => {
            Runs::Script(attached.unwrap_or_default().to_owned(), false, false)
        }
        (None, Some(at)) if at + 1 < words.len() => Runs::Command(words[at + 1..].to_vec()),
        _ => Runs::Nothing,
    };
    runs.with_outcome(launcher, &given(launcher, &[path, before].concat()))
}

/// What a launcher makes of the words of its command.
fn command(
    name: &str,
    launcher: &Launcher,
    entrypoint: Option<ShellWord>,
    (options, words): (&[ShellWord], &[ShellWord]),
    fed: Option<&Fed>,
) -> Runs {
    let texts = || words.iter().map(ShellWord::text).collect::<Option<Vec<&str>>>();
    let unknown = Runs::Opaque(UNKNOWN_TEXT);
    match launcher.then {
        Then::Command => {
            let mut inner: Vec<ShellWord> = entrypoint.into_iter().chain(words.iter().cloned()).collect();
            inner[0] = program_word(name, &inner[0]);
            Runs::Command(inner)
        }
        Then::Again if launcher.names.contains(&"xargs") => {
            repeated(options, words, fed).map_or(Runs::Opaque(FED_PROGRAM), Runs::Repeatedly)
        }
        Then::Again => template(words.to_vec()),
        Then::Text => texts().map_or(unknown, |texts| Runs::Script(texts.join(" "), false, false)),
        Then::TextOrCommand if words.len() > 1 => Runs::Command(words.to_vec()),
        Then::TextOrCommand => texts().map_or(unknown, |texts| Runs::Script(texts.join(" "), false, false)),
        Then::TextAgain => texts().map_or(unknown, |texts| Runs::Scripts(vec![texts.join(" ")])),
        Then::Texts => {
            texts().map_or(unknown, |texts| Runs::Scripts(texts.into_iter().map(str::to_owned).collect()))
        }
        Then::Template => {
            let end = words.iter().position(|word| word.text().is_some_and(|text| text.starts_with(":::")));
            let own = &words[..end.unwrap_or(words.len())];
            let is_word = |word: &ShellWord| {
                word.text().is_some_and(|text| !text.contains([' ', ';', '|', '&', '$', '`', '<', '>', '\n']))
            };
            let is_simple = !own.is_empty() && own.iter().all(is_word);
            if is_simple { template(own.to_vec()) } else { Runs::Opaque(UNKNOWN_TEXT) }
        }
        // Further words are those of a shell.
        Then::Login => Runs::Opaque("a shell"),
        Then::After(marks) => after(launcher, marks, &[], words),
    }
}

/// The command of a template, whose arguments are not known.
fn template(mut inner: Vec<ShellWord>) -> Runs {
    let is_place =
        |word: &ShellWord| word.text().is_some_and(|text| text.contains(['{', '%']) || text == "/_");
    if is_place(&inner[0]) {
        return Runs::Opaque(FED_PROGRAM);
    }
    if inner.iter().any(is_place) {
        inner.truncate(1);
    }
    inner.push(ShellWord::unknown());
    Runs::Repeatedly(vec![inner])
}

fn shell(name: &str, words: &[ShellWord], input: Option<&ShellWord>) -> Runs {
    let (mut at, mut script, mut stops, mut pipefail, mut reads_input) = (0, false, false, false, false);
    while let Some(word) = words.get(at) {
        let Some(text) = word.text() else { return Runs::Opaque(UNREAD) };
        let Some(letters) = text.strip_prefix(['-', '+']) else { break };
        at += 1;
        match letters {
            "-" | "" => break,
            "-version" | "-help" => return Runs::Nothing,
            "-login" | "-noprofile" | "-norc" => {}
            "-rcfile" | "-init-file" => return Runs::Opaque("a shell with a start file"),
            letters if letters.chars().all(|c| "cehluxioavsnfm".contains(c)) => {
                let is_on = text.starts_with('-');
                if is_on && letters.contains('n') {
                    // It only checks the syntax.
                    return Runs::Nothing;
                }
                // Shells but bash read the file that `ENV` names then.
                if letters.contains('i') && name != "bash" && name != "zsh" {
                    return Runs::Opaque("a shell with a start file");
                }
                script |= letters.contains('c');
                reads_input |= letters.contains('s');
                stops |= letters.contains('e') && is_on;
                if letters.contains('o') {
                    match words.get(at).and_then(ShellWord::text) {
                        Some("errexit") => stops = true,
                        Some("pipefail") => pipefail = true,
                        Some("nounset" | "xtrace") => {}
                        _ => return Runs::Opaque("a shell with unknown options"),
                    }
                    at += 1;
                }
            }
            _ => return Runs::Opaque("a shell with unknown options"),
        }
    }
    let text = match (words.get(at).map(ShellWord::text), input.map(ShellWord::text)) {
        (Some(text), _) if script => text,
        (None, Some(text)) if !script => text,
        (_, Some(text)) if reads_input => text,
        _ => None,
    };
    let Some(text) = text else {
        return match words.get(at) {
            Some(file) if !script && !reads_input => Runs::File(file.clone(), stops, pipefail),
            _ => Runs::Opaque(UNREAD),
        };
    };
    Runs::Script(text.to_owned(), stops, pipefail)
}

/// `find .. -exec CMD {} \;`
fn find(name: &str, words: &[ShellWord]) -> Runs {
    let executes = |word: &ShellWord| match word.text() {
        Some(text) if name == "fd" => ["-x", "-X", "--exec", "--exec-batch"].contains(&text),
        Some(text) => ["-exec", "-execdir", "-ok", "-okdir"].contains(&text),
        None => word.splits && word.pieces.first() == Some(&WordPiece::Any),
    };
    let mut places = words.iter().enumerate().filter(|(_, word)| executes(word));
    let Some((at, word)) = places.next() else { return Runs::Nothing };
    if word.text().is_none() {
        // Most likely a list of folders; to run a command, it would have to contain that command, too.
        return if places.next().is_some() { Runs::Opaque("several commands") } else { Runs::Nothing };
    }
    if places.next().is_some() {
        return Runs::Opaque("several commands");
    }
    let inner = words[at + 1..].iter().take_while(|word| !matches!(word.text(), Some(";" | "+")));
    let found = found(name, word.text(), &words[..at]);
    let inner: Vec<ShellWord> = inner
        .map(|word| match word.text() {
            Some("{}") => found.clone(),
            Some(text) if text.contains('{') => ShellWord::unknown(),
            _ => word.clone(),
        })
        .collect();
    if inner.is_empty() { Runs::Opaque("no command") } else { Runs::Repeatedly(vec![inner]) }
}

/// The scripts that a program may run while it works: options, settings and variables that name a command.
pub(super) fn meanwhile(words: &[ShellWord], assignments: &[(String, ShellWord)]) -> Vec<Meanwhile> {
    let mut all: Vec<Meanwhile> =
        assignments.iter().filter_map(|(name, value)| of_variable(name, value)).collect();
    let Some(name) = words.first().and_then(ShellWord::program) else { return all };
    let arguments = &words[1..];
    let sets = launchers().any(|launcher| launcher.assignments && launcher.names.contains(&name))
        || matches!(name, "export" | "declare" | "typeset" | "readonly" | "local");
    if sets {
        for word in arguments.iter().filter(|word| is_assignment(word)) {
            if let Some((variable, value)) = split_at(word, '=') {
                all.extend(of_variable(&variable, &value));
            }
        }
    }
    let subcommand = || arguments.iter().filter_map(ShellWord::text).find(|text| !text.starts_with('-'));
    for &(program, wanted, option) in OPTION_COMMANDS.iter().filter(|own| own.0 == name) {
        let has_subcommand = wanted.is_empty()
            || arguments.iter().any(|word| word.text() == Some(wanted))
            || subcommand().is_none();
        if has_subcommand {
            debug_assert!(program == name, "the table was filtered");
            all.extend(of_option(option, arguments));
        }
    }
    if name == "git" {
        all.extend(arguments.windows(2).filter_map(of_setting));
    }
    all
}

/// A word that begins with a known text up to a character: the text before it, and the word after it.
fn split_at(word: &ShellWord, at: char) -> Option<(String, ShellWord)> {
    let Some(WordPiece::Text(text)) = word.pieces.first() else { return None };
    let (name, rest) = text.split_once(at)?;
    let first = (!rest.is_empty()).then(|| WordPiece::Text(rest.to_owned()));
    let pieces = first.into_iter().chain(word.pieces[1..].iter().cloned()).collect();
    Some((name.to_owned(), ShellWord { pieces, splits: word.splits, ..ShellWord::default() }))
}

/// A text that is run with further words.
fn with_words(text: &str) -> String {
    format!("{text} \"$@\"")
}

fn of_variable(name: &str, value: &ShellWord) -> Option<Meanwhile> {
    if name == "PATH" {
        return (!is_usual_path(value)).then_some(Err("a PATH with folders of other programs"));
    }
    let (_, used) = PROGRAM_VARIABLES.iter().find(|(own, _)| *own == name)?;
    let Some(text) = value.text() else { return Some(Err("a variable that names a program")) };
    if text.is_empty() {
        return None;
    }
    let loads = |option: &str| {
        ["-r", "-M", "-m", "-d", "-e", "--require", "--import", "--loader", "--experimental-loader", "--eval"]
            .iter()
            .chain(&["-javaagent", "-agent", "SHELL="])
            .any(|start| option.starts_with(start))
    };
    match used {
        // A pager gets the text on its input, and no arguments.
        VariableUse::Command if name.ends_with("PAGER") => Some(Ok(text.to_owned())),
        VariableUse::Command => Some(Ok(with_words(text))),
        VariableUse::File if text == "/dev/null" || text == "0" => None,
        VariableUse::File => Some(Err("a variable that names a program")),
        VariableUse::Prompt if text.contains('`') || text.contains("$(") || text.contains("${") => {
            Some(Err("a prompt with commands"))
        }
        VariableUse::Options if text.split_whitespace().any(loads) => {
            Some(Err("a variable that names a program"))
        }
        VariableUse::Prompt | VariableUse::Options => None,
    }
}

/// Whether each folder of a value of `PATH` is one of the system, of the home folder or of the tools of a project, or begins
/// with an unknown part, as in `"$HOME/bin:$PATH"`. In other folders a name such as `ls` may be that of another program.
fn is_usual_path(value: &ShellWord) -> bool {
    const SYSTEM: &[&str] =
        &["/bin", "/sbin", "/usr", "/opt", "/snap", "/nix", "/home", "/root", "/Users", "/Library"];
    const PROJECT: &[&str] = &["node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin"];
    // Unknown parts stand as a character that no word has.
    const UNKNOWN: char = '\0';
    let text: String = value
        .pieces
        .iter()
        .map(|piece| match piece {
            WordPiece::Text(text) => text.as_str(),
            _ => "\0",
        })
        .collect();
    let is_below = |part: &str, folder: &&str| {
        part.strip_prefix(*folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_of_project = |part: &str| {
        let ends =
            |own: &&str| part.strip_suffix(*own).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        let is_shared = ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|folder| is_below(part, folder));
        PROJECT.iter().any(ends) && !is_shared
    };
    let is_usual = |part: &str| {
        let is_plain = !part.split('/').any(|name| name == "..");
        part.starts_with([UNKNOWN, '~'])
            || is_plain && (SYSTEM.iter().any(|folder| is_below(part, folder)) || is_of_project(part))
    };
    text.split(':').all(is_usual)
}

/// The commands that an option names, in all of its spellings.
fn of_option(option: &str, words: &[ShellWord]) -> Vec<Meanwhile> {
    let mut all = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let Some(WordPiece::Text(start)) = word.pieces.first() else { continue };
        let known = |value: ShellWord| value.text().map(str::to_owned).ok_or(UNKNOWN_TEXT);
        // Without a value the program ends with an error.
        let next = || words.get(i + 1).map(|value| known(value.clone()));
        if let Some(letter) = option.strip_prefix('-').filter(|rest| rest.len() == 1) {
            // It may stand in a bundle; its value is the rest of the word, or the next one.
            let bundle = start.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let Some((_, value)) = bundle.and_then(|bundle| bundle.split_once(letter)) else { continue };
            if value.is_empty() && word.pieces.len() == 1 {
                all.extend(next());
            } else if let Some((_, value)) = letter.chars().next().and_then(|letter| split_at(word, letter)) {
                all.push(known(value));
            }
            continue;
        }
        let name = start.split_once('=').map_or(start.as_str(), |(name, _)| name);
        if option.contains('=') {
            if let Some(value) = start.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
                let pieces = std::iter::once(WordPiece::Text(value.to_owned()))
                    .chain(word.pieces[1..].iter().cloned());
                all.push(known(ShellWord { pieces: pieces.collect(), ..ShellWord::default() }));
            }
            continue;
        }
        // Long options may be abbreviated.
        if name.len() > 4 && option.starts_with(name) {
            match split_at(word, '=') {
                Some((_, value)) => all.push(known(value)),
                None => all.extend(next()),
            }
        }
    }
    all
}

/// `-c NAME=VALUE` of git, where the value is a command.
fn of_setting(pair: &[ShellWord]) -> Option<Meanwhile> {
    let [option, setting] = pair else { return None };
    let inline = option.text().is_some_and(|text| text.starts_with("--config-env"));
    if !matches!(option.text(), Some("-c" | "--config")) && !inline {
        return None;
    }
    let setting = if inline && option.text() != Some("--config-env") {
        split_at(option, '=').map(|(_, rest)| rest)?
    } else {
        setting.clone()
    };
    let Some((name, value)) = split_at(&setting, '=') else {
        // Only a name: it is `true`.
        return setting.text().is_none().then_some(Err("a setting of git"));
    };
    let name = name.to_ascii_lowercase();
    let is_named = GIT_COMMANDS.iter().any(|own| match own.split_once('*') {
        Some((start, end)) => name.len() >= own.len() && name.starts_with(start) && name.ends_with(end),
        None => name == *own,
    });
    let text = value.text();
    if name.starts_with("alias.") {
        let own = text.map(|text| text.strip_prefix('!'));
        return match own {
            Some(Some(command)) => Some(Ok(with_words(command))),
            Some(None) => None,
            None => Some(Err("an alias that is not known")),
        };
    }
    match text {
        _ if !is_named => None,
        Some(text) if HARMLESS.contains(&text) && !inline => None,
        Some(text)
            if !inline && !matches!(&*name, "core.hookspath" | "include.path" | "init.templatedir") =>
        {
            Some(Ok(with_words(text.trim_start_matches('!'))))
        }
        _ => Some(Err("a setting of git")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::read_word;

    fn words(text: &str) -> Vec<ShellWord> {
        text.split(' ').map(|word| read_word(word, false).word).collect()
    }

    #[test]
    fn wrappers_are_seen_through() {
        for (text, inner) in [
            ("sudo -u root -n A=1 git push", "git push"),
            ("/usr/bin/env -i -u X A=\"$x\" git push", "git push"),
            ("timeout -k 5 --signal=KILL 10 git push", "git push"),
            ("nice -n5 git push", "git push"),
            ("nice -10 git push", "git push"),
            ("stdbuf -oL git push", "git push"),
            ("command -p git push", "git push"),
            ("timeout -- 5 git -C x push", "git -C x push"),
        ] {
            assert_eq!(runs(&words(text), None, None), Runs::Command(words(inner)), "{text}");
        }
        for text in [
            "sudo --strange git push",
            "timeout $t git push",
            "env -S x",
            "sudo $x",
            "$x push",
            "bash",
            "sh -c $x",
        ] {
            assert!(matches!(runs(&words(text), None, None), Runs::Opaque(_)), "{text}");
        }
        for text in ["command -v git", "git push", "env A=1", "find . -name x"] {
            assert_eq!(runs(&words(text), None, None), Runs::Nothing, "{text}");
        }
        assert_eq!(
            runs(&words("bash -e x.sh a"), None, None),
            Runs::File(ShellWord::literal("x.sh"), true, false)
        );
        assert_eq!(runs(&words("bash -lc 'ls' x"), None, None), Runs::Script("ls".into(), false, false));
        assert_eq!(runs(&words("sh -ec ls"), None, None), Runs::Script("ls".into(), true, false));
        assert_eq!(
            runs(&words("bash -eo pipefail -c ls"), None, None),
            Runs::Script("ls".into(), true, true)
        );
        assert!(
            matches!(runs(&words("xargs -0 -n 1 rm -f"), None, None), Runs::Repeatedly(inner) if inner[0].len() == 3)
        );
        assert!(
            matches!(runs(&words("find . -exec rm {} +"), None, None), Runs::Repeatedly(inner) if inner[0].len() == 2)
        );
    }
}
