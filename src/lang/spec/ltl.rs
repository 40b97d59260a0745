//! The entry point for LTL: loads formulas as one [`Problem`] in which every atom is a proposition. Formulas are
//! guarantees; if the specification is a single implication, the conjuncts of its premise become assumptions, which is
//! equivalent.

use std::collections::{BTreeMap, BTreeSet};

use super::load::{LoadFailure, stem};
use super::past_ltl::{self, PastAtoms};
use super::problem::{Clause, Language, Problem, Target, Wordings};
use super::signal_names::SignalNames;
use super::signature::{AtomMeaning, Signature};
use tsl_synth_core::base::{Id, IdVec, Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas, Player};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::ltl::{LtlId, LtlKind, LtlModule, parse_ltl};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The largest number of operators after expanding bounds.
pub const LTL_NODES: u64 = 1 << 20;

/// The nearest known name is searched for only while there are fewer diagnostics than this.
const HINTED: usize = 50;

/// Loads LTL formulas; the specification is their conjunction. `ins` and `outs` override the header lines of the files;
/// if only one of the two is given, all other propositions are of the other kind. A top-level conjunction becomes one
/// clause per operand.
///
/// # Errors
/// All errors that were found, or the limit that was exceeded.
pub fn load_ltl(
    sources: &[SourceId],
    ins: &[String],
    outs: &[String],
    map: &SourceMap,
) -> Result<(Problem, Diagnostics), LoadFailure> {
    let mut diagnostics = Diagnostics::new();
    let given =
        |list: &[String]| -> Vec<(String, Option<Span>)> { list.iter().map(|e| (e.clone(), None)).collect() };
    let (mut ins, mut outs) = (given(ins), given(outs));
    let known: BTreeSet<&str> =
        ins.iter().chain(&outs).map(|(e, _)| e.trim()).filter(|e| !e.starts_with('/')).collect();
    let is_known = |name: &str| known.contains(name);
    let modules: Vec<LtlModule> =
        sources.iter().filter_map(|&source| parse_ltl(map, source, &is_known, &mut diagnostics)).collect();
    let (mut has_ins, mut has_outs) = (!ins.is_empty(), !outs.is_empty());
    let is_of_flags = has_ins || has_outs;
    if !is_of_flags {
        for module in &modules {
            has_ins |= module.inputs.is_some();
            has_outs |= module.outputs.is_some();
            let listed = |names: &Option<Vec<tsl_synth_core::source::Name>>| -> Vec<(String, Option<Span>)> {
                names.iter().flatten().map(|n| (n.text.to_string(), Some(n.span))).collect()
            };
            ins.extend(listed(&module.inputs));
            outs.extend(listed(&module.outputs));
        }
    }
    let (ins, outs) = (SignalNames::new(&ins, &mut diagnostics), SignalNames::new(&outs, &mut diagnostics));
    let mut table = Propositions { players: BTreeMap::new(), order: Vec::new() };
    for (names, player) in [(&ins, Player::Environment), (&outs, Player::System)] {
        for name in names.names() {
            table.add(name, player);
        }
    }
    assign_owners(&modules, [&ins, &outs], [has_ins, has_outs], &mut table, &mut diagnostics);
    for name in ins.names() {
        if outs.names().any(|output| output == name) && !diagnostics.has_errors() {
            let message = format!("`{name}` is both an input and an output");
            diagnostics.push(Diagnostic::error(Code::UNKNOWN_PROPOSITION, message));
        }
    }
    let used = used_names(&modules);
    for (names, flag, header) in [(&ins, "`--ins`", "the inputs"), (&outs, "`--outs`", "the outputs")] {
        let list = if is_of_flags { flag } else { header };
        // Of a text with errors not all names are known.
        if modules.len() == sources.len() {
            names.warn_of_unmatched(&used, list, "no formula", &mut diagnostics);
        }
    }
    for module in &modules {
        past_ltl::check(module, &mut diagnostics);
    }
    diagnostics.sort();
    if diagnostics.has_errors() {
        return Err(LoadFailure { diagnostics, limit: None });
    }
    let name = sources.first().map_or(String::new(), |&source| stem(&map.get(source).name));
    match lower(name, &modules, &table) {
        Ok(problem) => Ok((problem, diagnostics)),
        Err(limit) => Err(LoadFailure { diagnostics, limit: Some(limit) }),
    }
}

