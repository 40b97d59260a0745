//! Finds formulas that another tool parses differently than we do.

use pest::iterators::Pairs;

use super::Rule;
use super::reader::TslReader;
use super::row::{RowToken, TokenKind, is_associative, symbols};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::shunting_yard::{OperatorNode, shunting_yard};

/// Whether a text may have been written for another TSL tool: it has a theory on its first line, the arrow of old files,
/// operators in capitals, of sets, or as-soon-as, or a clause `G a -> b`, which one of the tools parses as `G (a -> b)`.
/// Other texts get no warning about different parsing. Linear.
pub(super) fn bears_sign(pairs: &Pairs<'_, Rule>) -> bool {
    pairs.clone().flatten().any(|pair| match pair.as_rule() {
        Rule::theory => true,
        Rule::name => FOREIGN_WORDS.contains(&pair.as_str()),
        Rule::symbol => matches!(pair.as_str(), "(+)" | "(-)" | "(*)" | "(\\)"),
        Rule::separator => pair.as_str() == "֋",
        Rule::clause => {
            let mut elements = pair.into_inner();
            elements.next().is_some_and(|first| first.as_str() == "G")
                && elements.any(|element| element.as_str() == "->")
        }
        _ => false,
    })
}

/// The operators in letters that other tools have and people rarely write here.
const FOREIGN_WORDS: &[&str] = &[
    "A", "AND", "OR", "NOT", "IMPLIES", "EQUIV", "EQ", "NEQ", "LE", "GE", "LEQ", "GEQ", "ELEM", "PLUS",
    "MINUS", "MUL", "DIV", "MOD", "CUP", "CAP", "SETMINUS", "SIZE", "SUM", "PROD", "FORALL", "EXISTS",
];

/// A tree over a row, with the range of tokens that each node covers.
struct RowReading<'n> {
    nodes: &'n [OperatorNode],
    /// The first and the last token of each node.
    ranges: Vec<(u32, u32)>,
}

impl<'n> RowReading<'n> {
    fn new(nodes: &'n [OperatorNode]) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            ranges.push(match *node {
                OperatorNode::Operand(place) => (place, place),
                OperatorNode::Prefix(place, inner) => (place, ranges[inner as usize].1),
                OperatorNode::Infix(_, left, right) => (ranges[left as usize].0, ranges[right as usize].1),
            });
        }
        Self { nodes, ranges }
    }
    fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }
    /// The operands of the chain of one associative operator at `node`, from left to right.
    fn chain(&self, tokens: &[RowToken], node: u32) -> Vec<u32> {
        let operator = |n: u32| match self.nodes[n as usize] {
            OperatorNode::Infix(place, ..) => match tokens[place as usize].kind {
                TokenKind::Infix(op) => Some(op),
                _ => None,
            },
            _ => None,
        };
        let chained = operator(node).filter(|op| is_associative(*op));
        let (mut todo, mut chain) = (vec![node], Vec::new());
        while let Some(n) = todo.pop() {
            match self.nodes[n as usize] {
                OperatorNode::Infix(_, left, right) if chained.is_some() && operator(n) == chained => {
                    todo.push(right);
                    todo.push(left);
                }
                _ => chain.push(n),
            }
        }
        chain
    }
    /// The topmost node that covers exactly these tokens.
    fn covering(&self, range: (u32, u32)) -> Option<u32> {
        // Children come first, so the last one is the topmost.
        self.ranges.iter().rposition(|r| *r == range).map(|i| i as u32)
    }
}

/// The smallest ranges of tokens that two parse trees of one text divide in different ways.
fn differences(tokens: &[RowToken], ours: &RowReading<'_>, theirs: &RowReading<'_>) -> Vec<(u32, u32)> {
    let mut todo = vec![(ours.root(), theirs.root())];
    let mut places = Vec::new();
    while let Some((a, b)) = todo.pop() {
        let (chain_a, chain_b) = (ours.chain(tokens, a), theirs.chain(tokens, b));
        let ranges = |reading: &RowReading<'_>, chain: &[u32]| -> Vec<(u32, u32)> {
            chain.iter().map(|n| reading.ranges[*n as usize]).collect()
        };
        if ranges(ours, &chain_a) != ranges(theirs, &chain_b) {
            places.push(ours.ranges[a as usize]);
            continue;
        }
        if chain_a.len() > 1 {
            todo.extend(chain_a.into_iter().zip(chain_b));
            continue;
        }
        match (ours.nodes[a as usize], theirs.nodes[b as usize]) {
            (OperatorNode::Operand(_), OperatorNode::Operand(_)) => {}
            (OperatorNode::Prefix(p, x), OperatorNode::Prefix(q, y)) if p == q => todo.push((x, y)),
            (OperatorNode::Infix(p, x, v), OperatorNode::Infix(q, y, w)) if p == q => {
                todo.push((x, y));
                todo.push((v, w));
            }
            _ => places.push(ours.ranges[a as usize]),
        }
    }
    places
}

