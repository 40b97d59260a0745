//! One run of a task under one arm.

use super::judge::{Judge, f1};
use super::{Arm, EvalGroup, EvalTask, RunRow, run_seed};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use tsl_synth_agents::behavior::{Author, Entered, RunEnd};
use tsl_synth_agents::plan::{DriveEnd, DriveOptions, OnInvalid, PlanDriver, PlanLength, WordReport};
use tsl_synth_agents::plan_grammar::{PlanGrammar, TerminalId};
use tsl_synth_agents::story::{NoAudience, Played, StoryEnd, StoryOptions};
use tsl_synth_agents::{
    AnswerKind, Conversation, NoLog, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest, OracleUsage,
    Port, Script, Scripted, StopReason,
};
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::OnBroken;
use tsl_synth_documents::TurnDocument;
use tsl_synth_policy::language::LawKind;
use tsl_synth_service::{
    ActorEnd, ActorKind, ActorOptions, ActorRun, BehaviorRun, Failure, LoadedPolicy, LoadedStory, LoggedRun,
    Oracles, Plans, adherence, run_actor, run_behavior, run_story,
};

/// What guards the model.
pub enum Subject {
    /// A controller synthesized from a specification.
    Story(Box<LoadedStory>),
    /// The gate of a policy, with its text.
    Policy(Box<LoadedPolicy>, String),
    /// A behavior.
    Behavior(Box<BehaviorRun>),
    /// A grammar of plans, with its laws in LTL or TSL for the prompt of a model.
    Plans(Box<Plans>, Vec<String>),
}

impl Subject {
    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Story(_) => "specification",
            Self::Policy(..) => "policy",
            Self::Behavior(_) => "behavior",
            Self::Plans(..) => "grammar",
        }
    }
}

/// What an oracle is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalRole {
    /// The model that is measured.
    Model,
    /// Who says what holds of texts; the model itself if the answer is `None`.
    Evaluator,
    /// The user of the agent.
    User,
    /// The environment.
    World,
    /// Who judges answers.
    Judge,
}

/// Opens the oracles of runs.
pub trait EvalPorts {
    /// The oracle of a role in a run with this seed; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be opened: the evaluation ends.
    fn open(
        &mut self,
        role: EvalRole,
        arm: Arm,
        group: &EvalGroup,
        task: &EvalTask,
        seed: u64,
    ) -> Result<Option<Box<dyn Oracle>>, String>;
}

/// How runs are made.
#[derive(Clone, Debug)]
pub struct EvalOptions {
    /// The seed.
    pub seed: u64,
    /// How often the same is asked.
    pub attempts: u32,
    /// The limit on the turns, actions or texts of a run, or on the steps of a plan.
    pub turns: Option<u32>,
    /// How often a passage that fails its check is written again.
    pub regenerate: u32,
    /// How often another action is asked for after a refusal.
    pub retries: u32,
    /// How actions are proposed.
    pub actor: ActorKind,
    /// How answers are judged.
    pub judge: Judge,
}

impl Default for EvalOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            attempts: 3,
            turns: None,
            regenerate: 0,
            retries: 3,
            actor: ActorKind::Monologue,
            judge: Judge::Exact,
        }
    }
}

/// Counts the questions to an oracle that several ports share.
#[derive(Clone)]
struct Measured(Rc<RefCell<(Box<dyn Oracle>, u64)>>, OracleUsage);

impl Measured {
    fn new(oracle: Box<dyn Oracle>) -> Self {
        let before = oracle.usage();
        Self(Rc::new(RefCell::new((oracle, 0))), before)
    }
    fn questions(&self) -> u64 {
        self.0.borrow().1
    }
}

impl Oracle for Measured {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let mut inner = self.0.borrow_mut();
        inner.1 += 1;
        inner.0.ask(request)
    }
    fn imagines(&self) -> bool {
        self.0.borrow().0.imagines()
    }
    fn usage(&self) -> OracleUsage {
        self.0.borrow().0.usage() - &self.1
    }
}

