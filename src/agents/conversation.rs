//! Asking the ports of an agent: every answer is checked and recorded, and the request is repeated a bounded number of
//! times.

use super::{Oracle, OracleAnswer, OracleError, OracleRequest};
use std::fmt;

/// The ports of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Port {
    /// Judges whether predicates hold of a text, and chooses among alternatives.
    Evaluator,
    /// Writes texts.
    Generator,
    /// The person whom the agent serves.
    User,
    /// The system that the agent acts on.
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

/// A request and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The port that was asked.
    pub port: Port,
    /// The request, with the number of the attempt.
    pub request: OracleRequest,
    /// The answer, or why there is none.
    pub outcome: Result<OracleAnswer, OracleError>,
}

/// Receives every exchange, in order.
pub trait Log {
    /// Records one exchange, whether answered or not.
    fn exchange(&mut self, exchange: &Exchange);
}

/// A log that discards every exchange.
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

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopReason {
    /// The port that was asked.
    pub port: Port,
    /// The subject of the request.
    pub subject: String,
    /// The number of attempts, at least 1.
    pub attempts: u32,
    /// The error of the last attempt.
    pub last: OracleError,
}

impl StopReason {
    /// Whether this is a normal end rather than a failure: the script is at its end, or the person left.
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

    /// Asks until an answer passes [`OracleAnswer::check`] and `good`, which may refuse further answers with a reason.
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

    /// Asks until an answer passes [`OracleAnswer::check`].
    ///
    /// # Errors
    /// When no attempt gave one.
    pub fn ask(&mut self, port: Port, request: &OracleRequest) -> Result<OracleAnswer, StopReason> {
        self.ask_until(port, request, &|_| Ok(()))
    }

    /// Whether the world answers requests about hypothetical actions; see [`Oracle::imagines`].
    pub fn imagines(&self) -> bool {
        self.world.imagines()
    }

    /// Asks for a text; the result is empty if the answer is not a text.
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
