//! The entry point for TLSF: loads a file as one [`Problem`] in which every atom is a proposition.

mod compute;
mod expand;
mod lower;
mod past;
mod signals;
mod tree;
mod value;
mod wordings;

use super::load::{LoadFailure, stem};
use super::problem::{Clause, ClauseId, Constraint, Language, Problem, Restricted, Target, Wordings};
use super::signature::{AtomMeaning, EnumeratedSignal, Signature};
use crate::syntax::tlsf::{MainSection, TlsfId, TlsfKind, TlsfModel, TlsfModule, parse_tlsf};
use expand::TlsfExpander;
use lower::{TimingReading, TlsfLowering};
use tree::TreeId;
use tsl_synth_core::base::{Id, IdVec, Limit};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas};
use tsl_synth_core::model::Role;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::operators::BinaryOp;
use wordings::ClauseInstance;

/// Options for loading a TLSF file.
#[derive(Clone, Debug)]
pub struct TlsfOptions {
    /// Values of parameters, which override those in the file.
    pub parameters: Vec<(String, i64)>,
    /// The budget of expansion, in steps.
    pub steps: usize,
}

impl Default for TlsfOptions {
    fn default() -> Self {
        Self { parameters: Vec::new(), steps: 1 << 22 }
    }
}

/// Loads a TLSF file. The clauses are the conjuncts of its sections; see the sources for how semantics, models and
/// finite words become contracts on infinite words.
///
/// # Errors
/// All errors that were found, or the limit that was exceeded.
pub fn load_tlsf(
    source: SourceId,
    options: &TlsfOptions,
    map: &SourceMap,
) -> Result<(Problem, Diagnostics), LoadFailure> {
    let mut diagnostics = Diagnostics::new();
    let Some(module) = parse_tlsf(map, source, &mut diagnostics) else {
        return Err(LoadFailure { diagnostics, limit: None });
    };
    unknown_parameters(&module, options, &mut diagnostics);
    let mut expander = TlsfExpander::new(&module, &options.parameters, options.steps);
    let mut instances = Vec::new();
    let result = build(stem(&map.get(source).name), &module, &mut expander, &mut instances);
    diagnostics.append(std::mem::take(&mut expander.diagnostics));
    diagnostics.sort();
    match result {
        Ok(_) if diagnostics.has_errors() => Err(LoadFailure { diagnostics, limit: None }),
        Ok(mut problem) => {
            let text = &map.get(source).text;
            problem.wordings = wordings::of(&module, text, &expander, &instances, &problem.clauses);
            Ok((problem, diagnostics))
        }
        Err(limit) => {
            let limit = match expander.recursion() {
                Some((name, calls)) => {
                    let place = map.positions(name.span).0;
                    let why = format!(
                        "{}; `{}`, defined in line {}, calls itself without an end ({calls} calls in each other)",
                        limit.what, name.text, place.line
                    );
                    Limit::new(limit.kind, why)
                }
                None => limit,
            };
            Err(LoadFailure { diagnostics, limit: Some(limit) })
        }
    }
}

fn unknown_parameters(module: &TlsfModule, options: &TlsfOptions, diagnostics: &mut Diagnostics) {
    for (name, _) in &options.parameters {
        if module.parameters.iter().any(|(known, _)| *known.text == **name) {
            continue;
        }
        let known: Vec<String> =
            module.parameters.iter().map(|(known, _)| format!("`{}`", known.text)).collect();
        let message = format!("the specification has no parameter `{}`", name.escape_debug());
        diagnostics.push(Diagnostic::error(Code::UNKNOWN_PARAMETER, message).hint(match known.len() {
            0 => "it has none".to_string(),
            _ => format!("it has {}", known.join(", ")),
        }));
    }
}