/// The ports of a run.
struct RunPorts {
    evaluator: Box<dyn Oracle>,
    generator: Measured,
    user: Option<Box<dyn Oracle>>,
    world: Option<Box<dyn Oracle>>,
}

/// The outcome of a run before its answer is judged.
struct Outcome {
    answer: Option<String>,
    stop: Option<StopReason>,
}

/// Runs a task once.
///
/// # Errors
/// An oracle that cannot be used, a limit, or a defect of this program.
pub fn run_once(
    group: &EvalGroup,
    task: &EvalTask,
    arm: Arm,
    run: u32,
    options: &EvalOptions,
    ports: &mut dyn EvalPorts,
) -> Result<RunRow, EvalFailure> {
    let seed = run_seed(options.seed, &group.name, &task.id, run);
    let mut open = |role| ports.open(role, arm, group, task, seed).map_err(wrong);
    let model = open(EvalRole::Model)?.ok_or_else(|| wrong("nobody is there to be measured".into()))?;
    let generator = Measured::new(model);
    let evaluator = match open(EvalRole::Evaluator)? {
        Some(own) => own,
        None => Box::new(generator.clone()),
    };
    let user = if task.messages.is_empty() { open(EvalRole::User)? } else { Some(messages(task)) };
    let mut run_ports =
        RunPorts { evaluator, generator: generator.clone(), user, world: open(EvalRole::World)? };
    let mut row = RunRow {
        group: group.name.clone(),
        task: task.id.clone(),
        run,
        arm: arm.name().into(),
        seed,
        ..RunRow::default()
    };
    let outcome = match &group.subject {
        Subject::Story(loaded) => of_story(loaded, arm, options, &mut run_ports, &mut row),
        Subject::Policy(loaded, text) => {
            let kind = group.actor.unwrap_or(options.actor);
            of_policy(loaded, text, (task, kind), arm, options, &mut run_ports, &mut row)?
        }
        Subject::Behavior(behavior) => of_behavior(behavior, task, arm, options, &mut run_ports, &mut row),
        Subject::Plans(plans, laws) => of_plans((plans, laws), task, arm, options, &mut run_ports, &mut row)?,
    };
    if let Some(StopReason { last: OracleError::Unusable(why), .. }) = &outcome.stop {
        return Err(wrong(why.clone()));
    }
    row.finished = outcome.stop.is_none();
    if let Some(StopReason { last: OracleError::Unavailable(why), .. }) = &outcome.stop {
        row.unreached = Some(why.clone());
    }
    row.questions = generator.questions();
    let usage = generator.usage();
    (row.requests, row.prompt_tokens) = (usage.requests, usage.prompt_tokens);
    (row.completion_tokens, row.reasoning_tokens) = (usage.completion_tokens, usage.reasoning_tokens);
    if !task.answers.is_empty() {
        let answer = outcome.answer.unwrap_or_default();
        let mut right = options.judge.is_right(&answer, &task.answers).map_err(wrong)?;
        if right.is_none() {
            right = match open_judge(ports, arm, group, task, seed)? {
                Some(mut judge) => Some(asked(judge.as_mut(), task, &answer, options.attempts)?),
                None => return Err(wrong("nobody is there to judge answers".into())),
            };
        }
        row.correct = right;
        row.f1 = task.answers.iter().map(|one| f1(&answer, one)).reduce(f64::max);
        row.answer = Some(answer);
    }
    Ok(row)
}

fn open_judge(
    ports: &mut dyn EvalPorts,
    arm: Arm,
    group: &EvalGroup,
    task: &EvalTask,
    seed: u64,
) -> Result<Option<Box<dyn Oracle>>, EvalFailure> {
    ports.open(EvalRole::Judge, arm, group, task, seed).map_err(wrong)
}

/// Why a run gives no row.
#[derive(Debug)]
pub enum EvalFailure {
    /// The call is wrong: an oracle that cannot be used, an expected answer that is no expression.
    Call(String),
    /// A limit, or a defect of this program.
    Library(Failure),
}