/// Warns once for each part of a row that another tool parses differently.
pub(super) fn compare(reader: &mut TslReader<'_>, tokens: &[RowToken], nodes: &[OperatorNode]) {
    let ours = RowReading::new(nodes);
    let tree = |dialect, wanted: bool| {
        let row = if wanted { symbols(tokens, dialect, false) } else { None };
        row.map(|row| shunting_yard(row.into_iter()))
    };
    let trees = [
        ("reactive-systems/tsltools", tree(Dialect::Tsltools, reader.compared.0)),
        ("Barnard-PL-Labs/tsltools", tree(Dialect::Barnard, reader.compared.1)),
    ];
    let mut places: Vec<(u32, u32)> = Vec::new();
    let mut theirs = Vec::new();
    for (tool, tree) in &trees {
        let Some(tree) = tree else { continue };
        let reading = RowReading::new(tree);
        let different = differences(tokens, &ours, &reading);
        places.extend(&different);
        theirs.push((*tool, reading, different));
    }
    // Both tools may differ in nested ranges: one warning about the outer one.
    places.sort_unstable_by_key(|&(low, high)| (low, std::cmp::Reverse(high)));
    let mut end = 0;
    let mut first = true;
    for range in places {
        if !first && range.1 <= end {
            continue;
        }
        if reader.has_warned_enough() {
            break;
        }
        (first, end) = (false, range.1);
        let span = tokens[range.0 as usize].span.to(tokens[range.1 as usize].span);
        let inside = |p: &(u32, u32)| range.0 <= p.0 && p.1 <= range.1;
        let Some(node) = ours.covering(range) else { continue };
        let here = show(reader, tokens, &ours, node);
        let mut warning = Diagnostic::warning(
            Code::READ_DIFFERENTLY,
            "other TSL tools read this formula differently".to_owned(),
        )
        .at(span, format!("read as `{here}`"));
        let mut said: Vec<(String, Vec<&str>)> = Vec::new();
        for (tool, reading, different) in &theirs {
            if !different.iter().any(inside) {
                continue;
            }
            let Some(node) = reading.covering(range) else { continue };
            let there = show(reader, tokens, reading, node);
            match said.iter_mut().find(|(text, _)| *text == there) {
                Some((_, tools)) => tools.push(tool),
                None => said.push((there, vec![tool])),
            }
        }
        for (there, tools) in said {
            let verb = if tools.len() == 1 { "reads" } else { "read" };
            warning = warning.hint(format!("{} {verb} `{there}`", tools.join(" and ")));
        }
        reader.report(warning.hint("parentheses make it the same everywhere"));
    }
}

/// The longest text shown for one operand, and for a whole reading.
const LONG: (usize, usize) = (40, 240);

/// A node as text, with parentheses around each inner operator that could be misread.
fn show(reader: &TslReader<'_>, tokens: &[RowToken], reading: &RowReading<'_>, root: u32) -> String {
    let (low, high) = reading.ranges[root as usize];
    let mut opens = vec![0usize; (high - low + 1) as usize];
    let mut closes = opens.clone();
    let mut todo = vec![root];
    while let Some(n) = todo.pop() {
        let children: &[u32] = match reading.nodes[n as usize] {
            OperatorNode::Operand(_) => &[],
            OperatorNode::Prefix(_, x) => &[x],
            OperatorNode::Infix(_, x, y) => &[x, y],
        };
        let above_infix = children.len() == 2;
        for &child in children {
            let group = match reading.nodes[child as usize] {
                OperatorNode::Operand(_) => false,
                OperatorNode::Infix(..) => true,
                OperatorNode::Prefix(_, inner) => {
                    above_infix && !matches!(reading.nodes[inner as usize], OperatorNode::Operand(_))
                }
            };
            if group {
                let (first, last) = reading.ranges[child as usize];
                opens[(first - low) as usize] += 1;
                closes[(last - low) as usize] += 1;
            }
            todo.push(child);
        }
    }
    let mut text = String::new();
    for place in low..=high {
        let token = &tokens[place as usize];
        let index = (place - low) as usize;
        text.push_str(&"(".repeat(opens[index]));
        let words: Vec<&str> = reader.slice(token.span).split_whitespace().collect();
        let words = words.join(" ");
        if words.chars().count() > LONG.0 {
            text.extend(words.chars().take(LONG.0 - 1));
            text.push('…');
        } else {
            text.push_str(&words);
        }
        text.push_str(&")".repeat(closes[index]));
        let tight = matches!(&*words, "!" | "-") && !matches!(token.kind, TokenKind::Infix(_));
        if place < high && !tight {
            text.push(' ');
        }
        if text.chars().count() > LONG.1 {
            text.push('…');
            break;
        }
    }
    text
}
