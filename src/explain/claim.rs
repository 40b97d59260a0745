//! The claims of a sentence about a losing play: which of the inputs and answers shown are sufficient for the loss.
//!
//! A sentence such as "the environment may start with `a` true, and then `C` fails at step 1, whatever the system does"
//! makes two claims: on every play with these inputs, whatever the others are, on which facts, assumptions and
//! restrictions are not broken before, `C` is broken by the end of step 1; and the environment can give them without
//! breaking an assumption. The first is a question about the weak views of the first letters (see [`super::forced`]),
//! and is answered by a SAT solver; the second is a game, and its answer is certified. Literals are reported only if
//! they are known to be sufficient.

use super::cores::Core;
use super::forced::weak;
use super::given::is_given;
use super::play::{BrokenClause, LosingPlay, PlayEnding};
use super::synthesis_queries::{SynthesisAnswer, Synthesizer};
use super::tuning::{CLAIM_LITERALS, CLAIM_NODES, ENDLESS_LITERALS, MAX_DECISIONS};
use rustc_hash::{FxHashMap, FxHashSet};
use rustsat::types::Lit;
use tsl_synth_core::base::{IdSet, Sat, steps};
use tsl_synth_core::logic::{AtomId, AtomKind, CellId, FormulaId, Formulas, Node, Player};
use tsl_synth_core::model::{Abstraction, Role};
use tsl_synth_engine::synth::FailedCertificate;
use tsl_synth_lang::spec::{Clause, ClauseId, Problem};

/// The value of an atom at a step of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlayLiteral {
    pub(super) step: usize,
    pub(super) atom: AtomId,
    pub(super) value: bool,
}

/// Inputs and answers that are sufficient for the loss.
#[derive(Clone, Debug, Default)]
pub(super) struct SufficientMoves {
    /// Inputs; `None` for all that are shown.
    pub(super) inputs: Option<Vec<PlayLiteral>>,
    /// Answers before the last step; `None` for all that are shown.
    pub(super) answers: Option<Vec<PlayLiteral>>,
}

/// Inputs and answers that are sufficient for the failures at the end of a play.
pub(super) fn sufficient_moves(
    problem: &Problem,
    core: &Core,
    play: &LosingPlay,
    asker: &mut Synthesizer<'_>,
) -> Result<SufficientMoves, FailedCertificate> {
    let length = play.steps.len();
    let mut formulas = problem.formulas.clone();
    let Some(claims) = claims(problem, &mut formulas, play) else { return Ok(SufficientMoves::default()) };
    let support = support_of(problem, play.failures.iter().map(|f| f.clause));
    let inputs = literals(problem, play, &support, Player::Environment, length);
    let answers = literals(problem, play, &support, Player::System, length - 1);
    if inputs.len() + answers.len() > CLAIM_LITERALS {
        return Ok(SufficientMoves::default());
    }
    let holds = |inputs: &[PlayLiteral], answers: &[PlayLiteral]| {
        let given: Vec<PlayLiteral> = inputs.iter().chain(answers).copied().collect();
        claims.iter().all(|claim| claim.holds(problem, &formulas, &given))
    };
    let own = own_atoms(problem, core, play);
    let mut kept = answers;
    if !holds(&inputs, &kept) {
        return Ok(SufficientMoves::default());
    }
    // Try no answers at all, else a minimal set of them.
    if !kept.is_empty() && holds(&inputs, &[]) && is_legal(problem, core, play, &inputs, &[], asker)? {
        kept.clear();
    } else {
        let fewer = reduced(kept.clone(), &own, |answers| holds(&inputs, answers));
        if fewer.len() < kept.len() && is_legal(problem, core, play, &inputs, &fewer, asker)? {
            kept = fewer;
        }
    }
    let inputs = reduced(inputs, &own, |inputs| holds(inputs, &kept));
    Ok(SufficientMoves { inputs: Some(inputs), answers: Some(kept) })
}