impl<E: Into<Failure>> From<E> for EvalFailure {
    fn from(error: E) -> Self {
        Self::Library(error.into())
    }
}

/// An error of the call.
fn wrong(why: String) -> EvalFailure {
    EvalFailure::Call(why)
}

/// Whether an oracle takes an answer for right.
fn asked(judge: &mut dyn Oracle, task: &EvalTask, answer: &str, attempts: u32) -> Result<bool, EvalFailure> {
    let prompt = format!(
        "Question: {}\nExpected answer: {}\nGiven answer: {answer}\n\nDoes the given answer say the same as the expected one?",
        task.text,
        task.answers.join(", or ")
    );
    let request = OracleRequest::new(AnswerKind::Predicate, &task.id, prompt).about(answer);
    let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
    let mut conversation = Conversation::new(judge, &mut a, &mut b, &mut c, &mut log, attempts);
    match conversation.ask(Port::Evaluator, &request) {
        Ok(answer) => Ok(answer == OracleAnswer::Truth(true)),
        Err(stop) => Err(wrong(format!("the judge gives no answer: {stop}"))),
    }
}

/// A user who says the messages of a task in turn, and then nothing more.
fn messages(task: &EvalTask) -> Box<dyn Oracle> {
    let answer = |text: &String| Scripted {
        kind: Some(AnswerKind::Message),
        subject: None,
        repeat: false,
        outcome: Ok(OracleAnswer::Text(text.clone())),
    };
    Box::new(Script::new(task.messages.iter().map(answer).collect()))
}

impl RunPorts {
    fn conversation<'c>(
        &'c mut self,
        nobody: &'c mut [NoOracle; 2],
        log: &'c mut NoLog,
        attempts: u32,
    ) -> Conversation<'c> {
        let Oracles { evaluator, generator, user, world } = self.oracles(nobody);
        Conversation::new(evaluator, generator, user, world, log, attempts)
    }

    fn oracles<'c>(&'c mut self, nobody: &'c mut [NoOracle; 2]) -> Oracles<'c> {
        let [no_user, no_world] = nobody;
        let user: &mut dyn Oracle = match &mut self.user {
            Some(user) => user.as_mut(),
            None => no_user,
        };
        let world: &mut dyn Oracle = match &mut self.world {
            Some(world) => world.as_mut(),
            None => no_world,
        };
        Oracles { evaluator: self.evaluator.as_mut(), generator: &mut self.generator, user, world }
    }
}

fn of_story(
    loaded: &LoadedStory,
    arm: Arm,
    options: &EvalOptions,
    ports: &mut RunPorts,
    row: &mut RunRow,
) -> Outcome {
    let story = &loaded.story;
    let with_user = ports.user.is_some();
    let story_options = StoryOptions {
        turns: options.turns.unwrap_or(20),
        regenerate: options.regenerate,
        on_broken: OnBroken::Resync,
        with_user,
    };
    let (mut nobody, mut log) = ([NoOracle; 2], NoLog);
    let played: Played = match arm {
        Arm::Guarded => {
            let header = loaded.header(Vec::new(), &story_options, options.attempts, row.seed);
            let oracles = ports.oracles(&mut nobody);
            run_story(loaded, oracles, &story_options, header, &mut NoAudience, &mut |_| {})
        }
        Arm::Alone => {
            let mut conversation = ports.conversation(&mut nobody, &mut log, options.attempts);
            story.play_alone(&mut conversation, &story_options)
        }
    };
    let header = loaded.header(Vec::new(), &story_options, options.attempts, row.seed);
    let turns: Vec<TurnDocument> = played.turns.iter().map(|turn| TurnDocument::new(story, turn)).collect();
    let logged = LoggedRun { name: String::new(), turns, checks: header.checks };
    let found = adherence(std::slice::from_ref(&logged));
    row.asked = found.points.iter().map(|point| point.asked as u64).sum();
    row.came = found.points.iter().map(|point| point.kept as u64).sum();
    row.steps = played.turns.len() as u64;
    row.failed = logged.turns.iter().filter(|turn| !turn.violated.is_empty()).count() as u64;
    let made = || played.turns.iter().flat_map(|turn| &turn.made);
    row.refused = made().map(|made| u64::from(made.discarded)).sum();
    for violation in &found.violations {
        if !row.violated.contains(&violation.guarantee) {
            row.violated.push(violation.guarantee.clone());
        }
    }
    row.kept = row.violated.is_empty();
    row.done = matches!(played.end, StoryEnd::Turns | StoryEnd::Left(_));
    row.end = match &played.end {
        StoryEnd::Turns => "turns".into(),
        StoryEnd::Left(_) => "left".into(),
        StoryEnd::Broken(_) => "broken".into(),
        StoryEnd::Stopped(stop) => stop.to_string(),
        StoryEnd::NoAnswer => "no-answer".into(),
    };
    let answer = made().rfind(|made| made.generated).map(|made| made.value.to_string());
    let stop = match played.end {
        StoryEnd::Stopped(stop) => Some(stop),
        _ => None,
    };
    Outcome { answer, stop }
}

