//! The contracts of a component, as texts in the syntax of `.ltl` files.

use crate::comparisons::compared;
use crate::export::{Component, Owner, Requirement, Sort};
use crate::facts::{Facts, Keeper, Side, facts};
use crate::logic::{Formula, Logic, Temporal, and, iff, implies, not, quoted, temporal};
use crate::lower::Lowering;
use crate::numbers::{Relation, Symbol, Symbols};
use crate::syntax::{Arrow, Expr, Infix, Prefix, parse};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;
use tsl_synth_core::base::is_deceptive;
use tsl_synth_core::logic::Sum;

/// Contracts with the winner of a component, as far as they tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contracts {
    /// If it is realizable, so is the component: the environment has all choices that it really has, perhaps more. Or why
    /// there is none.
    pub realizable: Result<String, String>,
    /// If it is unrealizable, so is the component: the system has all choices that it really has, perhaps more. Or why
    /// there is none.
    pub unrealizable: Result<String, String>,
    /// The requirements that are not read, with the reasons.
    pub unread: Vec<(String, String)>,
    /// Whether more rounds would change nothing.
    pub is_final: bool,
}

impl Contracts {
    /// The one contract that has the winner of the component, if the two are the same.
    pub fn exact(&self) -> Option<&str> {
        match (&self.realizable, &self.unrealizable) {
            (Ok(one), Ok(other)) if one == other => Some(one),
            _ => None,
        }
    }
}

/// A requirement with what it says in every step, or as a whole.
struct Read<'a> {
    requirement: &'a Requirement,
    formula: Result<Formula, String>,
    /// Whether the formula is about the past and has to hold in every step.
    invariant: bool,
    /// Whether it only says that an output equals a term, by which the output was replaced.
    determines: bool,
    /// The names of such requirements on which the formula rests.
    rests_on: BTreeSet<String>,
}

/// The contracts of a component. With each further round, comparisons of more earlier values are followed: a rate of change
/// is followed for as many steps. Exponential in the number of comparisons of connected numbers in the worst case; limits
/// keep it in seconds, past them there is no contract. Only the requirements for which `wanted` holds are guarantees: the
/// contract for UNREALIZABLE is right for any of them.
pub fn contracts(component: &Component, rounds: usize, wanted: impl Fn(&Requirement) -> bool) -> Contracts {
    let assumed = component.requirements.iter().any(Requirement::is_assumption);
    let requirements: Vec<&Requirement> =
        component.requirements.iter().filter(|one| one.is_assumption() || wanted(one)).collect();
    let plain = Reading::new(component, &requirements, assumed);
    let missing = |wanted: bool| {
        plain.read.iter().find(|one| one.formula.is_err() && one.requirement.is_assumption() == wanted).map(
            |one| {
                let kind = if wanted { "assumption" } else { "requirement" };
                format!("the {kind} {} is not read", shown(&one.requirement.id))
            },
        )
    };
    let mut is_final = true;
    let mut made = |side: Side| {
        let (mut reading, mut facts) = (&plain, plain.facts(rounds, side));
        let past;
        if !assumed && facts.remember {
            past = Reading::new(component, &requirements, true);
            reading = &past;
            facts = past.facts(rounds, side);
        }
        is_final &= facts.is_final;
        let complete = match side {
            Side::Environment => facts.is_complete_for_system,
            Side::System => facts.is_complete_for_environment,
        };
        if !complete {
            return Err(
                "its comparisons have too many consequences, or integers with other factors than 1 and -1"
                    .to_string(),
            );
        }
        Ok(reading.text(component, &facts, side))
    };
    let realizable = missing(false).map_or_else(|| made(Side::Environment), Err);
    let unrealizable = missing(true).map_or_else(|| made(Side::System), Err);
    let unread = plain
        .read
        .iter()
        .filter_map(|one| one.formula.as_ref().err().map(|why| (one.requirement.id.clone(), why.clone())))
        .collect();
    Contracts { realizable, unrealizable, unread, is_final }
}

/// The requirements of a component with their formulas.
struct Reading<'a> {
    read: Vec<Read<'a>>,
    symbols: Symbols,
    /// That numbers without sign are not negative, and whether they are outputs.
    bounds: Vec<(Formula, bool)>,
}

