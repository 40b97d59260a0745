//! Well-known mistakes: operators of other languages, operators without blanks between them.

use super::super::tsl::mistakes::{glued_operators, wrong_prefix};
use super::TlsfKind;
use super::expressions::{TlsfFrame, TlsfReader, TlsfRowToken};
use super::words::{TlsfWord, TlsfWordKind};
use tsl_synth_core::diag::Code;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

impl<'a> TlsfReader<'a> {
    /// Whether the next word begins an operand.
    pub(super) fn operand_follows(&self) -> bool {
        let next = self.peek();
        match next.sort {
            TlsfWordKind::Number => true,
            TlsfWordKind::Word => {
                self.letter_names.contains(next.text) || BinaryOp::of_spelling(next.text).is_none()
            }
            _ => matches!(next.text, "(" | "{" | "!" | "&&" | "||"),
        }
    }

    /// An infix operator of another language.
    pub(super) fn wrong_infix(&mut self, frame: &mut TlsfFrame, op: BinaryOp, word: TlsfWord<'a>) {
        let message = format!("`{}` is not an operator of TLSF", word.text);
        let hint = format!("write `{}`", op.spelling());
        self.error(Code::WRONG_OPERATOR, word.span, message, "", &hint);
        self.infix(frame, TlsfRowToken::Infix(op), word);
    }

    /// Replaces a name before an operand by the prefix operators that it denotes in other languages: `GF a`, `not a`.
    pub(super) fn name_as_prefix(&mut self, frame: &mut TlsfFrame) -> bool {
        let Some(&(TlsfRowToken::Operand(id), at)) = frame.tokens.last() else { return false };
        let TlsfKind::Name(name) = self.exprs.kind(id).clone() else { return false };
        let (op, code, message, hint) = match (wrong_prefix(&name), glued_operators(&name)) {
            (Some(op), _) => {
                let message = format!("`{name}` is not an operator of TLSF");
                (op, Code::WRONG_OPERATOR, message, format!("write `{}`", op.spelling()))
            }
            (None, Some(apart)) => {
                let message = format!("`{name}` is a name, not operators");
                (UnaryOp::Next, Code::GLUED_OPERATORS, message, format!("did you mean `{apart}`?"))
            }
            (None, None) => return false,
        };
        self.error(code, at, message, "", &hint);
        if let Some(last) = frame.tokens.last_mut() {
            *last = (TlsfRowToken::Prefix(op), at);
        }
        frame.prefixes += 1;
        true
    }
}