/// Inputs of a play whose last step repeats forever that are sufficient to defeat the guarantees of a core whatever the
/// system does. `None` if that is not known.
pub(super) fn sufficient_inputs(
    problem: &Problem,
    core: &Core,
    play: &LosingPlay,
    asker: &mut Synthesizer<'_>,
) -> Result<Option<Vec<PlayLiteral>>, FailedCertificate> {
    let length = play.steps.len();
    if play.ending != PlayEnding::Repeats(length - 1) {
        return Ok(None);
    }
    let support = support_of(problem, core.guarantees.iter().copied());
    let inputs = literals(problem, play, &support, Player::Environment, length);
    if inputs.len() > ENDLESS_LITERALS {
        return Ok(None);
    }
    let assuming = |inputs: &[PlayLiteral]| {
        let kept = |id: ClauseId, c: &Clause| !c.is_duty() || core.guarantees.contains(&id);
        let mut problem = super::synthesis_queries::part(problem, kept);
        for literal in inputs {
            let mut formula = value(&mut problem.formulas, literal);
            if literal.step + 1 == length {
                formula = problem.formulas.globally(formula);
            }
            let formula = later(&mut problem.formulas, formula, literal.step);
            let role = Role::Assumption;
            problem.clauses.push(Clause { role, formula, span: None, constraint: None });
        }
        problem
    };
    asker.allow(2 * ENDLESS_LITERALS, 2);
    let mut defeat = |inputs: &[PlayLiteral]| -> Result<bool, FailedCertificate> {
        Ok(asker.satisfiable(assuming(inputs))? == Some(false))
    };
    if !defeat(&inputs)? {
        return Ok(None);
    }
    let own = own_atoms(problem, core, play);
    let mut kept = inputs;
    let mut order = kept.clone();
    order.reverse();
    order.sort_by_key(|literal| own.contains(literal.atom));
    for literal in order {
        let fewer: Vec<PlayLiteral> = kept.iter().copied().filter(|&other| other != literal).collect();
        if defeat(&fewer)? {
            kept = fewer;
        }
    }
    let legal = match asker.ask(&assuming(&kept))? {
        SynthesisAnswer::Unrealizable(_, notion) => notion == core.notion || notion == Abstraction::Tsl,
        _ => false,
    };
    Ok(legal.then_some(kept))
}

/// The atoms that a play shows: those of its core and of the clauses that fail.
fn own_atoms(problem: &Problem, core: &Core, play: &LosingPlay) -> IdSet<AtomId> {
    let failing = play.failures.iter().map(|failure| failure.clause);
    let clauses = core.guarantees.iter().chain(&core.assumptions).copied().chain(failing);
    let roots: Vec<FormulaId> = clauses.map(|id| problem.clauses[id].formula).collect();
    problem.support(&roots)
}

/// Drops literals that are not needed: those about other atoms than these first, then false ones, then earlier ones
/// before later ones.
fn reduced(
    mut kept: Vec<PlayLiteral>,
    own: &IdSet<AtomId>,
    holds: impl Fn(&[PlayLiteral]) -> bool,
) -> Vec<PlayLiteral> {
    let mut order = kept.clone();
    order.sort_by_key(|literal| (own.contains(literal.atom), literal.value));
    for literal in order {
        let fewer: Vec<PlayLiteral> = kept.iter().copied().filter(|&other| other != literal).collect();
        if holds(&fewer) {
            kept = fewer;
        }
    }
    kept
}

/// The atoms of some clauses and of all assumptions and facts.
fn support_of(problem: &Problem, clauses: impl Iterator<Item = ClauseId>) -> Vec<AtomId> {
    let mut roots: Vec<FormulaId> = clauses.map(|id| problem.clauses[id].formula).collect();
    let granted = problem.clauses.iter().filter(|c| matches!(c.role, Role::Assumption | Role::Fact));
    roots.extend(granted.map(|c| c.formula));
    problem.formulas.support(&roots).iter().collect()
}

/// The choices of a player at the first steps of a play: given inputs and Boolean outputs with their values, and the
/// updates that were chosen.
fn literals(
    problem: &Problem,
    play: &LosingPlay,
    support: &[AtomId],
    player: Player,
    steps: usize,
) -> Vec<PlayLiteral> {
    let alphabet = &problem.alphabet;
    let mut all = Vec::new();
    for (step, shown) in play.steps.iter().enumerate().take(steps) {
        for &atom in support.iter().filter(|&&atom| alphabet.player(atom) == player) {
            if problem.is_hidden(atom) {
                continue;
            }
            let letter = match player {
                Player::Environment if !is_given(problem, atom) => continue,
                Player::Environment => &shown.input,
                Player::System => match &shown.output {
                    Some(output) => output,
                    None => continue,
                },
            };
            let value = alphabet.holds(atom, letter);
            if value || !matches!(alphabet.atoms()[atom].kind, AtomKind::Update(..)) {
                all.push(PlayLiteral { step, atom, value });
            }
        }
    }
    all
}

