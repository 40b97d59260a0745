//! Specifications in another language.

use super::names::Naming;
use super::{ConvertReport, ConvertRequest, MachineFormat, lost, not_expressible};
use crate::{Failure, Session, VERSION};
use std::collections::BTreeSet;
use tsl_synth_core::base::{Id, IdSet};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::{AtomId, AtomKind, FormulaId, Player};
use tsl_synth_core::model::Contract;
use tsl_synth_emit::{Contents, plain};
use tsl_synth_formats::contract::ContractText;
use tsl_synth_lang::spec::{Language, Problem, Target};
use tsl_synth_lang::syntax::tlsf::{TlsfKind, TlsfModule, parse_tlsf};
use tsl_synth_lang::syntax::{is_tsl_mt, parse_tsl, print_module};
use tsl_synth_ltl::operators::Dialect;

impl Session<'_> {
    pub(super) fn convert_spec(&mut self, request: &ConvertRequest) -> Result<ConvertReport, Failure> {
        let (problem, mut diagnostics) = self.problem(&request.spec)?;
        // Other languages have Boolean outputs, and no cells.
        let mut problem = problem.with_plain_outputs();
        let naming = match (problem.language, request.to) {
            (Language::Tsl, MachineFormat::Tsl) => {
                if let Some(text) = self.as_tsl() {
                    return Ok(ConvertReport { contents: Contents::Text(text), diagnostics });
                }
                let message = "the specification is TSL already";
                return Err(not_expressible(message, "`tsl-synth fmt` rewrites it in the standard layout"));
            }
            (_, MachineFormat::Tsl) => Naming::Tsl,
            (_, MachineFormat::Tlsf) => Naming::Tlsf,
            (_, MachineFormat::Ltl) => Naming::Ltl,
            (_, MachineFormat::Smv) => Naming::Smv,
            (_, to @ (MachineFormat::Hoa | MachineFormat::Aiger(_) | MachineFormat::Json)) => {
                let message = format!("{} is for machines, and this is a specification", to.name());
                let hint = "`tsl-synth emit SPEC --lang hoa`, `aiger` or `json` makes its controller";
                return Err(not_expressible(message, hint));
            }
        };
        let expanded = match problem.language {
            Language::Tlsf => self.expanded(),
            Language::Tsl | Language::Ltl => Vec::new(),
        };
        diagnostics.append(losses(&problem, &expanded, request.to));
        let title = plain(&request.spec.name());
        let text = written(&mut problem, naming, request.to, &title);
        Ok(ConvertReport { contents: Contents::Text(text), diagnostics })
    }
}

impl Session<'_> {
    /// The constructs of the first TLSF file that the conversion expands, such as definitions and buses.
    fn expanded(&self) -> Vec<&'static str> {
        let module =
            self.first_source().and_then(|source| parse_tlsf(&self.sources, source, &mut Diagnostics::new()));
        module.map_or_else(Vec::new, |module| parts_expanded(&module))
    }
    /// The text of TSL modulo theories of another tool in our notation; `None` for other texts, and for several.
    fn as_tsl(&self) -> Option<String> {
        let source = self.first_source()?;
        let is_foreign = is_tsl_mt(&self.sources.get(source).name) && self.texts().count() == 1;
        let module = parse_tsl(&self.sources, source, Dialect::TslSynth, &mut Diagnostics::new());
        module.filter(|_| is_foreign).map(|module| print_module(&module))
    }
}

/// What a TLSF file has that is expanded.
fn parts_expanded(module: &TlsfModule) -> Vec<&'static str> {
    let mut signals = module.inputs.iter().chain(&module.outputs);
    let has_big = module.exprs.enumerate().any(|(_, expr)| matches!(expr.kind, TlsfKind::Big { .. }));
    let parts = [
        (!module.parameters.is_empty(), "parameters"),
        (!module.definitions.is_empty() || !module.enums.is_empty(), "definitions"),
        (signals.any(|signal| signal.size.is_some() || signal.sort.is_some()), "buses"),
        (has_big, "big operators"),
    ];
    parts.into_iter().filter(|(has, _)| *has).map(|(_, part)| part).collect()
}

