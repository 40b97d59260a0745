//! The gate of a policy as data: its event tables, its laws, and the solved games of all sets of laws that decisions
//! may need, as arrays of nodes of decision diagrams. The templates `policy/*-gate` interpret the data.

use super::joined::JoinedGame;
use super::matches::{RegexEngine, parts, table, unsupported};
use super::tables::{PolicyTables, kind_name, on_violation_name};
use super::{PolicyMeta, PolicyTarget};
use crate::input::EmitError;
use crate::render;
use crate::text::{comment, js_string, python_string, rust_string};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, sha256};
use tsl_synth_core::logic::{BitId, Guard, GuardDiagrams};
use tsl_synth_core::model::LawStatus;
use tsl_synth_documents::PolicyGateView;
use tsl_synth_policy::gate::{GateOptions, GateSolver};
use tsl_synth_policy::language::{
    Amount, DefaultRuling, Ending, EventKind, Fallback, LawAtom, LawId, LawKind, LawRegister, OnViolation,
    RegisterId, Timing, TraceMode,
};
use tsl_synth_policy::{CompiledPolicy, DecisionResult, Game, GameKind, GameOptions, Turns, counts_results};

/// The most soft laws that are supported: each subset of them needs its own game.
const MOST_SOFT: usize = 4;
/// With at most this many laws, all subsets have games, and denials name minimal sets of laws. With more, denials can
/// name only single laws or all kept laws together.
const ALL_SETS: usize = 5;
/// The number of copies of laws that every gate judges together; more only as far as their games fit.
const SURE_COPIES: usize = 3;
/// The most diagram nodes of all games together.
const MOST_NODES: usize = 400_000;
/// The budget of work for all games.
const WORK: u64 = 1 << 30;

/// The gate as code, and its type declarations if they are a separate file.
pub(super) fn gate(
    tables: &PolicyTables<'_>,
    meta: &PolicyMeta,
    target: PolicyTarget,
) -> Result<(String, Option<String>), EmitError> {
    let compiled = Arc::new(tables.compiled.clone());
    let data = data(&compiled, target)?.to_string();
    // Characters beyond ASCII are escaped twice: in the JSON text, and in the string literal.
    let ascii = ascii(&data);
    let (template, literal) = match target {
        PolicyTarget::Python => ("policy/python-gate", python_string(&ascii)),
        PolicyTarget::Rust => ("policy/rust-gate", rust_string(&ascii)),
        _ => ("policy/js-gate", js_string(&ascii)),
    };
    let view = PolicyGateView {
        policy: comment(&compiled.policy.name),
        version: comment(&meta.tool_version),
        sha256: comment(&meta.sha256),
        machine_id: sha256(data.as_bytes()),
        doc: tables.doc().iter().map(|line| comment(line)).collect(),
        data: literal,
        ts: target == PolicyTarget::Ts,
    };
    let types = match target {
        PolicyTarget::Js => Some(render::embedded("policy/js-gate-types", &view)?),
        _ => None,
    };
    Ok((render::embedded(template, &view)?, types))
}

fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

