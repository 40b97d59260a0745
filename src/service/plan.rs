//! `plan`: a grammar of plans and the laws that its plans have to keep, ready for questions.

use super::{Failure, Input};
use crate::Session;
use std::collections::BTreeSet;
use std::path::Path;
use tsl_synth_agents::plan::{PlanLength, PlanStep, Planner};
use tsl_synth_agents::plan_grammar::{PlanGrammar, law_of_ltl, law_of_tsl, resolve_cfg};
use tsl_synth_agents::syntax_plan::parse_cfg;
use tsl_synth_automata::{finite_to_dfa, intersection};
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::FiniteFormulas;
use tsl_synth_core::model::Dfa;
use tsl_synth_lang::syntax::parse_tsl;
use tsl_synth_ltl::ltl::parse_ltl;
use tsl_synth_ltl::operators::Dialect;

/// The maximal number of states of the automaton of the laws.
const LAW_STATES: usize = 1 << 12;

/// The plans of a request: a grammar and laws.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanRequest {
    /// The grammar, a `.cfg` file.
    pub grammar: Input,
    /// Laws: TSL in files that end in `.tsl`, else LTL.
    pub laws: Vec<Input>,
}

impl PlanRequest {
    /// All plans of a grammar.
    pub fn new(grammar: Input) -> Self {
        Self { grammar, laws: Vec::new() }
    }
    /// Adds a law that the plans must keep.
    pub fn with(mut self, law: Input) -> Self {
        self.laws.push(law);
        self
    }
}

/// A grammar with its laws.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plans {
    /// The grammar.
    pub grammar: PlanGrammar,
    /// The automaton of the words that keep all laws.
    pub law: Dfa,
    /// The number of laws.
    pub laws: usize,
    /// Warnings about the texts.
    pub diagnostics: Diagnostics,
}

impl Plans {
    /// Answers questions about the plans of this length.
    pub fn planner<'a>(&'a self, length: PlanLength, budget: &'a Budget) -> Planner<'a> {
        Planner::new(&self.grammar, &self.law, length, budget)
    }
    /// The steps that arguments of the command line name. An argument that as a whole is a step of the grammar is that step,
    /// with blanks in its name or without, unless a quote or brace is open before it; others are read as [`Self::word`] reads
    /// them together.
    ///
    /// # Errors
    /// As [`Self::word`].
    pub fn words(&self, arguments: &[String]) -> Result<Vec<PlanStep>, String> {
        let (mut steps, mut open) = (Vec::new(), String::new());
        for argument in arguments {
            let is_open = open.matches('"').count() % 2 == 1 || open.rfind('{') > open.rfind('}');
            if let Some(step) = self.whole(argument.trim()).filter(|_| !is_open) {
                steps.append(&mut self.word(&std::mem::take(&mut open))?);
                steps.push(step?);
            } else {
                open.push_str(argument);
                open.push(' ');
            }
        }
        steps.append(&mut self.word(&open)?);
        Ok(steps)
    }
    /// The step with this name, maybe with the elements that it chooses; `None` if there is no such step.
    fn whole(&self, text: &str) -> Option<Result<PlanStep, String>> {
        if self.grammar.terminal(text).is_some() {
            return Some(self.step(text, None));
        }
        let (name, list) = text.strip_suffix('}')?.split_once('{')?;
        self.grammar.terminal(name)?;
        (!list.contains('}')).then(|| self.step(name, Some(list)))
    }
    /// The steps that a word names: separated by blanks, a step with blanks in its name between double
    /// quotes, the elements that it chooses after it in braces.
    ///
    /// # Errors
    /// A part that does not name a step; the text says why.
    pub fn word(&self, text: &str) -> Result<Vec<PlanStep>, String> {
        let mut steps = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (name, after) = if let Some(quoted) = rest.strip_prefix('"') {
                quoted
                    .split_once('"')
                    .map(|(name, after)| (name.to_string(), after))
                    .ok_or("a quote is never closed")?
            } else {
                let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
                (rest[..end].to_string(), &rest[end..])
            };
            let (elements, after) = match after.strip_prefix('{') {
                Some(inner) => {
                    let (list, after) = inner.split_once('}').ok_or("a brace is never closed")?;
                    (Some(list), after)
                }
                None => (None, after),
            };
            steps.push(self.step(&name, elements)?);
            rest = after.trim_start();
        }
        Ok(steps)
    }
    fn step(&self, name: &str, elements: Option<&str>) -> Result<PlanStep, String> {
        let Some(terminal) = self.grammar.terminal(name) else {
            return Err(format!("the grammar has no step `{name}`"));
        };
        let Some(list) = elements else { return Ok(PlanStep::plain(terminal)) };
        let Some(subset) = &self.grammar.terminals[terminal].subset else {
            return Err(format!("the step `{name}` chooses nothing, and `{{{list}}}` stands after it"));
        };
        let mut chosen = Vec::new();
        for element in list.split(',').map(str::trim).filter(|element| !element.is_empty()) {
            match subset.elements.iter().position(|one| one == element) {
                Some(i) if !chosen.contains(&i) => chosen.push(i),
                Some(_) => return Err(format!("`{element}` is chosen twice")),
                None => return Err(format!("the step `{name}` has no element `{element}`")),
            }
        }
        if chosen.is_empty() && !subset.may_be_empty {
            return Err(format!("the step `{name}` chooses at least one element"));
        }
        chosen.sort_unstable();
        Ok(PlanStep { terminal, chosen: Some(chosen) })
    }
}

