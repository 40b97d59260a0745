//! Recognizes LTL in the notations of other tools, single words as well as whole texts in another language.
//!
//! Texts that are not in Spot's syntax are refused; the hints say what to write instead. Sources: the grammars of
//! Spin, NuSMV, Acacia+ and Spot (which describes the prefix notation of LBT), and the standard of PSL (IEEE 1850).

use std::ops::Range;

use crate::operators::{BinaryOp, UnaryOp};
use crate::signs::{BOUNDS, ends_with_bounded, latex};

/// A word that is no operator here, with the operator that it stands for and what to write.
pub(super) type Meant<Op> = (Op, &'static str);

/// The operator that a word between two formulas stands for in other notations.
pub(super) fn infix(word: &str) -> Option<Meant<BinaryOp>> {
    Some(match word.to_lowercase().as_str() {
        "until" => (BinaryOp::Until, "write `U`, or `W` if its right side need not come, as in PSL"),
        "weakuntil" | "weak_until" | "unless" | "awaits" => (BinaryOp::WeakUntil, "write `W`"),
        "release" | "releases" => (BinaryOp::Release, "write `R`"),
        "strongrelease" | "strong_release" => (BinaryOp::StrongRelease, "write `M`"),
        "since" => (BinaryOp::Since, "write `S`"),
        "trigger" | "triggered" | "triggers" => (BinaryOp::Trigger, "write `T`"),
        "before" => (BinaryOp::WeakUntil, "write `a` before `b` as `!b W (a & !b)`"),
        "equals" | "eq" | "eqv" => (BinaryOp::Iff, "write `<->`"),
        _ => return None,
    })
}

/// What to do with the nexts of LTL on finite words.
const FINITE_NEXT: &str = "words are infinite here, and next is `X`; formulas over finite words are TLSF with \
                           `SEMANTICS: Mealy,Finite`, in which `X` is the weak next and `X[!]` the strong one";

/// The operator that a word before a formula stands for in other notations.
pub(super) fn prefix(word: &str) -> Option<Meant<UnaryOp>> {
    let of_paths = match word {
        "A" => Some((UnaryOp::Not, "LTL speaks about all runs: leave `A` out")),
        "E" => Some((UnaryOp::Not, "LTL speaks about all runs, and cannot say that there is one")),
        "AG" => Some((UnaryOp::Globally, "LTL speaks about all runs: write `G`")),
        "AF" => Some((UnaryOp::Finally, "LTL speaks about all runs: write `F`")),
        "AX" => Some((UnaryOp::Next, "LTL speaks about all runs: write `X`")),
        "EG" | "EF" | "EX" => {
            Some((UnaryOp::Not, "LTL speaks about all runs, and cannot say that there is one"))
        }
        "WX" | "WN" | "wX" | "N" => Some((UnaryOp::Next, FINITE_NEXT)),
        _ => None,
    };
    if of_paths.is_some() {
        return of_paths;
    }
    Some(match word.to_lowercase().as_str() {
        "always" | "globally" | "henceforth" => (UnaryOp::Globally, "write `G`"),
        "eventually" | "finally" | "sometime" | "sometimes" => (UnaryOp::Finally, "write `F`"),
        "next" | "nexttime" => (UnaryOp::Next, "write `X`"),
        "never" => (UnaryOp::Globally, "write `G !`"),
        "initially" => (UnaryOp::Not, "leave it out: a formula without an operator is about the first step"),
        "once" => (UnaryOp::Once, "write `O`"),
        "historically" => (UnaryOp::Historically, "write `H`"),
        "previously" | "yesterday" => (UnaryOp::Yesterday, "write `Y`"),
        _ => return None,
    })
}

/// The logical operator that is written as a word in capitals: `a AND b`.
pub(super) fn in_capitals(word: &str) -> Option<BinaryOp> {
    Some(match word {
        "AND" => BinaryOp::And,
        "OR" => BinaryOp::Or,
        "XOR" => BinaryOp::Xor,
        "IMPLIES" => BinaryOp::Implies,
        "EQUIV" | "IFF" => BinaryOp::Iff,
        _ => return None,
    })
}

/// Whether a text that is not LTL has features that only TSL has.
pub(super) fn reads_like_tsl(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let section = |pair: &[&str]| {
        matches!(pair[0], "always" | "initially") && matches!(pair[1], "assume" | "guarantee")
    };
    text.contains("<-") && text.contains('[') || words.windows(2).any(section)
}

/// A text that is in another language: the bytes that show it, a message, and what to do.
pub(super) struct Foreign {
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) hint: String,
}

