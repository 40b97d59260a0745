//! The operators of TSL and LTL: one table holds spellings, levels and fixity for all dialects.

/// The rules of precedence by which a TSL text is parsed. They do not change the meaning of trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Ours, as described in the manual; warns where the other dialects parse a text differently.
    #[default]
    TslSynth,
    /// reactive-systems/tsltools: `U R W` are looser than `->`.
    Tsltools,
    /// Barnard-PL-Labs/tsltools: logical and temporal infix operators have one level; a second prefix operator in a row
    /// takes the rest of the expression.
    Barnard,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`, `NOT`
    Not,
    /// `X`
    Next,
    /// `F`
    Finally,
    /// `G`
    Globally,
    /// `Y`, yesterday: false in step 0.
    Yesterday,
    /// `Z`, weak yesterday: true in step 0, the dual of `Y`.
    WeakYesterday,
    /// `O`, once: the past counterpart of `F`.
    Once,
    /// `H`, historically: the past counterpart of `G`.
    Historically,
    /// `-` of a number.
    Negate,
    /// `|S|`, `SIZE S`
    Size,
    /// `MIN S`
    Min,
    /// `MAX S`
    Max,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `&&`, `AND`
    And,
    /// `||`, `OR`
    Or,
    /// `^`, `xor`; LTL only.
    Xor,
    /// `->`, `IMPLIES`
    Implies,
    /// `<->`, `EQUIV`
    Iff,
    /// `U`
    Until,
    /// `W`
    WeakUntil,
    /// `R`
    Release,
    /// `M`
    StrongRelease,
    /// `A`, as soon as: `a A b` is `(!b) W (a && b)`.
    AsSoonAs,
    /// `S`, since
    Since,
    /// `T`, trigger: the dual of `S`.
    Trigger,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `=`, `==`
    Eq,
    /// `!=`, `/=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `IN`, `ELEM`
    In,
    /// `(+)`, `CUP`
    Union,
    /// `(*)`, `CAP`
    Intersection,
    /// `(-)`, `(\)`, `SETMINUS`
    Difference,
}

/// Operators over all values of their binders: `&&[i IN s] f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BigOp {
    /// `&&[..]`, `AND[..]`, `FORALL[..]`
    And,
    /// `||[..]`, `OR[..]`, `EXISTS[..]`
    Or,
    /// `+[..]`, `SUM[..]`
    Sum,
    /// `*[..]`, `PROD[..]`
    Product,
    /// `(+)[..]`, `CUP[..]`
    Union,
    /// `(*)[..]`, `CAP[..]`
    Intersection,
}

/// The associativity of an infix operator with others of its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `a op b op c` is `(a op b) op c`.
    Left,
    /// `a op b op c` is `a op (b op c)`.
    Right,
}

/// How tightly an operator binds: more is tighter.
pub type Level = u8;

/// An infix operator in one dialect: its level and its side.
pub type Binding = (Level, Side);

/// One infix operator of TSL in all dialects.
struct Infix {
    op: BinaryOp,
    /// The first one is printed.
    spellings: &'static [&'static str],
    ours: Binding,
    /// `None` where reactive-systems/tsltools has no such operator.
    tsltools: Option<Binding>,
    /// `None` where Barnard-PL-Labs/tsltools has no such operator.
    barnard: Option<Binding>,
}

/// One prefix operator of TSL. Its level is the same in all dialects; in dialect `barnard` a second one in a
/// row takes the rest of the expression.
struct Prefix {
    op: UnaryOp,
    spellings: &'static [&'static str],
    level: Level,
    in_barnard: bool,
}

/// One big operator of TSL. None are in dialect `barnard`.
struct Big {
    op: BigOp,
    spellings: &'static [&'static str],
    level: Level,
}

use Side::{Left, Right};

/// The level of application, tighter than every operator.
pub const APPLICATION: Level = 110;
/// The level of `!` and of the temporal prefix operators.
pub const PREFIX: Level = 60;
/// The precedence level of `f every n` in TSL: `F a every 10 && b` is `((F a) every 10) && b`.
pub const EVERY: Level = 55;

