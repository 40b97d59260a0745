//! `explain TRACE`: why an effect happened.

use crate::args::{ContinueArg, EmitFormat, ExplainArgs};
use crate::exit::Exit;
use crate::machine::{Lack, same};
use crate::output::{self, Output};
use crate::settings::Settings;
use crate::subject::{self, Property, Subject};
use crate::supervise;
use crate::{cause_text, cause_words};
use crate::{files, terminal, text};
use std::path::{Path, PathBuf};
use tsl_synth::automaton::{complement, intersect, ltl_to_buchi};
use tsl_synth::base::{Budget, Limit, StopFlag};
use tsl_synth::certify::{CauseClaim, CertifyError, certify_cause};
use tsl_synth::diag::{Code, Diagnostic};
use tsl_synth::explain::cause::hypothesis::{Comparison, Verdict};
use tsl_synth::explain::cause::{
    Answer, Effort, Finder, Order, Question, absence, closed, contingent_plays, plays, ruled_out, timeline,
};
use tsl_synth::explain::clause_text;
use tsl_synth::format::dot::write_parity_dot;
use tsl_synth::format::hoa::{HoaHeader, write_parity};
use tsl_synth::format::trace::{TraceText, read_trace};
use tsl_synth::logic::{Alphabet, FormulaId, Formulas, Lasso, Meaning, Node, Player};
use tsl_synth::mealy::Deviation;
use tsl_synth::model::{Buchi, Parity, Role};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::Problem;
use tsl_synth::synth::Options;
use tsl_synth::wire::{CauseDocument, CauseVerdict};

/// Larger automata of effects are past the limit.
const EFFECT_STATES: usize = 20_000;
/// As many states of the cause are made for a hypothesis.
const HYPOTHESIS_STATES: usize = 200_000;
/// Larger automata of causes are past the limit.
const AUTOMATON_STATES: usize = 500_000;

/// What there is to say.
pub(crate) struct Told {
    pub(crate) document: CauseDocument,
    /// The answer as a person reads it.
    pub(crate) text: String,
    pub(crate) files: Files,
    pub(crate) exit: Exit,
}

/// What goes to files of its own.
#[derive(Default)]
pub(crate) struct Files {
    automaton: Option<String>,
    svg: Option<String>,
}

/// Runs the verb.
pub(crate) fn run(args: &ExplainArgs) -> Exit {
    if args.what.len() > 1 {
        return output::wrong("one trace at a time; several files together are a specification");
    }
    let files = [args.what.first().map(PathBuf::from), args.machine.clone(), args.spec.clone()];
    if files.iter().flatten().filter(|path| files::is_stdin(path)).count() > 1 {
        return output::wrong("standard input can be read only once: name a file for the others");
    }
    for (path, option) in [(&args.automaton, "--automaton"), (&args.svg, "--svg")] {
        if path.as_deref().is_some_and(files::is_stdin) {
            return output::wrong(&format!("`{option} -`: name a file, standard output is for the answer"));
        }
    }
    let settings = Settings::new(args.engine.clone());
    let stop = StopFlag::new();
    let options = settings.options(stop.clone(), true);
    let work = Work { args: args.clone(), options, stop: stop.clone(), memory: settings.allowance.memory };
    let end = supervise::run(settings.allowance, &stop, move |_| work.run());
    let (result, map) = match end.or_exit() {
        Ok(result) => result,
        Err(exit) => return exit,
    };
    let told = match result {
        Ok(told) => told,
        Err(Lack::Wrong(diagnostics)) => {
            let color = terminal::wants_color(args.output.color);
            terminal::say(&text::render(diagnostics.iter(), &map, color));
            return Exit::Wrong;
        }
        Err(Lack::Limit(what)) => {
            terminal::say(&format!("unknown: {}\n", terminal::escape_lines(&what)));
            return Exit::Unknown;
        }
        Err(Lack::Internal(message)) => return output::internal(&message),
    };
    let files = [(&args.automaton, &told.files.automaton), (&args.svg, &told.files.svg)];
    for (path, text) in files {
        if let (Some(path), Some(text)) = (path, text)
            && let Err(message) = output::write_file(path, text)
        {
            return output::wrong(&message);
        }
    }
    let mut out = Output::new(args.output.output.as_deref());
    match args.format {
        EmitFormat::Text => out.push(&told.text),
        EmitFormat::Json => out.push(&output::json(&told.document)),
    }
    match out.finish() {
        Ok(()) => told.exit,
        Err(message) => output::wrong(&message),
    }
}