/// A literal as a formula about its own step.
fn value(formulas: &mut Formulas, literal: &PlayLiteral) -> FormulaId {
    let atom = formulas.atom(literal.atom);
    if literal.value { atom } else { formulas.not(atom) }
}

/// The formula below `steps` operators `X`.
fn later(formulas: &mut Formulas, f: FormulaId, steps: usize) -> FormulaId {
    (0..steps).fold(f, |f, _| formulas.next(f))
}

/// The claim that not all of these views hold, given the answers in the last step.
struct DeathClaim {
    views: Vec<FormulaId>,
    last: Vec<PlayLiteral>,
}

/// One claim for each failure; `None` if a view is too large.
fn claims(problem: &Problem, formulas: &mut Formulas, play: &LosingPlay) -> Option<Vec<DeathClaim>> {
    let length = play.steps.len();
    let mut claim = |failure: &BrokenClause| {
        let mut views = vec![weak(formulas, problem.clauses[failure.clause].formula, length)?];
        // The other failing clauses are not broken before the last step.
        for other in play.failures.iter().filter(|other| other.clause != failure.clause) {
            views.extend(weak(formulas, problem.clauses[other.clause].formula, length - 1));
        }
        let failing = |id: ClauseId| play.failures.iter().any(|other| other.clause == id);
        let granted = problem.clauses.enumerate().filter(|(id, c)| !failing(*id) && !c.is_duty());
        for (_, clause) in granted {
            // Leaving out a view that is too large is sound: it makes the claim stronger.
            views.extend(weak(formulas, clause.formula, length));
        }
        let nodes = formulas.subformulas(&views).len();
        if nodes * length > CLAIM_NODES {
            return None;
        }
        let support = problem.support(&[problem.clauses[failure.clause].formula]);
        let mut last = Vec::new();
        if let Some(answer) = &failure.answer {
            for atom in support.iter().filter(|&a| problem.alphabet.player(a) == Player::System) {
                let value = problem.alphabet.holds(atom, answer);
                last.push(PlayLiteral { step: length - 1, atom, value });
            }
        }
        Some(DeathClaim { views, last })
    };
    play.failures.iter().map(&mut claim).collect()
}

impl DeathClaim {
    /// Whether the given literals are sufficient; `false` if that is not known.
    fn holds(&self, problem: &Problem, formulas: &Formulas, given: &[PlayLiteral]) -> bool {
        let mut unrolled = Unrolled {
            problem,
            formulas,
            sat: Sat::default(),
            atoms: FxHashMap::default(),
            cells: FxHashSet::default(),
            done: FxHashMap::default(),
        };
        for literal in given.iter().chain(&self.last) {
            let atom = unrolled.atom(literal.atom, literal.step);
            unrolled.sat.add([if literal.value { atom } else { !atom }]);
        }
        for &view in &self.views {
            let alive = unrolled.literal(view, 0);
            unrolled.sat.add([alive]);
        }
        steps::count(4 * unrolled.sat.clauses());
        let budget = tsl_synth_core::base::Budget::unlimited();
        unrolled.sat.satisfiable(MAX_DECISIONS, &budget, String::new).is_ok_and(|alive| !alive)
    }
}

/// Formulas of `X` and Boolean operators, unrolled step by step into clauses.
struct Unrolled<'a> {
    problem: &'a Problem,
    formulas: &'a Formulas,
    sat: Sat,
    atoms: FxHashMap<(AtomId, usize), Lit>,
    cells: FxHashSet<(CellId, usize)>,
    done: FxHashMap<(FormulaId, usize), Lit>,
}