#[rustfmt::skip]
const INFIX: &[Infix] = &[
    Infix { op: BinaryOp::Mul, spellings: &["*", "MUL"], ours: (90, Left), tsltools: Some((90, Left)), barnard: Some((85, Left)) },
    Infix { op: BinaryOp::Div, spellings: &["/", "DIV"], ours: (90, Left), tsltools: Some((88, Right)), barnard: Some((85, Left)) },
    Infix { op: BinaryOp::Mod, spellings: &["%", "MOD"], ours: (90, Left), tsltools: Some((88, Right)), barnard: None },
    Infix { op: BinaryOp::Add, spellings: &["+", "PLUS"], ours: (85, Left), tsltools: Some((85, Left)), barnard: Some((85, Left)) },
    Infix { op: BinaryOp::Sub, spellings: &["-", "MINUS"], ours: (85, Left), tsltools: Some((85, Left)), barnard: Some((85, Left)) },
    Infix { op: BinaryOp::Difference, spellings: &["(-)", "(\\)", "SETMINUS"], ours: (75, Right), tsltools: Some((75, Right)), barnard: None },
    Infix { op: BinaryOp::Intersection, spellings: &["(*)", "CAP"], ours: (74, Left), tsltools: Some((74, Left)), barnard: None },
    Infix { op: BinaryOp::Union, spellings: &["(+)", "CUP"], ours: (73, Left), tsltools: Some((73, Left)), barnard: None },
    Infix { op: BinaryOp::Eq, spellings: &["=", "==", "EQ"], ours: (70, Left), tsltools: Some((70, Left)), barnard: Some((70, Left)) },
    Infix { op: BinaryOp::Ne, spellings: &["!=", "/=", "NEQ"], ours: (70, Left), tsltools: Some((70, Left)), barnard: None },
    // As in tsltools, the words `GE` and `LE` mean strictly greater and less.
    Infix { op: BinaryOp::Gt, spellings: &[">", "GE"], ours: (70, Left), tsltools: Some((70, Left)), barnard: Some((70, Left)) },
    Infix { op: BinaryOp::Ge, spellings: &[">=", "GEQ"], ours: (70, Left), tsltools: Some((70, Left)), barnard: Some((70, Left)) },
    Infix { op: BinaryOp::Lt, spellings: &["<", "LE"], ours: (70, Left), tsltools: Some((70, Left)), barnard: Some((70, Left)) },
    Infix { op: BinaryOp::Le, spellings: &["<=", "LEQ"], ours: (70, Left), tsltools: Some((70, Left)), barnard: Some((70, Left)) },
    Infix { op: BinaryOp::In, spellings: &["IN", "ELEM"], ours: (65, Left), tsltools: Some((65, Left)), barnard: None },
    Infix { op: BinaryOp::Until, spellings: &["U"], ours: (50, Right), tsltools: Some((30, Right)), barnard: Some((40, Left)) },
    Infix { op: BinaryOp::WeakUntil, spellings: &["W"], ours: (50, Right), tsltools: Some((35, Right)), barnard: Some((40, Left)) },
    Infix { op: BinaryOp::Release, spellings: &["R"], ours: (50, Right), tsltools: Some((25, Left)), barnard: Some((40, Left)) },
    Infix { op: BinaryOp::StrongRelease, spellings: &["M"], ours: (50, Right), tsltools: None, barnard: None },
    Infix { op: BinaryOp::AsSoonAs, spellings: &["A"], ours: (50, Right), tsltools: Some((35, Right)), barnard: None },
    Infix { op: BinaryOp::Since, spellings: &["S"], ours: (50, Right), tsltools: Some((20, Left)), barnard: None },
    Infix { op: BinaryOp::Trigger, spellings: &["T"], ours: (50, Right), tsltools: Some((18, Left)), barnard: None },
    Infix { op: BinaryOp::And, spellings: &["&&", "AND"], ours: (40, Left), tsltools: Some((50, Left)), barnard: Some((40, Left)) },
    Infix { op: BinaryOp::Or, spellings: &["||", "OR"], ours: (35, Left), tsltools: Some((45, Left)), barnard: Some((40, Left)) },
    Infix { op: BinaryOp::Implies, spellings: &["->", "IMPLIES"], ours: (30, Right), tsltools: Some((40, Right)), barnard: Some((40, Left)) },
    Infix { op: BinaryOp::Iff, spellings: &["<->", "EQUIV"], ours: (30, Right), tsltools: Some((40, Right)), barnard: Some((40, Left)) },
];

