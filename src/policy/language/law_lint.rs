//! Warnings about laws that probably do not mean what was intended.

use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_ltl::ltl::{LtlId, LtlKind, LtlModule};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// Warns of `G a -> b`, which is parsed as `(G a) -> b` although `G (a -> b)` is usually intended, and of the same for
/// `F`: only if `a` has no temporal operators, and for `F` neither has `b`.
pub(super) fn operator_left_of_implication(module: &LtlModule, diagnostics: &mut Diagnostics) {
    for &root in &module.formulas {
        let LtlKind::Binary(BinaryOp::Implies, left, right) = module.exprs.kind(root) else { continue };
        let LtlKind::Unary(op @ (UnaryOp::Globally | UnaryOp::Finally), inside) = module.exprs.kind(*left)
        else {
            continue;
        };
        let (symbol, says) = match op {
            UnaryOp::Globally => ("G", "this says something only if the left side holds for ever"),
            _ => ("F", "this says something only about the first letter"),
        };
        if is_temporal(module, *inside) || *op == UnaryOp::Finally && is_temporal(module, *right) {
            continue;
        }
        diagnostics.push(
            Diagnostic::warning(Code::GLOBALLY_IMPLIES, says)
                .at(module.exprs.span(root), format!("read as `({symbol} ...) -> ...`"))
                .hint(format!("did you mean `{symbol} (... -> ...)`?")),
        );
    }
}

/// Whether a formula has a temporal operator.
fn is_temporal(module: &LtlModule, root: LtlId) -> bool {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        match module.exprs.kind(id) {
            LtlKind::Constant(_) | LtlKind::Proposition(_) => {}
            LtlKind::Unary(UnaryOp::Not, a) => open.push(*a),
            LtlKind::Binary(
                BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor,
                a,
                b,
            ) => open.extend([*a, *b]),
            _ => return true,
        }
    }
    false
}
