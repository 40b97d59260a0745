//! Names of other tools with signs in them: `at(r1)`, `req[0]`, `req<0>`, `a-b`. They stand between double quotes, unless a
//! list of inputs or outputs has them.

/// The longest name with signs that begins at `start`, where a word does.
pub(super) fn from(text: &str, start: usize) -> Option<&str> {
    let rest = &text[start..];
    let mut end = word(rest);
    let first = end;
    loop {
        let more = &rest[end..];
        let close = match more.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            Some('<') => '>',
            Some('-') => {
                let own = word(&more[1..]);
                if own == 0 {
                    break;
                }
                end += 1 + own;
                continue;
            }
            _ => break,
        };
        // What is between brackets is words and commas.
        let Some(inner) = more[1..].find(|c: char| !is_inner(c)).filter(|inner| *inner > 0) else { break };
        if !more[1 + inner..].starts_with(close) {
            break;
        }
        end += inner + 2;
    }
    (first > 0 && end > first).then(|| &rest[..end])
}

/// The hint that a name with a sign at `at` stands between double quotes.
pub(super) fn hint_at(text: &str, at: usize) -> Option<String> {
    let before = &text[..at];
    let start = before.trim_end_matches(is_word).len();
    let name = from(text, start).filter(|name| start + name.len() > at && start < at)?;
    Some(format!("a name with such signs stands between double quotes: `\"{name}\"`"))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | '\'')
}

fn is_inner(c: char) -> bool {
    is_word(c) || c == ','
}

/// The length of the word at the beginning.
fn word(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_word).len()
}

#[cfg(test)]
mod tests {
    use crate::ltl::{LtlKind, parse_ltl};
    use tsl_synth_core::diag::Diagnostics;
    use tsl_synth_core::source::SourceMap;

    fn read(text: &str, names: &[&str]) -> Result<Vec<String>, Vec<String>> {
        let mut map = SourceMap::new();
        let source = map.add("<text>", text);
        let mut found = Diagnostics::new();
        let module = parse_ltl(&map, source, &|name| names.contains(&name), &mut found);
        let Some(module) = module else {
            return Err(found.iter().flat_map(|found| found.hints.clone()).collect());
        };
        let exprs = module.exprs.enumerate();
        let names = exprs.filter_map(|(_, expr)| match &expr.kind {
            LtlKind::Proposition(name) => Some(name.to_string()),
            _ => None,
        });
        Ok(names.collect())
    }

    #[test]
    fn listed_names_with_signs_are_names() {
        for name in ["at(r1)", "req[0]", "req<0>", "a-b", "x-y-1", "at(r1,r2)", "p[1][2]"] {
            for text in ["G (NAME -> F c)", "NAME & c", "F NAME | !c", "G(NAME->c)", "!NAME U c"] {
                let text = text.replace("NAME", name);
                let expected = vec![name.to_owned(), "c".to_owned()];
                assert_eq!(read(&text, &[name]), Ok(expected.clone()), "{text}");
                let hints = read(&text, &[]).expect_err("a name that is not listed");
                assert!(
                    hints.iter().any(|hint| hint.contains(&format!("`\"{name}\"`"))),
                    "{text}: {hints:?}"
                );
                let header = format!("// inputs: {name}\n// outputs: c\n{text}");
                if !name.contains(',') {
                    assert_eq!(read(&header, &[]), Ok(expected), "{header}");
                }
            }
        }
    }

    #[test]
    fn operators_stay_operators() {
        for text in
            ["a->c", "a<->c", "a <-> c", "F(a)&c", "G(a-> X(c))", "X[2](a)|c", "F[0:3] a & c", "a U(c)"]
        {
            assert_eq!(read(text, &["a-b", "c"]), Ok(vec!["a".to_owned(), "c".to_owned()]), "{text}");
        }
    }
}
