//! Unification of sorts: classes of equal sorts (union-find), with the constraints on each class.

use super::signature::Sort;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;

define_id! {
    /// A sort variable.
    pub(super) struct Var;
}

/// The constraints on a class, with the spans that impose them.
#[derive(Clone, Debug, Default)]
struct SortClass {
    sort: Option<(Sort, Span, String)>,
    /// Where a value of this sort is used as a number: the sort is then `Number`, or a declared named sort.
    numeric: Option<Span>,
    /// The number of the class among those whose sort stays unknown.
    number: Option<u32>,
}

/// All classes.
#[derive(Debug, Default)]
pub(super) struct Sorts {
    parents: IdVec<Var, Var>,
    classes: IdVec<Var, SortClass>,
    numbered: u32,
}

/// Two different sorts that should be equal.
#[derive(Debug)]
pub(super) struct Clash {
    one: (String, Span, String),
    other: (String, Span, String),
}

impl Clash {
    /// The error, with the span where the two meet.
    pub(super) fn diagnostic(self, subject: &str, span: Span) -> Diagnostic {
        let message = format!("{subject} is {} and {}", self.one.0, self.other.0);
        let mut diagnostic = Diagnostic::error(Code::SORT_CLASH, message).at(span, "both sorts meet here");
        for (sort, place, why) in [self.one, self.other] {
            if place != span {
                let text = if why.is_empty() { sort } else { why };
                diagnostic = diagnostic.at(place, text);
            }
        }
        diagnostic
    }
}

/// A sort as a phrase for diagnostics.
pub(super) fn describe(sort: &Sort) -> String {
    match sort {
        Sort::Bool => "Boolean".into(),
        Sort::Number | Sort::Range(..) => "a number".into(),
        Sort::Int => "an integer".into(),
        Sort::Real => "a real number".into(),
        Sort::Enum(names) => format!("one of `{}`", names.join("`, `")),
        Sort::Named(name) => format!("of sort `{name}`"),
        Sort::Inferred(_) => "of an unknown sort".into(),
    }
}

impl Sorts {
    pub(super) fn fresh(&mut self) -> Var {
        let var = Var::from_index(self.parents.len());
        self.classes.push(SortClass::default());
        self.parents.push(var)
    }
    /// A fresh Boolean.
    pub(super) fn boolean(&mut self, span: Span) -> Var {
        let var = self.fresh();
        self.classes[var].sort = Some((Sort::Bool, span, "Boolean because of this".into()));
        var
    }
    fn find(&mut self, mut var: Var) -> Var {
        while self.parents[var] != var {
            self.parents[var] = self.parents[self.parents[var]];
            var = self.parents[var];
        }
        var
    }
    /// The sort, if it is known.
    pub(super) fn known(&mut self, var: Var) -> Option<&Sort> {
        let var = self.find(var);
        self.classes[var].sort.as_ref().map(|(sort, ..)| sort)
    }
    /// Requires the sort to be this one; ranges are treated as numbers.
    pub(super) fn fix(&mut self, var: Var, sort: &Sort, span: Span, why: &str) -> Result<(), Box<Clash>> {
        if matches!(sort, Sort::Number | Sort::Range(..)) {
            return self.numeric(var, span);
        }
        let other = self.fresh();
        self.classes[other].sort = Some((sort.clone(), span, why.into()));
        self.unify(var, other)
    }
    /// Requires the sort to be numeric.
    pub(super) fn numeric(&mut self, var: Var, span: Span) -> Result<(), Box<Clash>> {
        let var = self.find(var);
        let class = &mut self.classes[var];
        let numeric = Some(class.numeric.unwrap_or(span));
        Self::check(&SortClass { numeric, ..class.clone() })?;
        class.numeric = numeric;
        Ok(())
    }
    fn check(class: &SortClass) -> Result<(), Box<Clash>> {
        match (&class.sort, class.numeric) {
            (Some((sort @ (Sort::Bool | Sort::Enum(_)), span, why)), Some(number)) => Err(Box::new(Clash {
                one: (describe(sort), *span, why.clone()),
                other: ("a number".into(), number, "a number because of this".into()),
            })),
            _ => Ok(()),
        }
    }
    /// Requires two sorts to be equal.
    pub(super) fn unify(&mut self, a: Var, b: Var) -> Result<(), Box<Clash>> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        let (keep, gone) = (a.min(b), a.max(b));
        let (one, other) = (self.classes[keep].clone(), self.classes[gone].clone());
        if let (Some(x), Some(y)) = (&one.sort, &other.sort)
            && x.0 != y.0
        {
            return Err(Box::new(Clash {
                one: (describe(&x.0), x.1, x.2.clone()),
                other: (describe(&y.0), y.1, y.2.clone()),
            }));
        }
        let merged =
            SortClass { sort: one.sort.or(other.sort), numeric: one.numeric.or(other.numeric), number: None };
        Self::check(&merged)?;
        self.parents[gone] = keep;
        self.classes[keep] = merged;
        Ok(())
    }
    /// The sort; unknown ones are numbered in the order of this call.
    pub(super) fn resolve(&mut self, var: Var) -> Sort {
        let var = self.find(var);
        let class = &mut self.classes[var];
        match (&class.sort, class.numeric) {
            (Some((sort, ..)), _) => sort.clone(),
            (None, Some(_)) => Sort::Number,
            (None, None) => {
                let next = self.numbered;
                let number = *class.number.get_or_insert(next);
                self.numbered += u32::from(number == next);
                Sort::Inferred(number)
            }
        }
    }
}
