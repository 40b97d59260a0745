//! Laws of policies with `next = "strong"`, in which `X` requires a next step.

use super::tree::{LawTree, Temporal};

impl LawTree {
    /// The law with each `X` replaced by `X[!]`.
    pub fn with_strong_next(&self) -> Self {
        self.map_next(&|f| Self::unary(Temporal::StrongNext, f))
    }
    /// A law with the same meaning where `X` is read as `X[!]`: `X f` becomes `!X[!] !f`.
    pub fn without_weak_next(&self) -> Self {
        self.map_next(&|f| Self::negate(Self::unary(Temporal::StrongNext, Self::negate(f))))
    }
    fn map_next(&self, next: &dyn Fn(Self) -> Self) -> Self {
        let of = |f: &Self| f.map_next(next);
        match self {
            Self::Constant(_) | Self::Atom(_) => self.clone(),
            Self::Not(f) => Self::negate(of(f)),
            Self::And(all) => Self::all(all.iter().map(of).collect::<Vec<_>>()),
            Self::Or(all) => Self::any(all.iter().map(of).collect::<Vec<_>>()),
            Self::Implies(f, g) => Self::implies(of(f), of(g)),
            Self::Iff(f, g) => Self::Iff(Box::new(of(f)), Box::new(of(g))),
            Self::Unary(Temporal::Next, f) => next(of(f)),
            Self::Unary(op, f) => Self::unary(*op, of(f)),
            Self::Binary(op, f, g) => Self::binary(*op, of(f), of(g)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::{NameKind, PolicyNames};
    use super::*;

    #[test]
    fn the_next_step_is_asked_for_or_not() {
        let names: PolicyNames =
            [("p", NameKind::Momentary), ("q", NameKind::Momentary)].into_iter().collect();
        let law = LawTree::read("G(p -> X q & X[!] p)", &names).expect("a law");
        assert_eq!(law.with_strong_next().to_string(), "G(p -> X[!] q & X[!] p)");
        assert_eq!(law.without_weak_next().to_string(), "G(p -> !X[!] !q & X[!] p)");
    }
}
