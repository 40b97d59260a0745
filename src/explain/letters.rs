//! The answers of the system that can make a difference in one step.

use super::tuning::TRIED_ANSWERS;
use tsl_synth_core::base::IdSet;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, CellId, Letter, Player};

/// A choice of the system: a cell or a Boolean output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SystemChoice {
    Cell(CellId),
    Output(BitId),
}

/// The answers that are tried in one step.
pub(super) struct Answers {
    /// The output letters, in a fixed order, the default first.
    pub(super) letters: Vec<Letter>,
    /// Whether these are all that can make a difference.
    pub(super) complete: bool,
    choices: Vec<SystemChoice>,
}

impl Answers {
    /// Adds a letter with as small a `loss` as changing one choice after the other finds, and those that differ from it in one
    /// choice.
    pub(super) fn add_better(&mut self, alphabet: &Alphabet, loss: &mut dyn FnMut(&Letter) -> usize) {
        let mut best = self.letters[0].clone();
        let mut least = loss(&best);
        let mut improved = true;
        while improved && least > 0 {
            improved = false;
            for &choice in &self.choices {
                for letter in variants(alphabet, &best, choice) {
                    let own = loss(&letter);
                    if own < least {
                        (best, least, improved) = (letter, own, true);
                    }
                }
            }
        }
        let near = self.choices.iter().flat_map(|&choice| variants(alphabet, &best, choice));
        for letter in std::iter::once(best.clone()).chain(near) {
            if !self.letters.contains(&letter) {
                self.letters.push(letter);
            }
        }
    }
}

/// The output letters that differ in `atoms` or `bits`, canonically coded; everything else stays at the default letter.
/// If there are more than [`TRIED_ANSWERS`], only those with a single change.
pub(super) fn answers(alphabet: &Alphabet, default: &Letter, atoms: &[AtomId], bits: &[BitId]) -> Answers {
    let mut choices: Vec<SystemChoice> = Vec::new();
    let mut add = |choice| {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    };
    for &atom in atoms {
        match alphabet.atoms()[atom].kind {
            AtomKind::Input(_) => {}
            AtomKind::Output(bit) => add(SystemChoice::Output(bit)),
            AtomKind::Update(cell, _) => add(SystemChoice::Cell(cell)),
        }
    }
    for &bit in bits.iter().filter(|&&bit| alphabet.owner(bit) == Player::System) {
        match alphabet.cells().enumerate().find(|(_, cell)| cell.bits.contains(&bit)) {
            Some((cell, _)) => add(SystemChoice::Cell(cell)),
            None => add(SystemChoice::Output(bit)),
        }
    }
    let total = choices.iter().fold(1usize, |n, &c| n.saturating_mul(variants(alphabet, default, c).len()));
    let mut letters = vec![default.clone()];
    let complete = total <= TRIED_ANSWERS;
    if complete {
        for &choice in &choices {
            letters = letters.iter().flat_map(|letter| variants(alphabet, letter, choice)).collect();
        }
    } else {
        for &choice in &choices {
            for letter in variants(alphabet, default, choice) {
                if !letters.contains(&letter) {
                    letters.push(letter);
                }
            }
        }
    }
    Answers { letters, complete, choices }
}

/// The letter with each value of one choice, its own value first.
fn variants(alphabet: &Alphabet, letter: &Letter, choice: SystemChoice) -> Vec<Letter> {
    let mut all = vec![letter.clone()];
    match choice {
        SystemChoice::Output(bit) => {
            let mut other = letter.clone();
            if !other.remove(bit) {
                other.insert(bit);
            }
            all.push(other);
        }
        SystemChoice::Cell(cell) => {
            let own = alphabet.chosen(letter, cell);
            for &option in alphabet.cells()[cell].options.iter().filter(|&&option| option != own) {
                let mut other = letter.clone();
                alphabet.choose(option, &mut other);
                all.push(other);
            }
        }
    }
    all
}

/// The bits of each choice of the system.
pub(super) fn choices(alphabet: &Alphabet) -> Vec<Vec<BitId>> {
    let cells = alphabet.cells().iter().map(|cell| cell.bits.clone());
    let outputs = alphabet.outputs().filter_map(|output| match alphabet.atoms()[output].kind {
        AtomKind::Output(bit) => Some(vec![bit]),
        AtomKind::Input(_) | AtomKind::Update(..) => None,
    });
    cells.chain(outputs).collect()
}

/// The letter in which the system does nothing: cells keep their values where that is an option (its name
/// is `[x <- x]`), Boolean outputs are false.
pub fn idle(alphabet: &Alphabet) -> Letter {
    let mut letter = IdSet::new();
    for cell in alphabet.cells() {
        let own = format!("[{0} <- {0}]", cell.name);
        let options = &cell.options;
        let option = options.iter().copied().find(|&option| alphabet.atoms()[option].name == own);
        alphabet.choose(option.unwrap_or(options[0]), &mut letter);
    }
    letter
}
