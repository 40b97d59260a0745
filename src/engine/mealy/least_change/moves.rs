//! The reachable positions of the least-change game, and the move of the system in each of them.

use super::arena::{Arena, ContextId, Track};
use super::ranks::Ranks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use tsl_synth_core::base::{Id, Limit, LimitKind};
use tsl_synth_core::logic::Guard;
use tsl_synth_core::model::Prefer;

/// The most positions; more would be a large machine.
const MOST_POSITIONS: usize = 1024;
/// The most sets of runs after one answer.
const MOST_PARTS: usize = 256;

/// A state of the machine, the states of the hypotheses, and the runs so far.
type Position = (usize, ContextId, Vec<Track>);

/// What is done on some inputs.
pub(super) struct Move {
    pub(super) inputs: Guard,
    pub(super) answer: usize,
    /// The next position; `None` if a hypothesis is broken, so that everything is allowed from then on.
    pub(super) next: Option<usize>,
}

/// The moves of all positions. Inputs without a move cannot happen, or break a hypothesis whatever the answer is.
#[derive(Default)]
pub(super) struct Positions {
    pub(super) moves: Vec<Vec<Move>>,
}

/// An answer with a next state of the machine, and the inputs on which it is safe.
struct Candidate {
    inputs: Guard,
    answer: usize,
    state: usize,
    context: ContextId,
    tracks: Vec<Track>,
    cost: Cost,
}

/// Smaller is better: whether a hypothesis is given up, what is owed, changed cells, the freedom that is left, whether the
/// machine stays in its state, and the state's number.
type Cost = (bool, u64, usize, Reverse<u64>, bool, usize);

impl Positions {
    /// Explores the game from its initial position on. `None` if the machine does not win.
    pub(super) fn explore(arena: &mut Arena<'_>, prefer: Prefer) -> Result<Option<Self>, Limit> {
        let mut ranks = Ranks::default();
        let Some(first) = first(arena, &mut ranks)? else { return Ok(None) };
        let mut numbers: FxHashMap<Position, usize> = FxHashMap::from_iter([(first.clone(), 0)]);
        let mut order = vec![first];
        let mut found = Self::default();
        while let Some(position) = order.get(found.moves.len()).cloned() {
            let Some(taken) = moves(arena, &mut ranks, &position, prefer)? else { return Ok(None) };
            let mut own: Vec<Move> = Vec::new();
            for Candidate { inputs, answer, state, context, tracks, .. } in taken {
                let next = (arena.alive(context) > 0).then(|| {
                    let next = (state, context, tracks);
                    *numbers.entry(next).or_insert_with_key(|next| {
                        order.push(next.clone());
                        order.len() - 1
                    })
                });
                match own.iter_mut().find(|same| same.answer == answer && same.next == next) {
                    Some(same) => same.inputs = arena.guards.or(same.inputs, inputs),
                    None => own.push(Move { inputs, answer, next }),
                }
            }
            if order.len() > MOST_POSITIONS {
                return Err(Limit::new(
                    LimitKind::Size,
                    "a controller with fewer changes: too many positions",
                ));
            }
            found.moves.push(own);
        }
        Ok(Some(found))
    }
}

/// The position at the beginning; `None` if the machine does not win.
fn first(arena: &mut Arena<'_>, ranks: &mut Ranks) -> Result<Option<Position>, Limit> {
    let (context, tracks) = arena.begin();
    let state = arena.machine.initial.index();
    for &track in &tracks {
        if ranks.rank(arena, state, context, track)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some((state, context, tracks)))
}