struct Work {
    args: ExplainArgs,
    options: Options,
    stop: StopFlag,
    memory: u64,
}

fn wrong(message: impl Into<String>, hint: &str) -> Lack {
    Diagnostic::error(Code::CANNOT_READ, message).hint(hint).into()
}

/// Everything that was asked, in formulas.
struct Asked {
    effect_text: String,
    effect: Property,
    /// Facts that every environment obeys, and assumptions that are to be respected.
    within: FormulaId,
    /// Only the facts.
    facts: FormulaId,
    /// Only the assumptions.
    respected: FormulaId,
    hypothesis: Option<(String, Property)>,
    notes: Vec<String>,
}

impl Work {
    fn run(&self) -> (Result<Told, Lack>, SourceMap) {
        let mut map = SourceMap::new();
        let result = self.tell(&mut map);
        (result, map)
    }

    fn tell(&self, map: &mut SourceMap) -> Result<Told, Lack> {
        let args = &self.args;
        let (trace_text, folder) = self.trace(map)?;
        let mut subject = self.subject(&trace_text, folder.as_deref(), map)?;
        same(&trace_text, &subject.id())?;
        let trace = subject.read(&trace_text).map_err(Lack::Wrong)?;
        if trace.is_empty() {
            return Err(wrong("the trace has no step", "a trace is a word such as `a & !b; cycle{a}`"));
        }
        let effect_text = match (&args.effect, &trace_text.effect) {
            (Some(effect), _) => effect.clone(),
            (None, Some(effect)) => effect.text.clone(),
            (None, None) => return Err(wrong("there is no effect to explain", "say `--effect FORMULA`")),
        };
        let actual = match subject.play(&trace) {
            Ok(actual) => actual,
            Err(Deviation::TooLong(limit)) => return Err(limit.into()),
            Err(deviation) => {
                let told = cause_words::deviation(subject.alphabet(), &subject.name, &deviation);
                return Ok(bad_trace(&subject, &effect_text, told));
            }
        };
        if let Some(told) = self.impossible(&mut subject, &actual)? {
            return Ok(bad_trace(&subject, &effect_text, told));
        }
        let mut asked = self.asked(effect_text, &actual, &mut subject, map)?;
        if trace.is_finite() {
            self.finite(trace.len(), &subject, &mut asked)?;
        }
        self.answer(&subject, &actual, &asked)
    }

    /// The trace, and the folder that its file names are relative to.
    fn trace(&self, map: &mut SourceMap) -> Result<(TraceText, Option<PathBuf>), Lack> {
        if let Some(word) = &self.args.trace {
            let source = map.add("<trace>", word.as_str());
            return Ok((read_trace(map, source).map_err(Lack::Wrong)?, None));
        }
        let path = PathBuf::from(self.args.what.first().map_or("-", String::as_str));
        let source = match files::load(&path, map) {
            Ok(source) => source,
            Err(Some(diagnostic)) => {
                let hint = "to explain a trace name its file, or say `--trace WORD`; codes look like TSL0001";
                return Err(diagnostic.hint(hint).into());
            }
            Err(None) => return Err(Lack::Limit(format!("`{}` is too large", files::shown(&path)))),
        };
        let text = read_trace(map, source).map_err(Lack::Wrong)?;
        let folder = path.parent().filter(|_| !files::is_stdin(&path)).map(Path::to_path_buf);
        Ok((text, folder))
    }

