//! Forms of verbs, and words that are verbs where a list can be read in two ways.

/// Verbs of requirements, in their plain form.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "accept", "accelerate", "acknowledge", "activate", "add", "adjust", "alert", "answer", "apply", "approve", "arm", "ask", "assert",
    "begin", "beep", "blink", "block", "brake", "buzz", "call", "cancel", "change", "charge", "check", "choose", "clean", "clear",
    "close", "come", "commit", "confirm", "connect", "cool", "copy", "count", "create", "deactivate", "decelerate", "decrease",
    "delete", "deliver", "deny", "deploy", "disable", "disarm", "discharge", "disconnect", "display", "drain", "drive", "drop",
    "dry", "eject", "emit", "empty", "enable", "engage", "enter", "erase", "exit", "fetch", "fill", "flash", "flush", "fly", "freeze",
    "give", "go", "grant", "halt", "heat", "hold", "honk", "ignore", "increase", "indicate", "inform", "issue", "land", "latch",
    "launch", "leave", "light", "load", "lock", "log", "lower", "mark", "measure", "move", "mute", "notify", "open", "operate", "pass", "pause",
    "play", "power", "print", "process", "pull", "pump", "push", "put", "raise", "read", "receive", "record", "refuse", "reject",
    "release", "reload", "remove", "repeat", "reply", "report", "request", "reset", "restart", "resume", "retry", "return", "ring", "rotate", "run",
    "save", "send", "set", "show", "shut", "signal", "skip", "slow", "sound", "spin", "start", "stop", "store", "switch", "take", "test", "tick",
    "toggle", "transmit", "trigger", "turn", "unload", "unlock", "update", "vibrate", "wait", "wake", "warm", "warn", "write",
];
/// Those that also say how something is.
#[rustfmt::skip]
const ALSO_STATES: [&str; 24] = [
    "open", "close", "clear", "clean", "cool", "dry", "empty", "light", "warm", "slow", "lower", "shut", "set", "live", "free", "lock",
    "idle", "secure", "mute", "run", "stop", "test", "pause", "hold",
];
/// Participles without `ed` or `en`.
#[rustfmt::skip]
const PARTICIPLES: [&str; 38] = [
    "gone", "done", "run", "come", "left", "met", "lost", "sent", "found", "made", "won", "shut", "cut", "put", "set", "hit", "got",
    "held", "built", "begun", "rung", "sunk", "stuck", "struck", "read", "become", "shown", "grown", "known", "flown", "drawn", "thrown",
    "blown", "kept", "slept", "felt", "paid", "said",
];

/// Whether a word is a verb in its plain form.
pub(super) fn is_verb(word: &str) -> bool {
    VERBS.contains(&word.to_lowercase().as_str())
}

/// Whether a word is a verb in its plain form and no state, as `open` is.
pub(super) fn is_only_verb(word: &str) -> bool {
    is_verb(word) && !ALSO_STATES.contains(&word.to_lowercase().as_str())
}

/// Whether a word behind `has` is a participle: `has opened`.
pub(super) fn is_participle(word: &str) -> bool {
    let word = word.to_lowercase();
    let regular = word.len() > 4 && (word.ends_with("ed") || word.ends_with("en"));
    regular
        && !["speed", "need", "feed", "garden", "kitchen", "screen", "token", "oxygen"]
            .contains(&word.as_str())
        || PARTICIPLES.contains(&word.as_str())
}

/// The form for one who does it: `presses`.
pub(super) fn third_person(verb: &str) -> String {
    let lower = verb.to_lowercase();
    let ends = |list: &[&str]| list.iter().any(|end| lower.ends_with(end));
    match lower.strip_suffix('y') {
        _ if lower == "have" => "has".to_string(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u', 'i']) && !stem.is_empty() => format!("{stem}ies"),
        _ if ends(&["s", "x", "z", "ch", "sh", "o"]) => format!("{lower}es"),
        _ => format!("{lower}s"),
    }
}

/// Whether a word is a form of a verb that says that it is done now: `run`, `runs`, `running`.
pub(super) fn is_present_of(said: &str, verb: &str) -> bool {
    said == verb || said == third_person(verb) || progressives(verb).iter().any(|form| form == said)
}

/// The verb of which a word is the form with `ing`, if it is known.
pub(super) fn verb_of(progressive: &str) -> Option<&'static str> {
    VERBS.iter().copied().find(|verb| progressives(verb).iter().any(|form| form == progressive))
}

/// The forms with `ing` that a verb may have.
fn progressives(verb: &str) -> Vec<String> {
    let mut all = vec![format!("{verb}ing")];
    if let Some(stem) = verb.strip_suffix("ie") {
        all.push(format!("{stem}ying"));
    } else if let Some(stem) = verb.strip_suffix('e') {
        all.push(format!("{stem}ing"));
    }
    if let Some(last) = verb.chars().last().filter(|c| !"aeiouwxy".contains(*c)) {
        all.push(format!("{verb}{last}ing"));
    }
    all
}

/// Whether a word is a verb with `ing`.
pub(super) fn is_progressive(word: &str) -> bool {
    word.len() > 4
        && word.to_lowercase().ends_with("ing")
        && !["thing", "nothing", "something", "everything", "anything", "morning", "evening"]
            .contains(&word.to_lowercase().as_str())
}
