//! A run of a behavior: the model writes, the world answers, the automaton determines the allowed next states.

use super::Behavior;
use crate::{
    AnswerKind, Conversation, OracleAnswer, OracleError, OracleRequest, Port, StopReason, TextGrammar,
};
use std::collections::BTreeMap;
use tsl_synth_core::model::{AgentStateId, BehaviorNodeId};

/// How a forced state is chosen where several may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Force {
    /// The first one in the order of declaration.
    #[default]
    First,
    /// The evaluator chooses.
    Choose,
}

/// How the state after a text of the environment is chosen where several may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decide {
    /// The evaluator chooses.
    #[default]
    Choose,
    /// The generator continues the text, beginning with a prompt.
    Write,
}

/// How to treat a text of a model that enters no legal state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnIllegalState {
    /// A legal state is entered.
    #[default]
    Force,
    /// The text is cut before the first violation, the longest common prefix of the legal prompts is added, and the
    /// model continues; after `attempts` failures in a row a legal state is entered.
    Prefix {
        /// The number of attempts.
        attempts: u32,
    },
}

/// How a behavior is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// How a forced state is chosen.
    pub force: Force,
    /// How the state after a text of the environment is chosen.
    pub decide: Decide,
    /// How to treat texts that enter no legal state.
    pub repair: OnIllegalState,
    /// The maximal number of states in a run: some behaviors have no end.
    pub most_states: usize,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { force: Force::First, decide: Decide::Choose, repair: OnIllegalState::Force, most_states: 200 }
    }
}

/// How a state was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It begins the run.
    Start,
    /// The model wrote its prompt.
    Written,
    /// It was chosen after a text of the environment.
    Chosen,
    /// It was the only one that may follow a text of the environment.
    Only,
    /// It was forced: the model wrote no prompt, or one that is not allowed there.
    Forced,
}

impl Entered {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Written => "written",
            Self::Chosen => "chosen",
            Self::Only => "only",
            Self::Forced => "forced",
        }
    }
}

/// The author of the text of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The model.
    Model,
    /// The environment.
    World,
    /// No oracle: the first text of `:one-of`, since the model gave none of them.
    Constraint,
}

impl Author {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::World => "world",
            Self::Constraint => "constraint",
        }
    }
}

/// A state of a run with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BehaviorStep {
    /// The state.
    pub state: AgentStateId,
    /// Its name.
    pub name: String,
    /// How it was entered.
    pub entered: Entered,
    /// The separator between the previous text and the prompt.
    pub joint: &'static str,
    /// Its prompt.
    pub prompt: String,
    /// Its text.
    pub text: String,
    /// The author of the text.
    pub author: Author,
    /// The state whose prompt was removed after the text because it is not allowed there.
    pub removed: Option<AgentStateId>,
    /// Whether the text came from a stretch that the model wrote under its grammar and kept to; `None` for texts of the world
    /// and in runs without grammars.
    pub constrained: Option<bool>,
}

/// What a model may write at the beginning of a run or after a text of the environment, up to and with the next prompt of
/// the environment, or to the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The text that is written before the model begins: the common beginning of the prompts that may come.
    pub prefix: String,
    /// The language of what the model writes after it.
    pub grammar: TextGrammar,
}

/// The stretches of a behavior, by the nodes after which they begin.
pub type Stretches = BTreeMap<BehaviorNodeId, Stretch>;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The run is complete.
    Final,
    /// The run has [`RunOptions::most_states`] states.
    Limit,
    /// A port gave no answer.
    Stopped(StopReason),
    /// No state may follow and the run must not end: only in an invalid behavior.
    DeadEnd,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// The text before the first state: the instructions, the task.
    pub task: String,
    /// The states in order.
    pub steps: Vec<BehaviorStep>,
    /// Why it ended.
    pub end: RunEnd,
}

impl RunOutcome {
    /// The whole text.
    pub fn text(&self) -> String {
        let mut text = self.task.clone();
        for step in &self.steps {
            text.extend([step.joint, &step.prompt, &step.text]);
        }
        text
    }
    /// The sequence of states.
    pub fn states(&self) -> Vec<AgentStateId> {
        self.steps.iter().map(|step| step.state).collect()
    }
}