impl<'a> Reading<'a> {
    fn new(component: &Component, requirements: &[&'a Requirement], past: bool) -> Self {
        let mut lowering = Lowering::new(component);
        let assumptions: Vec<&&Requirement> = requirements.iter().filter(|one| one.is_assumption()).collect();
        // To break an assumption about its outputs, the system may break the equation as well.
        let may_determine = !assumptions.iter().any(|one| depends_on_outputs(&mut lowering, one));
        let determines: Vec<bool> =
            requirements.iter().map(|one| may_determine && determines(&mut lowering, one)).collect();
        let mut read: Vec<Read<'_>> = requirements.iter().map(|one| read(&mut lowering, one, past)).collect();
        for (one, determines) in read.iter_mut().zip(determines) {
            one.determines = determines;
            one.formula = one.formula.clone().and_then(|formula| followed(formula, !assumptions.is_empty()));
        }
        let bounds = unsigned(&mut lowering, component);
        let formulas = read.iter().filter_map(|one| one.formula.as_ref().ok());
        let used = names(formulas, &lowering);
        let bounds = bounds.into_iter().filter(|(name, ..)| used.contains(name));
        let bounds = bounds.map(|(_, formula, output)| (formula, output)).collect();
        Self { read, bounds, symbols: lowering.symbols }
    }

    fn facts(&self, rounds: usize, side: Side) -> Facts {
        let formulas = self.read.iter().filter_map(|one| one.formula.as_ref().ok());
        let formulas: Vec<Formula> = formulas.chain(self.bounds.iter().map(|(f, _)| f)).cloned().collect();
        facts(&mut self.symbols.clone(), &formulas, rounds, side)
    }

    /// The text of a contract.
    fn text(&self, component: &Component, facts: &Facts, side: Side) -> String {
        let always = |formula: &Formula| temporal(Temporal::Globally, Rc::clone(formula));
        let mut text = ContractText::new(component, facts, side);
        let possible = facts.clauses.iter().filter(|(_, keeper)| *keeper == Keeper::EnvironmentSoFar);
        let possible = and(possible.map(|(formula, _)| Rc::clone(formula)));
        // Arithmetic holds whatever was assumed, unless it needs possible values of earlier steps.
        let possible = text.so_far(POSSIBLE, possible, ARITHMETIC);
        let assumptions = || self.read.iter().filter(|one| one.requirement.is_assumption());
        let assumed = and(assumptions().filter_map(|one| one.formula.as_ref().ok().cloned()));
        let names = assumptions().filter(|one| one.formula.is_ok()).map(|one| shown(&one.requirement.id));
        let assumed = text.so_far(ASSUMED, assumed, &names.collect::<Vec<_>>().join(WITH));
        let so_far = and([Rc::clone(&possible), Rc::clone(&assumed)]);
        let is_assumed = matches!(&*assumed, Logic::Constant(true));
        for one in self.read.iter().filter(|one| !one.requirement.is_assumption()) {
            let Ok(formula) = &one.formula else { continue };
            let Requirement { id, sentence, .. } = one.requirement;
            text.comment(&format!("{}: {}", shown(id), shown(sentence)));
            if one.determines {
                text.comment("  One side of this equation stands for the other one below.");
                continue;
            }
            let names: Vec<&str> = [id].into_iter().chain(&one.rests_on).map(String::as_str).collect();
            let label = names.join(WITH);
            if one.invariant {
                let formula = if is_assumed { bounded_never(formula) } else { Rc::clone(formula) };
                text.guarantee(&always(&implies(&so_far, formula)), &label);
            } else {
                text.guarantee(formula, &label);
            }
        }
        let by_arithmetic = self.bounds.iter().any(|(_, output)| *output)
            || facts.clauses.iter().any(|(_, keeper)| *keeper == Keeper::System);
        if by_arithmetic {
            text.comment("What arithmetic says about the numbers of the system.");
        }
        for (formula, output) in &self.bounds {
            if *output {
                text.guarantee(&always(&implies(&possible, Rc::clone(formula))), ARITHMETIC);
            } else {
                text.assume(&always(formula));
            }
        }
        for (formula, keeper) in &facts.clauses {
            match keeper {
                Keeper::Environment => text.assume(&always(formula)),
                Keeper::EnvironmentSoFar => {}
                Keeper::System => {
                    text.guarantee(&always(&implies(&possible, Rc::clone(formula))), ARITHMETIC);
                }
            }
        }
        text.finish()
    }
}

/// Reads a formula of a requirement: the one about infinite runs, or the one about the past, which says the same in every
/// step. The latter, if assumptions have to have held so far, and where functions of FRET for the past occur.
fn read<'a>(lowering: &mut Lowering<'_>, requirement: &'a Requirement, past: bool) -> Read<'a> {
    lowering.used.clear();
    let (formula, invariant) = formula(lowering, requirement, past);
    Read { requirement, formula, invariant, determines: false, rests_on: std::mem::take(&mut lowering.used) }
}

/// Whether an assumption depends on outputs. One that is not read is left out of contracts.
fn depends_on_outputs(lowering: &mut Lowering<'_>, assumption: &Requirement) -> bool {
    let text = assumption.past.as_deref().unwrap_or_default();
    parse(text, Arrow::Implies).is_ok_and(|expr| lowering.has_outputs(&expr))
}

/// A formula, unless an operator about the past stands above one about the future; or, where something is assumed, which
/// is known step by step, if it has an operator about the future at all.
fn followed(formula: Formula, is_assumed: bool) -> Result<Formula, String> {
    match formula.has_future() {
        None => Err("an operator about the past stands above one about the future".into()),
        Some(true) if is_assumed => Err("it is about the future, and the component has assumptions".into()),
        Some(_) => Ok(formula),
    }
}

/// Whether a guarantee says that an output always equals a term; then the output is replaced by the term.
fn determines(lowering: &mut Lowering<'_>, requirement: &Requirement) -> bool {
    let texts = [&requirement.past, &requirement.future];
    !requirement.is_assumption()
        && texts.into_iter().flatten().any(|text| {
            parse(text, Arrow::Implies).is_ok_and(|expr| lowering.determine(&expr, &requirement.id))
        })
}

/// The formula of a requirement, and whether it has to hold in every step.
fn formula(
    lowering: &mut Lowering<'_>,
    requirement: &Requirement,
    past: bool,
) -> (Result<Formula, String>, bool) {
    let mut lower = |text: &str| parse(text, Arrow::Implies).and_then(|expr| lowering.formula(&expr));
    let remembers =
        |text: &str| ["pre", "FTP", "persisted", "occurred", "LAST"].iter().any(|word| text.contains(word));
    if let Some(text) = requirement.future.as_deref().filter(|text| !past && !remembers(text))
        && let Ok(formula) = lower(text)
    {
        return (Ok(formula), false);
    }
    let formula = match &requirement.past {
        Some(text) => lower(text).map(|formula| in_every_step(&formula)),
        None => Err("FRET gives no formula for it".into()),
    };
    (formula, true)
}

/// What has to hold in each step so that a formula about the past holds in each step: `H p` does iff `p` does.
fn in_every_step(formula: &Formula) -> Formula {
    match &**formula {
        Logic::Temporal(Temporal::Historically, body) => in_every_step(body),
        Logic::And(parts) => and(parts.iter().map(in_every_step)),
        _ => Rc::clone(formula),
    }
}

/// `!(p in the last n+1 steps, which exist)`, in every step, is `!(p in the next n+1 steps)`, in every step: an automaton
/// with n states instead of n registers. Not so as long as something is assumed, which may end between these steps.
fn bounded_never(formula: &Formula) -> Formula {
    let Logic::Not(inner) = &**formula else { return Rc::clone(formula) };
    let Logic::And(parts) = &**inner else { return Rc::clone(formula) };
    let [body, started] = &parts[..] else { return Rc::clone(formula) };
    let (
        Logic::Bounded(Temporal::Historically, 0, n, body),
        Logic::Bounded(Temporal::Historically, 0, m, begun),
    ) = (&**body, &**started)
    else {
        return Rc::clone(formula);
    };
    let exists = temporal(Temporal::Yesterday, crate::logic::constant(true));
    if *n != m + 1 || *begun != exists || remembers(body) {
        return Rc::clone(formula);
    }
    not(&Rc::new(Logic::Bounded(Temporal::Globally, 0, *n, Rc::clone(body))))
}

/// Whether a formula has a temporal operator.
fn remembers(formula: &Formula) -> bool {
    match &**formula {
        Logic::Constant(_) | Logic::Variable(_) | Logic::Comparison(_) => false,
        Logic::Not(a) => remembers(a),
        Logic::And(parts) | Logic::Or(parts) => parts.iter().any(remembers),
        Logic::Iff(a, b) => remembers(a) || remembers(b),
        Logic::Temporal(..) | Logic::Bounded(..) | Logic::Binary(..) => true,
    }
}

/// The names of the numbers that formulas compare.
fn names<'f>(formulas: impl Iterator<Item = &'f Formula>, lowering: &Lowering<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for formula in formulas {
        formula.visit(&mut |leaf| {
            if let Logic::Comparison(one) = leaf {
                names.extend(one.form.symbols().map(|number| lowering.symbols.get(number).name.clone()));
            }
        });
    }
    names
}