/// Recognizes the language of a text that is not LTL in Spot's syntax; `None` if it is unknown. Linear in the text.
pub(super) fn language(text: &str, comments: &[Range<usize>]) -> Option<Foreign> {
    let plain = without(text, comments);
    let found = |at: Range<usize>, message: &str, hint: &str| {
        Some(Foreign { at, message: message.into(), hint: hint.into() })
    };
    let start = first_word(&plain);
    let rest = &plain[start..];
    let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let after = rest[word..].trim_start();
    let first = start..start + word;
    match &rest[..word] {
        "ltl" if block(after) => {
            return found(first, "this is a block of Promela", "write the formula alone: `[] (a -> <> b)`");
        }
        "never" if after.starts_with('{') => {
            let hint = "write the formula that it was made from";
            return found(first, "this is a never claim, an automaton of Spin", hint);
        }
        "LTLSPEC" | "SPEC" | "CTLSPEC" | "PSLSPEC" | "INVARSPEC" | "MODULE" => {
            let hint = "write the formula alone, with one proposition for each comparison";
            return found(first, "this is a text of NuSMV", hint);
        }
        "INFO" if after.starts_with('{') => {
            return found(first, "this is TLSF", "name the file `.tlsf`, or say `--input-format tlsf`");
        }
        "HOA" if after.starts_with(':') => {
            return found(first, "this is an automaton in HOA", "a specification is a formula");
        }
        _ => {}
    }
    if rest.starts_with('{') && after.trim_start_matches('{').trim_start().starts_with('"') {
        return found(start..start + 1, "this is JSON", "write the formulas alone, one on each line");
    }
    if let Some(at) = ["[spec_unit", "#define"].iter().find_map(|word| {
        let at = plain.find(word)?;
        let before = plain[..at].trim_end_matches([' ', '\t']);
        (before.is_empty() || before.ends_with('\n')).then_some(at..at + word.len())
    }) {
        let hint = match &plain[at.clone()] {
            "#define" => "write the definition out, or call the proposition by its name",
            _ => "leave these lines out; assumptions stand in `assume { .. }`",
        };
        return found(at.clone(), &format!("`{}` means nothing here", &plain[at]), hint);
    }
    if let Some(found) = by_line(&plain) {
        return Some(found);
    }
    if let Some((at, infix)) = prefix_notation(&plain) {
        return found(at, "this is the prefix notation of LBT", &format!("write it in infix: `{infix}`"));
    }
    if let Some((at, hint)) = latex_commands(&plain) {
        return found(at, "this is LaTeX", &hint);
    }
    if let Some(at) = compared_bounds(&plain) {
        return found(at, "bounds of another form", BOUNDS);
    }
    if let Some(at) = ["[<", "{<", "_[", "_{"].iter().filter_map(|sign| plain.find(sign)).min() {
        let hint = "`G[<=3]`, `G{<=3}` and `G_[0,3]` are `G[0:3]`";
        return found(at..at + 2, "bounds of another form", hint);
    }
    if let Some(at) = plain.find('?').filter(|at| plain[*at..].contains(':')) {
        let hint = "write one implication for each case: `(c -> a) & (!c -> b)`";
        return found(at..at + 1, "LTL has no `? :`", hint);
    }
    let regular = ["|->", "|=>", "[]->", "<>->", "[*", "[+]", "##["];
    let at = regular.iter().filter_map(|sign| Some((plain.find(sign)?, sign.len()))).min();
    let (at, length) = at.filter(|_| plain.contains('{'))?;
    let hint = "say it with `X`: `{a;b}|->c` is `a -> X (b -> c)`";
    found(at..at + length, "regular expressions of PSL are not read", hint)
}

