//! Asking the ports of an agent: an answer is checked, asked for again a bounded number of times, and recorded.

use super::{Oracle, OracleAnswer, OracleError, OracleRequest};
use std::fmt;

/// The ports of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Port {
    /// Says what holds of a text, and chooses.
    Evaluator,
    /// Writes texts.
    Generator,
    /// The person whom the agent serves.
    User,
    /// Whatever the agent acts on.
    World,
}

impl Port {
    /// All ports.
    pub const ALL: [Self; 4] = [Self::Evaluator, Self::Generator, Self::User, Self::World];
    /// The name of the port in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evaluator => "evaluator",
            Self::Generator => "generator",
            Self::User => "user",
            Self::World => "world",
        }
    }
    /// The port of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|port| port.name() == name)
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A request and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Who was asked.
    pub port: Port,
    /// What was asked.
    pub request: OracleRequest,
    /// The answer, or why there is none.
    pub outcome: Result<OracleAnswer, OracleError>,
}

/// Hears of every exchange, in order.
pub trait Log {
    /// A request was answered, or not.
    fn exchange(&mut self, exchange: &Exchange);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLog;

impl Log for NoLog {
    fn exchange(&mut self, _exchange: &Exchange) {}
}

/// Exchanges are kept in memory.
impl Log for Vec<Exchange> {
    fn exchange(&mut self, exchange: &Exchange) {
        self.push(exchange.clone());
    }
}

/// Why a request was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopReason {
    /// Who was asked.
    pub port: Port,
    /// What it was asked about.
    pub subject: String,
    /// How many times.
    pub attempts: u32,
    /// What the last attempt came to.
    pub last: OracleError,
}

impl StopReason {
    /// Whether nothing went wrong: the script is at its end, the person left.
    pub fn is_end(&self) -> bool {
        matches!(self.last, OracleError::Ended(_))
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let OracleError::Ended(why) = &self.last {
            return f.write_str(why);
        }
        write!(f, "the {} gave no answer on `{}`", self.port, self.subject)?;
        if self.attempts > 1 {
            write!(f, " in {} attempts", self.attempts)?;
        }
        write!(f, ": {}", self.last)
    }
}

impl std::error::Error for StopReason {}

/// Asks the ports of an agent, each request a bounded number of times.
pub struct Conversation<'a> {
    evaluator: &'a mut dyn Oracle,
    generator: &'a mut dyn Oracle,
    user: &'a mut dyn Oracle,
    world: &'a mut dyn Oracle,
    log: &'a mut dyn Log,
    attempts: u32,
}

impl<'a> Conversation<'a> {
    /// Asks each request at most `attempts` times, at least once.
    pub fn new(
        evaluator: &'a mut dyn Oracle,
        generator: &'a mut dyn Oracle,
        user: &'a mut dyn Oracle,
        world: &'a mut dyn Oracle,
        log: &'a mut dyn Log,
        attempts: u32,
    ) -> Self {
        Self { evaluator, generator, user, world, log, attempts: attempts.max(1) }
    }

    fn oracle(&mut self, port: Port) -> &mut dyn Oracle {
        match port {
            Port::Evaluator => self.evaluator,
            Port::Generator => self.generator,
            Port::User => self.user,
            Port::World => self.world,
        }
    }

    /// The answer to a request, which fits it: see [`OracleAnswer::check`]. `good` may refuse more answers, with a reason.
    ///
    /// # Errors
    /// When no attempt gave such an answer.
    pub fn ask_until(
        &mut self,
        port: Port,
        request: &OracleRequest,
        good: &dyn Fn(&OracleAnswer) -> Result<(), String>,
    ) -> Result<OracleAnswer, StopReason> {
        let mut request = request.clone();
        loop {
            let outcome = self.oracle(port).ask(&request).and_then(|answer| {
                let checked = answer.check(&request).and_then(|()| good(&answer));
                checked.map(|()| answer.clone()).map_err(|why| OracleError::invalid(&answer.to_string(), why))
            });
            let exchange = Exchange { port, request: request.clone(), outcome };
            self.log.exchange(&exchange);
            match exchange.outcome {
                Ok(answer) => return Ok(answer),
                Err(error) if error.may_ask_again() && request.attempt < self.attempts => {
                    request.attempt += 1;
                }
                Err(last) => {
                    return Err(StopReason {
                        port,
                        subject: request.subject,
                        attempts: request.attempt,
                        last,
                    });
                }
            }
        }
    }

    /// The answer to a request, which fits it.
    ///
    /// # Errors
    /// When no attempt gave one.
    pub fn ask(&mut self, port: Port, request: &OracleRequest) -> Result<OracleAnswer, StopReason> {
        self.ask_until(port, request, &|_| Ok(()))
    }

    /// The text that a request is answered with; of other answers the empty text.
    ///
    /// # Errors
    /// When no attempt gave an answer.
    pub fn text(&mut self, port: Port, request: &OracleRequest) -> Result<String, StopReason> {
        Ok(match self.ask(port, request)? {
            OracleAnswer::Text(text) => text,
            _ => String::new(),
        })
    }
}
