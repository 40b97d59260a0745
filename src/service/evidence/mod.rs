//! Evidence for a verdict that other programs can replay: the contract as LTL, the machine as HOA and AIGER, and a
//! model-checking problem for each claim about it, with scripts that run Spot and ABC on them.

mod claims;
mod safety;
mod tableau;
mod texts;
mod wires;

use super::tuning::EVIDENCE_FORMULA;
use super::{CheckReport, Failure, VERSION};
use crate::Session;
use claims::{EvidenceClaim, claims, contract, held};
use tsl_synth_core::logic::{FormulaId, Player};
use tsl_synth_core::model::{Circuit, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_emit::{Contents, plain};
use tsl_synth_engine::mealy::{circuit_of_counter, circuit_of_mealy};
use tsl_synth_explain::clause_text;
use tsl_synth_formats::aiger::{Aiger, aiger_of_strategy, write_ascii, write_binary, write_problem};
use tsl_synth_formats::hoa::{HoaHeader, write_counter_strategy, write_mealy};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A file of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvidenceFile {
    /// Its path inside of the folder, with `/` between the parts.
    pub path: String,
    /// Its text or bytes.
    pub contents: Contents,
}

impl EvidenceFile {
    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.contents.bytes()
    }
}

/// The evidence for a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// The files in a fixed order. They depend on the report only.
    pub files: Vec<EvidenceFile>,
}

impl Session<'_> {
    /// The evidence for the verdict of a report whose texts this session has.
    ///
    /// # Errors
    /// There is no verdict, or a defect of this program.
    pub fn evidence(&mut self, report: &CheckReport) -> Result<Evidence, Failure> {
        self.deep(|session| evidence(report, &session.sources))
    }
}

fn evidence(report: &CheckReport, sources: &SourceMap) -> Result<Evidence, Failure> {
    let Some(problem) = &report.problem else { return Err(no_verdict()) };
    let mut problem = Problem::clone(problem);
    let header = HoaHeader { name: plain(&report.name), tool_version: VERSION.into() };
    let (owner, hoa, circuit): (Player, Option<String>, Circuit) = match &report.verdict {
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => (
            Player::System,
            Some(write_mealy(&problem.alphabet, machine, &header)),
            circuit_of_mealy(&problem.alphabet, machine),
        ),
        Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) => (
            Player::Environment,
            Some(write_counter_strategy(&problem.alphabet, counter, &header)),
            circuit_of_counter(&problem.alphabet, counter),
        ),
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => (Player::System, None, circuit.clone()),
        Verdict::Unrealizable(StrategyRepr::Circuit(circuit), _) => {
            (Player::Environment, None, circuit.clone())
        }
        Verdict::Unknown(_) => return Err(no_verdict()),
    };
    let comment = format!("{}\nmade by tsl-synth {VERSION}\n", report.name);
    let machine = aiger_of_strategy(&problem.alphabet, &circuit, owner, &comment);
    let mut writer = EvidenceWriter { files: Vec::new() };
    let clauses = held(&mut problem, owner);
    let claims = claims(&mut problem, &clauses, &machine, owner);
    let whole = contract(&clauses).formula(&mut problem.formulas);
    let whole = if owner == Player::System { whole } else { problem.formulas.not(whole) };
    let text = |id: ClauseId| {
        let clause = &problem.clauses[id];
        let large = clause.span.is_none() && problem.formulas.size(clause.formula) > EVIDENCE_FORMULA;
        if large { "(a large formula)".into() } else { plain(&clause_text(&problem, sources, id)) }
    };
    let lines: Vec<String> =
        clauses.iter().map(|clause| texts::clause_line(&problem, clause, &text(clause.id))).collect();
    let facts = texts::EvidenceFacts { report, problem: &problem, owner, explicit: hoa.is_some() };
    writer.text("README.txt", texts::readme(&facts, &lines, &claims));
    writer.formula("contract.ltl", &problem, whole);
    for clause in &clauses {
        writer.formula(&format!("clauses/{}.ltl", clause.stem()), &problem, clause.formula);
    }
    if let Some(hoa) = &hoa {
        writer.text("machine.hoa", hoa.clone());
    }
    writer.text("machine.aag", write_ascii(&machine));
    for claim in &claims {
        writer.claim(&problem, claim);
    }
    writer.text("replay-abc.sh", texts::replay_abc(&claims));
    if hoa.is_some() {
        let legal = texts::legal(&mut problem, owner);
        writer.formula("legal.ltl", &problem, legal);
        let formulas = claims.iter().filter(|claim| writer.has(&format!("problems/{}.ltl", claim.stem)));
        let script = texts::replay_spot(&problem, owner, formulas);
        writer.text("replay-spot.sh", script);
    }
    Ok(Evidence { files: writer.files })
}

fn no_verdict() -> Failure {
    Failure::unsupported("there is no verdict, so there is no evidence for one")
}

struct EvidenceWriter {
    files: Vec<EvidenceFile>,
}

impl EvidenceWriter {
    fn text(&mut self, path: &str, text: String) {
        self.files.push(EvidenceFile { path: path.into(), contents: Contents::Text(text) });
    }
    fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }
    /// Adds a file with a formula on a line, unless the formula is very large.
    fn formula(&mut self, path: &str, problem: &Problem, f: FormulaId) {
        if problem.formulas.size(f) <= EVIDENCE_FORMULA {
            let text = problem.formulas.display_quoted(f, &problem.alphabet);
            self.text(path, text + "\n");
        }
    }
    fn claim(&mut self, problem: &Problem, claim: &EvidenceClaim) {
        if let Some(formula) = claim.formula {
            self.formula(&format!("problems/{}.ltl", claim.stem), problem, formula);
        }
        let mut question = claim.problem.clone();
        question.comment = format!("the claim that {}\n", claim.says);
        self.text(&format!("problems/{}.aag", claim.stem), write_problem(&question));
        let safety: Aiger = safety::as_safety(&question);
        let contents = Contents::Binary(write_binary(&safety));
        self.files.push(EvidenceFile { path: format!("problems/{}.aig", claim.stem), contents });
    }
}
