//! The consequences of linear arithmetic for the truth values of comparisons, as clauses over the comparisons.
//!
//! A *threshold* of a linear form is an upper bound with `<` or `<=`. Each threshold of a form implies the greater ones.
//! Further clauses come from Fourier-Motzkin elimination of the numbers that the system chooses in this step: a positive
//! linear combination of comparisons in which these cancel is either contradictory, or a comparison of values that are
//! known before the system chooses, which becomes a proposition as well. By the theorem of Fourier and Motzkin, numbers
//! with given truth values of all comparisons exist iff no such combination is violated. So with all clauses, choosing
//! truth values is the same as choosing numbers ([`Facts::is_complete_for_system`]). For the environment, all numbers are
//! eliminated.
//!
//! A derived comparison whose values are all from the previous step is a comparison of that step, which may have further
//! consequences. After a given number of rounds, those that are left become unconstrained propositions: the environment
//! chooses them in the contract for REALIZABLE, and the system in the one for UNREALIZABLE.

use crate::comparisons::equal;
use crate::logic::{Formula, Logic, ago, and, constant, not, or};
use crate::numbers::{Comparison, Form, Relation, Symbols, form};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::Sum;

/// The largest number of combinations of forms.
const MAX_ROWS: usize = 4_000;
/// The largest number of thresholds, and of sums of comparisons that are considered.
const MAX_THRESHOLDS: usize = 400;
const MAX_SUMS: usize = 60_000;

/// A bound of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Threshold {
    bound: Rational,
    /// `<=` instead of `<`.
    at_most: bool,
}

/// A form some steps ago.
type Past = (Form, u32);

/// A comparison some steps ago with its truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Literal {
    of: Past,
    threshold: Threshold,
    holds: bool,
}

/// The player who is responsible for a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// The environment: only its numbers of this step occur.
    Environment,
    /// The environment, as long as the system has kept its clauses: values of earlier steps occur.
    EnvironmentSoFar,
    System,
}

/// The clauses about the comparisons of a contract.
#[expect(clippy::struct_excessive_bools, reason = "four independent properties")]
pub(crate) struct Facts {
    /// Each clause, and whether it is about what the environment or what the system chooses.
    pub(crate) clauses: Vec<(Formula, Keeper)>,
    /// The comparisons of earlier steps that are propositions of their own, by their names.
    pub(crate) free: BTreeSet<String>,
    /// Whether the system can choose numbers for all truth values that the clauses allow.
    pub(crate) is_complete_for_system: bool,
    /// Whether the environment can.
    pub(crate) is_complete_for_environment: bool,
    /// Whether more rounds would change nothing.
    pub(crate) is_final: bool,
    /// Whether clauses are about values of earlier steps.
    pub(crate) remember: bool,
    equalities: HashSet<Form>,
    symbols: Symbols,
}

/// The contract for which clauses are made: in one the environment, in the other the system has choices that are not
/// really its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// For REALIZABLE.
    Environment,
    /// For UNREALIZABLE.
    System,
}

struct Builder<'a> {
    symbols: &'a mut Symbols,
    thresholds: BTreeMap<Form, BTreeSet<Threshold>>,
    /// Thresholds of earlier steps that clauses mention.
    past: BTreeMap<Past, BTreeSet<Threshold>>,
    clauses: Vec<Vec<Literal>>,
    known_clauses: Vec<Vec<Literal>>,
    complete: [bool; 2],
    sums: usize,
}

/// The clauses about all comparisons of some formulas.
pub(crate) fn facts(symbols: &mut Symbols, formulas: &[Formula], rounds: usize, side: Side) -> Facts {
    let mut comparisons: Vec<Comparison> = Vec::new();
    let mut seen = HashSet::new();
    for formula in formulas {
        formula.visit(&mut |leaf| {
            if let Logic::Comparison(one) = leaf
                && seen.insert(one.clone())
            {
                comparisons.push(one.clone());
            }
        });
    }
    let equalities = equalities(symbols, &comparisons);
    let mut builder = Builder {
        thresholds: BTreeMap::new(),
        past: BTreeMap::new(),
        clauses: Vec::new(),
        known_clauses: Vec::new(),
        complete: [true; 2],
        sums: 0,
        symbols,
    };
    for one in comparisons.iter().filter(|one| !equalities.contains(&one.form)) {
        builder.add_comparison(one);
    }
    let is_final = builder.chosen(rounds);
    builder.known();
    builder.finish(equalities, &comparisons, is_final, side)
}

