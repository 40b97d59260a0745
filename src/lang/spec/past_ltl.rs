//! Past operators of LTL. `Y f` and `Y (a S b)` become input atoms, the registers: facts define them to be false in the
//! first step, and then to equal `f` or `a S b` in the previous step. The other past operators reduce to these by
//! `a S b = b || (a && Y (a S b))`, `Z f = !Y !f`, `O f = true S f`, `H f = !O !f` and `a T b = !(!a S !b)`. Since no
//! future operator is below a past operator, the next value of a register depends only on the current letter.

use super::problem::{Clause, Constraint, Problem};
use super::signature::AtomMeaning;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{IdVec, Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, AtomId, FormulaId, Formulas};
use tsl_synth_core::model::{Register, Role};
use tsl_synth_ltl::ltl::{LtlId, LtlKind, LtlModule, print_ltl};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// The largest number of registers.
const MAX_REGISTERS: usize = 1 << 10;
/// A register is named after its formula if the formula has at most this many bytes of text.
pub(super) const LONG: u32 = 80;

fn is_past(kind: &LtlKind) -> bool {
    match kind {
        LtlKind::Unary(op, _) | LtlKind::Bounded { op, .. } => op.is_past(),
        LtlKind::Binary(op, ..) => op.is_past(),
        LtlKind::Constant(_) | LtlKind::Proposition(_) => false,
    }
}

fn is_future(kind: &LtlKind) -> bool {
    match kind {
        LtlKind::Unary(op, _) | LtlKind::Bounded { op, .. } => op.is_temporal() && !op.is_past(),
        LtlKind::Binary(op, ..) => {
            matches!(op, BinaryOp::Until | BinaryOp::Release | BinaryOp::WeakUntil | BinaryOp::StrongRelease)
        }
        LtlKind::Constant(_) | LtlKind::Proposition(_) => false,
    }
}

/// Reports past operators above future operators.
pub(super) fn check(module: &LtlModule, diagnostics: &mut Diagnostics) {
    let mut future: IdVec<LtlId, bool> = IdVec::new();
    for (_, expr) in module.exprs.enumerate() {
        let (a, b) = match &expr.kind {
            LtlKind::Constant(_) | LtlKind::Proposition(_) => (None, None),
            LtlKind::Unary(_, a) | LtlKind::Bounded { body: a, .. } => (Some(*a), None),
            LtlKind::Binary(_, a, b) => (Some(*a), Some(*b)),
        };
        let below = a.into_iter().chain(b).find(|&id| future[id]);
        if let Some(below) = below.filter(|_| is_past(&expr.kind)) {
            diagnostics.push(
                Diagnostic::error(
                    Code::PAST_OVER_FUTURE,
                    "a past operator cannot be above a future operator",
                )
                .at(expr.span, "`Y`, `Z`, `O`, `H`, `S` or `T`")
                .at(module.exprs.span(below), "speaks about the future")
                .hint("`Y X f` is `f`, except in the first step; move the past operator inside"),
            );
        }
        // One error for each chain of operators.
        future.push(is_future(&expr.kind) || below.is_some() && !is_past(&expr.kind));
    }
}

/// The atoms of registers, made while formulas are lowered.
pub(super) struct PastAtoms<'a> {
    alphabet: &'a mut Alphabet,
    taken: FxHashSet<String>,
    /// How many atoms were made.
    made: usize,
    pub(super) registers: Vec<Register>,
    by_now: FxHashMap<FormulaId, AtomId>,
    by_since: FxHashMap<(FormulaId, FormulaId), FormulaId>,
}

impl<'a> PastAtoms<'a> {
    pub(super) fn new(alphabet: &'a mut Alphabet) -> Self {
        let taken = alphabet.atoms().iter().map(|atom| atom.name.clone()).collect();
        let (by_now, by_since) = (FxHashMap::default(), FxHashMap::default());
        Self { alphabet, taken, made: 0, registers: Vec::new(), by_now, by_since }
    }

    fn atom(&mut self, name: Option<String>) -> Result<AtomId, Limit> {
        if self.made >= MAX_REGISTERS {
            let what = format!("past operators need more than {MAX_REGISTERS} registers");
            return Err(Limit::new(LimitKind::Size, what));
        }
        self.made += 1;
        let mut name = name.unwrap_or_else(|| format!("past{}", self.made));
        while !self.taken.insert(name.clone()) {
            name.push('\'');
        }
        Ok(self.alphabet.add_input(name))
    }

    /// The atom of a register that is defined later.
    pub(super) fn reserve(&mut self) -> Result<AtomId, Limit> {
        self.atom(None)
    }

    /// Defines the next value of a reserved register.
    pub(super) fn define(&mut self, atom: AtomId, now: FormulaId) {
        self.registers.push(Register { atom, now });
    }

    /// `Y f`, for a formula without temporal operators. `name` is that of the register, if it gets one.
    pub(super) fn yesterday(
        &mut self,
        fs: &mut Formulas,
        f: FormulaId,
        name: Option<String>,
    ) -> Result<FormulaId, Limit> {
        if f == fs.bottom() {
            return Ok(f);
        }
        if let Some(&atom) = self.by_now.get(&f) {
            return Ok(fs.atom(atom));
        }
        let atom = self.atom(name)?;
        self.registers.push(Register { atom, now: f });
        self.by_now.insert(f, atom);
        Ok(fs.atom(atom))
    }