/// Refuses declared names in patterns: as in the format's tool, a name in a pattern is a new one, which stands for any
/// formula, and who writes that of a signal there means the signal.
fn check_patterns(module: &TlsfModule, expander: &mut TlsfExpander<'_>) {
    for definition in &module.definitions {
        let guards = definition.alternatives.iter().filter_map(|(guard, _)| *guard);
        let mut todo: Vec<TlsfId> = guards
            .filter_map(|guard| match module.exprs.kind(guard) {
                TlsfKind::Match(_, pattern) => Some(*pattern),
                _ => None,
            })
            .collect();
        while let Some(id) = todo.pop() {
            match module.exprs.kind(id) {
                TlsfKind::Unary(_, a) | TlsfKind::StrongNext(a) => todo.push(*a),
                TlsfKind::Binary(_, a, b) => todo.extend([*b, *a]),
                TlsfKind::Name(name)
                    if expander.is_declared(name)
                        || definition.parameters.iter().any(|known| known.text == *name) =>
                {
                    let message = format!("`{name}` is declared, and a pattern has new names");
                    let error = Diagnostic::error(Code::PATTERN, message)
                        .at(module.exprs.span(id), "would stand for any formula")
                        .hint("a name of its own stands for any formula, and so does `_`");
                    expander.report(error);
                }
                _ => {}
            }
        }
    }
}

/// A conjunct of a section.
struct Conjunct {
    part: MainSection,
    tree: TreeId,
    span: Span,
}

/// The problem; `instances` gets the instance of a big conjunction that each clause is, if it is one.
fn build(
    name: String,
    module: &TlsfModule,
    expander: &mut TlsfExpander<'_>,
    instances: &mut Vec<Option<ClauseInstance>>,
) -> Result<Problem, Limit> {
    let mut alphabet = Alphabet::new();
    let valid = signals::declare(expander, module, &mut alphabet)?;
    check_patterns(module, expander);
    let mut conjuncts = Vec::new();
    for valid in valid {
        let part = if valid.input { MainSection::Require } else { MainSection::Assert };
        conjuncts.push(Conjunct { part, tree: valid.formula, span: valid.span });
    }
    for (part, clauses) in &module.sections {
        for &clause in clauses {
            for id in written_conjuncts(module, clause) {
                let span = module.exprs.span(id);
                for (own, scope, value) in expander.instances(id)? {
                    let Some(tree) = expander.formula(&value, module.exprs.span(own)) else { continue };
                    let parts = expander.trees.conjuncts(tree);
                    // What a definition is expanded to has no text of its own.
                    let is_instance = own != id && parts.len() == 1;
                    for tree in parts {
                        conjuncts.push(Conjunct { part: *part, tree, span });
                        instances.resize(conjuncts.len(), None);
                        if is_instance {
                            instances[conjuncts.len() - 1] = Some(ClauseInstance { expr: own, scope });
                        }
                    }
                }
            }
        }
    }
    let semantics = module.semantics;
    let (delayed_inputs, delayed_outputs) = match (semantics.model, module.target) {
        (TlsfModel::Mealy, TlsfModel::Mealy) => (false, false),
        (TlsfModel::Moore, _) => (true, false),
        (TlsfModel::Mealy, TlsfModel::Moore) => (true, true),
    };
    let done = semantics.finite.then(|| {
        let taken = |name: &str| alphabet.atoms().iter().any(|atom| atom.name == name);
        let mut name = String::from("done");
        while taken(&name) {
            name.push('_');
        }
        if name != "done" {
            end_marker(module, &name, expander);
        }
        (alphabet.add_output(name), semantics.model == TlsfModel::Moore)
    });
    let mut formulas = Formulas::new();
    let reading = TimingReading { delayed_inputs, delayed_outputs, done };
    let atoms = alphabet.atoms().len();
    let (lowering, registers) = TlsfLowering::new(&expander.trees, reading, &mut alphabet, &mut formulas)?;
    let (clauses, restricted) = contract(lowering, &conjuncts, semantics.strict);
    let always = |c: &&Conjunct| matches!(c.part, MainSection::Require | MainSection::Assert);
    let invariants = conjuncts.iter().filter(always).map(|conjunct| conjunct.span).collect();
    let mut signature = Signature::default();
    for _ in 0..atoms {
        signature.atoms.push(AtomMeaning::Proposition);
    }
    for bus in &expander.buses {
        for (i, &atom) in bus.atoms.iter().enumerate() {
            signature.spellings.insert(atom, format!("{}[{i}]", bus.name));
        }
        if let Some(sort) = bus.sort {
            let values = expander.enums[sort].values.iter();
            signature.enumerated.push(EnumeratedSignal {
                name: bus.name.to_string(),
                atoms: bus.atoms.clone(),
                values: values.map(|(name, codes)| (name.to_string(), codes.clone())).collect(),
            });
        }
    }
    let target = match module.target {
        TlsfModel::Mealy => Target::Mealy,
        TlsfModel::Moore => Target::Moore,
    };
    let mut problem = Problem {
        name,
        language: Language::Tlsf,
        formulas,
        alphabet,
        clauses,
        signature,
        rewritten: semantics.strict || delayed_inputs || delayed_outputs || semantics.finite,
        finite: semantics.finite,
        target,
        restricted,
        invariants,
        wordings: Wordings::default(),
        answers_first: semantics.model == TlsfModel::Moore,
    };
    problem.add_registers(registers);
    Ok(problem)
}