impl Unrolled<'_> {
    fn atom(&mut self, atom: AtomId, step: usize) -> Lit {
        if let Some(&literal) = self.atoms.get(&(atom, step)) {
            return literal;
        }
        let literal = self.sat.fresh();
        self.atoms.insert((atom, step), literal);
        if let AtomKind::Update(cell, _) = self.problem.alphabet.atoms()[atom].kind
            && self.cells.insert((cell, step))
        {
            // A cell has exactly one update in a step.
            let options = self.problem.alphabet.cells()[cell].options.clone();
            let all: Vec<Lit> = options.into_iter().map(|option| self.atom(option, step)).collect();
            for (i, &a) in all.iter().enumerate() {
                for &b in &all[i + 1..] {
                    self.sat.add([!a, !b]);
                }
            }
            self.sat.add(all);
        }
        literal
    }

    fn literal(&mut self, f: FormulaId, step: usize) -> Lit {
        if let Some(&literal) = self.done.get(&(f, step)) {
            return literal;
        }
        let formulas = self.formulas;
        let literal = match formulas.node(f) {
            Node::Atom(atom) => self.atom(*atom, step),
            Node::Not(g) => !self.literal(*g, step),
            Node::Next(g) => self.literal(*g, step + 1),
            Node::Iff(a, b) => {
                let (a, b) = (self.literal(*a, step), self.literal(*b, step));
                let both = self.sat.fresh();
                for clause in [[!both, !a, b], [!both, a, !b], [both, a, b], [both, !a, !b]] {
                    self.sat.add(clause);
                }
                both
            }
            Node::And(fs) | Node::Or(fs) => {
                let conjunction = matches!(formulas.node(f), Node::And(_));
                // a || b is !(!a && !b).
                let signed = |literal: Lit| if conjunction { literal } else { !literal };
                let parts: Vec<Lit> = fs.iter().map(|&g| signed(self.literal(g, step))).collect();
                let all = self.sat.fresh();
                for &part in &parts {
                    self.sat.add([!all, part]);
                }
                self.sat.add(parts.into_iter().map(|part| !part).chain([all]));
                signed(all)
            }
            Node::True | Node::False => {
                let top = self.sat.fresh();
                self.sat.add([top]);
                if f == formulas.top() { top } else { !top }
            }
            // A weak view has no other operators; a free literal would be sound.
            _ => self.sat.fresh(),
        };
        self.done.insert((f, step), literal);
        literal
    }
}

/// Whether the environment can give these inputs, satisfy its assumptions, and force a failing clause to be broken by
/// the end of the play, against every system that begins with these answers.
fn is_legal(
    problem: &Problem,
    core: &Core,
    play: &LosingPlay,
    inputs: &[PlayLiteral],
    answers: &[PlayLiteral],
    asker: &mut Synthesizer<'_>,
) -> Result<bool, FailedCertificate> {
    let mut game = problem.clone();
    let top = game.formulas.top();
    let mut failing = Vec::new();
    for failure in &play.failures {
        let formula = problem.clauses[failure.clause].formula;
        match weak(&mut game.formulas, formula, play.steps.len()) {
            Some(view) => failing.push(view),
            None => return Ok(false),
        }
    }
    for clause in game.clauses.iter_mut().filter(|clause| clause.is_duty()) {
        clause.formula = top;
    }
    let mut at = |literal: &PlayLiteral| {
        let value = value(&mut game.formulas, literal);
        later(&mut game.formulas, value, literal.step)
    };
    let given: Vec<FormulaId> = inputs.iter().map(&mut at).collect();
    let answered: Vec<FormulaId> = answers.iter().map(&mut at).collect();
    let (alive, answered) = (game.formulas.and(failing), game.formulas.and(answered));
    let guarantee = game.formulas.implies(answered, alive);
    let clause = |role, formula| Clause { role, formula, span: None, constraint: None };
    game.clauses.push(clause(Role::Guarantee, guarantee));
    for formula in given {
        game.clauses.push(clause(Role::Assumption, formula));
    }
    asker.allow(1, 1);
    Ok(match asker.ask_at_length(&game)? {
        SynthesisAnswer::Unrealizable(_, notion) => notion == core.notion || notion == Abstraction::Tsl,
        SynthesisAnswer::Realizable(_) | SynthesisAnswer::Unknown => false,
    })
}