/// Information that the target language cannot express.
fn losses(problem: &Problem, expanded: &[&str], to: MachineFormat) -> Diagnostics {
    let mut losses = Diagnostics::new();
    let mut lose = |what: &str| losses.push(lost(format!("lost: {what}")));
    match problem.language {
        Language::Tsl => {
            lose(
                "the terms of predicates and updates: they become propositions, named in the comment at the beginning",
            );
            lose(
                "what refinement finds out about the terms: UNREALIZABLE of the result is notion `ltl` of the original",
            );
        }
        Language::Tlsf => {
            match expanded {
                [] => {}
                [only] => lose(&format!("{only}: they are expanded")),
                [first @ .., last] => lose(&format!("{} and {last}: they are expanded", first.join(", "))),
            }
            if problem.target == Target::Moore {
                lose(
                    "the Moore target: the result asks for a Mealy machine that evaluates every input with a one-step delay",
                );
            } else if problem.finite {
                lose("finite words: the output `done` says where they end");
            } else if problem.rewritten {
                lose("the semantics of the file: it is written out in the formulas");
            }
        }
        Language::Ltl => {}
    }
    if problem.alphabet.atoms().ids().any(|atom| problem.is_hidden(atom)) {
        lose("past operators and `every`: additional outputs store their values");
    }
    if to == MachineFormat::Smv {
        lose("which player sets a signal: SMV has no players, the comments say what is input and output");
    }
    losses
}

fn written(problem: &mut Problem, naming: Naming, to: MachineFormat, title: &str) -> String {
    let registers: IdSet<AtomId> = problem.signature.registers.iter().map(|register| register.atom).collect();
    let texts: Vec<String> = problem.alphabet.atoms().iter().map(|atom| atom.name.clone()).collect();
    let mut taken = BTreeSet::new();
    let names = naming.names(&texts, &mut taken);
    let mut comments = vec![format!("{title}, converted by tsl-synth {VERSION}")];
    let unlike =
        |(text, name): &(&String, &String)| *text != *name && name.trim_matches('"') != text.as_str();
    comments.extend(
        texts.iter().zip(&names).filter(unlike).map(|(text, name)| format!("{name} is {}", plain(text))),
    );
    let unmentioned = if to == MachineFormat::Tsl { unmentioned(problem, &registers) } else { Vec::new() };
    let mut cells = Vec::new();
    let mut atoms = names.clone();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (id, atom) in problem.alphabet.atoms().enumerate() {
        let name = names[id.index()].clone();
        match atom.kind {
            // Registers become outputs: only the system can keep their values.
            AtomKind::Input(_) if !registers.contains(id) => inputs.push(name),
            AtomKind::Update(..) if to == MachineFormat::Smv => {}
            _ => outputs.push(name),
        }
    }
    if to == MachineFormat::Smv {
        let texts: Vec<String> = problem.alphabet.cells().iter().map(|cell| cell.name.clone()).collect();
        let cell_names = naming.names(&texts, &mut taken);
        for (cell, name) in problem.alphabet.cells().iter().zip(cell_names) {
            let values = cell.options.iter().map(|atom| names[atom.index()].clone()).collect();
            for atom in &cell.options {
                atoms[atom.index()] = format!("({name} = {})", names[atom.index()]);
            }
            cells.push((name, values));
        }
    }
    let always = if to == MachineFormat::Smv { Vec::new() } else { exactly_one(problem) };
    let further = boolean(problem, &unmentioned);
    let (premises, asked) = parts(problem, always, further);
    atoms.extend(unmentioned.iter().map(|id| format!("!{}", names[id.index()])));
    let text = ContractText {
        title,
        comments: &comments,
        formulas: &problem.formulas,
        atoms: &atoms,
        inputs: &inputs,
        outputs: &outputs,
        cells: &cells,
        premises: &premises,
        asked: &asked,
    };
    match to {
        MachineFormat::Tlsf => text.tlsf(),
        MachineFormat::Tsl => text.tsl(),
        MachineFormat::Smv => text.smv(),
        _ => text.ltl(),
    }
}