fn data(compiled: &Arc<CompiledPolicy>, target: PolicyTarget) -> Result<Value, EmitError> {
    let policy = &compiled.policy;
    let budget = Budget::unlimited().child(WORK);
    let limit =
        |limit: tsl_synth_core::base::Limit| EmitError::Limit(format!("the games of the gate: {limit}"));
    let judge = GateSolver::new(compiled.clone(), GateOptions::default(), &budget).map_err(limit)?;
    let mut engine = RegexEngine::of(target);
    let tables: Vec<Value> =
        policy.matches.iter().map(|own| table(own, &mut engine)).collect::<Result<_, _>>()?;
    let (classes, programs) = engine.data(&tables);
    let keeps_arguments = policy.matches.iter().filter(|own| own.on == EventKind::Result).any(|own| {
        let conditions = own.conditions.iter().map(|one| &one.pointer);
        conditions
            .chain(own.bind.iter().map(|(_, pointer)| pointer))
            .any(|one| one.within("arguments").is_some())
    });
    let lists = judge.keys();
    let counts_results = |(id, register): (RegisterId, &LawRegister)| {
        register.amount != Amount::One
            && policy.atoms.actions.ids().any(|own| counts_results(policy, id, own))
    };
    if policy.registers.enumerate().any(counts_results) {
        return unsupported("it sums amounts of results, and emitted gates sum those of calls only");
    }
    let registers = policy.registers.iter().map(|register| {
        let sum = match &register.amount {
            Amount::One => Value::Null,
            Amount::Sum(pointer) => parts(&pointer.within("arguments").unwrap_or_else(|| pointer.clone())),
        };
        json!({
            "proposition": register.proposition.index(), "sum": sum, "limit": register.limit.to_string(),
            "window": register.window, "on": tests(compiled, register.on), "reset": tests(compiled, register.reset_on),
        })
    });
    let bits = 0..policy.atoms.bits();
    Ok(json!({
        "policy": {
            "name": policy.name,
            "unmatched": unmatched(policy.unmatched),
            "idle": policy.idle,
            "finite": policy.end == Ending::Finite,
            "trace": match policy.trace {
                TraceMode::PerEvent => "per-event",
                TraceMode::PerAction => "per-action",
                TraceMode::StateChange => "state-change",
            },
            // Needed only if a letter may consist of outcomes alone.
            "unread": match (policy.trace, policy.timing) {
                (TraceMode::PerAction, Timing::Same) => {
                    compiled.unread_outcomes().iter().map(Id::index).collect::<Vec<_>>()
                }
                _ => Vec::new(),
            },
            "timing": if policy.timing == Timing::Next { "next" } else { "same" },
            "turns": match judge.turns() {
                Turns::Apart => "apart",
                Turns::CallFirst => "call-first",
                Turns::TruthsFirst => "truths-first",
            },
            "lookAhead": policy.look_ahead,
            "fallback": if policy.fallback == Fallback::Hard { "hard" } else { "none" },
            "endRefusals": policy.end_refusals,
            "maxValues": policy.max_values,
            "onOverflow": unmatched(policy.on_overflow),
        },
        "atoms": bits.map(|bit| policy.atoms.bit_name(Id::from_index(bit))).collect::<Vec<_>>(),
        "propositions": policy.atoms.propositions.iter()
            .map(|own| json!([own.name, own.is_state, own.is_computed])).collect::<Vec<_>>(),
        "actions": policy.atoms.actions.iter().map(|own| json!([own.name, own.group])).collect::<Vec<_>>(),
        "laws": policy.laws.ids().map(|law| self::law(compiled, law)).collect::<Vec<_>>(),
        "registers": registers.collect::<Vec<_>>(),
        "tables": tables,
        "keepsArguments": keeps_arguments,
        "classes": classes,
        "programs": programs,
        "lists": lists,
        "independent": (0..lists.len()).map(|list| judge.is_independent(list)).collect::<Vec<_>>(),
        "apart": (0..lists.len())
            .map(|list| policy.atoms.actions.ids().map(|id| judge.is_bound_by(list, id)).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
        "games": games(compiled, &judge, &budget)?,
    }))
}

fn unmatched(what: DefaultRuling) -> &'static str {
    match what {
        DefaultRuling::Deny => "deny",
        DefaultRuling::Ask => "ask",
        DefaultRuling::Warn => "warn",
        DefaultRuling::Allow => "allow",
    }
}

/// A guard as a list of tests: class 1 contains its letters, class 0 all others.
fn tests(compiled: &CompiledPolicy, guard: Guard) -> Value {
    let mut diagrams = GuardDiagrams::new();
    let root = diagrams.add(&compiled.policy.guards, guard, &mut FxHashMap::default());
    let target = |guard: Guard| match guard.index() {
        0 => -1,
        1 => -2,
        node => i64::try_from(node).unwrap_or(i64::MAX) - 2,
    };
    let test =
        diagrams.nodes().iter().map(|&(bit, low, high)| json!([bit.index(), target(low), target(high)]));
    json!([test.collect::<Vec<_>>(), target(root)])
}

