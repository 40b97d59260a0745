//! The texts of the evidence: the README and the scripts.

use super::claims::{CheckedClause, EvidenceClaim};
use crate::{CheckReport, VERSION};
use std::fmt::Write;
use tsl_synth_core::logic::{FormulaId, Player};
use tsl_synth_core::model::Abstraction;
use tsl_synth_documents::CheckVerdict;
use tsl_synth_emit::plain;
use tsl_synth_lang::spec::{Constraint, Language, Problem};

/// The data that the texts describe.
pub(super) struct EvidenceFacts<'a> {
    pub(super) report: &'a CheckReport,
    pub(super) problem: &'a Problem,
    pub(super) owner: Player,
    /// Whether there is a machine with explicit states.
    pub(super) explicit: bool,
}

/// A clause in the table of the README.
pub(super) fn clause_line(problem: &Problem, clause: &CheckedClause, text: &str) -> String {
    let why = match problem.clauses[clause.id].constraint {
        Some(Constraint::Interpretation) => "  (by the meaning of the language)",
        Some(Constraint::Frame) => "  (an update sets what is read in the next step)",
        Some(Constraint::Arithmetic) => "  (the arithmetic of numbers)",
        Some(Constraint::Refinement) => "  (equal terms have equal values; added by refinement)",
        None => "",
    };
    format!("  {:<16} {text}{why}\n", clause.stem())
}

/// The README: the verdict, the files, the clauses and the claims.
pub(super) fn readme(facts: &EvidenceFacts<'_>, clauses: &[String], claims: &[EvidenceClaim]) -> String {
    let EvidenceFacts { report, problem, owner, explicit } = facts;
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    line(&format!("Evidence for the verdict on {}, by tsl-synth {VERSION}", plain(&report.name)));
    line("");
    line(&format!("Verdict: {}", CheckVerdict::of(&report.verdict)));
    match report.notion() {
        Some(Abstraction::Ltl) => {
            line("Notion: ltl. No controller exists for the LTL abstraction; for TSL one may still exist.");
        }
        Some(Abstraction::Tsl) if problem.language == Language::Tsl => {
            line(
                "Notion: tsl. That the plays of the machine are possible for some meaning of predicates and",
            );
            line("functions is not part of this evidence: it shows the verdict for the LTL formulas below.");
        }
        Some(Abstraction::Tsl) | None => {}
    }
    match &report.certificate {
        Some(certificate) => line(&format!("Certified by {certificate}")),
        None => line("Not certified by tsl-synth (--no-certify)."),
    }
    line("");
    match owner {
        Player::System => {
            line(
                "The machine is a controller. On every play it keeps the restrictions if the facts hold, and the",
            );
            line("guarantees if the facts and the assumptions hold.");
        }
        Player::Environment => {
            line("The machine is a strategy of the environment. On every play the facts hold, and if the");
            line("restrictions hold, the assumptions hold and some guarantee is broken.");
        }
    }
    line("Atoms have the same names in all files, between quotes in LTL and HOA. A cell has one atom for");
    line("each of its updates, of which exactly one holds in each step.");
    line("");
    line("contract.ltl   what every play of the machine satisfies, as one formula");
    line("clauses/       the clauses by themselves, in Spot's syntax of LTL");
    if *explicit {
        line("machine.hoa    the machine as an automaton that accepts its plays");
    }
    line("machine.aag    the machine as a circuit, with one signal for each atom");
    line("problems/      for each claim about the machine the question whether it is wrong:");
    line("  NAME.ltl     a formula that no play of the machine satisfies");
    line(
        "  NAME.aag     AIGER 1.9: the circuit of the machine and a tableau of the formula, with constraints;",
    );
    line(
        "               there is a run on which each justice literal holds again and again, or one that comes",
    );
    line("               to a bad state, exactly if the claim is wrong");
    line("  NAME.aig     the same as a safety problem: its output can be true exactly if the claim is wrong");
    line("replay-abc.sh  decides every NAME.aig with ABC");
    if *explicit {
        line(
            "replay-spot.sh decides every NAME.ltl on machine.hoa with Spot, and that the machine never stops",
        );
        line("               (legal.ltl: the words that it has to read)");
    }
    line(
        "               (exit code 0: all claims are confirmed; 1: some are not; 2: the program is missing)",
    );
    line("Formulas that are very large as text are left out; the circuits have them.");
    line("");
    line("Clauses:");
    for clause in clauses {
        line(clause.trim_end());
    }
    line("");
    line("Claims:");
    for claim in claims {
        line(&format!("  {:<16} {}", claim.stem, claim.says));
    }
    let added = problem.clauses.iter().filter(|clause| clause.constraint == Some(Constraint::Refinement));
    let added = added.count();
    if added > 0 {
        line("");
        line(&format!(
            "Refinement added {added} of the facts: tsl-synth derived them from the meaning of TSL, and they are"
        ));
        line("taken for granted here.");
    }
    out
}