/// A text that the model wrote in the state of the current node, and what comes after it.
struct Written {
    content: String,
    author: Author,
    removed: Option<AgentStateId>,
    /// The state that follows, how it is entered, and what the model wrote in it already; `None` if the run ends.
    next: Option<(AgentStateId, Entered, Option<String>)>,
}

struct RunDriver<'r, 'c> {
    behavior: &'r Behavior,
    options: &'r RunOptions,
    conversation: &'r mut Conversation<'c>,
    /// The whole text so far, from the task on.
    text: String,
    node: BehaviorNodeId,
    /// The grammars that go with requests.
    stretches: Option<&'r Stretches>,
    /// Whether the model wrote something else than a grammar allows: then grammars do not go with requests any more.
    ignores: bool,
    /// Whether the texts come from a stretch that keeps to its grammar.
    in_stretch: bool,
}

impl Behavior {
    /// Runs the behavior: the generator writes, the world answers in states of the environment, the evaluator chooses.
    /// `task` is the text before the first state. `heard` is called after each state of the run, with its text.
    pub fn run(
        &self,
        task: &str,
        conversation: &mut Conversation<'_>,
        options: &RunOptions,
        heard: &mut dyn FnMut(&BehaviorStep),
    ) -> RunOutcome {
        self.run_under(None, task, conversation, options, heard)
    }

    /// As [`Self::run`], where the grammar of a whole stretch goes with the request for it: one request for each stretch
    /// instead of one for each state, if the oracle keeps to grammars. If it does not, the run goes on state by state.
    pub fn run_under(
        &self,
        stretches: Option<&Stretches>,
        task: &str,
        conversation: &mut Conversation<'_>,
        options: &RunOptions,
        heard: &mut dyn FnMut(&BehaviorStep),
    ) -> RunOutcome {
        let mut steps = Vec::new();
        let mut run = RunDriver {
            behavior: self,
            options,
            conversation,
            text: task.into(),
            node: self.automaton.start(),
            stretches,
            ignores: false,
            in_stretch: false,
        };
        let end = match run.go(&mut steps, heard) {
            Ok(end) => end,
            Err(stop) => RunEnd::Stopped(stop),
        };
        RunOutcome { task: task.into(), steps, end }
    }
}

impl RunDriver<'_, '_> {
    fn go(
        &mut self,
        steps: &mut Vec<BehaviorStep>,
        heard: &mut dyn FnMut(&BehaviorStep),
    ) -> Result<RunEnd, StopReason> {
        let Some((mut state, mut entered, mut begun)) = self.after_world("start")? else {
            return Ok(RunEnd::DeadEnd);
        };
        if entered == Entered::Only {
            entered = Entered::Start;
        }
        loop {
            if steps.len() >= self.options.most_states {
                return Ok(RunEnd::Limit);
            }
            let behavior = self.behavior;
            let Some(node) = behavior.automaton.step(self.node, state) else { return Ok(RunEnd::DeadEnd) };
            let joint = behavior.joint(&self.text, state);
            let declared = behavior.state(state);
            self.text.extend([joint, &declared.prompt]);
            self.node = node;
            let (prompt, name) = (declared.prompt.clone(), declared.name.clone());
            let step = |text: &str, author, removed| {
                let text = text.to_owned();
                BehaviorStep { state, name, entered, joint, prompt, text, author, removed, constrained: None }
            };
            let (step, next) = if declared.env_input {
                let request =
                    OracleRequest::new(AnswerKind::Act, &declared.name, &self.text).about(&self.text);
                let text = self.conversation.text(Port::World, &request)?;
                self.text.push_str(&text);
                let step = step(&text, Author::World, None);
                heard(&step);
                steps.push(step);
                (None, if behavior.may_end(node) { None } else { self.after_world(&declared.name)? })
            } else {
                let written = self.model_state(state, begun.take().filter(|text| !text.trim().is_empty()))?;
                self.text.push_str(&written.content);
                let mut step = step(&written.content, written.author, written.removed);
                step.constrained = self.stretches.map(|_| self.in_stretch);
                (Some(step), written.next)
            };
            if let Some(step) = step {
                heard(&step);
                steps.push(step);
            }
            match next {
                Some(next) => (state, entered, begun) = next,
                None if behavior.may_end(node) => return Ok(RunEnd::Final),
                None => return Ok(RunEnd::DeadEnd),
            }
        }
    }