/// The hard and soft laws of a policy in words.
fn laws_in_words(loaded: &LoadedPolicy) -> String {
    let policy = &loaded.compiled.policy;
    let mut text = String::from("Keep these rules:");
    for law in policy.laws.iter().filter(|law| law.kind != LawKind::Assume) {
        let means = law.rule.as_deref().unwrap_or(&law.ltl);
        let _ = match law.why.trim() {
            "" => write!(text, "\n- {means}"),
            why => write!(text, "\n- {why} ({means})"),
        };
    }
    text
}

fn of_policy(
    loaded: &LoadedPolicy,
    text: &str,
    (task, kind): (&EvalTask, ActorKind),
    arm: Arm,
    options: &EvalOptions,
    ports: &mut RunPorts,
    row: &mut RunRow,
) -> Result<Outcome, EvalFailure> {
    let mut actor = ActorOptions::new(kind);
    actor.task.clone_from(&task.text);
    actor.thoughts = kind == ActorKind::Monologue;
    actor.steps = options.turns.unwrap_or(actor.steps);
    actor.retries = options.retries;
    if arm == Arm::Alone {
        actor.shadow = true;
        actor.task = format!("{}\n{}", task.text, laws_in_words(loaded)).trim().to_string();
    }
    let mut run = ActorRun::new(loaded.clone(), text, actor)?;
    let header = run.header(Vec::new(), options.attempts, row.seed);
    let mut nobody = [NoOracle; 2];
    let outcome = run_actor(&mut run, ports.oracles(&mut nobody), header, &mut |_| {}, &mut |_| {});
    let says_done = outcome.end == ActorEnd::Done;
    row.done = outcome.reached && matches!(outcome.end, ActorEnd::Goal | ActorEnd::Done);
    row.violated.clone_from(&outcome.violated);
    if says_done {
        row.violated.extend(outcome.owed.iter().map(|law| format!("{law} (owed)")));
    }
    row.kept = row.violated.is_empty();
    let done = || outcome.steps.iter().filter(|step| step.action.is_some());
    row.steps = done().count() as u64;
    row.failed = done().filter(|step| !step.ok).count() as u64;
    if arm == Arm::Guarded {
        row.refused = outcome.steps.iter().map(|step| step.refused.len() as u64).sum();
    }
    row.end = match outcome.end.text() {
        text if text.is_empty() => outcome.end.name().into(),
        text => text,
    };
    let answer = outcome.steps.last().map(|step| step.text.clone());
    let stop = match outcome.end {
        ActorEnd::Stopped(stop) => Some(stop),
        ActorEnd::World(why) => return Err(wrong(format!("the environment: {why}"))),
        _ => None,
    };
    Ok(Outcome { answer, stop })
}