/// That numbers without sign are not negative: the name, the formula, whether it is an output.
fn unsigned(lowering: &mut Lowering<'_>, component: &Component) -> Vec<(String, Formula, bool)> {
    let mut bounds = Vec::new();
    for (name, variable) in &component.variables {
        let output = variable.owner == Owner::Output;
        if variable.sort != Some(Sort::Integer { unsigned: true })
            || !output && variable.owner != Owner::Input
        {
            continue;
        }
        let symbol = Symbol { name: name.clone(), ago: 0, output, integer: true, opaque: false };
        let sum = Sum::variable(lowering.symbols.number(symbol));
        if let Some(negative) = compared(&mut lowering.symbols, &sum, Relation::Below) {
            bounds.push((name.clone(), not(&negative), output));
        }
    }
    bounds
}

/// A text for a comment: one line, without characters that deceive.
fn shown(text: &str) -> String {
    let clean = |c: char| if c.is_control() || is_deceptive(c) { ' ' } else { c };
    let line: String = text.chars().map(clean).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 160 { line.chars().take(160).collect::<String>() + ".." } else { line }
}

/// Adds the propositions of a comparison or variable to those of its player.
fn owners(
    leaf: &Logic,
    component: &Component,
    facts: &Facts,
    side: Side,
    inputs: &mut BTreeSet<String>,
    outputs: &mut BTreeSet<String>,
) {
    match leaf {
        Logic::Variable(name) => {
            if name == ASSUMED || name == POSSIBLE {
                return;
            }
            let is_output = component.variables.get(name).is_some_and(|known| known.owner == Owner::Output);
            let is_free = facts.free.contains(name);
            let of_system = if is_free { side == Side::System } else { is_output };
            if of_system { outputs } else { inputs }.insert(name.clone());
        }
        Logic::Comparison(one) => {
            let of = if facts.is_of_environment(&one.form, side) { inputs } else { outputs };
            facts.proposition(one).visit(&mut |leaf| {
                if let Logic::Variable(name) = leaf {
                    of.insert(name.clone());
                }
            });
        }
        _ => {}
    }
}

