//! `explain SPEC`: why a specification has no controller, and what would help.

use crate::args::{EmitArgs, EmitFormat, ExplainArgs, InputArgs, OutputArgs};
use crate::check::{HEALTH_SIZE, PLAY_WORK};
use crate::exit::Exit;
use crate::input::{self, Reading};
use crate::report::{self, Report};
use crate::settings::Settings;
use crate::supervise::{self, End};
use crate::terminal::Spinner;
use crate::{emit, output, text};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth::base::{Budget, StopFlag};
use tsl_synth::diag::Severity;
use tsl_synth::emit::OnBroken;
use tsl_synth::explain::{
    Core, Cores, Effort, Ending, Lost, all_cores, clause_text, examine, forced_loss, losing_play, lost,
    minimal_core, repairs, story,
};
use tsl_synth::model::{CounterStrategy, Notion, Stage, Verdict};
use tsl_synth::spec::Problem;
use tsl_synth::synth::{FailedCertificate, Options, Wanted, synthesize};
use tsl_synth::wire::{
    CheckCore, CheckDiagnostic, CheckNotion, CheckPlay, CheckVerdict, ExplainDocument, ExplainLost,
    lost_sentence,
};

/// Rounds of the engines for a question after the verdict.
const QUESTION_ROUNDS: u32 = 2;
/// Counted bytes of one such question: operations on larger diagrams take long and count little.
const QUESTION_MEMORY: u64 = 512 << 20;
/// More repairs than this are not shown.
const REPAIRS: usize = 8;

/// Runs the verb.
pub(crate) fn run(args: ExplainArgs) -> Exit {
    let input = InputArgs {
        specs: args.what.iter().map(PathBuf::from).collect(),
        input_format: args.input_format,
        dialect: args.dialect,
        import_root: args.import_root,
        ins: args.ins,
        outs: args.outs,
        formula: args.formula,
        parameters: args.parameters,
    };
    if let Some(lang) = args.lang {
        return emit::run(EmitArgs {
            input,
            engine: args.engine,
            output: args.output,
            lang,
            format: EmitFormat::Text,
            counter: true,
            monitors: false,
            asynchronous: false,
            lazy: false,
            on_broken_assumption: OnBroken::default(),
            template: None,
            scaffold: None,
            force: false,
        });
    }
    let settings = Settings::new(args.engine.clone());
    let stop = StopFlag::new();
    let spinner = Arc::new(Spinner::new(args.output.progress, args.output.quiet));
    // What is explained never depends on the clock or on the number of threads.
    // Plays against a counter-strategy are shown.
    let counter = Some(Wanted::RatherExplicit);
    let options = Options { counter, ..settings.options(stop.clone(), false) };
    let work = Work {
        input: input.clone(),
        questions: Options {
            rounds: QUESTION_ROUNDS,
            memory: options.memory.min(QUESTION_MEMORY),
            ..options.clone()
        },
        options,
        all: args.all_cores.map(usize::from),
    };
    let observer = Arc::clone(&spinner);
    let end = supervise::run(settings.allowance, &stop, move |_| work.run(&observer));
    spinner.clear();
    let (report, document) = match end {
        End::Done(done) => done,
        End::Abandoned(kind, _) => {
            let mut report = Report::new(input::name(&input));
            report.unknown(&"computation", &tsl_synth::base::Limit::new(kind, "it did not stop by itself"));
            let document = ExplainDocument::new(env!("CARGO_PKG_VERSION"), "", CheckVerdict::Unknown);
            (report, document)
        }
        End::Panicked(message) => return output::internal(&message),
    };
    deliver(&report, document, &args.output, args.format)
}