/// The text before the first state: what both arms are told.
fn told(run: &BehaviorRun, task: &EvalTask) -> String {
    format!("{}\n{}\n", run.behavior.in_words(), task.text.trim_end())
}

fn of_behavior(
    run: &BehaviorRun,
    task: &EvalTask,
    arm: Arm,
    options: &EvalOptions,
    ports: &mut RunPorts,
    row: &mut RunRow,
) -> Outcome {
    let mut nobody = [NoOracle; 2];
    let text = told(run, task);
    if arm == Arm::Alone {
        let mut log = NoLog;
        let mut conversation = ports.conversation(&mut nobody, &mut log, options.attempts);
        let free = run.behavior.run_alone(&text, &mut conversation, options.turns.unwrap_or(40));
        (row.steps, row.failed, row.violated) = (free.steps, free.illegal, free.faults);
        row.kept = free.illegal == 0 && free.is_whole;
        row.done = free.is_whole;
        row.end = match &free.stopped {
            Some(stop) => stop.to_string(),
            None if free.is_whole => "final".into(),
            None => "unfinished".into(),
        };
        return Outcome { answer: Some(free.last.trim().to_string()), stop: free.stopped };
    }
    let mut guarded = run.clone();
    guarded.task = text;
    guarded.options.most_states = options.turns.map_or(guarded.options.most_states, |turns| turns as usize);
    let header = guarded.header(Vec::new(), options.attempts, row.seed);
    let outcome = run_behavior(&guarded, ports.oracles(&mut nobody), header, &mut |_| {}, &mut |_| {});
    // The run is followed once more in the automaton, and nothing is taken from the runner.
    let states = outcome.states();
    row.done = outcome.end == RunEnd::Final;
    let fits = |step: &tsl_synth_agents::behavior::BehaviorStep| {
        step.author == Author::World || run.behavior.check_content(step.state, &step.text).is_ok()
    };
    let is_walk = matches!(run.behavior.walk(&states), tsl_synth_agents::behavior::SequenceVerdict::To(_));
    row.failed = u64::from(!is_walk) + outcome.steps.iter().filter(|step| !fits(step)).count() as u64;
    row.kept = row.failed == 0 && (!row.done || run.behavior.accepts(&states));
    row.steps = states.len() as u64 + u64::from(row.done);
    let replaced = |step: &&tsl_synth_agents::behavior::BehaviorStep| {
        step.entered == Entered::Forced || step.author == Author::Constraint || step.removed.is_some()
    };
    row.refused = outcome.steps.iter().filter(replaced).count() as u64;
    let answer = outcome.steps.last().map(|step| step.text.trim().to_string());
    let (end, stop) = match outcome.end {
        RunEnd::Final => ("final".to_string(), None),
        RunEnd::Limit => ("limit".into(), None),
        RunEnd::DeadEnd => ("dead-end".into(), None),
        RunEnd::Stopped(stop) => (stop.to_string(), Some(stop)),
    };
    row.end = end;
    Outcome { answer, stop }
}

/// The steps and the rules of a grammar in words.
fn grammar_in_words(plans: &Plans, laws: &[String]) -> String {
    let grammar = &plans.grammar;
    let mut text = String::from("The steps:\n");
    for terminal in &grammar.terminals {
        let most = terminal.most.map_or(String::new(), |most| format!(", at most {most} times"));
        let label = terminal.label.as_ref().map_or(String::new(), |label| format!(": {label}"));
        let _ = writeln!(text, "- {}{label}{most}", terminal.name);
    }
    text.push_str("A plan is a word of this grammar:\n");
    for (top, nonterminal) in grammar.nonterminals.enumerate() {
        let own = grammar.rules.iter().filter(|rule| rule.top == top);
        let body = |rule: &tsl_synth_agents::plan_grammar::PlanRule| {
            let names: Vec<&str> = rule.body.iter().map(|symbol| grammar.symbol_name(*symbol)).collect();
            if names.is_empty() { "(nothing)".into() } else { names.join(" ") }
        };
        let bodies: Vec<String> = own.map(body).collect();
        if !bodies.is_empty() {
            let _ = writeln!(text, "{} -> {}", nonterminal.name, bodies.join(" | "));
        }
    }
    let _ = writeln!(text, "It begins with {}.", grammar.nonterminals[grammar.start].name);
    for law in laws {
        let _ = writeln!(text, "It keeps this law: {}", law.trim());
    }
    text
}