/// The forms that are one variable which is only compared for equality and occurs nowhere else: its comparisons only
/// exclude each other, and each may be true or none.
fn equalities(symbols: &Symbols, comparisons: &[Comparison]) -> HashSet<Form> {
    let mut uses: BTreeMap<&str, BTreeSet<&Form>> = BTreeMap::new();
    for one in comparisons {
        for number in one.form.symbols() {
            uses.entry(&symbols.get(number).name).or_default().insert(&one.form);
        }
    }
    let is_alone = |form: &Form| {
        form.symbols().count() == 1
            && form.symbols().all(|number| {
                let symbol = symbols.get(number);
                symbol.ago == 0 && uses[symbol.name.as_str()].len() == 1
            })
    };
    let only = |form: &Form| {
        comparisons.iter().filter(|one| one.form == *form).all(|one| one.relation == Relation::Equal)
    };
    comparisons.iter().map(|one| &one.form).filter(|form| is_alone(form) && only(form)).cloned().collect()
}

impl Builder<'_> {
    fn add_comparison(&mut self, one: &Comparison) {
        let integer = self.symbols.is_integer(&one.form.sum());
        let add = |own: &mut Self, comparison: &Comparison| {
            let threshold =
                Threshold { bound: comparison.bound, at_most: comparison.relation == Relation::AtMost };
            own.thresholds.entry(comparison.form.clone()).or_default().insert(threshold);
        };
        if one.relation == Relation::Equal {
            equal(&one.form, one.bound, integer).visit(&mut |leaf| {
                if let Logic::Comparison(one) = leaf {
                    add(self, one);
                }
            });
        } else {
            add(self, one);
        }
    }

    fn count(&self) -> usize {
        self.thresholds.values().chain(self.past.values()).map(BTreeSet::len).sum()
    }

    fn is_chosen(&self, form: &Form) -> bool {
        form.symbols().any(|number| self.symbols.get(number).is_chosen())
    }

    /// Clauses about what the system chooses, in rounds. Returns whether nothing was left open.
    fn chosen(&mut self, rounds: usize) -> bool {
        let mut round = 0;
        loop {
            let forms: Vec<Form> =
                self.thresholds.keys().filter(|form| self.is_chosen(form)).cloned().collect();
            let pasts: Vec<Past> = forms.into_iter().map(|form| (form, 0)).collect();
            let Some((rows, exact)) = self.rows(&pasts, false) else {
                self.complete[0] = false;
                return true;
            };
            self.complete[0] &= exact;
            self.clauses.clear();
            let mut growth = Growth { allowed: round < rounds, new: Vec::new(), open: false };
            for row in &rows {
                let Some(sums) = self.instances(&pasts, row) else {
                    self.complete[0] = false;
                    return true;
                };
                for sum in sums {
                    self.conclude(row, sum, &mut growth);
                }
            }
            let changed = !growth.new.is_empty();
            for (form, threshold) in growth.new {
                self.thresholds.entry(form).or_default().insert(threshold);
            }
            if self.count() > MAX_THRESHOLDS {
                self.complete[0] = false;
                return true;
            }
            if !changed {
                return !growth.open;
            }
            round += 1;
        }
    }

    /// The clause that a sum of comparisons gives.
    fn conclude(&mut self, row: &Row, sum: Summed, growth: &mut Growth) {
        let Summed { mut literals, bound, strict } = sum;
        if row.rest.value().is_some() {
            self.clauses.push(literals);
            return;
        }
        let steps = self.symbols.latest(&row.rest);
        let shifted = self.symbols.shifted(&row.rest, -i64::from(steps));
        let Some((base, scale)) = shifted.as_ref().and_then(form) else {
            self.complete[0] = false;
            return;
        };
        let Some(scaled) = bound.times(scale) else {
            self.complete[0] = false;
            return;
        };
        // The sum times a negative factor is at least the bound: the comparison with `<` or `<=` the other way is false.
        let (holds, mut threshold) = if scale.is_negative() {
            (false, Threshold { bound: scaled, at_most: strict })
        } else {
            (true, Threshold { bound: scaled, at_most: !strict })
        };
        if self.symbols.is_integer(&base.sum()) && !threshold.at_most {
            let below = scaled.ceiling().minus(Rational::ONE);
            threshold = Threshold { bound: below.unwrap_or(scaled), at_most: below.is_some() };
        } else if self.symbols.is_integer(&base.sum()) {
            threshold.bound = scaled.floor();
        }
        if steps == 0 || growth.allowed {
            if !self.thresholds.get(&base).is_some_and(|known| known.contains(&threshold)) {
                growth.new.push((base.clone(), threshold));
            }
        } else if !self.thresholds.get(&base).is_some_and(|known| known.contains(&threshold)) {
            growth.open = true;
        }
        let of = (base, steps);
        if steps > 0 {
            self.past.entry(of.clone()).or_default().insert(threshold);
        }
        literals.push(Literal { of, threshold, holds: !holds });
        self.clauses.push(literals);
    }

    /// Clauses about what is known before the system chooses.
    fn known(&mut self) {
        // A proposition of its own is compared with all that is known of its form.
        for (past, own) in &mut self.past {
            if let Some(base) = self.thresholds.get(&past.0)
                && !own.is_subset(base)
            {
                own.extend(base);
            }
        }
        let present =
            self.thresholds.keys().filter(|form| !self.is_chosen(form)).map(|form| (form.clone(), 0));
        let mut pasts: Vec<Past> = present.collect();
        pasts.extend(self.past.keys().cloned());
        let Some((rows, exact)) = self.rows(&pasts, true) else {
            self.complete[1] = false;
            return;
        };
        self.complete[1] &= exact;
        for row in rows.iter().filter(|row| row.factors.len() > 1) {
            let Some(sums) = self.instances(&pasts, row) else {
                self.complete[1] = false;
                return;
            };
            self.known_clauses.extend(sums.into_iter().map(|sum| sum.literals));
        }
    }

    /// The thresholds of a form some steps ago that clauses may mention.
    fn of(&self, past: &Past) -> Vec<Threshold> {
        let own = if past.1 == 0 { self.thresholds.get(&past.0) } else { self.past.get(past) };
        own.into_iter().flatten().copied().collect()
    }

    /// The combinations of forms with positive factors for upper and negative ones for lower bounds in which some symbols
    /// cancel, with the sum that is left; and whether they tell all about integers, too. `None` if there are too many.
    fn rows(&mut self, pasts: &[Past], all: bool) -> Option<(Vec<Row>, bool)> {
        let mut rows = Vec::new();
        let mut exact = true;
        for (index, (form, steps)) in pasts.iter().enumerate() {
            let sum = self.symbols.shifted(&form.sum(), i64::from(*steps))?;
            for factor in [Rational::ONE, Rational::ONE.negated()] {
                rows.push(Row { factors: BTreeMap::from([(index, factor)]), rest: sum.times(factor)? });
            }
        }
        loop {
            let cancels = |number: &u32| all || self.symbols.get(*number).is_chosen();
            let symbol = rows.iter().flat_map(|row| row.rest.terms().map(|(number, _)| number)).find(cancels);
            let Some(symbol) = symbol else { break };
            let (with, mut next): (Vec<Row>, Vec<Row>) =
                rows.into_iter().partition(|row| !row.rest.coefficient(symbol).is_zero());
            let (above, below): (Vec<&Row>, Vec<&Row>) =
                with.iter().partition(|row| row.rest.coefficient(symbol).is_positive());
            if self.symbols.get(symbol).integer && with.len() > 2 {
                let unit = |row: &Row| {
                    row.rest.coefficient(symbol).times(row.rest.coefficient(symbol)) == Some(Rational::ONE)
                        && self.symbols.is_integer(&row.rest)
                };
                exact &= with.iter().all(unit);
            }
            for upper in &above {
                for lower in &below {
                    if !upper.clashes(lower) {
                        next.push(upper.combined(lower, symbol)?);
                    }
                    if next.len() > MAX_ROWS {
                        return None;
                    }
                }
            }
            rows = minimal(next);
        }
        Some((rows, exact))
    }

    /// All choices of a threshold for each form of a combination, with the resulting inequality. If no variable is left,
    /// only minimal contradictions are returned. `None` if there are too many.
    fn instances(&mut self, pasts: &[Past], row: &Row) -> Option<Vec<Summed>> {
        let parts: Vec<(usize, Rational, Vec<Threshold>, bool)> = row
            .factors
            .iter()
            .map(|(&index, &factor)| {
                let integer = self.symbols.is_integer(&pasts[index].0.sum());
                (index, factor, self.of(&pasts[index]), integer)
            })
            .collect();
        let total = parts.iter().try_fold(1usize, |product, part| product.checked_mul(part.2.len()))?;
        self.sums = self.sums.checked_add(total)?;
        if self.sums > MAX_SUMS {
            return None;
        }
        let closed = row.rest.value().is_some();
        let mut all = Vec::new();
        let mut chosen = vec![0usize; parts.len()];
        for _ in 0..total {
            let (bound, strict) = summed(&parts, &chosen)?;
            let contradicts =
                |(bound, strict): (Rational, bool)| bound.is_negative() || strict && bound.is_zero();
            let wanted = !closed
                || contradicts((bound, strict))
                    && (0..parts.len()).all(|i| {
                        // A weaker literal: a greater upper or a smaller lower bound.
                        let at = chosen[i];
                        let weaker = if parts[i].1.is_negative() { at.checked_sub(1) } else { Some(at + 1) };
                        weaker.filter(|&at| at < parts[i].2.len()).is_none_or(|at| {
                            let mut other = chosen.clone();
                            other[i] = at;
                            summed(&parts, &other).is_none_or(|sum| !contradicts(sum))
                        })
                    });
            if wanted {
                let literals =
                    parts.iter().zip(&chosen).map(|((index, factor, thresholds, _), &at)| Literal {
                        of: pasts[*index].clone(),
                        threshold: thresholds[at],
                        holds: factor.is_positive(),
                    });
                all.push(Summed { literals: literals.collect(), bound, strict });
            }
            for (i, at) in chosen.iter_mut().enumerate() {
                *at += 1;
                if *at < parts[i].2.len() {
                    break;
                }
                *at = 0;
            }
        }
        Some(all)
    }

    fn finish(
        self,
        equalities: HashSet<Form>,
        comparisons: &[Comparison],
        is_final: bool,
        side: Side,
    ) -> Facts {
        let mut facts = Facts {
            clauses: Vec::new(),
            free: BTreeSet::new(),
            is_complete_for_system: self.complete[0],
            is_complete_for_environment: self.complete[1],
            is_final,
            remember: !self.past.is_empty(),
            equalities,
            symbols: self.symbols.clone(),
        };
        for (past, thresholds) in &self.past {
            for threshold in thresholds {
                if !self.thresholds.get(&past.0).is_some_and(|known| known.contains(threshold)) {
                    facts.free.insert(facts.name(past, *threshold));
                }
            }
        }
        let mut clauses = Vec::new();
        for (form, thresholds) in &self.thresholds {
            clauses.extend(chain(&(form.clone(), 0), thresholds));
        }
        for (past, thresholds) in &self.past {
            clauses.extend(chain(past, thresholds));
        }
        let mut made = facts.different(comparisons, side);
        let all = clauses.into_iter().chain(self.known_clauses).map(|clause| (clause, false));
        for (clause, chosen) in all.chain(self.clauses.into_iter().map(|clause| (clause, true))) {
            // What holds of earlier steps follows from what held then.
            let follows = clause.iter().all(|one| one.of.1 > 0 && !facts.is_free(one));
            if follows {
                continue;
            }
            let keeper = facts.keeper(&clause, chosen, side);
            made.push((facts.clause(&clause), keeper));
        }
        let mut seen = HashSet::new();
        made.retain(|(formula, _)| seen.insert(Rc::clone(formula)));
        facts.clauses = made;
        facts
    }
}

