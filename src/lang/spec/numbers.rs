//! Comparisons of one number with literals. Numbers are taken to be dense (between any two literals there are others),
//! so the derived facts hold for integers and for decimal fractions.

use super::signature::LiteralValue;
use std::cmp::Ordering;

/// `x = v`, `x > v` or `x < v` for a decimal literal `v`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberComparison {
    relation: Ordering,
    value: PointlessDecimal,
}

/// A decimal number: the digits before and after the point, and the sign.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PointlessDecimal {
    negative: bool,
    /// Without leading zeros.
    whole: String,
    /// Without trailing zeros.
    fraction: String,
}

impl PointlessDecimal {
    fn new(literal: &LiteralValue) -> Option<Self> {
        let text = match literal {
            LiteralValue::Int(i) => i.to_string(),
            LiteralValue::Real(r) => r.clone(),
            LiteralValue::Bool(_) | LiteralValue::Variant(_) => return None,
        };
        let digits = text.trim_start_matches(['+', '-']);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if !(whole.bytes().chain(fraction.bytes())).all(|b| b.is_ascii_digit()) {
            return None;
        }
        let (whole, fraction) =
            (whole.trim_start_matches('0').to_string(), fraction.trim_end_matches('0').to_string());
        let zero = whole.is_empty() && fraction.is_empty();
        Some(Self { negative: text.starts_with('-') && !zero, whole, fraction })
    }
}

impl Ord for PointlessDecimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = self
            .whole
            .len()
            .cmp(&other.whole.len())
            .then_with(|| self.whole.cmp(&other.whole))
            .then_with(|| self.fraction.cmp(&other.fraction));
        match (self.negative, other.negative) {
            (false, false) => magnitude,
            (true, true) => magnitude.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for PointlessDecimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl NumberComparison {
    /// `x = literal`
    pub(super) fn equal(literal: &LiteralValue) -> Option<Self> {
        PointlessDecimal::new(literal).map(|value| Self { relation: Ordering::Equal, value })
    }
    /// `x > literal`
    pub(super) fn above(literal: &LiteralValue) -> Option<Self> {
        PointlessDecimal::new(literal).map(|value| Self { relation: Ordering::Greater, value })
    }
    /// `x < literal`
    pub(super) fn below(literal: &LiteralValue) -> Option<Self> {
        PointlessDecimal::new(literal).map(|value| Self { relation: Ordering::Less, value })
    }
    /// Whether the literal is greater than that of `other`.
    pub(super) fn is_above(&self, other: &Self) -> bool {
        self.value > other.value
    }
    /// Whether the comparison holds at a position: position 2k is below the k-th point and above the one before,
    /// position 2k + 1 is the k-th point itself.
    fn holds(&self, position: usize, points: &[&PointlessDecimal]) -> bool {
        let point = points.binary_search(&&self.value).unwrap_or(0) * 2 + 1;
        position.cmp(&point) == self.relation
    }
}

/// Whether some number gives these truth values to the comparisons.
pub(super) fn satisfiable(given: &[(NumberComparison, bool)]) -> bool {
    let mut points: Vec<&PointlessDecimal> = given.iter().map(|(c, _)| &c.value).collect();
    points.sort_unstable();
    points.dedup();
    (0..=2 * points.len()).any(|position| given.iter().all(|(c, truth)| c.holds(position, &points) == *truth))
}

/// A disjunction of literals, each saying that the comparison with this index has this truth value.
pub(super) type Disjunction = Vec<(usize, bool)>;

/// A small set of disjunctions that hold for exactly those truth assignments to the comparisons that some number
/// induces: pairs that are not implied by others, and `x < v || x = v || x > v`. Their number is quadratic.
pub(super) fn clauses(comparisons: &[NumberComparison]) -> Vec<Disjunction> {
    let mut points: Vec<&PointlessDecimal> = comparisons.iter().map(|c| &c.value).collect();
    points.sort_unstable();
    points.dedup();
    let count = 2 * points.len() + 1;
    let truths: Vec<Vec<bool>> =
        comparisons.iter().map(|c| (0..count).map(|p| c.holds(p, &points)).collect()).collect();
    let n = comparisons.len();
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                if (0..count).all(|p| truths[i][p] == a || truths[j][p] == b) {
                    pairs.push(vec![(i, a), (j, b)]);
                }
            }
        }
    }
    let mut kept = pairs.clone();
    // Dropping implied pairs takes O(n^5) time; beyond this size redundancy is cheaper.
    if n <= 32 {
        for pair in pairs {
            let rest: Vec<Disjunction> = kept.iter().filter(|p| **p != pair).cloned().collect();
            if rest.len() < kept.len() && implied(&rest, &pair, n) {
                kept = rest;
            }
        }
    }
    for point in &points {
        let find = |relation| comparisons.iter().position(|c| c.value == **point && c.relation == relation);
        if let (Some(a), Some(b), Some(c)) =
            (find(Ordering::Less), find(Ordering::Equal), find(Ordering::Greater))
        {
            kept.push(vec![(a, true), (b, true), (c, true)]);
        }
    }
    kept
}

/// Whether a pair follows from others: a path in the implication graph.
fn implied(pairs: &[Disjunction], pair: &Disjunction, n: usize) -> bool {
    let node = |(i, value): (usize, bool)| i * 2 + usize::from(value);
    let (start, goal) = (node((pair[0].0, !pair[0].1)), node(pair[1]));
    let mut seen = vec![false; 2 * n];
    let mut todo = vec![start];
    seen[start] = true;
    while let Some(at) = todo.pop() {
        if at == goal {
            return true;
        }
        for other in pairs {
            for (x, y) in [(other[0], other[1]), (other[1], other[0])] {
                // !x implies y.
                let (from, to) = (node((x.0, !x.1)), node(y));
                if from == at && !seen[to] {
                    seen[to] = true;
                    todo.push(to);
                }
            }
        }
    }
    false
}
