//! What a trace is about: a machine with its alphabet, from a specification or from a file, and formulas in its
//! terms.

use crate::args::{ExplainArgs, InputArgs};
use crate::files::{self, ImportLoader};
use crate::input::{self, Reading};
use crate::settings::dialect;
use std::path::{Path, PathBuf};
use tsl_synth::automaton::emerson_lei_to_buchi;
use tsl_synth::base::{Budget, IdVec, Limit, LimitKind, Silent};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth::format::hoa::{read_automaton, read_hoa};
use tsl_synth::logic::{Alphabet, AtomId, FormulaId, Formulas, Node};
use tsl_synth::model::{Buchi, Mealy, Role, Verdict};
use tsl_synth::source::{SourceId, SourceMap};
use tsl_synth::spec::{
    AtomMeaning, Language, LoadOptions, MainFile, Problem, Signature, load_tsl, resolve_ltl,
};
use tsl_synth::synth::{Options, synthesize};
use tsl_synth::wire::AnyStrategy;
use tsl_synth::wire::machine::MachineDocument;

/// Larger automata in HOA are past the limit.
const MOST_STATES: usize = 100_000;

/// Why there is no subject.
pub(crate) enum Lack {
    /// The diagnostics say.
    Wrong(Diagnostics),
    /// A limit was reached.
    Limit(String),
    /// The specification has no controller.
    NoController,
    /// Something is wrong with the program.
    Internal(String),
}

impl From<Diagnostic> for Lack {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut all = Diagnostics::new();
        all.push(diagnostic);
        Self::Wrong(all)
    }
}

/// A machine and the terms in which one speaks about it.
pub(crate) struct Subject {
    /// How the machine is named in answers.
    pub(crate) name: String,
    pub(crate) problem: Problem,
    pub(crate) machine: Mealy,
    /// The specification's file, whose terms formulas use.
    spec: Option<PathBuf>,
}

fn cannot(message: String) -> Lack {
    Diagnostic::error(Code::CANNOT_READ, message).into()
}

fn load(path: &Path, map: &mut SourceMap) -> Result<SourceId, Lack> {
    files::load(path, map).map_err(|error| match error {
        Some(diagnostic) => diagnostic.into(),
        None => Lack::Limit(
            Limit::new(LimitKind::Size, format!("`{}` is too large", files::shown(path))).to_string(),
        ),
    })
}

/// The controller that synthesis finds for a specification.
pub(crate) fn of_spec(
    path: &Path,
    args: &ExplainArgs,
    options: &Options,
    map: &mut SourceMap,
) -> Result<Subject, Lack> {
    let mut problem = spec(path, args, map)?;
    let outcome = synthesize(&mut problem, options, &Silent);
    if let Some(failure) = outcome.failure {
        return Err(Lack::Internal(failure));
    }
    match outcome.verdict {
        Verdict::Realizable(machine) => {
            let name = format!("the controller of `{}`", files::shown(path));
            Ok(Subject { name, problem, machine, spec: Some(path.to_path_buf()) })
        }
        Verdict::Unrealizable(..) => Err(Lack::NoController),
        Verdict::Unknown(unknown) => Err(Lack::Limit(format!("{}: {}", unknown.stage, unknown.limit))),
    }
}

fn spec(path: &Path, args: &ExplainArgs, map: &mut SourceMap) -> Result<Problem, Lack> {
    let input = InputArgs { specs: vec![path.to_path_buf()], dialect: args.dialect, ..InputArgs::default() };
    let mut diagnostics = Diagnostics::new();
    match input::read(&input, map, &mut diagnostics) {
        Reading::Problem(problem) => Ok(*problem),
        Reading::Wrong => Err(Lack::Wrong(diagnostics)),
        Reading::TooLarge(limit) => Err(Lack::Limit(limit.to_string())),
    }
}

/// A machine from a file, over the atoms of a specification where one is given.
pub(crate) fn of_machine(
    path: &Path,
    spec_path: Option<&Path>,
    args: &ExplainArgs,
    map: &mut SourceMap,
) -> Result<Subject, Lack> {
    let source = load(path, map)?;
    let name = format!("`{}`", files::shown(path));
    if map.get(source).text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        let (alphabet, strategy) = MachineDocument::read(map, source)?.strategy()?;
        let AnyStrategy::Mealy(machine) = strategy else {
            return Err(cannot(format!(
                "{name} is a counter-strategy, and effects are explained on controllers"
            )));
        };
        return Ok(Subject { name, problem: bare(alphabet), machine, spec: None });
    }
    let hoa = read_hoa(&map.get(source).text).map_err(|e| cannot(format!("{name}: {e}")))?;
    if let Some(spec_path) = spec_path {
        let problem = spec(spec_path, args, map)?;
        let machine = hoa.mealy_over(&problem.alphabet).map_err(|e| cannot(format!("{name}: {e}")))?;
        return Ok(Subject { name, problem, machine, spec: Some(spec_path.to_path_buf()) });
    }
    if hoa.controllable.is_none() && args.outs.is_empty() {
        let hint = "the file has no `controllable-AP:`; name the outputs with `--outs a,b`";
        let message = format!("{name}: it is not known which propositions are outputs");
        return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into());
    }
    let (alphabet, machine) = hoa.mealy(&args.outs).map_err(|e| cannot(format!("{name}: {e}")))?;
    Ok(Subject { name, problem: bare(alphabet), machine, spec: None })
}

