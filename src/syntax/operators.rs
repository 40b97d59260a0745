//! The operators of TSL and LTL: one table holds spellings, levels and fixity for all dialects.

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
    /// `O`, once: `F` into the past.
    Once,
    /// `H`, historically: `G` into the past.
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