/// The steps that a text names, in order: one in each line or between blanks or commas, numbers of lines left out; the
/// error is the first word that names none.
fn written_plan(grammar: &PlanGrammar, text: &str) -> Result<Vec<TerminalId>, String> {
    let named = |word: &str| {
        let plain = word.trim().trim_matches(['"', '`', '\'', '*', '.', ',', ';', ':', '(', ')']);
        let shown = |id: &TerminalId| {
            let terminal = &grammar.terminals[*id];
            terminal.name == plain || terminal.shown().eq_ignore_ascii_case(plain)
        };
        grammar.terminals.ids().find(shown)
    };
    let mut steps = Vec::new();
    for line in text.lines() {
        let mut line = line.trim().trim_start_matches(['-', '*', ' ']);
        let lower = line.to_ascii_lowercase();
        if let Some(rest) = lower.strip_prefix("plan:").or_else(|| lower.strip_prefix("step ")) {
            line = line[line.len() - rest.len()..].trim();
        }
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if number.len() < line.len() && number.starts_with(['.', ')', ':']) {
            line = number[1..].trim();
        }
        if line.is_empty() || line.starts_with("```") {
            continue;
        }
        if let Some(step) = named(line) {
            steps.push(step);
            continue;
        }
        for word in line.split(|c: char| c == ',' || c == ';' || c == '→' || c.is_whitespace()) {
            let word = word.trim();
            if word.is_empty() || word == "->" {
                continue;
            }
            steps.push(named(word).ok_or_else(|| word.to_string())?);
        }
    }
    Ok(steps)
}

/// The most steps and productions of a plan together, if there are plans so small: a grammar may go on forever, and each
/// question has the plan so far in it.
const MOST_OF_PLAN: u64 = 500;