/// A problem without clauses.
fn bare(alphabet: Alphabet) -> Problem {
    let mut signature = Signature::default();
    for _ in alphabet.atoms() {
        signature.atoms.push(AtomMeaning::Proposition);
    }
    Problem {
        name: String::new(),
        language: Language::Ltl,
        target: tsl_synth::spec::Target::Mealy,
        formulas: Formulas::new(),
        alphabet,
        clauses: IdVec::new(),
        signature,
        uninterpreted_arithmetic: false,
    }
}

/// An effect or hypothesis.
pub(crate) enum Property {
    Formula(FormulaId),
    Automaton(Buchi),
}

impl Subject {
    /// A formula, or the automaton of a file in HOA.
    pub(crate) fn property(
        &mut self,
        what: &str,
        text: &str,
        args: &ExplainArgs,
        map: &mut SourceMap,
    ) -> Result<Property, Lack> {
        if !Path::new(text).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hoa")) {
            return self.formula(what, text, args, map).map(Property::Formula);
        }
        let source = load(Path::new(text), map)?;
        let read = read_automaton(&map.get(source).text).map_err(|e| cannot(format!("`{text}`: {e}")))?;
        let over = read.over(&self.problem.alphabet).map_err(|e| cannot(format!("`{text}`: {e}")))?;
        let automaton = emerson_lei_to_buchi(&over, MOST_STATES, &Budget::unlimited())
            .map_err(|limit| Lack::Limit(limit.to_string()))?;
        Ok(Property::Automaton(automaton))
    }

    /// A formula in the terms of the subject: TSL over the terms of a TSL specification, else LTL.
    pub(crate) fn formula(
        &mut self,
        what: &str,
        text: &str,
        args: &ExplainArgs,
        map: &mut SourceMap,
    ) -> Result<FormulaId, Lack> {
        if let (Some(spec), Language::Tsl) = (self.spec.clone(), self.problem.language) {
            return self.tsl(what, text, &spec, args, map);
        }
        let source = map.add(format!("<{what}>"), text);
        resolve_ltl(&mut self.problem, map, source).map_err(Lack::Wrong)
    }

    /// Reads the specification once more with the formula as a guarantee, so that all its names mean what they
    /// mean there.
    fn tsl(
        &mut self,
        what: &str,
        text: &str,
        spec: &Path,
        args: &ExplainArgs,
        map: &mut SourceMap,
    ) -> Result<FormulaId, Lack> {
        let main = load(spec, map)?;
        let source = map.add(format!("<{what}>"), format!("guarantee {{ {text}; }}\n"));
        let loader = ImportLoader::new(None, Some(spec));
        let files = [
            MainFile { source: main, canonical: files::canonical_name(spec) },
            MainFile { source, canonical: format!("<{what}>") },
        ];
        let options = LoadOptions { dialect: dialect(args.dialect), ..LoadOptions::default() };
        let (other, _) = load_tsl(&files, &options, map, &loader).map_err(|failure| match failure.limit {
            Some(limit) if !failure.diagnostics.has_errors() => Lack::Limit(limit.to_string()),
            _ => Lack::Wrong(failure.diagnostics),
        })?;
        let written =
            other.clauses.iter().filter(|clause| clause.span.is_some_and(|span| span.source == source));
        let parts: Vec<FormulaId> =
            written.filter(|clause| clause.role == Role::Guarantee).map(|clause| clause.formula).collect();
        let mut all = Vec::new();
        for part in parts {
            all.push(self.translated(&other, part, what)?);
        }
        Ok(self.problem.formulas.and(all))
    }

    fn translated(&mut self, other: &Problem, f: FormulaId, what: &str) -> Result<FormulaId, Lack> {
        let problem = &mut self.problem;
        let mut done: std::collections::BTreeMap<FormulaId, FormulaId> = std::collections::BTreeMap::new();
        for g in other.formulas.subformulas(&[f]) {
            let node = other.formulas.node(g).clone();
            let image = if let Node::Atom(atom) = node {
                let name = &other.alphabet.atoms()[atom].name;
                let known: Option<AtomId> =
                    problem.alphabet.atoms().enumerate().find(|(_, a)| a.name == *name).map(|(id, _)| id);
                let Some(known) = known else {
                    let message =
                        format!("the {what} speaks of `{name}`, which the specification does not have");
                    return Err(Diagnostic::error(Code::UNKNOWN_TERM, message).into());
                };
                problem.formulas.atom(known)
            } else {
                let mut operands = Vec::new();
                node.for_each_operand(|h| operands.push(done[&h]));
                problem.formulas.rebuild(&node, &operands)
            };
            done.insert(g, image);
        }
        Ok(done[&f])
    }
}