/// Exactly one update of each cell in every step.
fn exactly_one(problem: &mut Problem) -> Vec<FormulaId> {
    let Problem { formulas, alphabet, .. } = problem;
    let mut all = Vec::new();
    for cell in alphabet.cells() {
        let options: Vec<FormulaId> = cell.options.iter().map(|&atom| formulas.atom(atom)).collect();
        let mut one = vec![formulas.or(options.iter().copied())];
        for (i, &a) in options.iter().enumerate() {
            for &b in &options[i + 1..] {
                let both = formulas.and([a, b]);
                one.push(formulas.not(both));
            }
        }
        for f in one {
            all.push(formulas.globally(f));
        }
    }
    all
}

/// The outputs of TSL that no formula mentions. Those that a formula mentions are Boolean and chosen in every step.
fn unmentioned(problem: &Problem, registers: &IdSet<AtomId>) -> Vec<AtomId> {
    let roots: Vec<FormulaId> = problem.clauses.iter().map(|clause| clause.formula).collect();
    let mentioned = problem.formulas.support(&roots);
    let is_output =
        |atom: &AtomId| problem.alphabet.player(*atom) == Player::System || registers.contains(*atom);
    problem.alphabet.atoms().ids().filter(|atom| is_output(atom) && !mentioned.contains(*atom)).collect()
}

/// `o || !o` for each of these outputs, so that it is chosen in every step like the others; the atoms `!o` come after those
/// of the problem.
fn boolean(problem: &mut Problem, outputs: &[AtomId]) -> Vec<FormulaId> {
    let Problem { formulas, alphabet, .. } = problem;
    let count = alphabet.atoms().len();
    let mut all = Vec::new();
    for (i, &atom) in outputs.iter().enumerate() {
        let (yes, no) = (formulas.atom(atom), formulas.atom(AtomId::from_index(count + i)));
        let either = formulas.or([yes, no]);
        all.push(formulas.globally(either));
    }
    all
}

/// Splits the contract `F → (R ∧ (A → G))` into premises and the requirements under them. The formulas of `always` are
/// required even where the facts fail; those of `further` are additional guarantees.
fn parts(
    problem: &mut Problem,
    mut always: Vec<FormulaId>,
    further: Vec<FormulaId>,
) -> (Vec<FormulaId>, Vec<FormulaId>) {
    let Contract { mut facts, restrictions, assumptions, mut guarantees } = problem.contract();
    guarantees.extend(further);
    // The facts that define the values of registers, which the system sets here, become requirements.
    let definitions = problem.clauses.iter().filter(|clause| problem.defines_register(clause));
    let definitions: Vec<FormulaId> = definitions.map(|clause| clause.formula).collect();
    facts.retain(|fact| !definitions.contains(fact));
    always.extend(definitions);
    let formulas = &mut problem.formulas;
    if always.is_empty() && restrictions.is_empty() {
        facts.extend(assumptions);
        return (facts, guarantees);
    }
    let mut kept = restrictions;
    if kept.is_empty() {
        facts.extend(assumptions);
        kept = guarantees;
    } else if assumptions.is_empty() {
        kept.extend(guarantees);
    } else {
        let premise = formulas.and(assumptions);
        let rest = formulas.and(guarantees);
        kept.push(formulas.implies(premise, rest));
    }
    if always.is_empty() {
        return (facts, kept);
    }
    if facts.is_empty() {
        always.extend(kept);
    } else {
        let premise = formulas.and(facts);
        let rest = formulas.and(kept);
        always.push(formulas.implies(premise, rest));
    }
    (Vec::new(), always)
}
