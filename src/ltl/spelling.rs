//! Similar names, for hints about misspellings.

use strsim::osa_distance;

/// Whether the names differ by one inserted, removed or replaced character, or by two swapped neighbors. Names that
/// differ in a number (`led1`, `led2`) or in a last capital (`stepX`, `stepY`), and short names (`am7`, `pm7`) are
/// assumed to differ on purpose.
pub fn one_edit(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if long.len() < 5 || long.len() - short.len() > 1 || short == long {
        return false;
    }
    let prefix = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let suffix =
        short[prefix..].iter().rev().zip(long[prefix..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (left, right) = (&short[prefix..short.len() - suffix], &long[prefix..long.len() - suffix]);
    // In a dotted name, the length of the part that differs counts.
    let dot = long.iter().rposition(|c| *c == '.').map_or(0, |dot| dot + 1);
    if prefix >= dot && long.len() - dot < 5 {
        return false;
    }
    let digits = |part: &[char]| part.iter().all(char::is_ascii_digit);
    if !(left.is_empty() && right.is_empty()) && digits(left) && digits(right) {
        return false;
    }
    let at_end = suffix == 0 && left.len() <= 1 && right.len() <= 1;
    if at_end && left.iter().chain(right).any(|c| c.is_uppercase() || c.is_ascii_digit()) {
        return false;
    }
    match (left, right) {
        ([] | [_], [_]) => true,
        ([p, q], [r, s]) => p == s && q == r,
        _ => false,
    }
}

/// The candidate with the least edit distance to `text` (insert, remove, replace, swap neighbors), if that is small for
/// the length of `text`. Blanks are ignored, and names that differ only in case have distance 0. Ties go to the first
/// candidate.
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are not compared.
    const LONGEST: usize = 200;
    let plain = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let wanted = plain(text);
    let length = wanted.chars().count();
    let allowed = (length / 3).clamp(1, 4);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other = plain(candidate);
        if length > LONGEST || other.chars().count().abs_diff(length) > allowed {
            continue;
        }
        let same = wanted.to_lowercase() == other.to_lowercase();
        let distance = if same { 0 } else { osa_distance(&wanted, &other) };
        // If every character differs, it is another name.
        if distance <= allowed && distance < length && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_was_meant() {
        let names = ["inMarket(summary)", "inCave(summary)", "go", "stop"];
        assert_eq!(nearest("inMarkt(summary)", names), Some("inMarket(summary)"));
        assert_eq!(nearest("incave( summary )", names), Some("inCave(summary)"));
        assert_eq!(nearest("sotp", names), Some("stop"));
        assert_eq!(nearest("og", names), Some("go"));
        assert_eq!(nearest("xx", names), None);
        assert_eq!(nearest("", names), None);
    }
}