/// The script that decides every safety problem with ABC.
pub(super) fn replay_abc(claims: &[EvidenceClaim]) -> String {
    let mut out = String::from(ABC);
    for claim in claims {
        writeln!(out, "check {} '{}'", claim.stem, claim.says).expect("strings take everything");
    }
    out + END
}

const ABC: &str = r#"#!/bin/sh
# Decides with ABC that the output of every problems/*.aig is never true. ABC=program names another ABC,
# SECONDS_EACH the time for each problem.
cd "$(dirname "$0")" || exit 2
if [ -z "${ABC:-}" ]; then
  for name in berkeley-abc abc yosys-abc; do
    if command -v "$name" >/dev/null 2>&1; then ABC=$name; break; fi
  done
fi
[ -n "${ABC:-}" ] || { echo "ABC is not installed (Debian: berkeley-abc)" >&2; exit 2; }
failed=0
check() {
  if "$ABC" -c "read_aiger problems/$1.aig; scorr; pdr -T ${SECONDS_EACH:-300}" 2>&1 | grep -q '^Property proved'; then
    echo "confirmed: $1: $2"
  else
    echo "NOT CONFIRMED: $1: $2"
    failed=1
  fi
}
"#;

const END: &str = "exit $failed\n";

const SPOT: &str = r#"#!/bin/sh
# Decides with Spot that no play of machine.hoa satisfies a formula of problems/*.ltl.
cd "$(dirname "$0")" || exit 2
for name in ltl2tgba autfilt; do
  command -v "$name" >/dev/null 2>&1 || { echo "$name of Spot is not installed" >&2; exit 2; }
done
failed=0
check() {
  if ltl2tgba -F "problems/$1.ltl" | autfilt --product=machine.hoa --is-empty -q; then
    echo "confirmed: $1: $2"
  else
    echo "NOT CONFIRMED: $1: $2"
    failed=1
  fi
}
"#;

/// The legal words of the opponent of `owner`: exactly one update of each cell in every step, if it sets the cells.
pub(super) fn legal(problem: &mut Problem, owner: Player) -> FormulaId {
    let Problem { formulas, alphabet, .. } = problem;
    if owner == Player::System {
        return formulas.top();
    }
    let mut each = Vec::new();
    for cell in alphabet.cells() {
        let atoms: Vec<FormulaId> = cell.options.iter().map(|&atom| formulas.atom(atom)).collect();
        each.push(formulas.or(atoms.iter().copied()));
        for (i, &a) in atoms.iter().enumerate() {
            for &b in &atoms[i + 1..] {
                let both = formulas.and([a, b]);
                each.push(formulas.not(both));
            }
        }
    }
    let one = formulas.and(each);
    formulas.globally(one)
}

/// The script that checks every formula with Spot.
pub(super) fn replay_spot<'a>(
    problem: &Problem,
    owner: Player,
    claims: impl Iterator<Item = &'a EvidenceClaim>,
) -> String {
    let mut out = String::from(SPOT);
    let own = problem.alphabet.atoms().enumerate().filter(|&(id, _)| problem.alphabet.player(id) == owner);
    let names: Vec<String> = own
        .map(|(_, atom)| {
            let name: String = atom.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
        })
        .collect();
    let project = if names.is_empty() {
        "cat machine.hoa".to_string()
    } else {
        format!("autfilt --remove-ap='{}' machine.hoa", names.join(",").replace('\'', r"'\''"))
    };
    let opponent = owner.opponent();
    writeln!(
        out,
        "# The machine without its own atoms reads every legal word of the {opponent}.\n\
         if ltl2tgba -F legal.ltl | {{ {project} > legal.hoa.$$ && autfilt --included-in=legal.hoa.$$ -q; }}; then\n  \
           echo 'confirmed: the machine never stops'\nelse\n  \
           echo 'NOT CONFIRMED: the machine never stops'\n  failed=1\nfi\nrm -f legal.hoa.$$"
    )
    .expect("strings take everything");
    for claim in claims {
        writeln!(out, "check {} '{}'", claim.stem, claim.says).expect("strings take everything");
    }
    out + END
}