/// Notes that the output which ends words has another name than `done`, which is a signal of the file.
fn end_marker(module: &TlsfModule, marker: &str, expander: &mut TlsfExpander<'_>) {
    let message = format!("the output that ends a word is `{marker}`, since `done` is a signal of the file");
    let mut note = Diagnostic::note(Code::END_MARKER, message);
    let mut signals = module.inputs.iter().chain(&module.outputs);
    if let Some(signal) = signals.find(|signal| &*signal.name.text == "done") {
        note = note.at(signal.name.span, "an ordinary signal");
    }
    expander.diagnostics.push(note);
}

/// The operands of a conjunction as it is written, from left to right.
fn written_conjuncts(module: &TlsfModule, clause: TlsfId) -> Vec<TlsfId> {
    let (mut all, mut todo) = (Vec::new(), vec![clause]);
    while let Some(id) = todo.pop() {
        match module.exprs.kind(id) {
            TlsfKind::Binary(BinaryOp::And, a, b) => todo.extend([*b, *a]),
            _ => all.push(id),
        }
    }
    all
}

/// The clauses of the contract; see [`lower`].
fn contract(
    mut lowering: TlsfLowering<'_>,
    conjuncts: &[Conjunct],
    strict: bool,
) -> (IdVec<ClauseId, Clause>, Option<Restricted>) {
    let mut clauses: IdVec<ClauseId, Clause> = IdVec::new();
    let all = |lowering: &mut TlsfLowering<'_>, part: MainSection| {
        let formulas: Vec<FormulaId> =
            conjuncts.iter().filter(|c| c.part == part).map(|c| lowering.get(c.tree)).collect();
        lowering.formulas.and(formulas)
    };
    // Without assumptions a restriction is equivalent to a guarantee, which can be part of a core.
    let assumes =
        |c: &Conjunct| matches!(c.part, MainSection::Initially | MainSection::Require | MainSection::Assume);
    let unconditional = if conjuncts.iter().any(assumes) { Role::Restriction } else { Role::Guarantee };
    let initially = all(&mut lowering, MainSection::Initially);
    let required = all(&mut lowering, MainSection::Require);
    let mut restricted = Restricted { initially, required, preset: Vec::new(), asserted: Vec::new() };
    for conjunct in conjuncts {
        let f = lowering.get(conjunct.tree);
        let id = ClauseId::from_index(clauses.len());
        match conjunct.part {
            MainSection::Preset => restricted.preset.push((id, f)),
            MainSection::Assert if strict => restricted.asserted.push((id, f)),
            _ => {}
        }
        let (role, formula) = match conjunct.part {
            MainSection::Initially | MainSection::Assume => (Role::Assumption, f),
            MainSection::Require => (Role::Assumption, lowering.globally(f)),
            MainSection::Preset => (unconditional, lowering.formulas.implies(initially, f)),
            MainSection::Assert if strict => {
                let broken = lowering.formulas.not(required);
                let kept = lowering.weak_until(f, broken);
                (unconditional, lowering.formulas.implies(initially, kept))
            }
            MainSection::Assert => (Role::Guarantee, lowering.globally(f)),
            MainSection::Guarantee => (Role::Guarantee, f),
        };
        clauses.push(Clause { role, formula, span: Some(conjunct.span), constraint: None });
    }
    if let Some(done) = lowering.done() {
        let formula = lowering.formulas.finally(done);
        let constraint = Some(Constraint::Interpretation);
        clauses.push(Clause { role: unconditional, formula, span: None, constraint });
    }
    let some = !restricted.preset.is_empty() || !restricted.asserted.is_empty();
    (clauses, some.then_some(restricted))
}