/// The first command of LaTeX for an operator, and what to write for it and for the others.
fn latex_commands(plain: &str) -> Option<(Range<usize>, String)> {
    const LISTED: usize = 6;
    let mut first = None;
    let mut pairs: Vec<String> = Vec::new();
    for (at, _) in plain.match_indices('\\').filter(|(at, _)| !plain[..*at].ends_with('/')) {
        let Some((command, spelling)) = latex(&plain[at..]) else { continue };
        first.get_or_insert(at..at + command.len());
        let pair = format!("`{spelling}` for `{command}`");
        if pairs.len() < LISTED && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    Some((first?, format!("write {}", pairs.join(", "))))
}

/// Bounds that are comparisons with a number, right after an operator: `F<=3`, `◇≤3`.
fn compared_bounds(plain: &str) -> Option<Range<usize>> {
    let signs = plain.match_indices(['<', '≤', '>', '≥']);
    signs.map(|(at, sign)| at..at + sign.len()).find(|at| {
        let after = plain[at.end..].trim_start_matches('=').trim_start();
        after.starts_with(|c: char| c.is_ascii_digit()) && ends_with_bounded(&plain[..at.start])
    })
}

/// Where the first word begins that is in no comment, neither of LTL nor of other tools.
fn first_word(plain: &str) -> usize {
    let mut start = 0;
    loop {
        let rest = &plain[start..];
        start += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}').len();
        let rest = &plain[start..];
        let is_comment = rest.starts_with("--") && !rest.starts_with("-->") || rest.starts_with("# ");
        match rest.find('\n').filter(|_| is_comment) {
            Some(end) => start += end,
            None => return start,
        }
    }
}

/// Recognizes a language by the first word of a line: comments of other tools, and assumptions of Acacia+.
fn by_line(plain: &str) -> Option<Foreign> {
    let mut start = 0;
    for line in plain.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let line = line.trim();
        let sign = if line.starts_with('#') {
            1
        } else if line.starts_with("--") && !line.starts_with("-->") {
            2
        } else {
            0
        };
        if sign > 0 {
            let hint = "a comment begins with `//`, and so do the lines `// inputs: a` and `// outputs: b`";
            let message = format!("comments do not begin with `{}`", &line[..sign]);
            return Some(Foreign { at: at..at + sign, message, hint: hint.into() });
        }
        if let Some((word, hint)) = signal_list(line) {
            let message = "inputs and outputs are listed in comments".to_owned();
            return Some(Foreign { at: at..at + word, message, hint });
        }
        if let Some(rest) = line.strip_prefix("assume ").or_else(|| line.strip_prefix("guarantee "))
            && !rest.trim_start().starts_with(['{', '-', '<', '&', '|', ';', ')', '='])
        {
            let word = line.split(' ').next().unwrap_or_default();
            let message = format!("a brace is missing after `{word}`");
            let hint = format!("write `{word} {{ {} }}`", rest.trim_end_matches(';').trim());
            return Some(Foreign { at: at..at + word.len(), message, hint });
        }
    }
    None
}

/// Recognizes a list of signals as other tools write it, `inputs: a b`, `.outputs c`, `input a;`, `c ins=a,b`: the length of
/// its first word, and the comment to write.
fn signal_list(line: &str) -> Option<(usize, String)> {
    let word = |text: &str| {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        end.unwrap_or(text.len())
    };
    let start = if line.starts_with("c ") { 2 } else { usize::from(line.starts_with('.')) };
    let length = word(&line[start..]);
    let key = match line[start..start + length].to_lowercase().as_str() {
        "inputs" | "input" | "ins" => "inputs",
        "outputs" | "output" | "outs" => "outputs",
        _ => return None,
    };
    let rest = &line[start + length..];
    let list = rest.trim_start();
    let names = list.trim_start_matches([':', '=']).trim().trim_end_matches(';');
    if names.len() == list.len() && (rest.len() == list.len() || start == 2) {
        return None;
    }
    let is_operator = |word: &str| {
        matches!(word, "U" | "W" | "R" | "V" | "M" | "S" | "T" | "and" | "or" | "xor" | "implies" | "iff")
    };
    let names: Vec<&str> = names.split([' ', ',', '\t', ';']).filter(|name| !name.is_empty()).collect();
    let is_name = |name: &&str| word(name) > 0 && !is_operator(name);
    (!names.is_empty() && names.iter().all(is_name))
        .then(|| (start + length, format!("write `// {key}: {}` in the first lines", names.join(", "))))
}