fn deliver(report: &Report, mut document: ExplainDocument, args: &OutputArgs, format: EmitFormat) -> Exit {
    let color = crate::terminal::wants_color(args.color);
    let least = if args.quiet { Severity::Error } else { Severity::Note };
    let mut out = output::Output::new(args.output.as_deref());
    match format {
        EmitFormat::Text => {
            let shown = report.diagnostics.iter().filter(|d| d.severity >= least);
            crate::terminal::say(&text::render(shown, &report.map, color));
            out.push(&report::text(report, false, false));
        }
        EmitFormat::Json => {
            document.spec.clone_from(&report.result.spec);
            document.verdict = report.result.verdict;
            document.notion = report.result.notion;
            document.sentence.clone_from(&report.result.reason);
            document.play.clone_from(&report.result.play);
            document.repairs.clone_from(&report.result.hints);
            document.diagnostics =
                report.diagnostics.iter().map(|d| CheckDiagnostic::new(&report.map, d)).collect();
            out.push(&output::json(&document));
        }
    }
    if let Some(failure) = &report.internal {
        output::internal(failure);
    }
    match out.finish() {
        Ok(()) => report.exit,
        Err(message) => output::wrong(&message).worst(report.exit),
    }
}

/// The work, done on its own thread.
struct Work {
    input: InputArgs,
    options: Options,
    /// The options of the questions that follow the verdict.
    questions: Options,
    all: Option<usize>,
}

impl Work {
    fn run(&self, observer: &Spinner) -> (Report, ExplainDocument) {
        let mut report = Report::new(input::name(&self.input));
        let version = env!("CARGO_PKG_VERSION");
        let mut document = ExplainDocument::new(version, &report.result.spec, CheckVerdict::Unknown);
        let reading = input::read(&self.input, &mut report.map, &mut report.diagnostics);
        let mut problem = match reading {
            Reading::Problem(problem) => *problem,
            Reading::Wrong => {
                report.wrong();
                return (report, document);
            }
            Reading::TooLarge(limit) => {
                report.unknown(&Stage::Reading, &limit);
                return (report, document);
            }
        };
        let outcome = match synthesize(&mut problem, &self.options, observer) {
            Ok(outcome) => outcome,
            Err(failed) => {
                report.statistics(&failed.statistics);
                report.fail(failed.to_string());
                return (report, document);
            }
        };
        report.statistics(&outcome.statistics);
        report.certificate(outcome.certificate.as_ref());
        let explained = match outcome.verdict {
            Verdict::Realizable(_) => {
                report.verdict(CheckVerdict::Realizable, Exit::Yes);
                self.health(&problem, true, &mut report, observer)
                    .map(|()| report.tell(&health_text(&report)))
            }
            Verdict::Unrealizable(counter, notion) => {
                report.verdict(CheckVerdict::Unrealizable, Exit::No);
                report.result.notion = Some(match notion {
                    Notion::Ltl => CheckNotion::Ltl,
                    Notion::Tsl => CheckNotion::Tsl,
                });
                for constraint in outcome.constraints {
                    problem.clauses.push(constraint);
                }
                let told = (&mut report, &mut document);
                self.unrealizable(&problem, counter.as_explicit(), notion, told, observer)
                    .and_then(|()| self.health(&problem, false, &mut report, observer))
            }
            Verdict::Unknown(unknown) => {
                report.unknown(&unknown.stage, &unknown.limit);
                Ok(())
            }
        };
        if let Err(failed) = explained {
            report.fail(failed.to_string());
        }
        (report, document)
    }

    fn health(
        &self,
        problem: &Problem,
        realizable: bool,
        report: &mut Report,
        observer: &Spinner,
    ) -> Result<(), FailedCertificate> {
        let size =
            problem.clauses.iter().fold(0u32, |n, c| n.saturating_add(problem.formulas.size(c.formula)));
        if size <= HEALTH_SIZE {
            let found = examine(problem, &report.map, realizable, &self.questions, observer)?;
            report.diagnostics.append(found);
        }
        Ok(())
    }

