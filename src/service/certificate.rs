//! Certificates as files that `tsl-check` checks: the contract as formulas, the machine in HOA, and for each claim a table
//! that proves it. Of specifications in LTL and TLSF the contract is taken as the checker reads it, so that a slip of our
//! readers makes a claim false instead of being certified.

use super::tuning::{
    CERTIFICATE_BITS, CERTIFICATE_PAIRS, CERTIFICATE_STATES, CERTIFICATE_STEPS, CERTIFICATE_WORK,
};
use super::{CheckReport, Failure, VERSION};
use crate::Session;
use tsl_check::contract::{Contract as CheckedContract, Role as CheckedRole, Signals};
use tsl_check::formula::Arena;
use tsl_check::hoa::read_hoa;
use tsl_check::machine::MachineKind;
use tsl_check::read_ltl::read_formula;
use tsl_check::{Source, contract_of};
use tsl_synth_certificates::{Limits, NoCertificate, Subject, certificate};
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Contract, Role, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_emit::plain;
use tsl_synth_formats::hoa::{HoaHeader, write_counter_strategy, write_mealy};
use tsl_synth_kernel::{controller_of_circuit, counter_of_circuit};
use tsl_synth_lang::spec::{Language, Problem, Target};

/// A certificate of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CertificateText {
    /// The text.
    pub text: String,
    /// Whether `tsl-check` reads the specification itself; otherwise it trusts the clauses of the certificate.
    pub is_read_again: bool,
}

impl Session<'_> {
    /// The certificate for the verdict of a report. The session must have the texts that the report was made from, and
    /// `parameters` are the parameters of TLSF that it was made with.
    ///
    /// # Errors
    /// There is no verdict; the strategy or the proof is too large; a defect of this program.
    pub fn certificate(
        &mut self,
        report: &CheckReport,
        parameters: &[(String, i64)],
    ) -> Result<CertificateText, Failure> {
        self.deep(|session| of_report(report, &session.sources, parameters))
    }
}

fn of_report(
    report: &CheckReport,
    sources: &SourceMap,
    parameters: &[(String, i64)],
) -> Result<CertificateText, Failure> {
    if report.numbers.is_some() {
        return Err(Failure::unsupported("certificates of games over numbers are not written yet"));
    }
    let Some(problem) = &report.problem else { return Err(no_verdict()) };
    let mut problem = Problem::clone(problem);
    let (owner, hoa) = machine(&problem, report)?;
    let is_realizable = owner == Player::System;
    let kind = match (owner, problem.target) {
        (Player::Environment, _) => MachineKind::Counter,
        (Player::System, Target::Moore) => MachineKind::Moore,
        (Player::System, Target::Mealy) => MachineKind::Mealy,
    };
    let mut arena = Arena::new();
    let signals = signals(&problem)?;
    let read = read_again(&problem, sources, parameters, (&signals, kind), &mut arena);
    let contract = match &read {
        Some(contract) => contract.clone(),
        None => lowered(&mut problem, owner, &signals, &mut arena)?,
    };
    let machine =
        read_hoa(&hoa, &signals).map_err(|unread| Failure::unsupported(format!("the machine: {unread}")))?;
    let name = plain(&report.name);
    let subject = Subject { name, is_realizable, kind, signals, contract, hoa, machine };
    let limits = Limits { pairs: CERTIFICATE_PAIRS, steps: CERTIFICATE_STEPS };
    match certificate(&subject, &mut arena, limits) {
        Ok(text) => Ok(CertificateText { text, is_read_again: read.is_some() }),
        Err(NoCertificate::TooLarge(why)) => Err(Failure::unsupported(format!("it is too large: {why}"))),
        Err(NoCertificate::False(claim)) => {
            Err(Failure::internal(format!("the claim `{claim}` of the certificate is false")))
        }
    }
}

fn no_verdict() -> Failure {
    Failure::unsupported("there is no verdict")
}

