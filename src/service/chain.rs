//! The chain of reasons for a step of a play, in words.

use super::subject::{Subject, System};
use super::tuning::CHAIN_WORK;
use crate::Session;
use std::fmt::Write as _;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{AtomId, Lasso, Letter};
use tsl_synth_documents::CauseLink;
use tsl_synth_engine::mealy::Registers;
use tsl_synth_explain::{Asked, ChainLink, chain, clause_with_line, literal_text, values_told};
use tsl_synth_lang::spec::Problem;

impl Session<'_> {
    /// Why a controller did what it did in a step; empty for other machines, and where nothing is known.
    pub(super) fn chain(&self, subject: &Subject, actual: &Lasso, step: usize) -> Vec<CauseLink> {
        let System::Machine(machine) = &subject.system else { return Vec::new() };
        if subject.is_opponent() {
            return Vec::new();
        }
        let problem = subject.with_facts();
        let (before, period) = (actual.prefix.len(), actual.cycle.len());
        let letter = |i: usize| actual.letter(if i < before { i } else { before + (i - before) % period });
        let letters: Vec<Letter> = (0..=step).map(|i| letter(i).clone()).collect();
        let letters = Registers::of(&problem).recorded(&letters);
        let budget = Budget::unlimited().with_flag(self.cancel.clone()).with_work(CHAIN_WORK);
        let links = chain(&problem, machine, &letters, step, &budget).unwrap_or_default();
        links.iter().map(|link| self.link(&problem, link, &letters[link.step])).collect()
    }

    fn link(&self, problem: &Problem, link: &ChainLink, letter: &Letter) -> CauseLink {
        let alphabet = &problem.alphabet;
        let cell = alphabet.cells()[link.cell].name.clone();
        let term = |atom: AtomId| alphabet.update_term(atom).unwrap_or_default().to_owned();
        let atoms: Vec<AtomId> = link.because.iter().map(|&(atom, _)| atom).collect();
        let (values, told) = values_told(problem, &atoms, letter);
        let others = link.because.iter().filter(|(atom, _)| !told.contains(atom));
        let because: Vec<String> =
            others.map(|&(atom, holds)| literal_text(problem, atom, holds)).chain(values).collect();
        let clauses: Vec<String> = match &link.asked {
            Asked::By(clauses) => {
                clauses.iter().map(|&clause| clause_with_line(problem, &self.sources, clause)).collect()
            }
            Asked::Free | Asked::Undecided => Vec::new(),
        };
        let allowed: Vec<String> = link.allowed.iter().map(|&atom| term(atom)).collect();
        let plain = |term: &str| match term {
            "true" => cell.clone(),
            _ => format!("!{cell}"),
        };
        let alternative = |term: &String| match term {
            term if link.is_chosen => plain(term),
            term if *term == cell => "keeping it".into(),
            term => format!("{cell} <- {term}"),
        };
        let alternatives: Vec<String> = allowed.iter().map(alternative).collect();
        let mut sentence = if link.is_chosen {
            format!("step {}: {}", link.step, plain(&term(link.update)))
        } else if link.keeps {
            format!("step {}: {cell} is kept", link.step)
        } else {
            format!("step {}: {cell} <- {}", link.step, term(link.update))
        };
        if !because.is_empty() {
            let _ = write!(sentence, ", because {}", because.join(", "));
        }
        if link.asked == Asked::Free {
            sentence.push_str("; no clause asks for ");
            sentence.push_str(if link.keeps { "a change" } else { "this" });
            if !alternatives.is_empty() {
                let _ = write!(sentence, "; allowed were also {}", alternatives.join(", "));
            }
        } else if !clauses.is_empty() {
            let _ = write!(sentence, " ({})", clauses.join("; "));
        }
        if let Some(owed) = &link.owed {
            let names: Vec<String> =
                owed.inputs.iter().map(|&atom| literal_text(problem, atom, true)).collect();
            let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
            let clause = clause_with_line(problem, &self.sources, owed.clause);
            let line = clause.split(',').next().unwrap_or_default();
            let _ = write!(sentence, ", owed by {line} since step {}{names}", owed.since);
        }
        let term = term(link.update);
        let free = link.asked == Asked::Free;
        CauseLink { step: link.step, cell, term, because, clauses, free, allowed, sentence }
    }
}