/// Whether a block begins: a brace, perhaps after a name.
fn block(text: &str) -> bool {
    let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.trim_start().starts_with('{')
}

/// The text with blanks in place of comments.
fn without(text: &str, comments: &[Range<usize>]) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut done = 0;
    for comment in comments {
        plain.push_str(&text[done..comment.start]);
        plain.extend(text[comment.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        done = comment.end;
    }
    plain.push_str(&text[done..]);
    plain
}

/// Longer texts are not tried as prefix notation.
const LONGEST: usize = 4_000;

/// The first line that has an operator between two formulas before both of them, and its formula in infix, if all lines
/// are in the prefix notation of LBT.
fn prefix_notation(plain: &str) -> Option<(Range<usize>, String)> {
    if plain.len() > LONGEST {
        return None;
    }
    let mut first = None;
    let mut start = 0;
    for line in plain.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let (formula, has_infix) = to_infix(line)?;
        if has_infix && first.is_none() {
            first = Some((at..at + line.len(), formula));
        }
    }
    first
}

/// The formula of a line in prefix notation in infix, and whether it has an operator between two formulas.
fn to_infix(line: &str) -> Option<(String, bool)> {
    let mut has_infix = false;
    // What is read from the right: each formula, and whether it needs parentheses as an operand.
    let mut stack: Vec<(String, bool)> = Vec::new();
    let operand = |(text, is_open): (String, bool)| if is_open { format!("({text})") } else { text };
    for token in tokens(line)?.into_iter().rev() {
        let op = match token {
            "&" => "&",
            "|" => "|",
            "i" => "->",
            "e" => "<->",
            "^" => "xor",
            "U" | "R" | "W" | "M" => token,
            "V" => "R",
            "!" | "X" | "F" | "G" => {
                let body = operand(stack.pop()?);
                let blank = if token == "!" { "" } else { " " };
                stack.push((format!("{token}{blank}{body}"), false));
                continue;
            }
            "t" | "f" => {
                stack.push((if token == "t" { "true" } else { "false" }.into(), false));
                continue;
            }
            _ => {
                stack.push((token.into(), false));
                continue;
            }
        };
        let (left, right) = (stack.pop()?, stack.pop()?);
        stack.push((format!("{} {op} {}", operand(left), operand(right)), true));
        has_infix = true;
    }
    match stack.len() {
        1 => stack.pop().map(|(text, _)| (text, has_infix)),
        _ => None,
    }
}

/// The words of a line in prefix notation; `None` if there are others.
fn tokens(line: &str) -> Option<Vec<&str>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            c if c.is_whitespace() => {
                rest = rest.trim_start();
                continue;
            }
            '!' | '&' | '|' | '^' => 1,
            '"' => rest[1..].find('"')? + 2,
            c if c.is_ascii_alphanumeric() || c == '_' => {
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            _ => return None,
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use super::to_infix;

    #[test]
    fn prefix_notation_is_turned_around() {
        for (prefix, infix) in [
            ("| F a G b", "F a | G b"),
            ("& G F a ! U b c", "G F a & !(b U c)"),
            ("G i p0 F p1", "G (p0 -> F p1)"),
            ("e V \"a b\" t ^ p f", "(\"a b\" R true) <-> (p xor false)"),
            ("!a", "!a"),
        ] {
            let found = to_infix(prefix).map(|found| found.0);
            assert_eq!(found.as_deref(), Some(infix), "{prefix}");
        }
        for infix in ["a & b", "a", "G a b", "& a", "a |", "(& a b)"] {
            assert!(!to_infix(infix).is_some_and(|found| found.1), "{infix}");
        }
    }
}