/// A positive linear combination of comparisons: its left-hand side is at most, or less than, the bound.
struct Summed {
    literals: Vec<Literal>,
    bound: Rational,
    strict: bool,
}

/// What is found in a round.
struct Growth {
    /// Whether comparisons of earlier steps become comparisons of those steps.
    allowed: bool,
    new: Vec<(Form, Threshold)>,
    /// Whether some would, if that were allowed.
    open: bool,
}

/// A combination of forms.
#[derive(Clone, Debug)]
struct Row {
    /// The factor of each form, by its index.
    factors: BTreeMap<usize, Rational>,
    /// The sum of the forms.
    rest: Sum,
}

impl Row {
    /// Whether a form would be bounded from both sides in a combination.
    fn clashes(&self, other: &Self) -> bool {
        let mut factors = self.factors.iter();
        factors.any(|(index, factor)| {
            other.factors.get(index).is_some_and(|other| other.is_negative() != factor.is_negative())
        })
    }

    /// The combination in which a symbol cancels; `None` if a number is too large.
    fn combined(&self, other: &Self, symbol: u32) -> Option<Self> {
        let (mine, theirs) = (self.rest.coefficient(symbol), other.rest.coefficient(symbol));
        let (left, right) = (theirs.negated(), mine);
        let rest = self.rest.times(left)?.plus(right, &other.rest)?;
        let mut factors = BTreeMap::new();
        for (part, scale) in [(&self.factors, left), (&other.factors, right)] {
            for (&index, &factor) in part {
                let sum: &mut Rational = factors.entry(index).or_insert(Rational::ZERO);
                *sum = sum.plus(factor.times(scale)?)?;
            }
        }
        Some(Self { factors, rest })
    }

