//! The expansion of braces, `a{b,c}` and `{1..3}`, which bash does before all others, on the text of a word.

/// The most words that a word becomes; beyond it the expansion is unknown.
const WORDS: usize = 64;
/// The deepest nesting.
const DEPTH: usize = 16;
/// The most braces of a word: each is compared with all after it.
const BRACES: usize = 256;

/// The words that a word with its quotes becomes: itself, if it has no braces that are expanded. `None` if there are too
/// many.
pub(super) fn expanded(word: &str) -> Option<Vec<String>> {
    if !word.contains('{') {
        return Some(vec![word.to_owned()]);
    }
    expand(word, 0, &mut 0)
}

/// The words of a part, with the number of braces that were looked at so far.
fn expand(word: &str, depth: usize, braces: &mut usize) -> Option<Vec<String>> {
    if depth > DEPTH {
        return None;
    }
    let mut from = 0;
    while let Some(open) = find(word, from, &['{']) {
        *braces += 1;
        if *braces > BRACES {
            return None;
        }
        let inside = open + 1;
        if let Some((choices, end)) = choices(word, inside, depth, braces)? {
            let after = expand(&word[end..], depth + 1, braces)?;
            if choices.len() * after.len() > WORDS {
                return None;
            }
            let before = &word[..open];
            let all =
                choices.iter().flat_map(|own| after.iter().map(move |rest| format!("{before}{own}{rest}")));
            return Some(all.collect());
        }
        from = inside;
    }
    Some(vec![word.to_owned()])
}

/// What braces stand for, after their `{`, and the position after their `}`; the inner `None` if they are not expanded.
#[expect(clippy::option_option, reason = "the outer one is the limit")]
fn choices(
    word: &str,
    inside: usize,
    depth: usize,
    braces: &mut usize,
) -> Option<Option<(Vec<String>, usize)>> {
    let (mut parts, mut start, mut at, mut level) = (Vec::new(), inside, inside, 0_usize);
    let end = loop {
        let Some(next) = find(word, at, &['{', '}', ',']) else { return Some(None) };
        match word.as_bytes()[next] {
            b'{' => level += 1,
            b'}' if level == 0 => break next,
            b'}' => level -= 1,
            b',' if level == 0 => {
                parts.push(&word[start..next]);
                start = next + 1;
            }
            _ => {}
        }
        at = next + 1;
    };
    if parts.is_empty() {
        return Some(sequence(&word[inside..end])?.map(|all| (all, end + 1)));
    }
    parts.push(&word[start..end]);
    let mut all = Vec::new();
    for part in parts {
        all.extend(expand(part, depth + 1, braces)?);
        if all.len() > WORDS {
            return None;
        }
    }
    Some(Some((all, end + 1)))
}

/// `1..3`, `a..e`, `01..10..2`; the inner `None` if it is none.
#[expect(clippy::option_option, reason = "the outer one is the limit")]
fn sequence(text: &str) -> Option<Option<Vec<String>>> {
    let parts: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, "1"),
        [first, last, step] => (first, last, step),
        _ => return Some(None),
    };
    let Ok(step) = step.parse::<i64>() else { return Some(None) };
    // A step against the direction turns it around.
    let step = u64::try_from(step).ok()?.max(1);
    let letter = |text: &str| match text.as_bytes() {
        [c] if c.is_ascii_alphabetic() => Some(i64::from(*c)),
        _ => None,
    };
    let is_number =
        |text: &str| text.strip_prefix(['-', '+']).unwrap_or(text).bytes().all(|c| c.is_ascii_digit());
    let (from, to, is_letter) = match (letter(first), letter(last)) {
        (Some(from), Some(to)) => (from, to, true),
        _ if !is_number(first) || !is_number(last) => return Some(None),
        _ => match (first.parse::<i64>(), last.parse::<i64>()) {
            (Ok(from), Ok(to)) => (from, to, false),
            _ => return Some(None),
        },
    };
    if from.abs_diff(to) / step >= WORDS as u64 {
        return None;
    }
    let padded = |text: &str| {
        text.trim_start_matches(['-', '+']).starts_with('0') && text.trim_start_matches('-').len() > 1
    };
    let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
    let values = (0..=from.abs_diff(to) / step).map(|i| {
        let distance = i64::try_from(i * step).unwrap_or(0);
        if from <= to { from + distance } else { from - distance }
    });
    let text = |value: i64| match u8::try_from(value) {
        Ok(byte) if is_letter => char::from(byte).to_string(),
        _ => format!("{value:0width$}"),
    };
    Some(Some(values.map(text).collect()))
}

/// The next of these characters outside of quotes and expansions, from a position on.
fn find(word: &str, from: usize, wanted: &[char]) -> Option<usize> {
    let mut chars = word[from..].char_indices().peekable();
    let mut double = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' if !double => drop(chars.by_ref().find(|&(_, c)| c == '\'')),
            '"' => double = !double,
            '`' => {
                while chars.next().is_some_and(|(_, c)| {
                    if c == '\\' {
                        chars.next();
                    }
                    c != '`'
                }) {}
            }
            '$' if chars.next_if(|&(_, c)| c == '{').is_some() => {
                let mut open = 1;
                while open > 0 {
                    match chars.next()?.1 {
                        '{' => open += 1,
                        '}' => open -= 1,
                        _ => {}
                    }
                }
            }
            c if !double && wanted.contains(&c) => return Some(from + at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_become_the_words_that_they_become_in_bash() {
        let unclosed = "{a,".repeat(1_000);
        let long = format!("{{{}}}", "a,".repeat(100));
        let table: &[(&str, Option<&[&str]>)] = &[
            ("a", Some(&["a"])),
            ("{a,b}", Some(&["a", "b"])),
            ("x{a,b}y", Some(&["xay", "xby"])),
            ("{a,b}{c,d}", Some(&["ac", "ad", "bc", "bd"])),
            ("{a,{b,c}d}", Some(&["a", "bd", "cd"])),
            ("a{,.bak}", Some(&["a", "a.bak"])),
            ("{a}", Some(&["{a}"])),
            ("{}", Some(&["{}"])),
            ("{a,b", Some(&["{a,b"])),
            ("{a{b,c}", Some(&["{ab", "{ac"])),
            ("{1..3}", Some(&["1", "2", "3"])),
            ("{3..1}", Some(&["3", "2", "1"])),
            ("{1..5..2}", Some(&["1", "3", "5"])),
            ("{08..10}", Some(&["08", "09", "10"])),
            ("{-1..1}", Some(&["-1", "0", "1"])),
            ("{a..c}", Some(&["a", "b", "c"])),
            ("{a..1}", Some(&["{a..1}"])),
            ("{1..$x}", Some(&["{1..$x}"])),
            ("\"{a,b}\"", Some(&["\"{a,b}\""])),
            ("\\{a,b}", Some(&["\\{a,b}"])),
            ("{a\\,b}", Some(&["{a\\,b}"])),
            ("{'a,b',c}", Some(&["'a,b'", "c"])),
            ("${a,b}", Some(&["${a,b}"])),
            ("${a,}{b,c}", Some(&["${a,}b", "${a,}c"])),
            ("{$(0),b}", Some(&["$(0)", "b"])),
            ("HEAD^{tree}", Some(&["HEAD^{tree}"])),
            ("stash@{0}", Some(&["stash@{0}"])),
            ("{1..1000}", None),
            (&long, None),
            (&unclosed, None),
        ];
        for (word, expected) in table {
            let found = expanded(word);
            let expected = expected.map(|all| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{word}");
        }
    }
}
