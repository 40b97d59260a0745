//! Finds formulas that another tool parses differently than we do.

use pest::iterators::Pairs;

use super::Rule;
use super::reader::TslReader;
use super::row::{RowToken, TokenKind, is_associative, symbols};
use crate::syntax::row_readings::{RowReading, differences, show};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_ltl::operators::{BinaryOp, Dialect};
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
        let different = differences(&|place| regrouped(tokens, place), &ours, &reading);
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
        let here = shown(reader, tokens, &ours, node);
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
            let there = shown(reader, tokens, reading, node);
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

/// The operator of a token, if regrouping a chain of it changes nothing.
fn regrouped(tokens: &[RowToken], place: u32) -> Option<BinaryOp> {
    match tokens[place as usize].kind {
        TokenKind::Infix(op) => Some(op).filter(|op| is_associative(*op)),
        _ => None,
    }
}

/// A node as text, with parentheses around each inner operator that could be misread.
fn shown(reader: &TslReader<'_>, tokens: &[RowToken], reading: &RowReading<'_>, root: u32) -> String {
    show(reading, root, &|place| {
        let token = &tokens[place as usize];
        let words: Vec<&str> = reader.slice(token.span).split_whitespace().collect();
        let words = words.join(" ");
        let tight = matches!(&*words, "!" | "-") && !matches!(token.kind, TokenKind::Infix(_));
        (words, tight)
    })
}