/// Adds the propositions of the formulas to the table. If only inputs or only outputs are listed, all others belong to the
/// other player.
fn assign_owners(
    modules: &[LtlModule],
    [ins, outs]: [&SignalNames; 2],
    listed: [bool; 2],
    table: &mut Propositions,
    diagnostics: &mut Diagnostics,
) {
    let mut unknown: Vec<(&str, Span)> = Vec::new();
    for module in modules {
        for (id, expr) in module.exprs.enumerate() {
            let LtlKind::Proposition(name) = &expr.kind else { continue };
            let player = match (ins.matches(name), outs.matches(name), listed) {
                (true, true, _) => {
                    let message = format!("`{name}` is both an input and an output");
                    let error = Diagnostic::error(Code::UNKNOWN_PROPOSITION, message);
                    diagnostics.push(error.at(module.exprs.span(id), "used here"));
                    continue;
                }
                (true, false, _) | (false, false, [false, true]) => Player::Environment,
                (false, true, _) | (false, false, [true, false]) => Player::System,
                (false, false, _) => {
                    unknown.push((name, module.exprs.span(id)));
                    continue;
                }
            };
            table.add(name, player);
        }
    }
    let mut seen = BTreeSet::new();
    unknown.sort_by_key(|&(_, span)| (span.source, span.start));
    unknown.retain(|&(name, _)| seen.insert(name));
    let section = "sections of LTL files are `assume { .. }` and `guarantee { .. }`; always is `G`";
    let is_section = |name: &str| matches!(name, "always" | "initially");
    if listed == [false, false] && unknown.len() > 1 && !unknown.iter().any(|&(name, _)| is_section(name)) {
        diagnostics.push(no_owners(&unknown));
        return;
    }
    for (name, span) in unknown {
        let message = format!("`{name}` is neither an input nor an output");
        // Only the first ones get a hint, since each is compared with all names.
        let near =
            |table: &Propositions| if diagnostics.len() < HINTED { nearest(name, table) } else { None };
        let hint = if is_section(name) { Some(section.to_owned()) } else { near(table) };
        let hint = hint.unwrap_or_else(|| {
            "say `--ins a,b --outs c`, or `// inputs: a, b` and `// outputs: c` in the first lines".into()
        });
        diagnostics
            .push(Diagnostic::error(Code::UNKNOWN_PROPOSITION, message).at(span, "used here").hint(hint));
    }
}

/// The error about formulas that come without any list of inputs or outputs: one for all of their propositions, which are
/// given with their first places.
fn no_owners(propositions: &[(&str, Span)]) -> Diagnostic {
    const NAMED: usize = 6;
    let named = &propositions[..propositions.len().min(NAMED)];
    let more = propositions.len() - named.len();
    let mut names: Vec<String> = named.iter().map(|(name, _)| format!("`{name}`")).collect();
    let last = if more > 0 { format!("{more} more") } else { names.pop().unwrap_or_default() };
    let message = format!("{} and {last} are neither inputs nor outputs", names.join(", "));
    let of = |letter: char| {
        let own = propositions.iter().map(|&(name, _)| name).filter(|name| name.starts_with(letter));
        own.collect::<Vec<_>>().join(",")
    };
    // Names that begin with `i` and `o` are inputs and outputs of other tools by default.
    let hint = if more == 0 && propositions.iter().all(|(name, _)| name.starts_with(['i', 'o'])) {
        let flag = |flag: &str, names: String| (!names.is_empty()).then(|| format!("{flag} {names}"));
        let flags: Vec<String> =
            [flag("--ins", of('i')), flag("--outs", of('o'))].into_iter().flatten().collect();
        format!("if `i` and `o` begin inputs and outputs, say `{}`", flags.join(" "))
    } else {
        format!(
            "list the inputs, and all others are outputs: `--ins {0}`, or `// inputs: {0}` in the first line",
            propositions[0].0
        )
    };
    let error = Diagnostic::error(Code::UNKNOWN_PROPOSITION, message);
    named.iter().fold(error, |error, &(_, span)| error.at(span, "used here")).hint(hint)
}

/// The propositions that occur in formulas.
fn used_names(modules: &[LtlModule]) -> BTreeSet<&str> {
    let exprs = modules.iter().flat_map(|module| module.exprs.enumerate());
    exprs
        .filter_map(|(_, expr)| match &expr.kind {
            LtlKind::Proposition(name) => Some(&**name),
            _ => None,
        })
        .collect()
}

/// The propositions and their owners, in the order of their first mention.
struct Propositions {
    players: BTreeMap<String, Player>,
    order: Vec<String>,
}