/// Ends the line of a clause that no requirement says but arithmetic.
pub const ARITHMETIC: &str = "arithmetic";

/// Between the names of the requirements that end the line of a clause.
pub const WITH: &str = " with ";

impl Requirement {
    /// Whether it is about single steps: its formula has no temporal operators but "always" and "in the first step".
    pub fn is_about_one_step(&self) -> bool {
        let text = self.past.as_deref().unwrap_or_default();
        parse(text, Arrow::Implies).is_ok_and(|expr| in_one_step(&expr, true))
    }
}

fn in_one_step(expr: &Expr, outermost: bool) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Number(_) | Expr::Name(_) => true,
        Expr::Prefix(Prefix::Temporal(Temporal::Yesterday | Temporal::WeakYesterday), a) => {
            matches!(&**a, Expr::Constant(_))
        }
        Expr::Prefix(Prefix::Temporal(Temporal::Historically), a) if outermost => in_one_step(a, true),
        Expr::Prefix(Prefix::Not | Prefix::Minus, a) => in_one_step(a, false),
        Expr::Prefix(..) | Expr::Bounded(..) | Expr::Infix(Infix::Temporal(_) | Infix::Followed, ..) => false,
        Expr::Infix(_, a, b) => in_one_step(a, false) && in_one_step(b, false),
        Expr::If(a, b, c) => [a, b, c].into_iter().all(|part| in_one_step(part, false)),
        Expr::Call(name, arguments) => {
            !name.starts_with("pre")
                && !matches!(name.as_str(), "persisted" | "occurred" | "persists" | "occurs")
                && arguments.iter().all(|part| in_one_step(part, false))
        }
    }
}

