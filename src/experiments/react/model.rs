//! A simulated model that writes ReACT text, with errors of stated rates.
//!
//! Its only input is the text that it is to continue: it counts the examples, finds the question, and determines from
//! the observations which steps towards the answer are done. It reads the answer from the last observation.

use super::text::{ReactCall, ReactState, answer, calls, question, states};
use super::tools::Tools;
use std::fmt::Write;
use tsl_synth_agents::wiki::{Wiki, WikiQuestion};
use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::base::Random;

/// The error probabilities of a simulated model. Those of the form are for a prompt without examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReactRates {
    /// Of the form: a state is left out, its prompt and its text; for each state.
    pub skip: f64,
    /// Of the form: the input of an action is empty.
    pub empty: f64,
    /// Of the form: the action is not one of the tools.
    pub unknown: f64,
    /// Of the form: the model writes an observation itself and believes it.
    pub fabricate: f64,
    /// Of the form: the last action is repeated.
    pub repeat: f64,
    /// Each example in the prompt multiplies the rates of the form by this.
    pub example: f64,
    /// The input of an action is a wrong one.
    pub mistake: f64,
    /// The answer is misread from the observation.
    pub misread: f64,
}

/// The errors of one continuation.
#[expect(clippy::struct_excessive_bools, reason = "each is drawn by itself")]
struct ModelErrors {
    skip: [bool; 6],
    empty: bool,
    unknown: bool,
    fabricate: bool,
    repeat: bool,
    mistake: bool,
    misread: bool,
    /// A random number that chooses among wrong words.
    pick: usize,
}

/// The model. The same seed and texts give the same continuations.
#[derive(Clone, Debug)]
pub struct ReactModel<'w> {
    wiki: &'w Wiki,
    rates: ReactRates,
    random: Random,
}

impl<'w> ReactModel<'w> {
    /// A model with these rates.
    pub fn new(wiki: &'w Wiki, rates: ReactRates, seed: u64) -> Self {
        Self { wiki, rates, random: Random::new(seed) }
    }

    /// The errors of one continuation. Always draws the same number of random numbers.
    fn errors(&mut self, examples: usize) -> ModelErrors {
        let kept = self.rates.example.powi(i32::try_from(examples).unwrap_or(i32::MAX));
        let rates = self.rates.clone();
        let mut chance = |rate: f64| self.random.chance(rate);
        ModelErrors {
            skip: std::array::from_fn(|_| chance(rates.skip * kept)),
            empty: chance(rates.empty * kept),
            unknown: chance(rates.unknown * kept),
            fabricate: chance(rates.fabricate * kept),
            repeat: chance(rates.repeat * kept),
            mistake: chance(rates.mistake),
            misread: chance(rates.misread),
            pick: self.random.below(1 << 30),
        }
    }

    /// The continuation of a text.
    fn continued(&mut self, text: &str) -> String {
        let Some((before, asked, run)) = question(text) else { return String::new() };
        let errors = self.errors(before.matches(super::text::QUESTION).count());
        let Some(question) = self.wiki.questions.iter().find(|question| question.text == asked) else {
            return " I do not understand the question.".into();
        };
        let made = calls(run);
        let place = RunProgress::new(question, &made);
        let last = states(run).pop().filter(|(_, content)| content.trim().is_empty());
        let open = last.map(|(state, _)| state).filter(|state| *state != ReactState::Observation);
        let mut writer = StateWriter { text: String::new(), open, errors: &errors };
        let is_final = matches!(open, Some(ReactState::FinalThought | ReactState::Answer))
            || place.is_done()
                && !errors.repeat
                && !matches!(open, Some(ReactState::Action | ReactState::Input));
        if is_final {
            let found = place.answer().unwrap_or_else(|| guess(run, &errors));
            let said = if errors.misread { misread(&place, &found, &errors) } else { found };
            writer.finish(&said);
        } else {
            self.act(&place, &made, &mut writer, &errors);
        }
        writer.text
    }

    fn act(
        &self,
        place: &RunProgress<'_>,
        made: &[ReactCall<'_>],
        writer: &mut StateWriter<'_>,
        errors: &ModelErrors,
    ) {
        let (mut tool, mut input) = place.next();
        if let (true, Some(last)) = (errors.repeat, made.last()) {
            (tool, input) = (last.tool.into(), last.input.into());
        }
        if errors.mistake {
            input = if tool == "Calculator" {
                format!("{input} + 1")
            } else {
                self.wiki.articles[errors.pick % self.wiki.articles.len()].title.clone()
            };
        }
        if errors.unknown {
            tool = ["Google", "Wikipedia", "Browser"][errors.pick % 3].into();
        }
        if errors.empty {
            input.clear();
        }
        writer.state(
            ReactState::Thought,
            &format!("I need {tool} for {}.", if input.is_empty() { "this" } else { &input }),
        );
        writer.state(ReactState::Action, &tool);
        writer.state(ReactState::Input, &input);
        if errors.fabricate {
            let made_up = (errors.pick % 1000).to_string();
            let _ = writeln!(writer.text, "{} {made_up}", ReactState::Observation.prompt());
            writer.open = None;
            writer.finish(&made_up);
        }
    }
}

/// Writes states in order, from the one that is open already.
struct StateWriter<'e> {
    text: String,
    open: Option<ReactState>,
    errors: &'e ModelErrors,
}

