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
mod finite;
mod formula;
mod guard;
mod implication;
mod lasso;
mod letter;
mod map;
mod normal;
mod polarity;

pub use alphabet::{Alphabet, Atom, AtomId, AtomKind, Cell, CellId, Player};
pub use class::Class;
pub use delta::delta2;
pub use diagrams::{DiagramNode, GuardDiagrams};
pub use finite::{FiniteFormulas, FiniteId, FiniteNode, LetterEncoding};
pub use formula::{FormulaId, Formulas, Node};
pub use guard::{Cube, Guard, Guards};
pub use implication::Implications;
pub use lasso::{Lasso, LassoSemantics};
pub use letter::{BitId, Letter};
pub use normal::Normalizer;
pub use polarity::Polarities;