/// The moves of a position on disjoint inputs.
fn moves(
    arena: &mut Arena<'_>,
    ranks: &mut Ranks,
    position: &Position,
    prefer: Prefer,
) -> Result<Option<Vec<Candidate>>, Limit> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut possible = Guard::FALSE;
    for answer in 0..arena.answers.len() {
        let (found, live) = of_answer(arena, ranks, position, answer)?;
        candidates.extend(found);
        possible = arena.guards.or(possible, live);
    }
    let key = |candidate: &Candidate| {
        let (gives_up, owed, changes, freedom, moves, state) = candidate.cost;
        let answer = candidate.answer;
        // Of answers that change as little, one that writes nothing is the simplest.
        let writes = arena.answers[answer].changes;
        match prefer {
            Prefer::Keep => (gives_up, owed, changes, writes, freedom, moves, state, answer),
            Prefer::Fast | Prefer::Any => (gives_up, owed, 0, 0, freedom, moves, answer, state),
        }
    };
    candidates.sort_by_key(key);
    let mut open = possible;
    let mut taken = Vec::new();
    for candidate in candidates {
        let inputs = arena.guards.and(open, candidate.inputs);
        if inputs != Guard::FALSE {
            open = arena.guards.minus(open, inputs);
            taken.push(Candidate { inputs, ..candidate });
        }
    }
    Ok((open == Guard::FALSE).then_some(taken))
}

/// The safe moves with an answer, and the inputs on which it leaves some hypotheses unbroken.
fn of_answer(
    arena: &mut Arena<'_>,
    ranks: &mut Ranks,
    (state, context, tracks): &Position,
    answer: usize,
) -> Result<(Vec<Candidate>, Guard), Limit> {
    let (mut candidates, mut live) = (Vec::new(), Guard::FALSE);
    let before = arena.alive(*context);
    for &(inputs, next) in arena.steps(*context, answer)?.iter() {
        if inputs == Guard::FALSE {
            continue;
        }
        let alive = arena.alive(next);
        if alive > 0 {
            live = arena.guards.or(live, inputs);
        }
        // The runs after each of the inputs, with the largest rank that is safe for them.
        let mut parts: Vec<(Guard, Vec<(Track, u32)>)> = vec![(inputs, Vec::new())];
        for &track in tracks {
            let group = arena.nodes[track.0 as usize].group;
            if !arena.is_alive(group, next) {
                continue;
            }
            let Some(rank) = ranks.rank(arena, *state, *context, track)? else {
                return Ok((Vec::new(), live));
            };
            for e in 0..arena.nodes[track.0 as usize].edges.len() {
                let label = arena.nodes[track.0 as usize].edges[e].guard;
                let label = arena.given(label, answer);
                let (after, rejects) = arena.after(track, &arena.nodes[track.0 as usize].edges[e]);
                parts = split(arena, parts, label, (after, rank.checked_sub(u32::from(rejects))))?;
            }
        }
        for (inputs, mut runs, changes) in by_changes(arena, parts, answer) {
            runs.sort_unstable();
            runs.dedup_by_key(|(track, _)| *track);
            for to in 0..arena.edges.len() {
                arena.tick(1 + runs.len())?;
                if let Some(cost) = cost(arena, ranks, &runs, (to, next))? {
                    let cost = (alive < before, cost.0, changes, Reverse(cost.1), to != *state, to);
                    let tracks = runs.iter().map(|&(track, _)| track).collect();
                    candidates.push(Candidate { inputs, answer, state: to, context: next, tracks, cost });
                }
                if runs.is_empty() {
                    break;
                }
            }
        }
    }
    Ok((candidates, live))
}

/// A part of inputs with the runs after it, and how many cells change on it.
type ChangingPart = (Guard, Vec<(Track, u32)>, usize);

/// Splits parts of inputs by how many cells an answer changes on them.
fn by_changes(arena: &mut Arena<'_>, parts: Parts, answer: usize) -> Vec<ChangingPart> {
    let (changes, same) = (arena.answers[answer].changes, arena.answers[answer].same.clone());
    let mut split: Vec<_> = parts.into_iter().map(|(inputs, runs)| (inputs, runs, changes)).collect();
    for same in same {
        let mut finer = Vec::new();
        for (inputs, runs, changes) in split {
            let (kept, changed) = (arena.guards.and(inputs, same), arena.guards.minus(inputs, same));
            if changed != Guard::FALSE {
                finer.push((changed, runs.clone(), changes));
            }
            if kept != Guard::FALSE {
                finer.push((kept, runs, changes - 1));
            }
        }
        split = finer;
    }
    split
}

/// Parts of inputs, with the runs after them and the largest rank that is safe for each.
type Parts = Vec<(Guard, Vec<(Track, u32)>)>;