    /// Its forms with the sides from which they are bounded.
    fn sides(&self) -> BTreeSet<(usize, bool)> {
        self.factors.iter().map(|(&index, factor)| (index, factor.is_negative())).collect()
    }
}

/// The combinations of which no other one uses only a part: the others add nothing (Kohler).
fn minimal(rows: Vec<Row>) -> Vec<Row> {
    let sides: Vec<BTreeSet<(usize, bool)>> = rows.iter().map(Row::sides).collect();
    let is_needed = |i: usize| {
        sides
            .iter()
            .enumerate()
            .all(|(j, other)| j == i || !other.is_subset(&sides[i]) || *other == sides[i] && j > i)
    };
    let needed: Vec<bool> = (0..rows.len()).map(is_needed).collect();
    rows.into_iter().zip(needed).filter_map(|(row, needed)| needed.then_some(row)).collect()
}

/// The right-hand side of a positive linear combination of comparisons, and whether it is strict; `None` if a number is
/// too large.
fn summed(parts: &[(usize, Rational, Vec<Threshold>, bool)], chosen: &[usize]) -> Option<(Rational, bool)> {
    let (mut sum, mut strict) = (Rational::ZERO, false);
    for ((_, factor, thresholds, integer), &at) in parts.iter().zip(chosen) {
        let Threshold { mut bound, at_most } = thresholds[at];
        let upper = factor.is_positive();
        // `x <= 3` is false: for integers, `x >= 4`.
        if !upper && *integer && at_most {
            bound = bound.plus(Rational::ONE)?;
        } else {
            strict |= upper != at_most;
        }
        sum = sum.plus(factor.times(bound)?)?;
    }
    Some((sum, strict))
}

