//! Oracles that replay the answers of a record.

use super::{AnswerKind, Exchange, Oracle, OracleAnswer, OracleError, OracleRequest, Port};
use std::cell::Cell;
use std::rc::Rc;

/// The answers of a record, in order. A request other than the recorded one is [`OracleError::Unusable`].
pub struct Replay<'a> {
    exchanges: &'a [Exchange],
    at: Rc<Cell<usize>>,
    port: Port,
}

impl<'a> Replay<'a> {
    /// The oracles of all ports, in the order of [`Port::ALL`].
    pub fn ports(exchanges: &'a [Exchange]) -> [Self; 4] {
        let at = Rc::new(Cell::new(0));
        Port::ALL.map(|port| Self { exchanges, at: Rc::clone(&at), port })
    }
}

impl Oracle for Replay<'_> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let at = self.at.get();
        match self.exchanges.get(at) {
            Some(exchange) if exchange.port == self.port && exchange.request == *request => {
                self.at.set(at + 1);
                exchange.outcome.clone()
            }
            Some(exchange) => Err(OracleError::Unusable(format!(
                "the {} is asked about `{}`, but the record has a question to the {} about `{}` here (exchange {})",
                self.port,
                request.subject,
                exchange.port,
                exchange.request.subject,
                at + 1,
            ))),
            None => Err(OracleError::Ended("the record is at its end".into())),
        }
    }
    fn imagines(&self) -> bool {
        let next = self.exchanges.get(self.at.get());
        next.is_some_and(|next| next.port == self.port && next.request.kind == AnswerKind::Imagine)
    }
}