    fn subject(&self, text: &TraceText, folder: Option<&Path>, map: &mut SourceMap) -> Result<Subject, Lack> {
        let args = &self.args;
        let near = |name: &str| folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        let named = |given: &Option<PathBuf>, own: &Option<tsl_synth::format::trace::TraceString>| {
            given.clone().or_else(|| own.as_ref().map(|name| near(&name.text)))
        };
        // A machine or specification of the command line replaces both of the trace.
        let given = args.machine.is_some() || args.spec.is_some();
        let (machine, spec) = if given {
            (args.machine.clone(), args.spec.clone())
        } else {
            (named(&None, &text.machine), named(&None, &text.spec))
        };
        match (machine, spec) {
            (Some(machine), spec) => subject::of_machine(&machine, spec.as_deref(), args, map),
            (None, Some(spec)) => subject::of_spec(&spec, args, &self.options, map),
            (None, None) => Err(wrong(
                "it is not known which machine made this trace",
                "say `--machine m.hoa` or `--spec s.tsl`, or name it in the trace",
            )),
        }
    }

    fn asked(
        &self,
        effect_text: String,
        actual: &Lasso,
        subject: &mut Subject,
        map: &mut SourceMap,
    ) -> Result<Asked, Lack> {
        let args = &self.args;
        let effect = subject.property("effect", &effect_text, args, map)?;
        let mut assumptions = Vec::new();
        for text in &args.assume {
            assumptions.push((subject.formula("assumption", text, args, map)?, text.clone()));
        }
        let mut notes = Vec::new();
        let mut facts = Vec::new();
        let problem = &subject.problem;
        let mut meaning = Meaning::new(&problem.formulas, &problem.alphabet, actual);
        for (id, clause) in problem.clauses.enumerate() {
            match clause.role {
                // What is not available to the system, whose moves are the inputs of a counter-strategy, is no move.
                Role::Restriction if subject.is_opponent() && meaning.holds(clause.formula) => {
                    facts.push(clause.formula);
                }
                Role::Fact => facts.push(clause.formula),
                Role::Assumption if args.respect_assumptions || !args.assume.is_empty() => {
                    assumptions.push((clause.formula, clause_text(problem, map, id)));
                }
                _ => {}
            }
        }
        // What the trace itself breaks says nothing about what else could have been.
        let mut respected = Vec::new();
        for (formula, text) in &assumptions {
            if meaning.holds(*formula) {
                respected.push(*formula);
            } else {
                notes.push(format!("the trace itself breaks the assumption `{text}`, which is left aside"));
            }
        }
        if args.respect_assumptions && assumptions.is_empty() {
            notes.push("there are no assumptions to respect".into());
        }
        let hypothesis = match &args.hypothesis {
            None => None,
            Some(text) => {
                let property = subject.property("hypothesis", text, args, map)?;
                if let Some(name) = output_of(&subject.problem, &property) {
                    return Err(wrong(
                        format!("the hypothesis speaks of `{name}`, which is an output"),
                        if subject.is_opponent() {
                            "causes are about what the system did: the environment is the machine here"
                        } else {
                            "causes are about inputs: what the environment did"
                        },
                    ));
                }
                Some((text.clone(), property))
            }
        };
        let formulas = &mut subject.problem.formulas;
        let (facts, respected) = (formulas.and(facts), formulas.and(respected));
        let within = formulas.and([facts, respected]);
        Ok(Asked { effect_text, effect, within, facts, respected, hypothesis, notes })
    }