/// How many steps ago the earliest value of a form is.
fn earliest(symbols: &Symbols, form: &Form) -> u32 {
    form.symbols().map(|number| symbols.get(number).ago).max().unwrap_or(0)
}

/// Each threshold implies the next one.
fn chain(of: &Past, thresholds: &BTreeSet<Threshold>) -> Vec<Vec<Literal>> {
    let all: Vec<Threshold> = thresholds.iter().copied().collect();
    let literal = |threshold, holds| Literal { of: of.clone(), threshold, holds };
    all.windows(2).map(|pair| vec![literal(pair[0], true), literal(pair[1], false)]).collect()
}

impl Facts {
    /// The name of a comparison some steps ago.
    fn name(&self, (form, steps): &Past, threshold: Threshold) -> String {
        let mut symbols = self.symbols.clone();
        let sum = symbols.shifted(&form.sum(), i64::from(*steps)).unwrap_or_default();
        let relation = if threshold.at_most { "<=" } else { "<" };
        format!("{} {relation} {}", symbols.text(&sum), threshold.bound)
    }

    /// The comparison as a proposition, or as a combination of propositions.
    pub(crate) fn proposition(&self, one: &Comparison) -> Formula {
        let relation = match one.relation {
            Relation::Equal if self.equalities.contains(&one.form) => "=",
            Relation::Equal => {
                let integer = self.symbols.is_integer(&one.form.sum());
                let parts = equal(&one.form, one.bound, integer);
                let Logic::And(parts) = &*parts else { return parts };
                let inner = |part: &Formula| match &**part {
                    Logic::Comparison(one) => self.proposition(one),
                    Logic::Not(inner) => match &**inner {
                        Logic::Comparison(one) => not(&self.proposition(one)),
                        _ => Rc::clone(part),
                    },
                    _ => Rc::clone(part),
                };
                return and(parts.iter().map(inner));
            }
            Relation::AtMost => "<=",
            Relation::Below => "<",
        };
        let text = self.symbols.text(&one.form.sum());
        Rc::new(Logic::Variable(format!("{text} {relation} {}", one.bound)))
    }

