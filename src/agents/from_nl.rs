//! Translation, by a model, of sentences that no built-in pattern reads, after Liu et al., "Lang2LTL", CoRL 2023: the
//! referring expressions are extracted and grounded to names of the policy, the sentence is translated with a symbol in
//! the place of each, and the symbols are replaced by the names. The model is asked a bounded number of times; an
//! answer that is not LTL, or has a name that is not in the policy, is refused.

use crate::{AnswerKind, Exchange, Log, Oracle, OracleAnswer, OracleError, OracleRequest, Port, StopReason};
use std::fmt;
use tsl_synth_core::base::unfenced;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_policy::language::words::{
    CountRequest, LawTree, NameKind, PolicyNames, Refused, ground_phrase, read_sentence, sentences,
};

/// The laws that sentences express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The conjunction of all sentences.
    pub law: LawTree,
    /// The registers that it needs.
    pub registers: Vec<CountRequest>,
    /// The chosen readings of sentences, and the translations by a model.
    pub notes: Vec<String>,
    /// The number of sentences that a model translated.
    pub by_model: usize,
}

/// Why sentences were not translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTranslated {
    /// No built-in pattern reads the sentence, and the model gave no answer that can be used.
    Model {
        /// The sentence.
        sentence: String,
        /// Why the built-in patterns do not read it.
        refused: Box<Refused>,
        /// Why the model gave no such answer.
        stop: Box<StopReason>,
    },
    /// There is no sentence.
    Nothing(Refused),
}

impl fmt::Display for NotTranslated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model { sentence, refused, stop } => {
                write!(
                    f,
                    "`{sentence}` is not translated: {stop}. The built-in patterns say: {}",
                    refused.message
                )
            }
            Self::Nothing(refused) => refused.fmt(f),
        }
    }
}

impl std::error::Error for NotTranslated {}

impl NotTranslated {
    /// The error as a diagnostic without a position.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Model { refused, .. } => {
                let error = Diagnostic::error(Code::TRANSLATION, self.to_string());
                refused.hints.iter().fold(error, |error, hint| error.hint(hint.clone()))
            }
            Self::Nothing(refused) => Diagnostic::error(refused.code, refused.message.clone()),
        }
    }
}

/// Translates the sentences of a text. Those that a built-in pattern reads need no model; for the others the oracle is
/// asked, each request at most `attempts` times.
///
/// # Errors
/// If a sentence is read by no pattern and the oracle gives no answer that can be used.
pub fn from_nl(
    text: &str,
    names: &PolicyNames,
    oracle: &mut dyn Oracle,
    log: &mut dyn Log,
    attempts: u32,
) -> Result<Translation, NotTranslated> {
    let mut all =
        Translation { law: LawTree::Constant(true), registers: Vec::new(), notes: Vec::new(), by_model: 0 };
    let mut laws = Vec::new();
    let parts = sentences(text);
    if parts.is_empty() {
        let refused = read_sentence(text, names).err();
        return refused.map_or(Ok(all), |refused| Err(NotTranslated::Nothing(refused)));
    }
    for sentence in parts {
        match read_sentence(sentence, names) {
            Ok(read) => {
                laws.push(read.law);
                all.registers.extend(read.registers);
                all.notes.extend(read.notes);
            }
            Err(refused) => {
                let mut asking = OracleDialog { names, oracle, log, attempts: attempts.max(1) };
                let (law, note) = asking.translate(sentence).map_err(|stop| NotTranslated::Model {
                    sentence: sentence.to_owned(),
                    refused: Box::new(refused),
                    stop: Box::new(stop),
                })?;
                laws.push(law);
                all.notes.push(note);
                all.by_model += 1;
            }
        }
    }
    all.law = LawTree::all(laws);
    Ok(all)
}

/// Expressions of a sentence, with the names that they refer to.
type Grounding = Vec<(String, String)>;