    /// That the trace breaks what follows from the meaning of the specification, such as the value of a cell after an
    /// update; no play does.
    fn impossible(&self, subject: &mut Subject, actual: &Lasso) -> Result<Option<String>, Lack> {
        let Problem { formulas, alphabet, clauses, .. } = &mut subject.problem;
        let budget = Budget::unlimited().with_flag(self.stop.clone()).with_memory(self.memory);
        for clause in clauses.iter().filter(|clause| clause.role == Role::Fact) {
            if Meaning::new(formulas, alphabet, actual).holds(clause.formula) {
                continue;
            }
            let fact = ltl_to_buchi(formulas, alphabet, clause.formula, EFFECT_STATES, &budget)?;
            let step = ruled_out(&fact, actual).map_or(String::new(), |step| format!("step {step} of "));
            let text = formulas.display(clause.formula, alphabet);
            let told = format!(
                "This is no trace of {}: {step}the trace breaks `{text}`, which follows from the meaning of the specification.",
                subject.name
            );
            return Ok(Some(told));
        }
        Ok(None)
    }

    /// What is said about finite traces.
    fn finite(&self, steps: usize, subject: &Subject, asked: &mut Asked) -> Result<(), Lack> {
        match self.args.continuation {
            ContinueArg::Last => {
                asked
                    .notes
                    .push("the trace is finite: its last input is taken to be repeated for ever".into());
                Ok(())
            }
            ContinueArg::Any => match horizon(&subject.problem.formulas, &asked.effect) {
                Some(last) if last < steps => Ok(()),
                Some(last) => Err(wrong(
                    format!("the effect looks at step {last}, and the trace ends after step {}", steps - 1),
                    "with `--continue last` the last input is repeated",
                )),
                None => Err(wrong(
                    "with `--continue any` the effect has to be decided within the trace: only X and Boolean operators",
                    "with `--continue last` the last input is repeated",
                )),
            },
        }
    }