    /// The next state where no text of the model precedes it: at the beginning, and after a text of the environment.
    fn after_world(
        &mut self,
        subject: &str,
    ) -> Result<Option<(AgentStateId, Entered, Option<String>)>, StopReason> {
        let legal = self.behavior.legal(self.node);
        if let Some(written) = self.stretch(subject, &legal)? {
            return Ok(Some(written));
        }
        match legal[..] {
            [] => return Ok(None),
            [only] => return Ok(Some((only, Entered::Only, None))),
            _ => {}
        }
        if self.options.decide == Decide::Choose {
            let chosen = self.chosen(subject, &legal)?;
            let entered = if chosen.is_some() { Entered::Chosen } else { Entered::Forced };
            return Ok(Some((chosen.unwrap_or(Behavior::first_of(&legal)), entered, None)));
        }
        let behavior = self.behavior;
        let attempts = match self.options.repair {
            OnIllegalState::Prefix { attempts } => attempts,
            OnIllegalState::Force => 0,
        };
        // From the second attempt on, the common prefix of the legal prompts is given to the model.
        for attempt in 0..=attempts {
            let prefix = if attempt == 0 { String::new() } else { behavior.legal_prefix(self.node) };
            let answer = self.generated(subject, &prefix)?;
            let text = if prefix.is_empty() { answer.trim_start().to_owned() } else { prefix + &answer };
            if let Some((state, rest)) = behavior.leading(self.node, &text) {
                return Ok(Some((state, Entered::Written, Some(rest.into()))));
            }
        }
        Ok(Some((self.forced(subject, &legal)?, Entered::Forced, None)))
    }

    /// The beginning of the stretch that the model writes under its grammar, if there is one here and the model keeps to it.
    fn stretch(
        &mut self,
        subject: &str,
        legal: &[AgentStateId],
    ) -> Result<Option<(AgentStateId, Entered, Option<String>)>, StopReason> {
        self.in_stretch = false;
        let Some(stretch) = self.stretches.and_then(|all| all.get(&self.node)).filter(|_| !self.ignores)
        else {
            return Ok(None);
        };
        let joint = legal.first().map_or("", |state| self.behavior.joint(&self.text, *state));
        let text = [&self.text, joint, &stretch.prefix].concat();
        let request = OracleRequest::new(AnswerKind::Generate, subject, &text)
            .about(text)
            .grammar(stretch.grammar.clone());
        let answer = self.conversation.text(Port::Generator, &request)?;
        let whole = [&stretch.prefix, answer.as_str()].concat();
        let read =
            self.behavior.leading(self.node, &whole).filter(|_| self.behavior.is_stretch(self.node, &whole));
        let Some((state, rest)) = read else {
            self.ignores = true;
            return Ok(None);
        };
        self.in_stretch = true;
        let entered = if legal.len() == 1 { Entered::Only } else { Entered::Written };
        Ok(Some((state, entered, Some(rest.to_owned()))))
    }