impl Propositions {
    fn add(&mut self, name: &str, player: Player) {
        if self.players.insert(name.to_string(), player).is_none() {
            self.order.push(name.to_string());
        }
    }
}

fn nearest(name: &str, table: &Propositions) -> Option<String> {
    let near = table.order.iter().find(|other| tsl_synth_ltl::spelling::one_edit(name, other))?;
    Some(format!("did you mean `{near}`?"))
}

fn lower(name: String, modules: &[LtlModule], table: &Propositions) -> Result<Problem, Limit> {
    let mut alphabet = Alphabet::new();
    let mut atoms: BTreeMap<&str, AtomId> = BTreeMap::new();
    for player in [Player::Environment, Player::System] {
        for name in table.order.iter().filter(|n| table.players[*n] == player) {
            let atom = match player {
                Player::Environment => alphabet.add_input(name.clone()),
                Player::System => alphabet.add_output(name.clone()),
            };
            atoms.insert(name, atom);
        }
    }
    let mut signature = Signature::default();
    for _ in alphabet.atoms() {
        signature.atoms.push(AtomMeaning::Proposition);
    }
    let mut problem = Problem {
        name,
        language: Language::Ltl,
        formulas: Formulas::new(),
        alphabet,
        clauses: IdVec::new(),
        signature,
        rewritten: false,
        restricted: None,
        invariants: Vec::new(),
        wordings: Wordings::default(),
        answers_first: false,
        finite: false,
        target: Target::Mealy,
    };
    let mut left = LTL_NODES;
    let mut past = PastAtoms::new(&mut problem.alphabet);
    // The premise of a specification that is a single implication becomes assumptions.
    let sole = modules.iter().map(|module| module.formulas.len()).sum::<usize>() == 1
        && !modules.iter().any(|module| module.has_sections);
    for module in modules {
        let lowered = formulas(module, &atoms, &mut problem.formulas, &mut past, &mut left)?;
        let assumed = module.assumptions.iter().map(|&formula| (formula, Role::Assumption));
        let guaranteed = module.formulas.iter().map(|&formula| (formula, Role::Guarantee));
        let mut all: Vec<(LtlId, Role)> = assumed.chain(guaranteed).collect();
        // In source order.
        all.sort_by_key(|&(formula, _)| module.exprs.span(formula).start);
        for (formula, role) in all {
            // Operands of top-level conjunctions, from left to right.
            let mut todo = vec![(formula, role)];
            if sole && let LtlKind::Binary(BinaryOp::Implies, premise, rest) = module.exprs.kind(formula) {
                todo = vec![(*rest, Role::Guarantee), (*premise, Role::Assumption)];
            }
            while let Some((id, role)) = todo.pop() {
                if let LtlKind::Binary(BinaryOp::And, a, b) = module.exprs.kind(id) {
                    todo.extend([(*b, role), (*a, role)]);
                    continue;
                }
                problem.clauses.push(Clause {
                    role,
                    formula: lowered[id.index()],
                    span: Some(module.exprs.span(id)),
                    constraint: None,
                });
            }
        }
    }
    let registers = past.registers;
    problem.add_registers(registers);
    Ok(problem)
}

/// The conjunction of the LTL formulas of a source, over the atoms of a problem by their names. Past operators become
/// registers of the problem, with the facts that define them.
///
/// # Errors
/// Diagnostics, when the source is malformed or mentions unknown atoms.
pub fn resolve_ltl(
    problem: &mut Problem,
    map: &SourceMap,
    source: SourceId,
) -> Result<FormulaId, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let known = problem.alphabet.clone();
    let atoms: BTreeMap<&str, AtomId> =
        known.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
    let is_known = |name: &str| atoms.contains_key(name);
    let Some(module) = parse_ltl(map, source, &is_known, &mut diagnostics) else { return Err(diagnostics) };
    for (_, expr) in module.exprs.enumerate() {
        if let LtlKind::Proposition(name) = &expr.kind
            && !atoms.contains_key(&**name)
        {
            let message = format!("the specification has no atom `{name}`");
            let mut diagnostic =
                Diagnostic::error(Code::UNKNOWN_PROPOSITION, message).at(expr.span, "not known");
            if let Some(near) = atoms.keys().find(|other| tsl_synth_ltl::spelling::one_edit(name, other)) {
                diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
            }
            diagnostics.push(diagnostic);
        }
    }
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    if let Some(&assumption) = module.assumptions.first() {
        let at = module.exprs.span(assumption);
        diagnostics.push(
            Diagnostic::error(Code::WRONG_KIND, "an assumption where a formula is expected")
                .at(at, "assumed here"),
        );
        return Err(diagnostics);
    }
    past_ltl::check(&module, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let mut past = PastAtoms::new(&mut problem.alphabet);
    match formulas(&module, &atoms, &mut problem.formulas, &mut past, &mut LTL_NODES.clone()) {
        Ok(lowered) => {
            let registers = past.registers;
            problem.add_registers(registers);
            Ok(problem.formulas.and(module.formulas.iter().map(|f| lowered[f.index()])))
        }
        Err(limit) => {
            let all = Span::new(source, 0, map.get(source).text.len());
            diagnostics.push(Diagnostic::error(Code::WRONG_KIND, limit.to_string()).at(all, "too large"));
            Err(diagnostics)
        }
    }
}