    fn answer(&self, subject: &Subject, actual: &Lasso, asked: &Asked) -> Result<Told, Lack> {
        let budget = Budget::unlimited().with_flag(self.stop.clone()).with_memory(self.memory);
        let (mut alphabet, machine) = (&subject.problem.alphabet, &subject.machine);
        let mut formulas = subject.problem.formulas.clone();
        let mut notes = subject.notes.clone();
        notes.extend(asked.notes.iter().cloned());
        let mut system = if self.args.contingencies {
            notes.push("counterfactuals may keep some outputs at their actual values (contingencies)".into());
            contingent_plays(alphabet, machine, actual, &budget)?
        } else {
            plays(alphabet, machine)
        };
        let (mut facts, mut within) = (asked.facts, asked.within);
        let closed = if self.args.contingencies {
            None
        } else {
            closed(alphabet, &system, &mut formulas, asked.facts, &budget)?
        };
        if let Some(closed) = &closed {
            (alphabet, system) = (&closed.alphabet, closed.system.clone());
            if closed.total {
                (facts, within) = (formulas.top(), asked.respected);
            }
            let names: Vec<String> =
                closed.followed.iter().map(|&atom| format!("`{}`", alphabet.atoms()[atom].name)).collect();
            let (verb, are) = if names.len() == 1 { ("follows", "is") } else { ("follow", "are") };
            notes.push(format!("{} {verb} from the updates and {are} no input here", names.join(", ")));
        }
        let order = if self.args.limit_assumption { Order::LimitAssumption } else { Order::Inclusion };
        let without = without_effect(&mut formulas, alphabet, &asked.effect, within, &budget)?;
        let question = Question { alphabet, system: &system, actual, without: &without };
        let finder = Finder::new(question, order, &budget)?;
        let effort = Effort::default();
        let answer = finder.explain(&mut formulas, within, &effort, &budget)?;
        if within != facts {
            let without = without_effect(&mut formulas, alphabet, &asked.effect, facts, &budget)?;
            let plain = Finder::new(Question { without: &without, ..question }, order, &budget)?;
            let plain = plain.explain(&mut formulas, facts, &effort, &budget)?;
            notes.extend(cause_words::differences(alphabet, &plain, &answer));
        }
        let mut document =
            cause_words::document(alphabet, &formulas, &answer, &asked.effect_text, &subject.name);
        let happened = document.verdict != CauseVerdict::NoEffect;
        if !happened {
            let effect = with_effect(&mut formulas, alphabet, &asked.effect, &budget)?;
            document.ruled_out_at = ruled_out(&effect, actual);
            document.sentence = absence(&asked.effect_text, actual, document.ruled_out_at);
        }
        let mut exit = if happened { Exit::Yes } else { Exit::No };
        if let (Some((text, property)), true) = (&asked.hypothesis, happened) {
            let compared = compare(&finder, &mut formulas, property, within, &budget)?;
            exit = if compared.verdict == Verdict::Cause { Exit::Yes } else { Exit::No };
            document.hypothesis = Some(cause_words::hypothesis(alphabet, text, &compared));
        }
        let mut automaton = None;
        if self.args.automaton.is_some() && happened {
            match finder.smallest(AUTOMATON_STATES, &budget) {
                Ok(exact) => {
                    let states = exact.automaton.edges.len();
                    let s = if states == 1 { "" } else { "s" };
                    let least = match exact.needed {
                        needed if needed == states => ", the fewest possible".into(),
                        1 => "; a smaller automaton may exist".into(),
                        needed => format!("; a smaller automaton may exist, with {needed} or more"),
                    };
                    notes.push(format!("the exact cause has {states} state{s}{least}"));
                    document.automaton_minimal = Some(exact.needed == states);
                    automaton = Some(exact.automaton);
                }
                // The rest of the answer does not need it.
                Err(limit) => {
                    notes.push(format!("the exact cause was not made: {limit}"));
                    exit = Exit::Unknown;
                }
            }
        }
        if let (Answer::Cause(found), false) = (&answer, self.args.engine.no_certify) {
            let claim = CauseClaim {
                system: &system,
                actual,
                without: within,
                automata: None,
                within,
                cause: &found.cause,
                exact: found.exact,
                automaton: automaton.as_ref(),
                infinite: order == Order::Inclusion,
            };
            document.certificate = certify(&mut formulas, alphabet, asked, claim, &budget)?;
        }
        if let Some(automaton) = &automaton {
            let name = format!("the cause of {}", asked.effect_text);
            let header = HoaHeader { name, tool_version: env!("CARGO_PKG_VERSION").into() };
            document.automaton = Some(write_parity(alphabet, automaton, &header));
        }
        let files = Files {
            automaton: automaton.as_ref().map(|a| self.automaton_text(alphabet, a, &document)),
            svg: self.args.svg.as_ref().map(|_| timeline(alphabet, &document.sentence, actual, &answer)),
        };
        document.notes = notes;
        let text = cause_text::render(alphabet, actual, &document, &answer);
        Ok(Told { document, text, files, exit })
    }

    fn automaton_text(&self, alphabet: &Alphabet, automaton: &Parity, document: &CauseDocument) -> String {
        let ending = self.args.automaton.as_ref().and_then(|path| path.extension());
        if ending.is_some_and(|ending| ending == "dot" || ending == "gv") {
            return write_parity_dot(alphabet, automaton, "cause");
        }
        document.automaton.clone().unwrap_or_default()
    }
}

/// Checks the answer by the definition; says what was done.
fn certify(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    asked: &Asked,
    claim: CauseClaim<'_>,
    budget: &Budget,
) -> Result<Option<String>, Lack> {
    let complemented;
    let claim = match &asked.effect {
        Property::Formula(effect) => {
            let not = formulas.not(*effect);
            CauseClaim { without: formulas.and([not, claim.within]), ..claim }
        }
        Property::Automaton(effect) => {
            complemented = complement(effect, EFFECT_STATES, budget)?;
            CauseClaim { automata: Some((effect, &complemented)), ..claim }
        }
    };
    match certify_cause(formulas, alphabet, &claim, budget) {
        Ok(done) => Ok(Some(format!(
            "{} questions answered from the definition by the independent checker",
            done.searches
        ))),
        Err(CertifyError::Limit(limit)) => Err(Lack::Limit(format!("the certificate of the cause: {limit}"))),
        Err(error) => Err(Lack::Internal(format!("the cause failed its check: {error}"))),
    }
}

