//! Formulas, the alphabet of their atoms, guards, and the semantics on lasso words. Independent of TSL: atoms are
//! numbers with a name for printing.

pub mod atoms;
pub mod cover;
mod alphabet;
mod class;
mod conjuncts;
mod delay;
mod delta;
mod diagrams;
mod display;
mod encoded;
mod finite;
mod formula;
mod guard;
mod ids;
mod implication;
mod input_words;
mod lasso;
mod letter;
mod linear;
mod map;
mod normal;
mod polarity;
mod progression;

pub use alphabet::{Alphabet, Atom, AtomKind, Cell, Player};
pub use class::Class;
pub use delta::delta2;
pub use diagrams::{DiagramNode, GuardDiagrams};
pub use encoded::{EncodedSignal, ValueCode};
pub use finite::{FiniteFormulas, FiniteId, FiniteNode, LetterEncoding};
pub use formula::{FormulaId, Formulas, Node};
pub use guard::{Cube, Guard, Guards};
pub use ids::{AtomId, CellId};
pub use implication::Implications;
pub use input_words::InputWord;
pub use lasso::{Lasso, LassoSemantics};
pub use letter::{BitId, Letter};
pub use linear::{Inequality, LinearProof, LinearSplit, LinearSystem, Sum};
pub use normal::Normalizer;
pub use polarity::Polarities;
