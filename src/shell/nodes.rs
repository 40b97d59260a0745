//! Helpers of [`super::read`] for the syntax tree of the crate `rable`.

use rable::{ListOperator, Node, NodeKind};

/// The pipelines of a list in order, each with the operator after it.
pub(super) fn pipelines(list: &Node) -> Vec<(&Node, Option<ListOperator>)> {
    let mut found = Vec::new();
    // The tree leans to the left, as deep as the list is long.
    let mut open = vec![(list, None)];
    while let Some((node, after)) = open.pop() {
        let NodeKind::List { items } = &node.kind else {
            found.push((node, after));
            continue;
        };
        let last = items.len().saturating_sub(1);
        for (i, item) in items.iter().enumerate().rev() {
            open.push((&item.command, if i == last { item.operator.or(after) } else { item.operator }));
        }
    }
    found
}

/// The text of a word with its quotes.
pub(super) fn word_text(node: &Node) -> Option<&str> {
    match &node.kind {
        NodeKind::Word { value, .. } | NodeKind::CondTerm { value, .. } => Some(value),
        _ => None,
    }
}

/// Whether a word is one process substitution and nothing else.
pub(super) fn is_process(word: &str) -> bool {
    let inside = word.strip_prefix(['<', '>']).and_then(|rest| rest.strip_prefix('('));
    inside.and_then(|rest| rest.strip_suffix(')')).is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Whether each `)` closes a `(` before it: else bash reads `((..))` as subshells.
pub(super) fn is_balanced(arithmetic: &str) -> bool {
    let mut open = 0usize;
    for c in arithmetic.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// `name=value`, `name[index]+=value`, `name=(elements)`, with quotes as in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    pub(super) index: Option<&'a str>,
    /// Whether it is `+=`.
    pub(super) appends: bool,
    pub(super) value: &'a str,
}

impl<'a> Assignment<'a> {
    /// The assignment that a word is.
    pub(super) fn of(word: &'a str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = word.find(|c: char| !is_part(c))?;
        let (name, mut rest) = word.split_at(end);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let mut index = None;
        if let Some(inside) = rest.strip_prefix('[') {
            let length = index_length(inside)?;
            index = Some(&inside[..length]);
            rest = &inside[length + 1..];
        }
        let appends = rest.starts_with('+');
        let value = rest.strip_prefix('+').unwrap_or(rest).strip_prefix('=')?;
        Some(Self { name, index, appends, value })
    }
    /// Whether the value is a list.
    pub(super) fn is_array(&self) -> bool {
        self.value.starts_with('(')
    }
    /// The elements of a list.
    pub(super) fn elements(&self) -> Option<&'a str> {
        let inside = self.value.strip_prefix('(')?;
        Some(inside.strip_suffix(')').unwrap_or(inside))
    }
}

/// The length of the text before the `]` that closes an index.
fn index_length(text: &str) -> Option<usize> {
    let (mut open, mut quote) = (0usize, None);
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match (c, quote) {
            ('\\', quote) if quote != Some('\'') => {
                characters.next();
            }
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('[', None) => open += 1,
            (']', None) if open == 0 => return Some(at),
            (']', None) => open -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Assignment, is_balanced, is_process, pipelines};
    use rable::ListOperator;

    #[test]
    fn assignments() {
        let of = |word| Assignment::of(word).map(|a| (a.name, a.index, a.appends, a.value));
        assert_eq!(of("a=b"), Some(("a", None, false, "b")));
        assert_eq!(of("a_1+=\"b c\""), Some(("a_1", None, true, "\"b c\"")));
        assert_eq!(of("a[x[1]]=2"), Some(("a", Some("x[1]"), false, "2")));
        assert_eq!(of("a['x]']=2"), Some(("a", Some("'x]'"), false, "2")));
        assert_eq!(Assignment::of("a=(b 'c d')").and_then(|a| a.elements()), Some("b 'c d'"));
        for word in ["=b", "1a=b", "--flag=x", "a", "a[1]", "a[1=2", "'a'=b", "a-b=c"] {
            assert_eq!(of(word), None, "{word}");
        }
    }

    #[test]
    fn lists_are_flat() {
        use ListOperator as O;
        let program = rable::parse("a && b || c; d & e", true).expect("a list");
        let operators: Vec<_> = pipelines(&program[0]).into_iter().map(|(_, operator)| operator).collect();
        assert_eq!(operators, [Some(O::And), Some(O::Or), Some(O::Semi), Some(O::Background), None]);
        // As deep as it is long.
        let length = tsl_synth_core::base::on_large_stack(|| {
            let program = rable::parse(&"a; ".repeat(10_000), true).expect("a list");
            pipelines(&program[0]).len()
        });
        assert_eq!(length.expect("a stack"), 10_000);
    }

    #[test]
    fn brackets() {
        assert!(is_balanced("(a) + b") && !is_balanced("a) ; (b") && !is_balanced("(a"));
        assert!(is_process("<(3)") && !is_process("x<(3)") && !is_process("<(a)") && !is_process("$(3)"));
    }
}