/// The proposition that all assumptions have held so far.
const ASSUMED: &str = "assumed so far";

/// The proposition that the values of earlier steps, as the environment tells them, have been possible so far.
const POSSIBLE: &str = "possible so far";

/// A text under construction.
struct ContractText<'a> {
    component: &'a Component,
    facts: &'a Facts,
    side: Side,
    inputs: BTreeSet<String>,
    outputs: BTreeSet<String>,
    assumptions: String,
    guarantees: String,
    is_empty: bool,
}

impl<'a> ContractText<'a> {
    fn new(component: &'a Component, facts: &'a Facts, side: Side) -> Self {
        let (inputs, outputs) = (BTreeSet::new(), BTreeSet::new());
        let (assumptions, guarantees) = (String::new(), String::new());
        Self { component, facts, side, inputs, outputs, assumptions, guarantees, is_empty: true }
    }

    /// A proposition that a formula has held so far, with its definition; true if the formula is.
    fn so_far(&mut self, name: &str, formula: Formula, label: &str) -> Formula {
        if matches!(&*formula, Logic::Constant(_)) {
            return formula;
        }
        self.outputs.insert(name.into());
        let proposition: Formula = Rc::new(Logic::Variable(name.into()));
        let held = temporal(Temporal::Historically, formula);
        let definition = temporal(Temporal::Globally, iff(Rc::clone(&proposition), held));
        self.guarantee(&definition, label);
        proposition
    }

    fn print(&mut self, formula: &Formula) -> String {
        let Self { component, facts, side, inputs, outputs, .. } = self;
        formula.visit(&mut |leaf| owners(leaf, component, facts, *side, inputs, outputs));
        formula.text(&|one| facts.proposition(one))
    }

    fn assume(&mut self, formula: &Formula) {
        let text = self.print(formula);
        let _ = writeln!(self.assumptions, "  {text};");
    }

    fn comment(&mut self, text: &str) {
        let _ = writeln!(self.guarantees, "  // {text}");
    }

    fn guarantee(&mut self, formula: &Formula, label: &str) {
        let text = self.print(formula);
        self.is_empty = false;
        let label: String =
            label.chars().map(|c| if c.is_control() || is_deceptive(c) { ' ' } else { c }).collect();
        let _ = writeln!(self.guarantees, "  {text}; // {label}");
    }

    fn finish(self) -> String {
        let Self { component, inputs, outputs, assumptions, guarantees, is_empty, .. } = self;
        let list =
            |names: BTreeSet<String>| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        let of = match component.project.as_str() {
            "" => String::new(),
            project => format!(" of {}", shown(project)),
        };
        let mut out = format!("// inputs: {}\n// outputs: {}\n", list(inputs), list(outputs));
        let _ = writeln!(
            out,
            "// The requirements of the component {}{of}, exported by FRET.",
            shown(&component.name)
        );
        if !assumptions.is_empty() {
            let why = "What arithmetic says about the numbers of the environment.";
            let _ = writeln!(out, "assume {{\n  // {why}\n{assumptions}}}");
        }
        let nothing = if is_empty { "  1;\n" } else { "" };
        let _ = writeln!(out, "guarantee {{\n{guarantees}{nothing}}}");
        out
    }
}