fn law(compiled: &CompiledPolicy, id: LawId) -> Value {
    let (law, decision, monitor) =
        (&compiled.policy.laws[id], &compiled.decisions[id], &compiled.monitors[id]);
    let target = |decided: DecisionResult| match decided {
        DecisionResult::Test(number) => i64::from(number),
        DecisionResult::Class(class) => -1 - i64::from(class),
    };
    let tests =
        decision.tests().iter().map(|test| json!([test.bit.index(), target(test.low), target(test.high)]));
    let standing = (0..monitor.len() as u32).map(|state| match monitor.standing(state) {
        LawStatus::Violated => 0,
        LawStatus::CurrentlyViolated => 1,
        LawStatus::CurrentlySatisfied => 2,
        LawStatus::Satisfied => 3,
    });
    json!({
        "id": law.id, "kind": kind_name(law.kind), "on": on_violation_name(law.on_violation),
        "forEach": law.for_each, "ltl": law.ltl, "why": law.why,
        "tests": tests.collect::<Vec<_>>(), "root": target(decision.root()),
        "next": decision.rows().collect::<Vec<_>>(), "standing": standing.collect::<Vec<_>>(),
    })
}

/// The sets of laws whose games decisions may need, each sorted, and whether the game needs ways to an accepted end.
fn sets(compiled: &CompiledPolicy) -> Result<Vec<(Vec<LawId>, bool)>, EmitError> {
    let laws = &compiled.policy.laws;
    let is_judged = |law: &LawId| matches!(laws[*law].on_violation, OnViolation::Deny | OnViolation::Ask);
    let of = |kind| laws.ids().filter(move |law| laws[*law].kind == kind).filter(is_judged).collect();
    let (hard, soft): (Vec<LawId>, Vec<LawId>) = (of(LawKind::Hard), of(LawKind::Soft));
    // Without look-ahead each law is judged separately.
    if !compiled.policy.look_ahead {
        return Ok(hard.into_iter().chain(soft).map(|law| (vec![law], false)).collect());
    }
    if soft.len() > MOST_SOFT {
        return unsupported(&format!(
            "it has {} soft laws, and emitted gates have at most {MOST_SOFT}",
            soft.len()
        ));
    }
    let mut all: Vec<(Vec<LawId>, bool)> = Vec::new();
    let mut add = |mut set: Vec<LawId>, ways: bool| {
        set.sort_unstable();
        match all.iter_mut().find(|(own, _)| *own == set) {
            Some((_, own)) => *own |= ways,
            None => all.push((set, ways)),
        }
    };
    for chosen in subsets(&soft) {
        let kept: Vec<LawId> = hard.iter().chain(&chosen).copied().collect();
        let deny = kept.iter().copied().filter(|&law| laws[law].on_violation == OnViolation::Deny).collect();
        add(kept, compiled.policy.look_ahead);
        add(deny, false);
    }
    let every: Vec<LawId> = hard.into_iter().chain(soft).collect();
    for &law in &every {
        add(vec![law], false);
    }
    if every.len() <= ALL_SETS {
        for set in subsets(&every) {
            add(set, false);
        }
    }
    Ok(all)
}

fn subsets(laws: &[LawId]) -> Vec<Vec<LawId>> {
    let of = |code: usize| (0..laws.len()).filter(|i| code >> i & 1 == 1).map(|i| laws[i]).collect();
    (0..1_usize << laws.len()).map(of).collect()
}

fn games(
    compiled: &Arc<CompiledPolicy>,
    judge: &GateSolver,
    budget: &Budget,
) -> Result<Vec<Value>, EmitError> {
    let lists = judge.keys().len();
    let is_independent = (0..lists).all(|list| judge.is_independent(list));
    let copies = if is_independent { 1 } else { GateOptions::default().copies };
    let (mut all, mut nodes) = (Vec::new(), 0);
    for (kept, has_ways) in sets(compiled)? {
        for copies in 1..=copies {
            let mut options = GameOptions::new(&compiled.policy);
            options.kept.clone_from(&kept);
            options.copies = copies;
            options.is_solved = compiled.policy.look_ahead;
            let limit = |limit: tsl_synth_core::base::Limit| {
                EmitError::Limit(format!("the games of the gate: {limit}"))
            };
            let solved = Game::new(compiled, &options, budget).and_then(|mut game| {
                if has_ways {
                    game.add_ways(budget)?;
                }
                Ok(game)
            });
            let own = solved.as_ref().map_or(MOST_NODES, |game| game.solved().diagrams.nodes().len());
            if copies > SURE_COPIES && nodes + own > MOST_NODES / 2 {
                break;
            }
            let game = solved.map_err(limit)?;
            nodes += own;
            if nodes > MOST_NODES {
                let what = format!("the games of the gate have more than {MOST_NODES} nodes of diagrams");
                return Err(EmitError::Limit(format!("{what}; `--law-monitor` emits the monitor alone")));
            }
            all.push(self::game(compiled, &game));
        }
    }
    Ok(all)
}

