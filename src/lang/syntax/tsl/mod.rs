//! The parser of TSL: the grammar, the driver, and the entry points.
//!
//! The steps in order: [`scan`](tsl_synth_ltl::scan) bounds the nesting, the grammar (total: every text matches)
//! cuts the text into items and rows, `items` makes items of them, `reader` and `build` make expressions of
//! rows, `readings` compares the trees with those of other tools.

use tsl_synth_grammars::tsl as grammar;

mod brackets;
mod build;
mod declarations;
mod definitions;
mod items;
pub(super) mod mistakes;
mod pieces;
mod reader;
mod readings;
mod row;
mod time;
mod words;

use pest::Parser;

pub(crate) use grammar::Rule;
use reader::{RowContext, TslReader};

use super::Expression;
use super::ast::{ExprId, Exprs, Module};
use super::tslmt::{FUNCTIONS, Foreign, is_tsl_mt};
use tsl_synth_core::base::{NoResult, on_large_stack};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::scan::scan;

/// Up to this depth of brackets the caller's stack is enough.
const SHALLOW: usize = 40;

/// The words of a text, for the formatter: rule and byte range.
pub(crate) fn lexemes(text: &str) -> Option<Vec<(Rule, std::ops::Range<usize>)>> {
    let pairs = grammar::TslGrammar::parse(Rule::lexemes, text).ok()?.next()?.into_inner();
    let words = pairs.filter(|p| p.as_rule() != Rule::EOI);
    Some(words.map(|p| (p.as_rule(), p.as_span().start()..p.as_span().end())).collect())
}

/// Runs `work`, on a separate stack if brackets nest deeply.
fn with_room<T: Send>(
    depth: usize,
    diagnostics: &mut Diagnostics,
    work: impl FnOnce() -> T + Send,
) -> Option<T> {
    if depth <= SHALLOW {
        return Some(work());
    }
    match on_large_stack(work) {
        Ok(done) => Some(done),
        Err(NoResult::Panic(panic)) => std::panic::resume_unwind(panic),
        Err(NoResult::NoStack(_)) => {
            let message = "the system has no stack for brackets this deep".to_owned();
            diagnostics.push(Diagnostic::error(Code::TOO_DEEP, message));
            None
        }
    }
}

/// See [`super::parse_tsl`].
pub(crate) fn parse_file(
    map: &SourceMap,
    source: SourceId,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    let (module, found) = read_file(map, source, dialect, diagnostics)?;
    finish(module, found, diagnostics)
}

/// See [`super::parse_tsl_partly`].
pub(crate) fn read_partly(
    map: &SourceMap,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    let (module, found) = read_file(map, source, Dialect::default(), diagnostics)?;
    diagnostics.append(found);
    module
}

/// Parses a file as far as possible. Returns the module and the findings, errors included.
fn read_file(
    map: &SourceMap,
    source: SourceId,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<(Option<Module>, Diagnostics)> {
    let file = map.get(source);
    let foreign = match is_tsl_mt(&file.name).then(|| Foreign::new(&file.text)).transpose() {
        Ok(foreign) => foreign,
        Err(wrong) => {
            diagnostics.push(wrong.report(source));
            return None;
        }
    };
    let text = foreign.as_ref().map_or(file.text.as_str(), |foreign| foreign.text.as_str());
    let all = Span::new(source, 0, text.len());
    let scanned = scan(text, all, true, diagnostics)?;
    let (module, found) = with_room(scanned.depth, diagnostics, || {
        let mut reader = TslReader::new(text, all, dialect);
        if foreign.is_some() {
            reader.known.extend(FUNCTIONS);
        }
        let module = match grammar::TslGrammar::parse(Rule::file, text) {
            Ok(mut pairs) => pairs.next().map(|file| items::module(&mut reader, file.into_inner())),
            Err(error) => {
                not_total(&mut reader, &error);
                None
            }
        };
        let module = module.map(|(theory, items)| Module {
            source,
            theory,
            items,
            exprs: std::mem::take(&mut reader.exprs),
        });
        (module, reader.diagnostics)
    })?;
    let mut found = found;
    let finished = module.map(|mut module| {
        if let Some(foreign) = foreign {
            foreign.finish(&mut module).into_iter().for_each(|one| found.push(one));
        }
        module
    });
    Some((finished, found))
}

/// See [`super::parse_tsl_expression`].
pub(crate) fn parse_expression(
    map: &SourceMap,
    span: Span,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    let text = map.text(span);
    let scanned = scan(text, span, true, diagnostics)?;
    let (expression, found) = with_room(scanned.depth, diagnostics, || {
        let mut reader = TslReader::new(text, span, dialect);
        let root = standalone(&mut reader);
        let exprs: Exprs = std::mem::take(&mut reader.exprs);
        (root.map(|root| Expression { exprs, root }), reader.diagnostics)
    })?;
    finish(expression, found, diagnostics)
}

fn standalone<'a>(reader: &mut TslReader<'a>) -> Option<ExprId> {
    let text: &'a str = reader.text;
    match grammar::TslGrammar::parse(Rule::standalone, text) {
        Ok(mut pairs) => {
            let at = reader.place(0, text.len());
            if !readings::bears_sign(&pairs) {
                reader.compared = (false, false);
            }
            let parts = reader.read(pairs.next()?.into_inner(), RowContext::Term, at);
            let root = reader.single(&parts, RowContext::Term);
            if root.is_none() && !reader.diagnostics.has_errors() {
                let message = "expected an expression".to_owned();
                reader.error(Code::EMPTY_FORMULA, at, message, "nothing is here", "");
            }
            root
        }
        Err(error) => {
            not_total(reader, &error);
            None
        }
    }
}

/// Reports where the grammar does not match, which should not happen, since it matches every text.
fn not_total(reader: &mut TslReader<'_>, error: &pest::error::Error<Rule>) {
    let at = match error.location {
        pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
    };
    let span = reader.place(at, at);
    reader.error(Code::SYNTAX, span, "the text cannot be read from here on".to_owned(), "", "");
}

/// Adds the findings to `diagnostics`; returns `None` if there are errors among them.
fn finish<T>(result: Option<T>, mut found: Diagnostics, diagnostics: &mut Diagnostics) -> Option<T> {
    found.sort();
    let failed = found.has_errors();
    // If there are errors, warnings about how other tools read a formula are dropped.
    let wanted = found.into_iter().filter(|d| !failed || d.code != Code::READ_DIFFERENTLY);
    wanted.for_each(|d| diagnostics.push(d));
    result.filter(|_| !failed)
}
