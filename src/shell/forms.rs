//! Programs whose command stands in a place of its own: the value of an option of one subcommand, what follows a `--` as
//! words for `ssh`, the arguments of a module.

use super::launchers::Outcome;
use super::runs::Runs;
use super::word::{ShellWord, WordPiece};

const UNKNOWN_TEXT: &str = "a script whose text is not known";
const UNCLEAR: &str = "options that are not known";

/// A subcommand that runs the text of an option, or what follows a `--`.
struct Form {
    programs: &'static str,
    /// Words of the subcommand that are among the operands, in this order.
    words: &'static str,
    /// Options whose values are texts of scripts.
    texts: &'static str,
    /// Whether words after `--` are words for `ssh`, after the name of the machine.
    is_ssh: bool,
}

const fn form(programs: &'static str, words: &'static str, texts: &'static str, is_ssh: bool) -> Form {
    Form { programs, words, texts, is_ssh }
}

const FORMS: &[Form] = &[
    form("vagrant", "ssh", "-c --command", true),
    form("fly flyctl", "ssh console", "-C --command", false),
    form("fly flyctl", "console", "-C --command", false),
    form("gcloud", "ssh", "--command", true),
    form("aws", "ecs execute-command", "--command", false),
    form("az", "run-command invoke", "--scripts", false),
    form("az", "run-command create", "--script", false),
    form("az", "command invoke", "-c --command", false),
    form("az", "container exec", "--exec-command", false),
    form("az", "containerapp exec", "--command", false),
    form("az", "ssh", "", true),
];

/// Subcommands whose parameters are commands in a notation that is not read.
const UNREAD: &[(&str, &str, &str)] = &[
    ("aws", "ssm send-command", "--parameters --cli-input-json"),
    ("aws", "ssm start-session", "--parameters --cli-input-json"),
];

/// Programs that are inside of another: `k3s kubectl`.
const INSIDE: &[(&str, &str)] = &[
    ("k3s", "kubectl crictl ctr"),
    ("rke2", "kubectl crictl ctr"),
    ("rancher", "kubectl"),
    ("minikube", "kubectl"),
    ("microk8s", "kubectl helm helm3 ctr istioctl linkerd"),
];

/// What a command runs by one of these forms; `None` if it has none of them.
pub(super) fn formed(name: &str, words: &[ShellWord]) -> Option<Runs> {
    if let Some(inner) = name.strip_prefix("microk8s.") {
        return Some(command(ShellWord::literal(inner), words));
    }
    if let Some((_, programs)) = INSIDE.iter().find(|(own, _)| *own == name) {
        return inside(programs, words);
    }
    match name {
        "nix" => nix_run(words),
        "start-stop-daemon" => daemon(words),
        "ansible" => Some(ansible(words)),
        "salt" | "salt-call" | "salt-ssh" => salt(words),
        _ => of_table(name, words),
    }
}

fn is_one_of(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|own| own == name)
}

fn command(program: ShellWord, words: &[ShellWord]) -> Runs {
    Runs::Command(std::iter::once(program).chain(words.iter().cloned()).collect())
}

fn is_option(word: &ShellWord) -> bool {
    matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('-'))
}

/// The words before the first `--`, and those after it.
fn at_mark(words: &[ShellWord]) -> (&[ShellWord], Option<&[ShellWord]>) {
    match words.iter().position(|word| word.text() == Some("--")) {
        Some(at) => (&words[..at], Some(&words[at + 1..])),
        None => (words, None),
    }
}

/// The values of some options: in the same word, also after the letter, or the next word; with `all` all words up to the
/// next option.
fn values(words: &[ShellWord], names: &str, all: bool) -> Vec<ShellWord> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(WordPiece::Text(start)) = word.pieces.first() else { continue };
        let cut = |length: usize| {
            let rest = (start.len() > length).then(|| WordPiece::Text(start[length..].to_owned()));
            let pieces = rest.into_iter().chain(word.pieces[1..].iter().cloned()).collect();
            ShellWord { pieces, ..word.clone() }
        };
        for name in names.split_ascii_whitespace() {
            let is_short = !name.starts_with("--");
            let is_bundle = is_short
                && !start.starts_with("--")
                && word.pieces.len() == 1
                && start.len() > 2
                && start.starts_with('-')
                && start[1..].chars().all(|c| c.is_ascii_alphabetic())
                && start.ends_with(&name[1..]);
            if word.text() == Some(name) || is_bundle {
                let rest = &words[at + 1..];
                let end = rest.iter().position(is_option).unwrap_or(rest.len());
                found.extend(rest[..if all { end } else { rest.len().min(1) }].iter().cloned());
            } else if let Some(rest) = start.strip_prefix(name) {
                if rest.starts_with('=') {
                    found.push(cut(name.len() + 1));
                } else if is_short {
                    found.push(cut(name.len()));
                }
            }
        }
    }
    found
}

/// Texts of scripts.
fn scripts(texts: &[ShellWord]) -> Runs {
    let known: Option<Vec<String>> = texts.iter().map(|word| word.text().map(str::to_owned)).collect();
    match known.as_deref() {
        None => Runs::Opaque(UNKNOWN_TEXT),
        Some([text]) => Runs::Script(text.clone(), false, false),
        Some(texts) => Runs::Scripts(texts.to_vec()),
    }
}