fn compare(
    finder: &Finder<'_>,
    formulas: &mut Formulas,
    hypothesis: &Property,
    within: FormulaId,
    budget: &Budget,
) -> Result<Comparison, Limit> {
    let most = HYPOTHESIS_STATES;
    match hypothesis {
        Property::Formula(f) => finder.compare(formulas, *f, within, most, budget),
        Property::Automaton(holds) => {
            let fails = complement(holds, most, budget)?;
            let within = ltl_to_buchi(formulas, finder.question().alphabet, within, EFFECT_STATES, budget)?;
            let holds = intersect(holds, &within, most, budget)?;
            let fails = intersect(&fails, &within, most, budget)?;
            finder.compare_automata(&holds, &fails, most, budget)
        }
    }
}

/// The plays with the effect; every state accepts something.
fn with_effect(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    effect: &Property,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    match effect {
        Property::Formula(f) => ltl_to_buchi(formulas, alphabet, *f, EFFECT_STATES, budget),
        Property::Automaton(automaton) => Ok(automaton.clone()),
    }
}

/// The plays without the effect, within something.
fn without_effect(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    effect: &Property,
    within: FormulaId,
    budget: &Budget,
) -> Result<Buchi, Limit> {
    match effect {
        Property::Formula(f) => {
            let not = formulas.not(*f);
            let broken = formulas.and([not, within]);
            ltl_to_buchi(formulas, alphabet, broken, EFFECT_STATES, budget)
        }
        Property::Automaton(automaton) => {
            let not = complement(automaton, EFFECT_STATES, budget)?;
            let within = ltl_to_buchi(formulas, alphabet, within, EFFECT_STATES, budget)?;
            intersect(&not, &within, EFFECT_STATES, budget)
        }
    }
}

/// An output that a property speaks of.
fn output_of(problem: &Problem, property: &Property) -> Option<String> {
    let alphabet = &problem.alphabet;
    match property {
        Property::Formula(f) => {
            let support = problem.formulas.support(&[*f]);
            let output = support.iter().find(|&a| alphabet.player(a) == Player::System);
            output.map(|atom| alphabet.atoms()[atom].name.clone())
        }
        Property::Automaton(automaton) => {
            let edges = automaton.edges.iter().flatten();
            let mut bits = edges.flat_map(|edge| automaton.guards.support(edge.guard));
            bits.find(|&bit| alphabet.owner(bit) == Player::System).map(|_| "an output".to_owned())
        }
    }
}

/// How far a formula without fixpoints looks ahead; `None` for everything else.
fn horizon(formulas: &Formulas, effect: &Property) -> Option<usize> {
    let Property::Formula(f) = *effect else { return None };
    let mut depth: std::collections::BTreeMap<FormulaId, usize> = std::collections::BTreeMap::new();
    for g in formulas.subformulas(&[f]) {
        let node = formulas.node(g);
        let mut deepest = 0;
        node.for_each_operand(|h| deepest = deepest.max(depth[&h]));
        let own = match node {
            Node::Next(_) => deepest + 1,
            Node::True
            | Node::False
            | Node::Atom(_)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Iff(..) => deepest,
            _ => return None,
        };
        depth.insert(g, own);
    }
    depth.get(&f).copied()
}

fn bad_trace(subject: &Subject, effect: &str, told: String) -> Told {
    let mut text = format!("{}\n", terminal::escape_lines(&told));
    for note in &subject.notes {
        text.push_str(&terminal::escape_lines(&format!("note: {note}\n")));
    }
    let version = env!("CARGO_PKG_VERSION");
    let mut document = CauseDocument::new(version, CauseVerdict::BadTrace, told, effect, &subject.name);
    document.notes.clone_from(&subject.notes);
    Told { document, text, files: Files::default(), exit: Exit::Wrong }
}
