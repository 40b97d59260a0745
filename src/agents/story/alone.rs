//! A model alone tells a story: it is told the rules and chooses the updates itself. Nothing is prevented; its turns are
//! judged by the same clauses as those of a controller.

use super::judge::Observed;
use super::plan::{PredicateSource, Story, UpdateSource};
use super::play::SessionRun;
use super::turn::Turn;
use super::{Played, StoryEnd, StoryOptions};
use crate::{AnswerKind, Conversation, OracleAnswer, OracleRequest, Port, StopReason};
use std::fmt::Write;
use tsl_synth_core::logic::{AtomId, Letter};

impl Story {
    /// The rules in words, for the prompt of a model: the guarantees, and what their names mean.
    pub fn rules(&self) -> String {
        let mut text = "You keep these rules in all turns. They are written in temporal logic: `[c <- t]` says that in this \
                        turn `c` is set to `t`.\n"
            .to_string();
        for watched in &self.clauses.guarantees {
            let _ = writeln!(text, "- always: {}", watched.text);
        }
        text.push_str("What the names mean:\n");
        for (atom, source) in &self.sources {
            match source {
                PredicateSource::Ask { question, .. } => {
                    let _ = writeln!(text, "- {}: {question}", self.name(*atom));
                }
                PredicateSource::AtLeast(..) | PredicateSource::Compute(_) => {}
            }
        }
        for (_, atom, content) in &self.contents {
            if let UpdateSource::Generate { prompt, .. } = content {
                let _ = writeln!(text, "- {}: {prompt}", self.name(*atom));
            }
        }
        text
    }

    /// Plays the turns of a model alone: the evaluator judges the texts as for a controller, and the generator chooses
    /// each update before it writes. Passages are written once.
    pub fn play_alone(&self, conversation: &mut Conversation<'_>, options: &StoryOptions) -> Played {
        let options = StoryOptions { regenerate: 0, ..options.clone() };
        let mut run = SessionRun::new(self, &options, conversation);
        let rules = self.rules();
        let (mut turns, mut history) = (Vec::new(), String::new());
        let end = loop {
            let number = u32::try_from(turns.len()).unwrap_or(u32::MAX);
            if number >= options.turns {
                break StoryEnd::Turns;
            }
            match run.turn_alone(number, &rules, &history) {
                Ok(turn) => {
                    let _ = writeln!(history, "Turn {number}: {}", self.chosen(&turn).join(", "));
                    turns.push(turn);
                }
                Err(stop) => break StoryEnd::from(stop),
            }
        };
        let observed: Vec<Observed> = turns
            .iter()
            .map(|turn: &Turn| Observed { letter: turn.letter.clone(), only_inputs: false })
            .collect();
        for (turn, judged) in turns.iter_mut().zip(self.clauses.judge(&self.problem.alphabet, &observed)) {
            (turn.broken, turn.given_up, turn.violated) = (judged.broken, judged.given_up, judged.violated);
        }
        Played { turns, unfinished: None, end }
    }

    /// The updates of a turn.
    fn chosen(&self, turn: &Turn) -> Vec<String> {
        let alphabet = &self.problem.alphabet;
        alphabet
            .cells()
            .enumerate()
            .map(|(id, _)| self.name(alphabet.chosen(&turn.letter, id)).to_string())
            .collect()
    }
}

impl SessionRun<'_, '_> {
    /// A turn in which the model chooses the updates.
    fn turn_alone(&mut self, number: u32, rules: &str, history: &str) -> Result<Turn, StopReason> {
        let story = self.story;
        let alphabet = &story.problem.alphabet;
        self.message = self.ask_user(number)?;
        let evaluations = self.evaluations()?;
        let mut letter = Letter::new();
        for evaluation in evaluations.iter().filter(|evaluation| evaluation.holds) {
            alphabet.choose(evaluation.atom, &mut letter);
        }
        for cell in alphabet.cells() {
            let update = match cell.options[..] {
                [only] => only,
                _ => self.choice(&cell.name, &cell.options, number, rules, history)?,
            };
            alphabet.choose(update, &mut letter);
        }
        let outputs: Vec<AtomId> = alphabet.outputs().collect();
        for output in outputs {
            let question = format!("Does `{}` hold in turn {number}?", story.name(output));
            let prompt = self.prompt_alone(rules, history, &question);
            let request = OracleRequest::new(AnswerKind::Predicate, story.name(output), prompt);
            if self.conversation.ask(Port::Generator, &request)? == OracleAnswer::Truth(true) {
                alphabet.choose(output, &mut letter);
            }
        }
        let letter = alphabet.canonical(&letter);
        let initial = story.machine.initial;
        let mut turn = Turn {
            number,
            message: self.message.clone(),
            evaluations,
            because: Vec::new(),
            outputs: alphabet.outputs().filter(|&atom| alphabet.holds(atom, &letter)).collect(),
            letter,
            state: initial,
            next: initial,
            broken: Vec::new(),
            given_up: Vec::new(),
            resynchronized: false,
            held: false,
            violated: Vec::new(),
            made: Vec::new(),
            summary: self.summary.clone(),
        };
        self.fill(&mut turn)?;
        Ok(turn)
    }

    fn choice(
        &mut self,
        cell: &str,
        options: &[AtomId],
        number: u32,
        rules: &str,
        history: &str,
    ) -> Result<AtomId, StopReason> {
        let story = self.story;
        let question = format!("It is turn {number}. Which of these do you do to `{cell}`?");
        let prompt = self.prompt_alone(rules, history, &question);
        let names = options.iter().map(|&option| story.name(option).to_string());
        let request = OracleRequest::new(AnswerKind::Choose, cell, prompt).choices(names);
        let answer = self.conversation.ask(Port::Generator, &request)?;
        let chosen = match answer {
            OracleAnswer::Choice(i) => options.get(i).copied(),
            _ => None,
        };
        Ok(chosen.unwrap_or(options[0]))
    }

    /// The rules, what was done and said so far, and a question.
    fn prompt_alone(&self, rules: &str, history: &str, question: &str) -> String {
        let mut text = format!("{}\n\n{rules}\n", self.story.prompts.generator.prompt.trim());
        for (title, part) in [
            ("What you did so far:", history),
            ("The story so far:", &self.summary),
            ("What was written before:", &self.passage),
            ("The user says:", &self.message),
        ] {
            if !part.is_empty() {
                let _ = writeln!(text, "{title}\n{}\n", part.trim_end());
            }
        }
        text.push_str(question);
        text.push('\n');
        text
    }
}