/// Whether words of a subcommand are among the operands, in their order, and whether that is certain.
fn has_words(operands: &[&ShellWord], wanted: &str) -> Option<bool> {
    let find = |with_unknown: bool| {
        let mut rest = operands.iter();
        wanted
            .split(' ')
            .all(|wanted| rest.any(|word| word.text().map_or(with_unknown, |text| text == wanted)))
    };
    if find(false) { Some(true) } else { find(true).then_some(false) }
}

fn of_table(name: &str, words: &[ShellWord]) -> Option<Runs> {
    let (before, rest) = at_mark(words);
    let operands: Vec<&ShellWord> = before.iter().filter(|word| !is_option(word)).collect();
    let unread = UNREAD.iter().filter(|(program, ..)| *program == name);
    for (_, wanted, options) in unread {
        if has_words(&operands, wanted).is_some() && !values(before, options, false).is_empty() {
            return Some(Runs::Opaque(UNKNOWN_TEXT));
        }
    }
    for form in FORMS.iter().filter(|form| is_one_of(form.programs, name)) {
        let Some(is_sure) = has_words(&operands, form.words) else { continue };
        let texts = values(before, form.texts, form.texts == "--scripts");
        let runs = match rest {
            _ if !texts.is_empty() => scripts(&texts),
            Some(rest) if form.is_ssh && !rest.is_empty() => {
                let words = std::iter::once(ShellWord::literal("host")).chain(rest.iter().cloned());
                command(ShellWord::literal("ssh"), &words.collect::<Vec<_>>())
            }
            _ => continue,
        };
        return Some(if is_sure { runs } else { Runs::Opaque(UNCLEAR) });
    }
    None
}

/// `k3s kubectl ..`, `minikube kubectl -- ..`
fn inside(programs: &str, words: &[ShellWord]) -> Option<Runs> {
    let mut at = 0;
    while words.get(at).is_some_and(is_option) {
        at += 1 + usize::from(matches!(words[at].text(), Some("-p" | "--profile")));
    }
    let first = words.get(at)?;
    let rest = &words[at + 1..];
    match first.text() {
        Some(text) if is_one_of(programs, text) => {
            let mark = rest.iter().position(|word| word.text() == Some("--"));
            let own = mark
                .filter(|&mark| rest[..mark].iter().all(is_option))
                .map_or(rest, |mark| &rest[mark + 1..]);
            Some(command(first.clone(), own))
        }
        None if !rest.is_empty() => Some(Runs::Opaque(UNCLEAR)),
        _ => None,
    }
}

/// `nix run nixpkgs#git -- push`
fn nix_run(words: &[ShellWord]) -> Option<Runs> {
    let (before, rest) = at_mark(words);
    let mut operands = before.iter().filter(|word| !is_option(word));
    if operands.next()?.text() != Some("run") {
        return None;
    }
    let of = |word: &ShellWord| word.text().map(|text| text.split_once('#').map(|(_, path)| path.to_owned()));
    let all: Vec<Option<Option<String>>> = operands.map(of).collect();
    let path = match all.iter().flatten().flatten().next() {
        Some(path) => path,
        // The program of a folder or of an address.
        None if all.iter().all(Option::is_some) => return Some(Runs::Nothing),
        None => return Some(Runs::Opaque("a program without a known name")),
    };
    let name = path.rsplit('.').next().unwrap_or_default();
    Some(command(ShellWord::literal(name), rest.unwrap_or(&[])))
}

/// `start-stop-daemon --start --exec PROGRAM -- WORDS`
fn daemon(words: &[ShellWord]) -> Option<Runs> {
    let (before, rest) = at_mark(words);
    let stops = |word: &ShellWord| {
        matches!(word.text(), Some("-K" | "--stop" | "-T" | "--status" | "-V" | "--version"))
    };
    if before.iter().any(stops) {
        return Some(Runs::Nothing);
    }
    let named = [values(before, "-a --startas", false), values(before, "-x --exec", false)].concat();
    let program = named.into_iter().next()?;
    Some(Runs::Apart(Box::new(command(program, rest.unwrap_or(&[]))), Outcome::Untold))
}

/// `ansible HOSTS -m shell -a TEXT`
fn ansible(words: &[ShellWord]) -> Runs {
    if words.iter().any(|word| word.splits) {
        return Runs::Opaque(UNCLEAR);
    }
    let module =
        values(words, "-m --module-name", false).pop().unwrap_or_else(|| ShellWord::literal("command"));
    let Some(module) = module.text() else { return Runs::Opaque(UNCLEAR) };
    let texts = values(words, "-a --args", false);
    match module.rsplit('.').next().unwrap_or_default() {
        "command" | "shell" | "raw" | "win_shell" | "win_command" if !texts.is_empty() => {
            Runs::Apart(Box::new(scripts(&texts[..1])), Outcome::Again)
        }
        "script" | "expect" => Runs::Opaque(UNKNOWN_TEXT),
        _ => Runs::Nothing,
    }
}

/// `salt HOSTS cmd.run TEXT`
fn salt(words: &[ShellWord]) -> Option<Runs> {
    let is_module = |word: &ShellWord| word.text().is_some_and(|text| text.starts_with("cmd."));
    if words.iter().any(|word| word.splits && !word.each) {
        return Some(Runs::Opaque(UNCLEAR));
    }
    let at = words.iter().position(is_module)?;
    Some(words.get(at + 1).map_or(Runs::Nothing, |text| scripts(std::slice::from_ref(text))))
}
