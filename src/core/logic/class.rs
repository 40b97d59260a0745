//! Syntactic classes of formulas: the safety-progress hierarchy of Chang, Manna and Pnueli (1992), and pure eventuality
//! and universality (Etessami and Holzmann 2000). A set bit is a proof, an unset bit means unknown.

/// A set of syntactic classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Class(u16);

impl Class {
    /// No temporal operator.
    pub const BOOLEAN: Self = Self(1);
    /// Π₁: violated by a finite prefix.
    pub const SAFETY: Self = Self(2);
    /// Σ₁: satisfied by a finite prefix.
    pub const COSAFETY: Self = Self(4);
    /// Δ₁: Boolean combination of safety and co-safety.
    pub const OBLIGATION: Self = Self(8);
    /// Π₂: recognized by a deterministic Büchi automaton.
    pub const RECURRENCE: Self = Self(16);
    /// Σ₂: recognized by a deterministic co-Büchi automaton.
    pub const PERSISTENCE: Self = Self(32);
    /// If a suffix satisfies it, the word does.
    pub const EVENTUAL: Self = Self(64);
    /// If a word satisfies it, every suffix does.
    pub const UNIVERSAL: Self = Self(128);
    /// The classes of ⊤ and ⊥.
    pub const ALL: Self = Self(255);
    /// The classes of an atom.
    pub const ATOM: Self = Self(63);

    /// Whether all classes of `other` are known.
    pub fn is(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    fn closed(bits: u16) -> Self {
        let mut bits = bits;
        if bits & 1 != 0 {
            bits |= Self::ATOM.0;
        }
        if bits & (2 | 4) != 0 {
            bits |= 8;
        }
        if bits & 8 != 0 {
            bits |= 16 | 32;
        }
        Self(bits)
    }
    /// The classes of the negation.
    pub fn negated(self) -> Self {
        let mut bits = self.0 & (1 | 8);
        for (a, b) in [(2, 4), (16, 32), (64, 128)] {
            if self.0 & a != 0 {
                bits |= b;
            }
            if self.0 & b != 0 {
                bits |= a;
            }
        }
        Self::closed(bits)
    }
    /// The classes of a conjunction or disjunction.
    pub fn combined(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    /// The classes of X f.
    pub fn next(self) -> Self {
        Self(self.0 & !1)
    }
    /// The classes of f U g.
    pub fn until(self, goal: Self) -> Self {
        // Σ₁ and Σ₂ are closed under U, eventuality and universality of both operands carry over, and
        // Π₂ U Σ₁ is in Π₂.
        let mut bits = self.0 & goal.0 & (4 | 32 | 128) | goal.0 & 64;
        if self.is(Self::RECURRENCE) && goal.is(Self::COSAFETY) {
            bits |= 16;
        }
        Self::closed(bits)
    }
    /// The classes of f R g, the dual of U.
    pub fn release(self, goal: Self) -> Self {
        self.negated().until(goal.negated()).negated()
    }
    /// The classes of F f.
    pub fn finally(self) -> Self {
        Self(Self::ALL.until(self).0 | 64)
    }
    /// The classes of G f.
    pub fn globally(self) -> Self {
        self.negated().finally().negated()
    }
}
