//! The entry point for TSL: loads files as one [`Problem`].

use super::bounds;
use super::chosen;
use super::circular;
use super::declare;
use super::expand::Expander;
use super::finite::ONE_HOT_VALUES;
use super::idioms::Idioms;
use super::infer;
use super::lint;
use super::lower::{self, RawClause};
use super::misread;
use super::modules::{self, Loader, MainFile, Unit};
use super::past;
use super::piecewise;
use super::problem::Problem;
use super::signature::LiteralValue;
use super::stored;
use super::theory;
use super::truth_choices;
use super::value::{Expanded, ExpandedId, NameId, ValueUse};
use crate::syntax::ast::{Item, Section, SectionKind, SectionMode};
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::SourceMap;
use tsl_synth_ltl::operators::Dialect;

/// How files are read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The dialect, which determines operator precedence.
    pub dialect: Dialect,
    /// Whether every name must be declared.
    pub strict: bool,
    /// Values of numbers that the files define, which override those in the files.
    pub parameters: Vec<(String, i64)>,
    /// The budget of expansion, in nodes and steps.
    pub nodes: usize,
    /// The largest number of values of a range that have an atom each; the values of larger ranges are encoded in
    /// binary. Verdicts do not depend on it.
    pub one_hot_values: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            strict: false,
            parameters: Vec::new(),
            nodes: 1 << 20,
            one_hot_values: ONE_HOT_VALUES,
        }
    }
}

/// Why no [`Problem`] could be loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadFailure {
    /// Errors and warnings about the input.
    pub diagnostics: Diagnostics,
    /// The limit that the input exceeds, if it is well-formed as far as it was read; exit code 3, if there are no
    /// errors.
    pub limit: Option<Limit>,
}

impl std::fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.limit, self.diagnostics.iter().next()) {
            (Some(limit), _) => limit.fmt(f),
            (None, Some(first)) => first.fmt(f),
            (None, None) => f.write_str("the specification cannot be read"),
        }
    }
}

impl std::error::Error for LoadFailure {}

/// Loads files as one specification with the assumptions and the guarantees of all files. The second result holds
/// warnings and notes.
///
/// # Errors
/// All errors that were found, or the limit that was exceeded.
pub fn load_tsl(
    files: &[MainFile],
    options: &LoadOptions,
    map: &mut SourceMap,
    loader: &dyn Loader,
) -> Result<(Problem, Diagnostics), LoadFailure> {
    let mut diagnostics = Diagnostics::new();
    let name = files.first().map_or(String::new(), |file| stem(&map.get(file.source).name));
    let units = modules::load_units(files, options.dialect, map, loader, &mut diagnostics);
    let result =
        if diagnostics.has_errors() { Ok(None) } else { build(name, &units, options, &mut diagnostics) };
    diagnostics.sort();
    match result {
        Ok(Some(problem)) => Ok((problem, diagnostics)),
        Ok(None) => Err(LoadFailure { diagnostics, limit: None }),
        Err(limit) => Err(LoadFailure { diagnostics, limit: Some(limit) }),
    }
}

/// The file name without folders and its last extension.
pub(super) fn stem(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.into(),
        _ => file.into(),
    }
}