/// Adds a run on the inputs of a guard; without a bound it is never safe, and these inputs are dropped.
fn split(
    arena: &mut Arena<'_>,
    parts: Parts,
    label: Guard,
    (track, bound): (Track, Option<u32>),
) -> Result<Parts, Limit> {
    let mut finer: Parts = Vec::new();
    let mut put = |arena: &mut Arena<'_>, inputs: Guard, runs: Vec<(Track, u32)>| match finer
        .iter_mut()
        .find(|(_, same)| *same == runs)
    {
        Some(part) => part.0 = arena.guards.or(part.0, inputs),
        None => finer.push((inputs, runs)),
    };
    for (inputs, runs) in parts {
        let met = arena.guards.and(inputs, label);
        let rest = arena.guards.minus(inputs, label);
        if rest != Guard::FALSE {
            put(arena, rest, runs.clone());
        }
        if met != Guard::FALSE
            && let Some(bound) = bound
        {
            let mut runs = runs;
            match runs.iter_mut().find(|(same, _)| *same == track) {
                Some(run) => run.1 = run.1.min(bound),
                None => runs.push((track, bound)),
            }
            put(arena, met, runs);
        }
    }
    arena.tick(finer.len())?;
    if finer.len() > MOST_PARTS {
        return Err(Limit::new(LimitKind::Size, "a controller with fewer changes: too many sets of runs"));
    }
    Ok(finer)
}

/// What is owed after a move, and the freedom that is left; `None` if the move is not safe.
fn cost(
    arena: &mut Arena<'_>,
    ranks: &mut Ranks,
    runs: &[(Track, u32)],
    (to, context): (usize, ContextId),
) -> Result<Option<(u64, u64)>, Limit> {
    let (mut owed, mut freedom) = (0, 0);
    for &(track, bound) in runs {
        let Some(rank) = ranks.rank(arena, to, context, track)?.filter(|&rank| rank <= bound) else {
            return Ok(None);
        };
        // A run that can still be rejecting is an obligation, also if the machine discharges it in the next step.
        if arena.nodes[track.0 as usize].is_pending {
            owed += u64::from(rank) + 1;
        } else {
            freedom += u64::from(rank);
        }
    }
    Ok(Some((owed, freedom)))
}

/// Among the changes of cells that the machine makes in its plays, how many are not needed, and how many there are: an
/// answer that owes no more could have kept the cell. Each position and set of inputs counts once. `None` if the machine
/// does not win.
pub(super) fn unneeded(arena: &mut Arena<'_>) -> Result<Option<(usize, usize)>, Limit> {
    let mut ranks = Ranks::default();
    let Some(first) = first(arena, &mut ranks)? else { return Ok(None) };
    let mut seen: FxHashSet<Position> = FxHashSet::from_iter([first.clone()]);
    let mut open = vec![first];
    let (mut needless, mut all) = (0, 0);
    while let Some(position) = open.pop() {
        let Some(best) = moves(arena, &mut ranks, &position, Prefer::Keep)? else { return Ok(None) };
        for (guard, answer, state) in arena.edges[position.0].clone() {
            let (candidates, _) = of_answer(arena, &mut ranks, &position, answer)?;
            for next in candidates.into_iter().filter(|next| next.state == state || next.tracks.is_empty()) {
                let inputs = arena.guards.and(guard, next.inputs);
                for other in &best {
                    if arena.guards.overlap(inputs, other.inputs) {
                        // Where as little changes, writing nothing is less.
                        let writes = |answer: usize| arena.answers[answer].changes;
                        all += writes(answer);
                        needless += if next.cost.2 == other.cost.2 {
                            writes(answer).saturating_sub(writes(other.answer))
                        } else {
                            next.cost.2.saturating_sub(other.cost.2)
                        };
                    }
                }
                let is_met = arena.alive(next.context) > 0 && inputs != Guard::FALSE;
                let next = (state, next.context, next.tracks);
                if is_met && seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            if seen.len() > MOST_POSITIONS {
                return Err(Limit::new(LimitKind::Size, "changes that are not needed: too many positions"));
            }
        }
    }
    Ok(Some((needless, all)))
}