    /// The state that the evaluator chooses; `None` if it gives no answer.
    fn chosen(&mut self, subject: &str, legal: &[AgentStateId]) -> Result<Option<AgentStateId>, StopReason> {
        let reported = self.behavior.reported(legal);
        let prompt = format!("{}\n\nWhat comes next? Answer with a number.\n{reported}", self.text);
        let names = legal.iter().map(|state| self.behavior.state(*state).name.clone());
        let request =
            OracleRequest::new(AnswerKind::Choose, subject, prompt).about(&self.text).choices(names);
        match self.conversation.ask(Port::Evaluator, &request) {
            Ok(OracleAnswer::Choice(index)) => Ok(legal.get(index).copied()),
            Err(stop) if stop.is_end() => Err(stop),
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// The state that is entered because the model entered none.
    fn forced(&mut self, subject: &str, legal: &[AgentStateId]) -> Result<AgentStateId, StopReason> {
        if let ([_, _, ..], Force::Choose) = (legal, self.options.force)
            && let Some(state) = self.chosen(subject, legal)?
        {
            return Ok(state);
        }
        Ok(Behavior::first_of(legal))
    }

    /// The continuation that the model writes after the text so far and `added`.
    fn generated(&mut self, subject: &str, added: &str) -> Result<String, StopReason> {
        let request = self.request(subject, added);
        self.conversation.text(Port::Generator, &request)
    }

    fn request(&self, subject: &str, added: &str) -> OracleRequest {
        let text = [&self.text, added].concat();
        OracleRequest::new(AnswerKind::Generate, subject, &text)
            .about(text)
            .stop(self.behavior.stop_strings())
    }

    /// The text that the model writes in a state, and the next state. `begun` is text of the state that the model wrote
    /// already, after its prompt.
    fn model_state(&mut self, state: AgentStateId, begun: Option<String>) -> Result<Written, StopReason> {
        let behavior = self.behavior;
        let declared = behavior.state(state);
        let node = self.node;
        let fits = |text: &str| behavior.check_content(state, behavior.read(node, text).content);
        let written = begun.filter(|text| fits(text).is_ok());
        let answer = if let Some(text) = written {
            Ok(text)
        } else {
            self.in_stretch = false;
            let choices = declared.one_of.iter().map(|text| text.text.clone());
            let request = self.request(&declared.name, "").choices(choices);
            let good = |answer: &OracleAnswer| match answer {
                OracleAnswer::Text(text) => fits(text),
                _ => Ok(()),
            };
            match self.conversation.ask_until(Port::Generator, &request, &good) {
                Ok(OracleAnswer::Text(text)) => Ok(text),
                Ok(_) => Ok(String::new()),
                Err(stop) => Err(stop),
            }
        };
        let text = match (answer, declared.one_of.first()) {
            (Ok(text), _) => text,
            // The model gave none of the allowed texts: the first one is used.
            (Err(stop), Some(first)) if matches!(stop.last, OracleError::Invalid { .. }) => {
                let blank = if declared.prompt.ends_with(char::is_whitespace) { "" } else { " " };
                let content = format!("{blank}{}\n", first.text);
                return self.followed(&declared.name, &content, Author::Constraint, None);
            }
            (Err(stop), _) => return Err(stop),
        };
        let repaired = self.repaired(&declared.name, text.clone())?;
        let text = if fits(&repaired).is_ok() { repaired } else { text };
        let read = behavior.read(self.node, &text);
        if let Some(next) = read.next {
            let next = Some((next, Entered::Written, Some(read.rest.to_owned())));
            return Ok(Written { content: read.content.into(), author: Author::Model, removed: None, next });
        }
        self.followed(&declared.name, read.content, Author::Model, read.removed)
    }

    /// Lets the model continue after the common prefix of the legal prompts while it enters no legal state, at most
    /// `attempts` times.
    fn repaired(&mut self, subject: &str, mut text: String) -> Result<String, StopReason> {
        let OnIllegalState::Prefix { attempts } = self.options.repair else { return Ok(text) };
        let behavior = self.behavior;
        let legal = behavior.legal(self.node);
        let prefix = behavior.legal_prefix(self.node);
        for _ in 0..attempts {
            let read = behavior.read(self.node, &text);
            if read.next.is_some() || legal.len() < 2 || behavior.may_end(self.node) {
                break;
            }
            let cut = Behavior::first_of(&legal);
            let glued = behavior.glue(self.node, read.content, cut);
            let kept = if prefix.is_empty() {
                read.content.to_owned()
            } else {
                [glued.content, glued.joint, &prefix].concat()
            };
            let more = self.generated(subject, &kept)?;
            let content = glued.content.to_owned();
            let next = [kept, more].concat();
            // A continuation that enters no legal state is dropped, since the prefix would become text of this state.
            let enters = behavior.read(self.node, &next).next.is_some();
            text = if enters || prefix.is_empty() { next } else { content };
        }
        Ok(text)
    }

    /// A text without a prompt that enters a legal state: the run ends if it may, or a state is forced.
    fn followed(
        &mut self,
        subject: &str,
        content: &str,
        author: Author,
        removed: Option<AgentStateId>,
    ) -> Result<Written, StopReason> {
        let legal = self.behavior.legal(self.node);
        if legal.is_empty() || self.behavior.may_end(self.node) {
            return Ok(Written { content: content.into(), author, removed, next: None });
        }
        let state = self.forced(subject, &legal)?;
        let glued = self.behavior.glue(self.node, content, state);
        let next = Some((state, Entered::Forced, None));
        Ok(Written { content: glued.content.into(), author, removed, next })
    }
}