/// The strategy as an explicit machine in HOA.
fn machine(problem: &Problem, report: &CheckReport) -> Result<(Player, String), Failure> {
    let header = HoaHeader { name: plain(&report.name), tool_version: VERSION.into() };
    let alphabet = &problem.alphabet;
    let budget = Budget::unlimited().with_work(CERTIFICATE_WORK);
    let too_large =
        || Failure::unsupported("its strategy is a circuit that is too large for an explicit machine");
    let large = |_| too_large();
    let is_circuit = matches!(
        report.verdict,
        Verdict::Realizable(StrategyRepr::Circuit(_)) | Verdict::Unrealizable(StrategyRepr::Circuit(_), _)
    );
    if is_circuit && alphabet.bit_count() > CERTIFICATE_BITS {
        return Err(too_large());
    }
    Ok(match &report.verdict {
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
            (Player::System, write_mealy(alphabet, machine, &header))
        }
        Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) => {
            (Player::Environment, write_counter_strategy(alphabet, counter, &header))
        }
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => {
            let machine =
                controller_of_circuit(alphabet, circuit, CERTIFICATE_STATES, &budget).map_err(large)?;
            (Player::System, write_mealy(alphabet, &machine, &header))
        }
        Verdict::Unrealizable(StrategyRepr::Circuit(circuit), _) => {
            let counter =
                counter_of_circuit(alphabet, circuit, CERTIFICATE_STATES, &budget).map_err(large)?;
            (Player::Environment, write_counter_strategy(alphabet, &counter, &header))
        }
        Verdict::Unknown(_) => return Err(no_verdict()),
    })
}

/// The atoms of a problem for the checker.
fn signals(problem: &Problem) -> Result<Signals, Failure> {
    let mut signals = Signals::default();
    for (atom, described) in problem.alphabet.atoms().enumerate() {
        let is_input = problem.alphabet.player(atom) == Player::Environment;
        signals.add(&described.name, is_input).map_err(Failure::unsupported)?;
    }
    for cell in problem.alphabet.cells() {
        let names = cell.options.iter().map(|&atom| problem.alphabet.atoms()[atom].name.as_str());
        signals.cells.push(names.filter_map(|name| signals.find(name)).collect());
    }
    Ok(signals)
}

/// The contract as the checker reads it; `None` if it does not read the specification, or finds other signals in it.
fn read_again(
    problem: &Problem,
    sources: &SourceMap,
    parameters: &[(String, i64)],
    (signals, kind): (&Signals, MachineKind),
    arena: &mut Arena,
) -> Option<CheckedContract> {
    let source = match problem.language {
        Language::Tsl => return None,
        Language::Ltl => Source::Ltl,
        Language::Tlsf => Source::Tlsf,
    };
    let mut texts = sources.iter();
    let (Some((_, only)), None) = (texts.next(), texts.next()) else { return None };
    if Source::of_name(&only.name) != source {
        return None;
    }
    let of_counter = kind == MachineKind::Counter;
    let origin = contract_of(source, &only.text, parameters, (signals, of_counter), arena).ok()?;
    let same = [true, false].iter().all(|&inputs| signals.sorted(inputs) == origin.signals.sorted(inputs));
    if !same || !of_counter && origin.controller != kind {
        return None;
    }
    origin.renumbered(signals, arena).ok()
}

/// The contract as it was solved, about the plays of the machine.
fn lowered(
    problem: &mut Problem,
    owner: Player,
    signals: &Signals,
    arena: &mut Arena,
) -> Result<CheckedContract, Failure> {
    let mut contract: Contract = problem.contract();
    if owner == Player::System {
        contract = problem.target_contract(&contract);
    }
    let roles = [
        (Role::Fact, CheckedRole::Fact),
        (Role::Restriction, CheckedRole::Restriction),
        (Role::Assumption, CheckedRole::Assumption),
        (Role::Guarantee, CheckedRole::Guarantee),
    ];
    let mut clauses = Vec::new();
    for (role, checked) in roles {
        for &formula in contract.of(role) {
            let text = problem.formulas.display_quoted(formula, &problem.alphabet);
            let formula = read_formula(&text, signals, arena)
                .map_err(|why| Failure::unsupported(format!("a clause of the contract: {why}")))?;
            clauses.push((checked, formula));
        }
    }
    Ok(CheckedContract { clauses })
}