impl StateWriter<'_> {
    fn state(&mut self, state: ReactState, content: &str) {
        match self.open {
            Some(open) if open == state => {
                self.open = None;
                let _ = writeln!(self.text, " {content}");
            }
            // States before the open one are written already.
            Some(_) => {}
            None if self.errors.skip[state as usize] => {}
            None => {
                let _ = writeln!(self.text, "{} {content}", state.prompt());
            }
        }
    }
    fn finish(&mut self, answer: &str) {
        if self.open == Some(ReactState::Thought) {
            self.open = None;
            self.text.push_str(" I know the answer.\n");
        }
        self.state(ReactState::FinalThought, &format!("So it is {answer}."));
        self.state(ReactState::Answer, answer);
    }
}

/// The progress of a run towards the answer.
struct RunProgress<'q> {
    question: &'q WikiQuestion,
    /// The results of the steps that are done.
    returned: Vec<String>,
}

impl<'q> RunProgress<'q> {
    fn new(question: &'q WikiQuestion, made: &[ReactCall<'_>]) -> Self {
        let mut place = Self { question, returned: Vec::new() };
        for call in made {
            if !place.is_done()
                && place.next() == (call.tool.into(), call.input.into())
                && is_result(call.returned)
            {
                place.returned.push(call.returned.into());
            }
        }
        place
    }
    fn is_done(&self) -> bool {
        self.returned.len() >= self.question.steps.len()
    }
    /// The next step, or the last one again.
    fn next(&self) -> (String, String) {
        let at = self.returned.len().min(self.question.steps.len().saturating_sub(1));
        let (tool, input) = self.question.steps.get(at).cloned().unwrap_or_default();
        let filled = self.returned.iter().enumerate();
        (tool, filled.fold(input, |input, (i, value)| input.replace(&format!("{{{}}}", i + 1), value)))
    }
    /// The answer in the last observation, if all steps are done.
    fn answer(&self) -> Option<String> {
        let last = self.returned.last().filter(|_| self.is_done())?;
        let (before, after) = self.question.read.split_once("{}")?;
        let rest = &last[last.find(before)? + before.len()..];
        let end = if after.is_empty() { rest.len() } else { rest.find(after)? };
        Some(rest[..end].to_string())
    }
}

/// Whether an observation is not an error message of a tool.
fn is_result(returned: &str) -> bool {
    !["Error", "Cannot", "There is no", "No more"].iter().any(|complaint| returned.starts_with(complaint))
}

/// The answer of a model that does not know it: a word of an observation.
fn guess(run: &str, errors: &ModelErrors) -> String {
    let seen = calls(run);
    let words: Vec<&str> = seen.iter().flat_map(|call| call.returned.split_whitespace()).collect();
    words
        .get(errors.pick % words.len().max(1))
        .map_or("unknown", |word| word.trim_matches(['.', ',', ':']))
        .into()
}

/// Another word of the last observation, or a number that is wrong.
fn misread(place: &RunProgress<'_>, found: &str, errors: &ModelErrors) -> String {
    let words = place.returned.last().into_iter().flat_map(|text| text.split_whitespace());
    let words: Vec<&str> =
        words.map(|word| word.trim_matches(['.', ','])).filter(|word| *word != found).collect();
    words.get(errors.pick % words.len().max(1)).map_or(format!("{found}0"), |word| (*word).to_string())
}

impl Oracle for ReactModel<'_> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match request.kind {
            AnswerKind::Generate => {
                let mut text = self.continued(&request.about);
                let stops = request.stop.iter().filter_map(|stop| text.find(stop.as_str()));
                if let Some(end) = stops.min() {
                    text.truncate(end);
                }
                Ok(OracleAnswer::Text(text))
            }
            kind => Err(OracleError::Unusable(format!("this model only writes: it was asked for `{kind}`"))),
        }
    }
}

/// The instructions of the prompt, before the examples and the question.
pub(super) fn instructions() -> String {
    format!(
        "Answer the question as best you can. There are the tools {}. Write a thought, the action to take, which is one \
         of the tools, and its input; the observation is what the tool returns. Repeat this as often as you need, at \
         most three times. Then write a final thought and the answer.\n\n",
        Tools::NAMES.join(", ")
    )
}

/// Whether the answer of a run is that of the question, up to case.
pub(super) fn is_correct(question: &WikiQuestion, run: &str) -> bool {
    answer(run).is_some_and(|said| said.to_lowercase() == question.answer.to_lowercase())
}