    fn unrealizable(
        &self,
        problem: &Problem,
        counter: Option<&CounterStrategy>,
        notion: Notion,
        (report, document): (&mut Report, &mut ExplainDocument),
        observer: &Spinner,
    ) -> Result<(), FailedCertificate> {
        let cores = if let Some(limit) = self.all {
            all_cores(problem, (counter, notion), limit, &self.questions, observer)?
        } else {
            let core = minimal_core(problem, counter, notion, &self.questions, observer)?;
            Cores { cores: vec![core], corrections: Vec::new(), complete: false }
        };
        document.with_cores(problem, &report.map, &cores);
        let Some(core) = cores.cores.first() else { return Ok(()) };
        report.result.core = Some(CheckCore::new(problem, &report.map, core));
        let budget = Budget::unlimited().with_flag(self.questions.stop.clone()).with_work(PLAY_WORK);
        let known = losing_play(problem, core, &budget).ok();
        let forced = forced_loss(problem, core, known.as_ref(), &self.questions, observer)?;
        document.no_loss_within = Some(forced.excluded);
        if let Some(play) = forced.play.or(known) {
            report.result.reason = Some(story(problem, &report.map, core, &play));
            report.result.play = Some(CheckPlay::new(problem, &report.map, &play));
            report.explain(problem, core, Some(&play));
            let lost = lost(problem, &core.guarantees, &play, &self.questions, observer)?;
            let endless = matches!(play.ending, Ending::Repeats(_));
            document.lost.extend(lost.iter().map(|l| ExplainLost::new(problem, &report.map, l)));
            if !endless && play.steps.len() > 1 && play.steps.len() == forced.excluded + 1 {
                report.tell("No environment can force a violation in fewer steps.\n");
            }
            if play.shortest && play.steps.len() > 1 {
                report.tell(
                    "Of the plays against this counter-strategy that go on for ever none breaks fewer guarantees, and \
                     none that breaks as few is shorter.\n",
                );
            }
            report.tell(&lost_text(problem, report, &lost, endless));
        } else {
            report.explain(problem, core, None);
            if core.counter.is_none() {
                report.tell("The counter-strategy is a circuit: there is no play to show.\n");
            }
        }
        if self.all.is_some() {
            let text = cores_text(problem, report, &cores);
            report.tell(&text);
        }
        self.mend(problem, core, report, observer)
    }

    fn mend(
        &self,
        problem: &Problem,
        core: &Core,
        report: &mut Report,
        observer: &Spinner,
    ) -> Result<(), FailedCertificate> {
        let found = repairs(problem, core, Effort::FULL, &self.questions, observer)?;
        if found.repairs.is_empty() {
            report.tell("No assumption or weaker guarantee of a known form was found to help.\n");
        }
        report.hints(problem, &found, REPAIRS);
        Ok(())
    }
}

/// When the guarantees of the core are lost.
fn lost_text(problem: &Problem, report: &Report, lost: &[Lost], endless: bool) -> String {
    if lost.len() > 1 && lost.iter().all(|entry| entry.after.is_none()) {
        let end = if endless { "for ever" } else { "to the end" };
        return format!(
            "Each of the guarantees could be kept by itself {end}: it is together that they fail.\n"
        );
    }
    let mut text = String::from("When the guarantees are lost:\n");
    for entry in lost {
        let _ = writeln!(text, "  {}", lost_sentence(problem, &report.map, entry, endless));
    }
    text
}

/// The other cores, and what can be given up.
fn cores_text(problem: &Problem, report: &Report, cores: &Cores) -> String {
    let mut text = match (cores.cores.len(), cores.complete) {
        (1, true) => "There is no other minimal set of guarantees that cannot be kept together.\n".into(),
        (n, true) => format!("There are {n} minimal sets of guarantees that cannot be kept together.\n"),
        (n, false) => format!("{n} minimal sets of guarantees were found; there may be more.\n"),
    };
    for (i, core) in cores.cores.iter().enumerate().skip(1) {
        let _ = write!(text, "\nSet {}. ", i + 1);
        report.core(problem, core, &mut text);
    }
    if !cores.corrections.is_empty() {
        text.push_str("\nIt is enough to give up all guarantees of one of these lines:\n");
        for correction in &cores.corrections {
            let clauses: Vec<String> =
                correction.iter().map(|&id| format!("`{}`", clause_text(problem, &report.map, id))).collect();
            let _ = writeln!(text, "  {}", clauses.join(", "));
        }
    }
    text
}

fn health_text(report: &Report) -> String {
    match report.diagnostics.iter().filter(|d| d.severity >= Severity::Warning).count() {
        0 => "There is a controller, and nothing suggests that the contract says less than it seems to.\n"
            .into(),
        1 => "There is a controller, but see the warning about the contract.\n".into(),
        n => format!("There is a controller, but see the {n} warnings about the contract.\n"),
    }
}
