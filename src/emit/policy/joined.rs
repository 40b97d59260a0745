//! The solution of a game with one diagram for the letters of all classes, as emitted gates read it.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{BitId, Guard, GuardDiagrams, Guards};
use tsl_synth_policy::language::{Atoms, LawAtom, OUTCOMES};
use tsl_synth_policy::{GameLayout, LetterMoves, SolvedGame, Ways};

/// The ways to an accepted end with one diagram for all letters of the agent and one for all of the world.
pub(super) struct JoinedWays {
    /// As in [`Ways`].
    pub layers: Vec<Guard>,
    /// For each layer the letters of the agent that lead into it.
    pub calls: Vec<Guard>,
    /// For each layer the letters of the world that lead into it.
    pub worlds: Vec<Guard>,
    /// The next positions and computed propositions after letters of the agent, and after those of the world.
    pub moves: [[Vec<(BitId, Guard)>; 2]; 2],
}

/// The solution of a game with one diagram for the letters of all classes.
pub(super) struct JoinedGame {
    /// The nodes of all diagrams.
    pub diagrams: GuardDiagrams,
    /// The winning positions, the closed ones, those where the end is accepted; allowed and step-legal choices.
    pub roots: [Guard; 5],
    /// The ways to an accepted end, if they were computed.
    pub ways: Option<JoinedWays>,
}

impl JoinedGame {
    /// Joins the classes of letters of a solved game.
    pub(super) fn new(solved: &SolvedGame, layout: &GameLayout, atoms: &Atoms) -> Self {
        GameJoiner::new(solved).join(layout, atoms)
    }
}

/// Joins the classes of letters of a solved game.
struct GameJoiner<'a> {
    solved: &'a SolvedGame,
    store: Guards,
    known: FxHashMap<Guard, Guard>,
    /// For each variable of a call the letters that have this call and no other.
    alone: Vec<(BitId, Guard)>,
    diagrams: GuardDiagrams,
    done: FxHashMap<Guard, Guard>,
}