#[rustfmt::skip]
const PREFIXES: &[Prefix] = &[
    Prefix { op: UnaryOp::Negate, spellings: &["-"], level: 100, in_barnard: true },
    Prefix { op: UnaryOp::Size, spellings: &["SIZE"], level: 95, in_barnard: false },
    Prefix { op: UnaryOp::Min, spellings: &["MIN"], level: 95, in_barnard: false },
    Prefix { op: UnaryOp::Max, spellings: &["MAX"], level: 95, in_barnard: false },
    Prefix { op: UnaryOp::Not, spellings: &["!", "NOT"], level: PREFIX, in_barnard: true },
    Prefix { op: UnaryOp::Next, spellings: &["X"], level: PREFIX, in_barnard: true },
    Prefix { op: UnaryOp::Finally, spellings: &["F"], level: PREFIX, in_barnard: true },
    Prefix { op: UnaryOp::Globally, spellings: &["G"], level: PREFIX, in_barnard: true },
    Prefix { op: UnaryOp::Yesterday, spellings: &["Y"], level: PREFIX, in_barnard: false },
    Prefix { op: UnaryOp::WeakYesterday, spellings: &["Z"], level: PREFIX, in_barnard: false },
    Prefix { op: UnaryOp::Once, spellings: &["O"], level: PREFIX, in_barnard: false },
    Prefix { op: UnaryOp::Historically, spellings: &["H"], level: PREFIX, in_barnard: false },
];

#[rustfmt::skip]
const BIG: &[Big] = &[
    Big { op: BigOp::Sum, spellings: &["+", "SUM"], level: 95 },
    Big { op: BigOp::Product, spellings: &["*", "PROD"], level: 95 },
    Big { op: BigOp::Union, spellings: &["(+)", "CUP"], level: 80 },
    // `(-)[..]` is tsltools' spelling of a big intersection.
    Big { op: BigOp::Intersection, spellings: &["(*)", "(-)", "CAP"], level: 80 },
    Big { op: BigOp::And, spellings: &["&&", "AND", "FORALL"], level: PREFIX },
    Big { op: BigOp::Or, spellings: &["||", "OR", "EXISTS"], level: PREFIX },
];

impl UnaryOp {
    /// The prefix operator of this spelling.
    pub fn of_spelling(text: &str) -> Option<Self> {
        PREFIXES.iter().find(|row| row.spellings.contains(&text)).map(|row| row.op)
    }
    fn row(self) -> &'static Prefix {
        PREFIXES.iter().find(|row| row.op == self).expect("every operator has a row")
    }
    /// The spelling it is printed with.
    pub fn spelling(self) -> &'static str {
        self.row().spellings[0]
    }
    /// How tightly it binds.
    pub fn level(self) -> Level {
        self.row().level
    }
    /// Whether Barnard-PL-Labs/tsltools has it.
    pub fn in_barnard(self) -> bool {
        self.row().in_barnard
    }
    /// Whether it makes formulas of formulas and may have bounds: `X F G Y Z O H`.
    pub fn is_temporal(self) -> bool {
        !matches!(self, Self::Not | Self::Negate | Self::Size | Self::Min | Self::Max)
    }
    /// Whether it is a past operator: `Y Z O H`.
    pub fn is_past(self) -> bool {
        matches!(self, Self::Yesterday | Self::WeakYesterday | Self::Once | Self::Historically)
    }
    /// The word that may stand between it and a number of steps: `F within 5 f`, `G for 3 f`.
    pub fn time_word(self) -> Option<&'static str> {
        match self {
            Self::Finally | Self::Once => Some("within"),
            Self::Globally | Self::Historically => Some("for"),
            _ => None,
        }
    }
    /// Whether it makes a formula: temporal or `!`.
    pub fn is_logical(self) -> bool {
        self.is_temporal() || self == Self::Not
    }
}