fn of_plans(
    (plans, laws): (&Plans, &[String]),
    task: &EvalTask,
    arm: Arm,
    options: &EvalOptions,
    ports: &mut RunPorts,
    row: &mut RunRow,
) -> Result<Outcome, EvalFailure> {
    let mut own = plans.clone();
    if !task.text.is_empty() {
        own.grammar.task = Some(task.text.clone());
    }
    let budget = Budget::unlimited();
    let length = options.turns.map_or(PlanLength::Any, PlanLength::AtMost);
    let mut planner = own.planner(length, &budget);
    let (mut nobody, mut log) = ([NoOracle; 2], NoLog);
    let mut conversation = ports.conversation(&mut nobody, &mut log, options.attempts);
    let word = |steps: &[TerminalId]| {
        steps.iter().map(|step| own.grammar.terminals[*step].name.clone()).collect::<Vec<_>>().join(" ")
    };
    let judged = |report: WordReport| match report {
        WordReport::Plan => (true, None),
        WordReport::Unfinished(_) => (false, Some("the plan is not finished".to_string())),
        WordReport::Wrong(at, _) => (false, Some(format!("step {} is not possible", at + 1))),
    };
    if arm == Arm::Alone {
        let mut rules = grammar_in_words(&own, laws);
        if let Some(most) = options.turns {
            let _ = writeln!(rules, "It has at most {most} steps.");
        }
        let asked = own.grammar.task.clone().unwrap_or_default();
        let prompt = format!(
            "Task: {asked}\n\n{rules}\nWrite a plan: the names of its steps in one line, with blanks between them, and \
             nothing else.\n"
        );
        let request = OracleRequest::new(AnswerKind::Generate, "plan", prompt);
        return Ok(match conversation.text(Port::Generator, &request) {
            Err(stop) => {
                row.end = stop.to_string();
                Outcome { answer: None, stop: Some(stop) }
            }
            Ok(text) => match written_plan(&own.grammar, &text) {
                Ok(steps) => {
                    let (is_plan, why) = judged(planner.check(&steps)?);
                    row.steps = steps.len() as u64;
                    (row.kept, row.done) = (is_plan, is_plan);
                    row.end = if is_plan { "plan" } else { "no plan" }.into();
                    row.failed = u64::from(!is_plan).min(row.steps);
                    row.violated.extend(why);
                    Outcome { answer: Some(word(&steps)), stop: None }
                }
                Err(unknown) => {
                    row.end = "no plan".into();
                    row.violated.push(format!("`{unknown}` is no step"));
                    Outcome { answer: Some(text), stop: None }
                }
            },
        });
    }
    let mut chooser = Chooser(ports.generator.clone());
    let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
    let mut conversation =
        Conversation::new(&mut chooser, &mut a, &mut b, &mut c, &mut log, options.attempts);
    let mut drive = |most: u64| {
        let drive =
            DriveOptions { on_invalid: OnInvalid::Random, seed: row.seed, most, ..DriveOptions::default() };
        PlanDriver::new(&mut planner, drive).run(&mut conversation)
    };
    let most = options.turns.map_or(MOST_OF_PLAN, |steps| MOST_OF_PLAN.max(4 * u64::from(steps)));
    let mut driven = drive(most)?;
    if matches!(driven.end, DriveEnd::TooLarge(_)) {
        // Nothing was asked yet.
        driven = drive(DriveOptions::default().most.max(most))?;
    }
    let steps: Vec<TerminalId> = driven.nodes.iter().map(|node| node.step.terminal).collect();
    let (end, stop) = match driven.end {
        DriveEnd::Plan => ("plan".to_string(), None),
        DriveEnd::NoPlan => match options.turns {
            Some(most) => (format!("there is no plan of at most {most} steps"), None),
            None => ("there is no plan".into(), None),
        },
        DriveEnd::TooLarge(_) => ("the plans are too large".into(), None),
        DriveEnd::Stopped(stop) => (stop.to_string(), Some(stop)),
    };
    let (is_plan, why) = if end == "plan" { judged(planner.check(&steps)?) } else { (false, None) };
    row.end = end;
    (row.kept, row.done, row.steps) = (is_plan, is_plan, steps.len() as u64);
    row.violated.extend(why);
    row.refused = driven.taken.iter().filter(|taken| !taken.by_oracle).count() as u64;
    Ok(Outcome { answer: Some(word(&steps)), stop })
}

/// The model as the one who chooses.
struct Chooser(Measured);

impl Oracle for Chooser {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        self.0.ask(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_service::{Input, PlanRequest, Session};

    #[test]
    fn plans_are_read_as_models_write_them() {
        let text = "S -> load wash S | ε\n%label load \"Load the machine\"\n";
        let input = Input::Text { name: "wash.cfg".into(), text: text.into() };
        let plans = Session::new().plans(&PlanRequest::new(input)).expect("a grammar");
        let names = |text: &str| {
            written_plan(&plans.grammar, text).map(|steps| {
                steps.iter().map(|step| plans.grammar.terminals[*step].name.clone()).collect::<Vec<_>>()
            })
        };
        for text in [
            "load wash",
            "1. load\n2. wash",
            "Plan: load, wash",
            "- `load`\n- Load the machine\n",
            "```\nload -> wash\n```",
        ] {
            let read = names(text).unwrap_or_else(|word| panic!("{text}: {word}"));
            assert_eq!(read.len(), 2, "{text}");
        }
        assert_eq!(names("load dry"), Err("dry".into()));
        let words = grammar_in_words(&plans, &["F wash".into()]);
        assert!(
            words.contains("- load: Load the machine") && words.contains("S -> load wash S | (nothing)"),
            "{words}"
        );
    }
}