fn spend(left: &mut u64, amount: u64) -> Result<(), Limit> {
    match left.checked_sub(amount) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(Limit::new(
            LimitKind::Size,
            format!("the formula has more than {LTL_NODES} operators after expanding bounds"),
        )),
    }
}

fn formulas(
    module: &LtlModule,
    atoms: &BTreeMap<&str, AtomId>,
    fs: &mut Formulas,
    past: &mut PastAtoms<'_>,
    left: &mut u64,
) -> Result<Vec<FormulaId>, Limit> {
    let mut done: Vec<FormulaId> = Vec::new();
    for (id, expr) in module.exprs.enumerate() {
        spend(left, 1)?;
        let name = || past_ltl::text(module, id);
        let of = |id: LtlId| done[id.index()];
        let formula = match &expr.kind {
            LtlKind::Constant(value) => fs.constant(*value),
            LtlKind::Proposition(name) => fs.atom(atoms[&**name]),
            LtlKind::Unary(op, a) if op.is_past() => past.unary(fs, *op, of(*a), name())?,
            LtlKind::Bounded { op, low, high, body } if op.is_past() => {
                past.bounded(fs, *op, (*low, *high), of(*body))?
            }
            LtlKind::Binary(op, a, b) if op.is_past() => past.binary(fs, *op, (of(*a), of(*b)), name())?,
            LtlKind::Unary(op, a) => unary(fs, *op, of(*a)),
            LtlKind::Bounded { op, low, high, body } => {
                spend(left, high.unwrap_or(*low).max(*low).saturating_mul(2))?;
                bounded(fs, *op, *low, *high, of(*body))
            }
            LtlKind::Binary(op, a, b) => {
                let (a, b) = (of(*a), of(*b));
                match op {
                    BinaryOp::And => fs.and([a, b]),
                    BinaryOp::Or => fs.or([a, b]),
                    BinaryOp::Xor => fs.xor(a, b),
                    BinaryOp::Implies => fs.implies(a, b),
                    BinaryOp::Iff => fs.iff(a, b),
                    BinaryOp::Until => fs.until(a, b),
                    BinaryOp::WeakUntil => fs.weak_until(a, b),
                    BinaryOp::Release => fs.release(a, b),
                    BinaryOp::StrongRelease => fs.strong_release(a, b),
                    _ => unreachable!("not an operator of LTL"),
                }
            }
        };
        done.push(formula);
    }
    Ok(done)
}

fn unary(fs: &mut Formulas, op: UnaryOp, a: FormulaId) -> FormulaId {
    match op {
        UnaryOp::Not => fs.not(a),
        UnaryOp::Next => fs.next(a),
        UnaryOp::Finally => fs.finally(a),
        _ => fs.globally(a),
    }
}

/// `X[n] f`, `F[n:m] f`, `G[n:m] f`; the caller has charged the bounds to the limit.
fn bounded(fs: &mut Formulas, op: UnaryOp, low: u64, high: Option<u64>, body: FormulaId) -> FormulaId {
    let mut f = match (op, high) {
        (UnaryOp::Next, _) => body,
        (_, None) => unary(fs, op, body),
        (_, Some(high)) if low > high => return fs.constant(op == UnaryOp::Globally),
        (_, Some(high)) => {
            let mut f = body;
            for _ in low..high {
                let later = fs.next(f);
                f = if op == UnaryOp::Globally { fs.and([body, later]) } else { fs.or([body, later]) };
            }
            f
        }
    };
    for _ in 0..low {
        f = fs.next(f);
    }
    f
}