impl BinaryOp {
    /// The infix operator of this spelling in TSL.
    pub fn of_spelling(text: &str) -> Option<Self> {
        INFIX.iter().find(|row| row.spellings.contains(&text)).map(|row| row.op)
    }
    fn row(self) -> Option<&'static Infix> {
        INFIX.iter().find(|row| row.op == self)
    }
    /// The spelling it is printed with in TSL.
    pub fn spelling(self) -> &'static str {
        self.row().map_or("xor", |row| row.spellings[0])
    }
    /// Level and side in a dialect; `None` where the dialect has no such operator.
    pub fn binding(self, dialect: Dialect) -> Option<Binding> {
        let row = self.row()?;
        match dialect {
            Dialect::TslSynth => Some(row.ours),
            Dialect::Tsltools => row.tsltools,
            Dialect::Barnard => row.barnard,
        }
    }
    /// Whether it is a comparison such as `=` or `<`.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
    /// Whether it is a past operator: `S T`.
    pub fn is_past(self) -> bool {
        matches!(self, Self::Since | Self::Trigger)
    }
    /// Whether it makes a formula of two formulas.
    pub fn is_logical(self) -> bool {
        !self.is_comparison() && !self.is_data() && self != Self::In
    }
    /// Whether it makes a number or a set.
    pub fn is_data(self) -> bool {
        use BinaryOp as B;
        matches!(
            self,
            B::Add | B::Sub | B::Mul | B::Div | B::Mod | B::Union | B::Intersection | B::Difference
        )
    }
}

impl BigOp {
    /// The big operator of this spelling.
    pub fn of_spelling(text: &str) -> Option<Self> {
        BIG.iter().find(|row| row.spellings.contains(&text)).map(|row| row.op)
    }
    fn row(self) -> &'static Big {
        BIG.iter().find(|row| row.op == self).expect("every operator has a row")
    }
    /// The spelling it is printed with.
    pub fn spelling(self) -> &'static str {
        self.row().spellings[0]
    }
    /// How tightly it binds.
    pub fn level(self) -> Level {
        self.row().level
    }
    /// Whether it makes a formula.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::And | Self::Or)
    }
}

/// A short description of the reserved word `text`; `None` if it is not reserved.
pub fn reserved_word(text: &str) -> Option<&'static str> {
    Some(match text {
        "X" => "the operator next",
        "F" => "the operator finally",
        "G" => "the operator globally",
        "Y" => "the past operator yesterday",
        "Z" => "the past operator weak yesterday",
        "O" => "the past operator once",
        "H" => "the past operator historically",
        "U" => "the operator until",
        "W" => "the operator weak until",
        "R" => "the operator release",
        "M" => "the operator strong release",
        "A" => "the operator as-soon-as",
        "S" => "the past operator since",
        "T" => "the past operator trigger",
        "true" | "false" => "a constant",
        "otherwise" => "the last guard of a definition",
        "if" => "not part of TSL",
        "initially" | "always" | "assume" | "guarantee" => "a word of section headers",
        _ if text.chars().all(|c| c.is_ascii_uppercase())
            && (UnaryOp::of_spelling(text).is_some()
                || BinaryOp::of_spelling(text).is_some()
                || BigOp::of_spelling(text).is_some()) =>
        {
            "an operator"
        }
        _ => return None,
    })
}