fn build(
    name: String,
    units: &[Unit],
    options: &LoadOptions,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Problem>, Limit> {
    let mut expander = Expander::new(units, options.nodes, diagnostics);
    circular::mark_cycles(&mut expander);
    expander.give(&options.parameters)?;
    let mut declarations = declare::declarations(&mut expander)?;
    let mut clauses = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        for item in &unit.module.items {
            if let Item::Section(section) = item {
                expand_section(&mut expander, index, section, &mut clauses)?;
            }
        }
    }
    let Expander { mut values, suspects, macros, widths, .. } = expander;
    let macro_names = macros.iter().map(|m| m.name.clone()).collect();
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    declare::bare_arrays(&widths, &values, &roots, diagnostics);
    let chosen = chosen::find(&declarations, &values, &roots, diagnostics);
    chosen::rewrite_clauses(&mut values, &mut clauses, &chosen)?;
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    stored::give_sorts(&mut values, &roots, &mut declarations, diagnostics)?;
    bounds::add_clauses(&mut values, &mut clauses, &declarations, diagnostics)?;
    truth_choices::rewrite_clauses(&mut values, &mut clauses, &declarations)?;
    let rewritten = piecewise::rewrite_clauses(&mut values, &mut clauses, &mut declarations, diagnostics)?;
    let roots: Vec<ExpandedId> = clauses.iter().map(|clause| clause.formula).collect();
    past::check(&values, &roots, diagnostics);
    let mut inferred = infer::infer(&values, &roots, &declarations, &suspects, options.strict, diagnostics);
    for name in &rewritten.hidden {
        if let Some(&symbol) = inferred.by_name.get(name) {
            inferred.symbols[symbol].hidden = true;
        }
    }
    inferred.chosen = chosen.iter().filter_map(|name| inferred.by_name.get(name).copied()).collect();
    for declared in &declarations.all {
        if let (Some(&symbol), Some((initial, span))) =
            (inferred.by_name.get(&declared.name), declared.initial)
        {
            let literal = match values.get(initial) {
                Expanded::Int(i) => Some(LiteralValue::Int(*i)),
                // Inference has reported that this is not a constant.
                Expanded::Name(name) if !declarations.variants.contains_key(name) => continue,
                Expanded::Name(name) => Some(LiteralValue::Variant(values.text(*name).to_string())),
                _ => None,
            };
            lint::initial_value(&inferred.symbols[symbol], literal.as_ref(), span, diagnostics);
        }
    }
    let idioms = Idioms::new(&declarations, &values, &clauses, &inferred);
    idioms.next_values(diagnostics);
    if diagnostics.has_errors() {
        return Ok(None);
    }
    idioms.first_step(diagnostics);
    lint::not_linear(&values, &roots, &inferred, diagnostics);
    idioms.demanded_values(diagnostics);
    lint::names(units, &macro_names, &declarations, &values, &roots, &inferred, diagnostics);
    misread::names(&declarations, &values, &roots, &inferred, diagnostics);
    if diagnostics.has_errors() {
        return Ok(None);
    }
    let initials: Vec<(NameId, ExpandedId)> =
        declarations.all.iter().filter_map(|d| d.initial.map(|(value, _)| (d.name, value))).collect();
    let contract = lower::RawContract { initials: &initials, clauses: &clauses, open: &rewritten.open };
    let lowered = lower::lower(name, &values, inferred, contract, options.one_hot_values);
    if lowered.is_err() {
        misread::large_ranges(&declarations, &values, diagnostics);
    }
    let problem = lowered?;
    theory::uninterpreted(units, &problem, diagnostics);
    lint::clauses(units, &problem, diagnostics);
    Ok(Some(problem))
}

fn expand_section(
    expander: &mut Expander<'_>,
    unit: usize,
    section: &Section,
    clauses: &mut Vec<RawClause>,
) -> Result<(), Limit> {
    let mut after = 0;
    if let Some(expr) = section.after {
        let span = expander.exprs(unit).span(expr);
        let value = expander.expand(unit, expr)?;
        if let Some(steps) = expander.int(value, span) {
            if steps < 0 {
                let message = "`after` counts steps, from 0";
                expander.report(Diagnostic::error(Code::NEGATIVE_BOUND, message).at(span, "negative"));
            } else {
                let total = i128::from(steps) * (section.clauses.len() as i128).max(1);
                expander.check_count(total)?;
                after = u32::try_from(steps)
                    .map_err(|_| Limit::new(LimitKind::Size, format!("`after {steps}` is too far away")))?;
            }
        }
    }
    for &clause in &section.clauses {
        let span = expander.exprs(unit).span(clause);
        let value = expander.expand(unit, clause)?;
        let formula = expander.formula(value, span)?;
        if expander.values.class(formula) == ValueUse::Error {
            continue;
        }
        let role = match section.kind {
            SectionKind::Assume => Role::Assumption,
            SectionKind::Guarantee => Role::Guarantee,
        };
        clauses.push(RawClause {
            role,
            always: section.mode == Some(SectionMode::Always),
            after,
            is_bare: section.mode.is_none() && section.after.is_none(),
            is_meaning: false,
            formula,
            span,
        });
    }
    Ok(())
}
