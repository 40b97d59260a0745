//! Deterministic finite automata on finite words.

/// A complete deterministic automaton over the letters `0..n`; state 0 is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    edges: Vec<Vec<u32>>,
    accepting: Vec<bool>,
    live: Vec<bool>,
}

impl Dfa {
    /// The automaton with these edges: for each state, the next state for each letter.
    ///
    /// # Panics
    /// If there is no state, a state has too few or too many edges, or an edge leads to no state.
    pub fn new(edges: Vec<Vec<u32>>, accepting: Vec<bool>) -> Self {
        assert!(!edges.is_empty() && edges.len() == accepting.len(), "each state is accepting or not");
        let letters = edges[0].len();
        let inside =
            |row: &Vec<u32>| row.len() == letters && row.iter().all(|&to| (to as usize) < edges.len());
        assert!(edges.iter().all(inside), "the automaton is complete");
        let mut live = accepting.clone();
        loop {
            let before = live.iter().filter(|&&yes| yes).count();
            for state in (0..edges.len()).rev() {
                live[state] = live[state] || edges[state].iter().any(|&to| live[to as usize]);
            }
            if live.iter().filter(|&&yes| yes).count() == before {
                break;
            }
        }
        Self { edges, accepting, live }
    }
    /// The automaton that accepts every word over this many letters.
    pub fn universal(letters: u32) -> Self {
        Self::new(vec![vec![0; letters as usize]], vec![true])
    }
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }
    /// Always `false`: there is an initial state.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// How many letters there are.
    pub fn letters(&self) -> u32 {
        self.edges[0].len() as u32
    }
    /// The state after a letter.
    pub fn next(&self, state: u32, letter: u32) -> u32 {
        self.edges[state as usize][letter as usize]
    }
    /// Whether the words that lead to a state are accepted.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }
    /// Whether some word leads from a state to an accepting one.
    pub fn is_live(&self, state: u32) -> bool {
        self.live[state as usize]
    }
    /// Whether a word is accepted.
    pub fn accepts(&self, word: &[u32]) -> bool {
        self.is_accepting(word.iter().fold(0, |state, &letter| self.next(state, letter)))
    }
    /// The automaton that accepts the other words.
    pub fn complement(&self) -> Self {
        Self::new(self.edges.clone(), self.accepting.iter().map(|&yes| !yes).collect())
    }
}
