//! `emit --conjunct-automata`: the deterministic automata of the conjuncts of a specification, one after another.

use super::tuning::{CONJUNCT_STATES, CONJUNCT_WORK};
use super::{Failure, VERSION};
use tsl_synth_core::base::{Budget, LimitKind, StopFlag};
use tsl_synth_core::logic::{FormulaId, Node, Normalizer};
use tsl_synth_core::model::Role;
use tsl_synth_emit::{Contents, EmittedFile, Lang, emerson_lei_dot, plain};
use tsl_synth_engine::game::conjunct_automaton;
use tsl_synth_formats::hoa::{HoaHeader, write_emerson_lei};
use tsl_synth_lang::spec::Problem;

/// One automaton for each conjunct of each clause, where equal conjuncts of one role have one; and a sentence for each
/// conjunct without an automaton.
pub(super) fn monitors(
    problem: &mut Problem,
    lang: Lang,
    stop: &StopFlag,
) -> Result<(Vec<EmittedFile>, Vec<String>), Failure> {
    if !matches!(lang, Lang::Hoa | Lang::Dot) {
        return Err(Failure::unsupported("`--conjunct-automata` are automata: `--lang hoa` or `--lang dot`"));
    }
    let (mut text, mut missing) = (String::new(), Vec::new());
    for (role, word) in [
        (Role::Fact, "fact"),
        (Role::Restriction, "restriction"),
        (Role::Assumption, "assumption"),
        (Role::Guarantee, "guarantee"),
    ] {
        for (i, f) in conjuncts(problem, role).into_iter().enumerate() {
            let Problem { formulas, alphabet, .. } = &mut *problem;
            let budget = Budget::unlimited().with_flag(stop.clone()).with_work(CONJUNCT_WORK);
            let name = plain(&format!("{word} {}: {}", i + 1, formulas.display(f, alphabet)));
            let automaton = match conjunct_automaton(formulas, alphabet, f, CONJUNCT_STATES, &budget) {
                Ok(automaton) => automaton,
                Err(limit) if matches!(limit.kind, LimitKind::Size | LimitKind::Work) => {
                    missing.push(format!("no automaton of {name}: {limit}"));
                    continue;
                }
                Err(limit) => return Err(limit.into()),
            };
            let one = if lang == Lang::Dot {
                emerson_lei_dot(alphabet, &automaton, &name)?
            } else {
                let header = HoaHeader { name: name.clone(), tool_version: VERSION.into() };
                write_emerson_lei(alphabet, &automaton, &header)
            };
            match one {
                Some(one) => text.push_str(&one),
                None => missing.push(format!("no automaton of {name}: its labels are too long")),
            }
        }
    }
    let path = format!("monitors.{}", lang.name());
    Ok((vec![EmittedFile { path, contents: Contents::Text(text), main: true }], missing))
}

/// The conjuncts of the clauses of a role in normal form, in the order of the clauses, each once.
fn conjuncts(problem: &mut Problem, role: Role) -> Vec<FormulaId> {
    let mut normalizer = Normalizer::new();
    let mut all = Vec::new();
    for clause in problem.clauses.iter().filter(|clause| clause.role == role) {
        let f = normalizer.normalize(&mut problem.formulas, clause.formula, false);
        let parts = match problem.formulas.node(f) {
            Node::And(gs) => gs.to_vec(),
            _ => vec![f],
        };
        for part in parts {
            if part != problem.formulas.top() && !all.contains(&part) {
                all.push(part);
            }
        }
    }
    all
}