impl<'a> GameJoiner<'a> {
    fn new(solved: &'a SolvedGame) -> Self {
        let mut store = Guards::new();
        let calls: Vec<BitId> = solved.allowed.iter().map(|&(call, _)| call).collect();
        let only = |call: BitId| calls.iter().map(move |&other| (other, other == call)).collect::<Vec<_>>();
        let alone = calls.iter().map(|&call| (call, store.cube(&only(call)))).collect();
        let (known, diagrams, done) = (FxHashMap::default(), GuardDiagrams::new(), FxHashMap::default());
        Self { solved, store, known, alone, diagrams, done }
    }
    /// A guard of the solution in the store. Recursion is as deep as there are bits.
    fn read(&mut self, guard: Guard) -> Guard {
        let Some((bit, low, high)) = self.solved.diagrams.branch(guard) else { return guard };
        if let Some(&own) = self.known.get(&guard) {
            return own;
        }
        let (low, high) = (self.read(low), self.read(high));
        let condition = self.store.bit(bit);
        let own = self.store.ite(condition, high, low);
        self.known.insert(guard, own);
        own
    }
    fn write(&mut self, guard: Guard) -> Guard {
        self.diagrams.add(&self.store, guard, &mut self.done)
    }
    fn letters_with(&self, call: BitId) -> Guard {
        self.alone.iter().find(|(own, _)| *own == call).map_or(Guard::FALSE, |&(_, guard)| guard)
    }
    /// The choices of all calls.
    fn choices(&mut self, choices: &[(BitId, Guard)]) -> Guard {
        let mut all = Guard::FALSE;
        for &(call, guard) in choices {
            let (own, alone) = (self.read(guard), self.letters_with(call));
            let own = self.store.and(own, alone);
            all = self.store.or(all, own);
        }
        self.write(all)
    }
    /// For each layer the letters of some classes that lead into it.
    fn into(&mut self, classes: &[&LetterMoves], layer: usize) -> Guard {
        let mut all = Guard::FALSE;
        for moves in classes {
            let mut own = self.read(moves.into[layer]);
            if let Some(call) = moves.call {
                let alone = self.letters_with(call);
                own = self.store.and(own, alone);
            }
            all = self.store.or(all, own);
        }
        self.write(all)
    }
    /// The functions of some classes as one function for each variable, given what the letters of each class have in
    /// common; a variable without a function in some class has `rest` there.
    fn functions(
        &mut self,
        classes: &[(&LetterMoves, Guard)],
        of: &dyn Fn(&LetterMoves) -> Vec<(BitId, Guard)>,
        rest: &dyn Fn(&mut Guards, BitId) -> Guard,
    ) -> Vec<(BitId, Guard)> {
        let mut bits: Vec<BitId> =
            classes.iter().flat_map(|(moves, _)| of(moves)).map(|(bit, _)| bit).collect();
        bits.sort_unstable();
        bits.dedup();
        let mut all = Vec::new();
        for bit in bits {
            let mut sum = rest(&mut self.store, bit);
            for &(moves, when) in classes {
                let own = of(moves).into_iter().find(|&(own, _)| own == bit);
                let own = match own {
                    Some((_, guard)) => self.read(guard),
                    None => rest(&mut self.store, bit),
                };
                sum = self.store.ite(when, own, sum);
            }
            all.push((bit, self.write(sum)));
        }
        all
    }
    fn ways(&mut self, layout: &GameLayout, atoms: &Atoms, ways: &Ways) -> JoinedWays {
        let (calls, worlds): (Vec<&LetterMoves>, Vec<&LetterMoves>) =
            ways.classes.iter().partition(|moves| moves.call.is_some());
        let with_call =
            |moves: &&'_ LetterMoves| moves.call.map_or(Guard::FALSE, |call| self.letters_with(call));
        let calls_when: Vec<_> = calls.iter().map(|moves| (*moves, with_call(moves))).collect();
        // The classes of the world are told apart by the action whose outcome a letter has.
        let ends = |action| {
            let own = OUTCOMES.map(|one| layout.letter[atoms.bit(LawAtom::Result(action, one)).index()]);
            own.into_iter().flatten().collect::<Vec<BitId>>()
        };
        let mut whens = Vec::new();
        if worlds.len() > 1 {
            let pending: Vec<_> =
                atoms.actions.ids().filter(|&id| layout.slots.iter().any(|slot| slot.action == id)).collect();
            for id in pending {
                let bits = ends(id).into_iter().map(|bit| self.store.bit(bit)).collect::<Vec<_>>();
                whens.push(bits.into_iter().fold(Guard::FALSE, |any, one| self.store.or(any, one)));
            }
        }
        let any = whens.iter().fold(Guard::FALSE, |any, &one| self.store.or(any, one));
        whens.insert(0, self.store.not(any));
        let worlds_when: Vec<_> = worlds.iter().copied().zip(whens).collect();
        let stays = |store: &mut Guards, bit: BitId| store.bit(bit);
        let absent = |_: &mut Guards, _: BitId| Guard::FALSE;
        let moves = [&calls_when, &worlds_when].map(|classes| {
            [
                self.functions(classes, &|moves| moves.next.clone(), &stays),
                self.functions(classes, &|moves| moves.computed.clone(), &absent),
            ]
        });
        let layers = ways.layers.iter().map(|&layer| self.read(layer)).collect::<Vec<_>>();
        let layers: Vec<Guard> = layers.into_iter().map(|layer| self.write(layer)).collect();
        let numbers = 0..layers.len();
        JoinedWays {
            calls: numbers.clone().map(|layer| self.into(&calls, layer)).collect(),
            worlds: numbers.map(|layer| self.into(&worlds, layer)).collect(),
            layers,
            moves,
        }
    }
    fn join(mut self, layout: &GameLayout, atoms: &Atoms) -> JoinedGame {
        let solved = self.solved;
        let [winning, closed, end] = [solved.winning, solved.closed, solved.end].map(|guard| {
            let own = self.read(guard);
            self.write(own)
        });
        let (allowed, legal) = (self.choices(&solved.allowed), self.choices(&solved.legal));
        let ways = solved.ways.as_ref().map(|ways| self.ways(layout, atoms, ways));
        JoinedGame { diagrams: self.diagrams, roots: [winning, closed, end, allowed, legal], ways }
    }
}