    pub(super) fn since(
        &mut self,
        fs: &mut Formulas,
        (a, b): (FormulaId, FormulaId),
        name: Option<String>,
    ) -> Result<FormulaId, Limit> {
        if fs.is_constant(b) || a == fs.bottom() || a == b {
            return Ok(b);
        }
        if let Some(&known) = self.by_since.get(&(a, b)) {
            return Ok(known);
        }
        let atom = self.atom(name)?;
        let before = fs.atom(atom);
        let kept = fs.and([a, before]);
        let now = fs.or([b, kept]);
        self.registers.push(Register { atom, now });
        self.by_now.insert(now, atom);
        self.by_since.insert((a, b), now);
        Ok(now)
    }

    /// The value of `a S b` in the step before, in terms of the values of `a` and `b` there; without a meaning in the
    /// first step, in which `started` is false.
    pub(super) fn since_before(
        &mut self,
        fs: &mut Formulas,
        (a, b): (FormulaId, FormulaId),
        started: FormulaId,
    ) -> Result<FormulaId, Limit> {
        let atom = self.atom(None)?;
        let two_before = fs.atom(atom);
        let kept = fs.and([a, two_before]);
        let before = fs.or([b, kept]);
        let now = fs.and([started, before]);
        self.registers.push(Register { atom, now });
        Ok(before)
    }

    /// `Y f`, `Z f`, `O f`, `H f`; registers are named after `text`, that of the whole formula.
    pub(super) fn unary(
        &mut self,
        fs: &mut Formulas,
        op: UnaryOp,
        f: FormulaId,
        text: Option<String>,
    ) -> Result<FormulaId, Limit> {
        let top = fs.top();
        match op {
            UnaryOp::Yesterday => self.yesterday(fs, f, text),
            UnaryOp::Once => self.since(fs, (top, f), text.map(|text| format!("Y {text}"))),
            UnaryOp::WeakYesterday => {
                let not = fs.not(f);
                let before = self.yesterday(fs, not, text.map(|text| format!("!{text}")))?;
                Ok(fs.not(before))
            }
            _ => {
                let not = fs.not(f);
                let once = self.since(fs, (top, not), text.map(|text| format!("Y !{text}")))?;
                Ok(fs.not(once))
            }
        }
    }

    /// `a S b`, `a T b`; registers are named after `text`, that of the whole formula.
    pub(super) fn binary(
        &mut self,
        fs: &mut Formulas,
        op: BinaryOp,
        (a, b): (FormulaId, FormulaId),
        text: Option<String>,
    ) -> Result<FormulaId, Limit> {
        if op == BinaryOp::Since {
            return self.since(fs, (a, b), text.map(|text| format!("Y ({text})")));
        }
        let nots = (fs.not(a), fs.not(b));
        let since = self.since(fs, nots, text.map(|text| format!("Y !({text})")))?;
        Ok(fs.not(since))
    }

    /// `Y[n] f`, `O[n:m] f` and their duals, `Z[n] f` and `H[n:m] f`.
    pub(super) fn bounded(
        &mut self,
        fs: &mut Formulas,
        op: UnaryOp,
        (low, high): (u64, Option<u64>),
        body: FormulaId,
    ) -> Result<FormulaId, Limit> {
        let dual = matches!(op, UnaryOp::WeakYesterday | UnaryOp::Historically);
        let body = if dual { fs.not(body) } else { body };
        let mut f = match high {
            _ if matches!(op, UnaryOp::Yesterday | UnaryOp::WeakYesterday) => body,
            None => self.since(fs, (fs.top(), body), None)?,
            Some(high) if low > high => fs.bottom(),
            Some(high) => {
                let mut f = body;
                for _ in low..high {
                    let before = self.yesterday(fs, f, None)?;
                    f = fs.or([body, before]);
                }
                f
            }
        };
        for _ in 0..low {
            f = self.yesterday(fs, f, None)?;
        }
        Ok(if dual { fs.not(f) } else { f })
    }
}

/// The text of a formula, unless it is too long for a name.
pub(super) fn text(module: &LtlModule, id: LtlId) -> Option<String> {
    let span = module.exprs.span(id);
    (span.end - span.start <= LONG).then(|| print_ltl(&module.exprs, id))
}

impl Problem {
    /// Adds registers, whose atoms are the last ones of the alphabet, and the facts that define them.
    pub fn add_registers(&mut self, registers: Vec<Register>) {
        for formula in definitions(&mut self.formulas, &registers) {
            let constraint = Some(Constraint::Interpretation);
            self.clauses.push(Clause { role: Role::Fact, formula, span: None, constraint });
        }
        for _ in &registers {
            self.signature.atoms.push(AtomMeaning::Proposition);
        }
        self.signature.registers.extend(registers);
    }
}

/// The formulas that define registers: two for each.
pub(super) fn definitions(fs: &mut Formulas, registers: &[Register]) -> Vec<FormulaId> {
    let mut all = Vec::new();
    for &Register { atom, now } in registers {
        let value = fs.atom(atom);
        let (first, next) = (fs.not(value), fs.next(value));
        let kept = fs.iff(next, now);
        all.extend([first, fs.globally(kept)]);
    }
    all
}