struct OracleDialog<'a> {
    names: &'a PolicyNames,
    oracle: &'a mut dyn Oracle,
    log: &'a mut dyn Log,
    attempts: u32,
}

impl OracleDialog<'_> {
    /// The first answer that can be used. A refusal is cited in the next prompt: the same question would get the same
    /// answer.
    fn ask<T>(
        &mut self,
        subject: &str,
        prompt: &str,
        sentence: &str,
        usable: &dyn Fn(&str) -> Result<T, String>,
    ) -> Result<T, StopReason> {
        let mut request = OracleRequest::new(AnswerKind::Translate, subject, prompt).about(sentence);
        loop {
            let mut used = None;
            let outcome = self.oracle.ask(&request).and_then(|answer| {
                let text = match &answer {
                    OracleAnswer::Text(text) => unfenced(text),
                    _ => "",
                };
                let checked = answer.check(&request).and_then(|()| usable(text));
                checked.map(|value| used = Some(value)).map_err(|why| OracleError::invalid(text, why))?;
                Ok(answer)
            });
            let exchange = Exchange { port: Port::Generator, request: request.clone(), outcome };
            self.log.exchange(&exchange);
            match (exchange.outcome, used) {
                (Ok(_), Some(value)) => return Ok(value),
                (Err(error), _) if error.may_ask_again() && request.attempt < self.attempts => {
                    request.attempt += 1;
                    request.prompt = format!("{prompt}\n\nYour last answer was refused: {error}");
                }
                (outcome, _) => {
                    let last = outcome.err().unwrap_or_else(|| OracleError::Unusable("no answer".into()));
                    let (port, attempts) = (Port::Generator, request.attempt);
                    return Err(StopReason { port, subject: request.subject, attempts, last });
                }
            }
        }
    }

    /// The law of one sentence, and a note about its translation.
    fn translate(&mut self, sentence: &str) -> Result<(LawTree, String), StopReason> {
        let names = self.names;
        let prompt = extraction_prompt(sentence, names);
        let found = self.ask("expressions", &prompt, sentence, &|text| groundings(text, sentence, names))?;
        let (lifted, symbols) = lift(sentence, &found);
        let known: PolicyNames =
            symbols.iter().map(|(symbol, _)| (symbol.as_str(), NameKind::Momentary)).collect();
        let prompt = translation_prompt(&lifted, &symbols);
        let law = self.ask("formula", &prompt, &lifted, &|text| formula(text, &known))?;
        let law = law.map_atoms(&mut |atom| {
            let name = symbols.iter().find(|(symbol, _)| symbol.as_str() == &**atom).map(|(_, name)| name);
            LawTree::atom(name.map_or(&**atom, String::as_str))
        });
        let refers: Vec<String> =
            found.iter().map(|(expression, name)| format!("`{expression}` is `{name}`")).collect();
        let note = format!("a model translated `{sentence}`, where {}", refers.join(", "));
        Ok((law, note))
    }
}

fn extraction_prompt(sentence: &str, names: &PolicyNames) -> String {
    let list: Vec<String> = names
        .iter()
        .map(|(name, kind)| match kind {
            NameKind::Action => format!("{name} (an action)"),
            NameKind::Momentary | NameKind::State => format!("{name} (a proposition)"),
        })
        .collect();
    format!(
        "Sentence: {sentence}\n\nNames:\n{}\n\nWhich expressions of the sentence refer to names? Answer with one line for \
         each, `expression = name`: the expression as it stands in the sentence, and a name of the list. An action `a` has the \
         outcomes `a.ok` and `a.failed`, which are names too.",
        list.join("\n")
    )
}

fn translation_prompt(lifted: &str, symbols: &[(String, String)]) -> String {
    let list: Vec<&str> = symbols.iter().map(|(symbol, _)| symbol.as_str()).collect();
    format!(
        "Translate the sentence into linear temporal logic on finite words.\n\nSentence: {lifted}\n\nPropositions: {}\n\
         Operators: ! & | -> <-> X (next) F (eventually) G (always) U (until) W (weak until) Y (yesterday) O (once) H \
         (historically) S (since)\n\nAnswer with the formula and nothing else.",
        list.join(", ")
    )
}