impl Session<'_> {
    /// A budget without limits of its own, which ends with this session's flag.
    pub fn budget(&self) -> Budget {
        Budget::unlimited().with_flag(self.cancel.clone())
    }

    /// Reads a grammar and laws.
    ///
    /// # Errors
    /// Errors of the texts, or a limit on the automaton of the laws.
    pub fn plans(&mut self, request: &PlanRequest) -> Result<Plans, Failure> {
        self.deep(|session| session.plans_here(request))
    }

    fn plans_here(&mut self, request: &PlanRequest) -> Result<Plans, Failure> {
        let mut diagnostics = Diagnostics::new();
        let source = self.source(&request.grammar)?;
        let name = request.grammar.shown();
        let stem =
            Path::new(&name).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        let module = parse_cfg(&self.sources, source, &mut diagnostics);
        let grammar = module.and_then(|module| resolve_cfg(&module, &stem, &mut diagnostics));
        let Some(grammar) = grammar else { return Err(diagnostics.into()) };
        let budget = self.budget();
        let letters = grammar.terminals.len() as u32;
        let alphabet: Vec<u32> = (0..letters).collect();
        let mut law = Dfa::universal(letters);
        for input in &request.laws {
            let source = self.source(input)?;
            let mut formulas = FiniteFormulas::new();
            let is_tsl = Path::new(&input.shown()).extension().is_some_and(|ending| ending == "tsl");
            let root = if is_tsl {
                parse_tsl(&self.sources, source, Dialect::TslSynth, &mut diagnostics)
                    .and_then(|module| law_of_tsl(&module, &grammar, &mut formulas, &mut diagnostics))
            } else {
                let names: BTreeSet<&str> =
                    grammar.terminals.iter().map(|terminal| terminal.name.as_str()).collect();
                parse_ltl(&self.sources, source, &|name| names.contains(name), &mut diagnostics)
                    .and_then(|module| law_of_ltl(&module, &grammar, &mut formulas, &mut diagnostics))
            };
            let Some(root) = root else { return Err(diagnostics.into()) };
            let one = finite_to_dfa(&formulas, root, &alphabet, LAW_STATES, &budget)?;
            law = intersection(&law, &one, LAW_STATES)?;
        }
        debug_assert!(
            grammar.terminals.ids().all(|id| id.index() < letters as usize),
            "letters are terminals"
        );
        Ok(Plans { grammar, law, laws: request.laws.len(), diagnostics })
    }
}