    /// Whether a comparison of the present belongs to the environment. What no player really chooses, because it is of an
    /// earlier step or is not computed, belongs to the player that has more choices.
    pub(crate) fn is_of_environment(&self, form: &Form, side: Side) -> bool {
        let mut numbers = form.symbols().map(|number| self.symbols.get(number));
        if form.symbols().any(|number| self.symbols.get(number).is_chosen()) {
            return false;
        }
        side == Side::Environment || numbers.all(|symbol| symbol.ago == 0 && !symbol.opaque)
    }

    fn is_free(&self, one: &Literal) -> bool {
        one.of.1 > 0 && self.free.contains(&self.name(&one.of, one.threshold))
    }

    fn keeper(&self, clause: &[Literal], chosen: bool, side: Side) -> Keeper {
        let of_environment = |one: &Literal| match one.of.1 {
            0 => self.is_of_environment(&one.of.0, side),
            _ => side == Side::Environment,
        };
        let remembers = |one: &Literal| one.of.1 + earliest(&self.symbols, &one.of.0) > 0;
        match !chosen && clause.iter().all(of_environment) {
            false => Keeper::System,
            true if clause.iter().any(remembers) => Keeper::EnvironmentSoFar,
            true => Keeper::Environment,
        }
    }

    /// That not all of the literals hold.
    fn clause(&self, literals: &[Literal]) -> Formula {
        let mut parts: Vec<Formula> = Vec::new();
        // In the first steps, nothing is known of earlier ones.
        let steps = literals.iter().map(|one| one.of.1 + earliest(&self.symbols, &one.of.0)).max();
        if let Some(steps) = steps.filter(|&steps| steps > 0) {
            parts.push(not(&ago(constant(true), steps)));
        }
        for one in literals {
            let formula = if self.is_free(one) {
                Rc::new(Logic::Variable(self.name(&one.of, one.threshold)))
            } else {
                let relation = if one.threshold.at_most { Relation::AtMost } else { Relation::Below };
                let comparison = Comparison { form: one.of.0.clone(), relation, bound: one.threshold.bound };
                ago(Rc::new(Logic::Comparison(comparison)), one.of.1)
            };
            parts.push(if one.holds { not(&formula) } else { formula });
        }
        or(parts)
    }

    /// That the values of variables that are only compared for equality exclude each other.
    fn different(&self, comparisons: &[Comparison], side: Side) -> Vec<(Formula, Keeper)> {
        let mut clauses = Vec::new();
        for (i, one) in comparisons.iter().enumerate().filter(|(_, one)| self.equalities.contains(&one.form))
        {
            let keeper =
                if self.is_of_environment(&one.form, side) { Keeper::Environment } else { Keeper::System };
            for other in comparisons[i + 1..].iter().filter(|other| other.form == one.form) {
                let differs = |one: &Comparison| not(&Rc::new(Logic::Comparison(one.clone())));
                clauses.push((or([differs(one), differs(other)]), keeper));
            }
        }
        clauses
    }
}
