//! `record:FILE=ORACLE`: keeps the answers of an oracle in a file, and gives those that are there without asking.

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use tsl_synth_agents::{Exchange, Oracle, OracleAnswer, OracleError, OracleRequest, OracleUsage, Port};
use tsl_synth_documents::{ExchangeDocument, RequestDocument};

/// A kept answer: one line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct KeptLine {
    /// The seed of the run that asked.
    seed: u64,
    #[serde(flatten)]
    exchange: ExchangeDocument,
    /// Requests, tokens of prompts, of answers, and of reasoning.
    #[serde(default)]
    usage: [u64; 4],
    /// Who was asked, where only the answers of the same one count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
}

/// An answer, or why there is none, with what it cost.
type KeptAnswer = (Result<OracleAnswer, OracleError>, [u64; 4]);

/// An oracle whose answers are kept.
pub(super) struct Kept {
    shown: String,
    seed: u64,
    /// The kept answers to each request, in the order in which they were given.
    known: HashMap<String, Vec<KeptAnswer>>,
    /// How many answers to each request were given already.
    given: HashMap<String, usize>,
    /// The file, and who is asked for what is not in it.
    source: Option<(File, Box<dyn Oracle>)>,
    /// What the kept answers cost when they were given.
    replayed: OracleUsage,
    /// Who is asked, if only answers of the same one count.
    asked: Option<String>,
}

impl Kept {
    /// Opens `FILE`, whose answers are given and nobody is asked, or `FILE=ORACLE`.
    ///
    /// # Errors
    /// When the file is missing and no oracle is named, cannot be read or written, or has other lines.
    pub(super) fn open(
        text: &str,
        seed: u64,
        open: &dyn Fn(&str) -> Result<Box<dyn Oracle>>,
    ) -> Result<Self> {
        let (file, inner) = text.split_once('=').map_or((text, None), |(file, inner)| (file, Some(inner)));
        ensure!(!file.is_empty(), "`record:{text}` names no file: `record:FILE=ORACLE` is expected");
        if let Some(inner) = inner {
            ensure!(!inner.starts_with("record:"), "a record of a record keeps nothing more");
        }
        Self::of(Path::new(file), inner, None, seed, open)
    }

    /// The answers in a file, and of the oracle of this name those that it lacks. With `asked`, which says who that is,
    /// answers of others are left out.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub(super) fn of(
        path: &Path,
        inner: Option<&str>,
        asked: Option<String>,
        seed: u64,
        open: &dyn Fn(&str) -> Result<Box<dyn Oracle>>,
    ) -> Result<Self> {
        let shown = path.display().to_string();
        let read = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && inner.is_some() => Vec::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read `{shown}`")),
        };
        let text = String::from_utf8(read).map_err(|_| anyhow!("`{shown}` is no text"))?;
        let mut known: HashMap<String, Vec<KeptAnswer>> = HashMap::new();
        // A last line without its end was cut off, and is written again.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for (i, line) in text[..whole].lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |why: &dyn std::fmt::Display| anyhow!("`{shown}`, line {}: {why}", i + 1);
            let line: KeptLine = serde_json::from_str(line).map_err(|error| wrong(&error))?;
            if asked.is_some() && asked != line.asked {
                continue;
            }
            let exchange = line.exchange.exchange().map_err(|why| wrong(&why))?;
            let answers = known.entry(key(line.seed, &exchange.request)).or_default();
            answers.push((exchange.outcome, line.usage));
        }
        let source = match inner {
            Some(inner) => {
                let oracle = open(inner)?;
                let writable = || format!("cannot write `{shown}`");
                let file = File::options().create(true).append(true).open(path).with_context(writable)?;
                if whole < text.len() {
                    file.set_len(whole as u64).with_context(writable)?;
                }
                Some((file, oracle))
            }
            None => None,
        };
        let replayed = OracleUsage::default();
        Ok(Self { shown, seed, known, given: HashMap::new(), source, replayed, asked })
    }
}

/// What identifies a request, the number of its attempt included.
fn key(seed: u64, request: &OracleRequest) -> String {
    let document = serde_json::to_value(RequestDocument::new(0, request)).unwrap_or(Value::Null);
    let sorted: BTreeMap<String, Value> = document
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    format!("{seed} {}", serde_json::to_string(&sorted).unwrap_or_default())
}

impl Oracle for Kept {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let key = key(self.seed, request);
        let given = self.given.entry(key.clone()).or_default();
        if let Some((outcome, usage)) = self.known.get(&key).and_then(|answers| answers.get(*given)) {
            *given += 1;
            let [requests, prompt_tokens, completion_tokens, reasoning_tokens] = *usage;
            self.replayed += &OracleUsage {
                requests,
                prompt_tokens,
                completion_tokens,
                reasoning_tokens,
                ..OracleUsage::default()
            };
            return outcome.clone();
        }
        let Some((file, oracle)) = &mut self.source else {
            return Err(OracleError::Unusable(format!(
                "`{}` has no answer to this request about `{}` (`record:FILE=ORACLE` asks for what is missing)",
                self.shown, request.subject
            )));
        };
        let before = oracle.usage();
        let outcome = oracle.ask(request);
        // What passes, such as a server that is down, is no answer of the model.
        if matches!(outcome, Ok(_) | Err(OracleError::Invalid { .. } | OracleError::Refused(_))) {
            let used = oracle.usage() - &before;
            let usage = [used.requests, used.prompt_tokens, used.completion_tokens, used.reasoning_tokens];
            let exchange =
                Exchange { port: Port::Generator, request: request.clone(), outcome: outcome.clone() };
            let (seed, asked) = (self.seed, self.asked.clone());
            let line = KeptLine { seed, exchange: ExchangeDocument::new(0, &exchange), usage, asked };
            let mut text =
                serde_json::to_string(&line).map_err(|error| OracleError::Unusable(error.to_string()))?;
            text.push('\n');
            file.write_all(text.as_bytes())
                .map_err(|error| OracleError::Unusable(format!("cannot write `{}`: {error}", self.shown)))?;
            // The same request again is another question, which the file answers in a later run.
            *given += 1;
            self.known.entry(key).or_default().push((outcome.clone(), usage));
        }
        outcome
    }

    fn begin(&mut self, seed: u64) {
        self.seed = seed;
        self.given.clear();
        if let Some((_, oracle)) = &mut self.source {
            oracle.begin(seed);
        }
    }

    fn usage(&self) -> OracleUsage {
        let mut sum = self.replayed.clone();
        if let Some((_, oracle)) = &self.source {
            sum += &oracle.usage();
        }
        sum
    }
}