/// The lines `expression = name` of an answer.
fn groundings(text: &str, sentence: &str, names: &PolicyNames) -> Result<Grounding, String> {
    let mut found: Grounding = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (expression, name) = match line.rsplit_once('=') {
            Some((expression, name)) => (expression, Some(name)),
            None => (line, None),
        };
        let bare = |text: &str| text.trim().trim_matches(['`', '"', '\'', '-', '*', ' ']).to_owned();
        let expression = bare(expression);
        if expression.is_empty() || place(sentence, &expression).is_none() {
            return Err(format!("`{expression}` does not occur in the sentence"));
        }
        let name = match name {
            Some(name) => bare(name),
            None => ground_phrase(&expression, names).map_err(|refused| refused.to_string())?,
        };
        if !names.knows(&name) {
            let near = names.nearest(&name).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(format!("there is no name `{name}`{near}"));
        }
        if !found.iter().any(|(known, _)| known.eq_ignore_ascii_case(&expression)) {
            found.push((expression, name));
        }
    }
    if found.is_empty() {
        return Err("at least one line `expression = name` is expected".into());
    }
    Ok(found)
}

/// The position of an expression in a text, ignoring ASCII case.
fn place(text: &str, expression: &str) -> Option<usize> {
    let fits = |at: usize| {
        text.get(at..at + expression.len()).is_some_and(|part| part.eq_ignore_ascii_case(expression))
    };
    (0..text.len()).find(|&at| fits(at))
}

/// The sentence with a symbol for each name, and the names of the symbols.
fn lift(sentence: &str, found: &Grounding) -> (String, Vec<(String, String)>) {
    let prefix = ["prop_", "symbol_", "lifted_"].into_iter().find(|prefix| !sentence.contains(prefix));
    let prefix = prefix.unwrap_or("prop_");
    let mut symbols: Vec<(String, String)> = Vec::new();
    let mut longest: Vec<&(String, String)> = found.iter().collect();
    longest.sort_by_key(|(expression, _)| std::cmp::Reverse(expression.len()));
    // Pieces that are replaced are not searched again.
    let mut pieces: Vec<(String, bool)> = vec![(sentence.to_owned(), false)];
    for (expression, name) in longest {
        let known = symbols.iter().find(|(_, known)| known == name).map(|(symbol, _)| symbol.clone());
        let symbol = known.unwrap_or_else(|| {
            let symbol = format!("{prefix}{}", symbols.len() + 1);
            symbols.push((symbol.clone(), name.clone()));
            symbol
        });
        let mut next = Vec::new();
        for (piece, done) in pieces {
            let mut rest = piece.as_str();
            while let Some(at) = place(rest, expression).filter(|_| !done) {
                next.push((rest[..at].to_owned(), false));
                next.push((symbol.clone(), true));
                rest = &rest[at + expression.len()..];
            }
            next.push((rest.to_owned(), done));
        }
        pieces = next;
    }
    (pieces.into_iter().map(|(piece, _)| piece).collect(), symbols)
}

/// The formula of an answer: LTL over all symbols and nothing else.
fn formula(text: &str, symbols: &PolicyNames) -> Result<LawTree, String> {
    let law = LawTree::read(text, symbols).map_err(|refused| format!("this is no formula: {refused}"))?;
    let atoms = law.atoms();
    if let Some(unknown) = atoms.iter().find(|atom| symbols.kind(atom).is_none()) {
        return Err(format!("`{unknown}` is none of the propositions"));
    }
    if let Some((unused, _)) = symbols.iter().find(|(symbol, _)| !atoms.contains(symbol)) {
        return Err(format!("the formula does not mention `{unused}`"));
    }
    Ok(law)
}