fn game(compiled: &CompiledPolicy, game: &Game) -> Value {
    let (layout, atoms) = (game.layout(), &compiled.policy.atoms);
    let JoinedGame { diagrams, roots, ways } = JoinedGame::new(game.solved(), layout, atoms);
    let [winning, closed, end, allowed, legal] = roots.map(Id::index);
    let nodes = diagrams.nodes();
    // The constants have numbers 0 and 1, whose entries are not used.
    let column = |of: &dyn Fn(usize) -> usize| -> Vec<usize> {
        [0, 0].into_iter().chain((0..nodes.len()).map(of)).collect()
    };
    let numbers = |guards: &[Guard]| guards.iter().map(|guard| guard.index()).collect::<Vec<_>>();
    let moves = |[next, computed]: &[Vec<(BitId, Guard)>; 2]| {
        let pairs = |all: &[(BitId, Guard)]| {
            all.iter().map(|&(bit, guard)| json!([bit.index(), guard.index()])).collect::<Vec<_>>()
        };
        json!({ "next": pairs(next), "computed": pairs(computed) })
    };
    let has_world = layout.turns != Turns::CallFirst;
    let ways = ways.as_ref().map(|ways| {
        json!({
            "layers": numbers(&ways.layers), "calls": numbers(&ways.calls), "worlds": numbers(&ways.worlds),
            "call": moves(&ways.moves[0]), "world": has_world.then(|| moves(&ways.moves[1])),
        })
    });
    let bits = |bits: &[BitId]| bits.iter().map(|bit| bit.index()).collect::<Vec<_>>();
    let state =
        layout.kinds.enumerate().filter(|&(_, &kind)| kind == GameKind::State).map(|(bit, _)| bit.index());
    let instances = layout.instances.iter().map(|own| {
        json!([
            own.law.index(),
            own.copy.map(|(list, _)| list),
            own.copy.map_or(0, |(_, copy)| copy),
            bits(&own.bits),
            own.codes
        ])
    });
    let slots = layout
        .slots
        .iter()
        .map(|own| json!([own.action.index(), own.reaches, own.bits[0].index(), own.bits[1].index()]));
    let registers =
        layout.registers.iter().map(|own| json!([own.register.index(), bits(&own.bits), own.top]));
    let memory = layout
        .memory
        .iter()
        .map(|&(id, bit)| json!([atoms.bit(LawAtom::Proposition(id)).index(), bit.index()]));
    let truths = layout.truths.iter().map(|&(letter, state)| json!([letter.index(), state.index()]));
    json!({
        "kept": game.options().kept.iter().map(|law| law.index()).collect::<Vec<_>>(),
        "copies": layout.copies,
        "bit": column(&|i| nodes[i].0.index()), "low": column(&|i| nodes[i].1.index()), "high": column(&|i| nodes[i].2.index()),
        "winning": winning, "closed": closed, "allowed": allowed, "legal": legal, "end": end, "ways": ways,
        "state": state.collect::<Vec<_>>(),
        "letter": layout.letter.iter().map(|bit| bit.map(Id::index)).collect::<Vec<_>>(),
        "reach": layout.reach.iter().map(|own| bits(own)).collect::<Vec<_>>(),
        "instances": instances.collect::<Vec<_>>(),
        "slots": slots.collect::<Vec<_>>(),
        "registers": registers.collect::<Vec<_>>(),
        "memory": memory.collect::<Vec<_>>(),
        "truths": truths.collect::<Vec<_>>(),
        "blank": layout.blank.map(Id::index),
        "blankBit": layout.blank_atoms.first().map(|&atom| atoms.bit(atom).index()),
    })
}
