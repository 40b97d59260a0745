//! The oracles of an agent's ports, as its flags name them.

use super::args::OracleArgs;
use anyhow::Result;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_agents::{NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest, OracleUsage, Port};
use tsl_synth_service::Oracles;

/// An oracle that several ports share.
#[derive(Clone)]
pub(crate) struct SharedOracle(Rc<RefCell<Box<dyn Oracle>>>);

impl Oracle for SharedOracle {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        self.0.borrow_mut().ask(request)
    }
    fn imagines(&self) -> bool {
        self.0.borrow().imagines()
    }
    fn begin(&mut self, seed: u64) {
        self.0.borrow_mut().begin(seed);
    }
    fn usage(&self) -> OracleUsage {
        self.0.borrow().usage()
    }
}

impl SharedOracle {
    /// The oracle, to be shared.
    pub(crate) fn new(oracle: Box<dyn Oracle>) -> Self {
        Self(Rc::new(RefCell::new(oracle)))
    }
}

/// The oracle of each port.
pub(crate) struct Ports {
    /// Evaluates predicates, and makes choices.
    pub(crate) evaluator: Box<dyn Oracle>,
    /// Writes texts.
    pub(crate) generator: Box<dyn Oracle>,
    /// Plays the user of the agent.
    pub(crate) user: Box<dyn Oracle>,
    /// The environment that the agent acts on.
    pub(crate) world: Box<dyn Oracle>,
    /// The oracles, each once.
    distinct: Vec<SharedOracle>,
}

impl Ports {
    /// What all of them used together; one that several ports share counts once.
    pub(crate) fn usage(&self) -> OracleUsage {
        let mut sum = OracleUsage::default();
        self.distinct.iter().for_each(|oracle| sum += &oracle.usage());
        sum
    }
    /// What all of them used, on standard error, if their servers count tokens.
    pub(crate) fn report_usage(&self, quiet: bool) {
        let usage = self.usage();
        if !quiet && usage.tokens() > 0 {
            crate::terminal::eprint(&format!("{}\n", crate::terminal::escape(&usage.sentence())));
        }
    }
    /// The oracles in the form that the library takes.
    pub(crate) fn oracles(&mut self) -> Oracles<'_> {
        Oracles {
            evaluator: self.evaluator.as_mut(),
            generator: self.generator.as_mut(),
            user: self.user.as_mut(),
            world: self.world.as_mut(),
        }
    }
}

impl OracleArgs {
    /// The texts that name the oracles, by the names of the ports.
    pub(crate) fn named(&self) -> BTreeMap<String, String> {
        let text = |port: Port| Some((port.name().to_string(), self.text(port)?.to_string()));
        Port::ALL.into_iter().filter_map(text).collect()
    }

    /// The text that names the oracle of a port. The evaluator and the generator are `--oracle` unless they are named.
    pub(crate) fn text(&self, port: Port) -> Option<&str> {
        let own = match port {
            Port::Evaluator => self.evaluator.as_ref().or(self.oracle.as_ref()),
            Port::Generator => self.generator.as_ref().or(self.oracle.as_ref()),
            Port::User => self.user.as_ref(),
            Port::World => self.env.as_ref(),
        };
        own.map(String::as_str)
    }

    /// Opens the oracle of each port; a port for which no flag names one gets [`NoOracle`]. Ports with the same text
    /// share one oracle, such as one process or one script.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub(crate) fn ports(&self, open: &dyn Fn(&str) -> Result<Box<dyn Oracle>>) -> Result<Ports> {
        let mut known: Vec<(&str, SharedOracle)> = Vec::new();
        let mut port = |port| -> Result<Box<dyn Oracle>> {
            let Some(text) = self.text(port) else { return Ok(Box::new(NoOracle)) };
            if let Some((_, shared)) = known.iter().find(|(other, _)| *other == text) {
                return Ok(Box::new(shared.clone()));
            }
            let shared = SharedOracle::new(open(text)?);
            known.push((text, shared.clone()));
            Ok(Box::new(shared))
        };
        let (evaluator, generator) = (port(Port::Evaluator)?, port(Port::Generator)?);
        let (user, world) = (port(Port::User)?, port(Port::World)?);
        let distinct = known.into_iter().map(|(_, shared)| shared).collect();
        Ok(Ports { evaluator, generator, user, world, distinct })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_agents::AnswerKind;

    /// Answers how often it was asked.
    struct CountingOracle(usize);

    impl Oracle for CountingOracle {
        fn ask(&mut self, _request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
            self.0 += 1;
            Ok(OracleAnswer::Choice(self.0))
        }
    }

    #[test]
    fn the_same_text_is_one_oracle() {
        let args = OracleArgs {
            oracle: Some("a".into()),
            generator: Some("b".into()),
            user: Some("a".into()),
            ..OracleArgs::default()
        };
        let mut ports = args.ports(&|_| Ok(Box::new(CountingOracle(0)))).expect("they open");
        let request = OracleRequest::new(AnswerKind::Choose, "s", "?");
        let answers = [
            ports.evaluator.ask(&request),
            ports.user.ask(&request),
            ports.generator.ask(&request),
            ports.user.ask(&request),
        ];
        assert_eq!(answers, [1, 2, 1, 3].map(|n| Ok(OracleAnswer::Choice(n))));
        assert!(matches!(ports.world.ask(&request), Err(OracleError::Unusable(_))));
        assert!(args.ports(&|_| anyhow::bail!("no")).is_err());
    }
}
