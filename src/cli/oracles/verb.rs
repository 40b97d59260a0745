//! `oracle`: asks an oracle by hand or in lines of JSON, to see whether and what it answers.

use super::{Access, AccessArgs, open};
use crate::exit::Exit;
use crate::flags::ColorChoice;
use crate::output;
use crate::terminal::{eprint, escape, escape_lines, print, wants_color};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::io::{BufRead, Read};
use tsl_synth_agents::{
    AnswerKind, Conversation, NoLog, NoOracle, Oracle, OracleAnswer, OracleError, OracleRequest, Port,
    StopReason,
};
use tsl_synth_documents::{AnswerDocument, RequestDocument, answer_value};

/// Longer requests are refused.
const LINE: u64 = 8 << 20;

/// `oracle`
#[derive(Args, Debug)]
#[command(after_help = "\
Without a question, requests come from standard input and answers go to standard output, one JSON object in each \
line, as between tsl-synth and a program given as `cmd:PROGRAM`: `help oracles`. Exit codes: 0 everything was \
answered, 1 something was not, 2 the oracle cannot be used.")]
pub(crate) struct OracleVerbArgs {
    /// Who is asked: `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL` (a chat model), `tty` (you)
    #[arg(value_name = "ORACLE")]
    pub(crate) oracle: String,
    /// The question
    #[arg(value_name = "QUESTION")]
    pub(crate) question: Option<String>,
    /// What kind of answer is wanted; `choose` if there are choices
    #[arg(long, value_name = "KIND", requires = "question", value_parser = kinds())]
    pub(crate) kind: Option<String>,
    /// Something to choose from; may be given more than once
    #[arg(long = "choice", value_name = "TEXT", requires = "question")]
    pub(crate) choices: Vec<String>,
    /// What it is asked about: a text that scripts tell requests apart by
    #[arg(long, value_name = "NAME", requires = "question", default_value = "question")]
    pub(crate) subject: String,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
    /// A seed for models that take one
    #[arg(long, value_name = "N", help_heading = "Oracles")]
    pub(crate) seed: Option<u64>,
    /// Say on standard error how many requests were sent and how many tokens they took
    #[arg(long)]
    pub(crate) usage: bool,
    /// Colors
    #[arg(long, value_enum, default_value_t)]
    pub(crate) color: ColorChoice,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(AnswerKind::ALL.map(AnswerKind::name))
}

/// Runs the verb.
pub(crate) fn run(args: &OracleVerbArgs) -> Exit {
    let access = Access::new(&args.access, args.seed, wants_color(args.color));
    let mut oracle = match open(&args.oracle, &access) {
        Ok(oracle) => oracle,
        Err(error) => return output::error(&error),
    };
    let mut asker = OracleClient { oracle: oracle.as_mut(), attempts: args.access.attempts };
    let exit = match &args.question {
        Some(question) => asker.once(args, question),
        None if args.oracle == "tty" => output::wrong(
            "standard input cannot carry both the requests and a person's answers: give a question",
        ),
        None => asker.lines(),
    };
    if args.usage {
        eprint(&format!("{}\n", escape(&oracle.usage().sentence())));
    }
    exit
}

struct OracleClient<'a> {
    oracle: &'a mut dyn Oracle,
    attempts: u32,
}

impl OracleClient<'_> {
    /// The answer, after at most `attempts` attempts.
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, StopReason> {
        let (mut generator, mut user, mut world, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
        let mut conversation =
            Conversation::new(self.oracle, &mut generator, &mut user, &mut world, &mut log, self.attempts);
        conversation.ask(Port::Evaluator, request)
    }

    fn once(&mut self, args: &OracleVerbArgs, question: &str) -> Exit {
        let usual = if args.choices.is_empty() { AnswerKind::Generate } else { AnswerKind::Choose };
        let kind = args.kind.as_deref().and_then(AnswerKind::of_name).unwrap_or(usual);
        let request = OracleRequest::new(kind, args.subject.as_str(), question).choices(&args.choices);
        match self.ask(&request) {
            Ok(answer) => {
                let text = match answer_value(&answer) {
                    serde_json::Value::String(text) => text,
                    value => value.to_string(),
                };
                deliver(&format!("{text}\n"))
            }
            Err(stop) => {
                eprint(&format!("error: {}\n", escape_lines(&stop.last.to_string())));
                code(&stop.last)
            }
        }
    }

    /// Answers the requests on standard input.
    fn lines(&mut self) -> Exit {
        let mut input = std::io::stdin().lock();
        let mut worst = Exit::Yes;
        for number in 1_u64.. {
            let mut line = Vec::new();
            match input.by_ref().take(LINE).read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) if line.iter().all(u8::is_ascii_whitespace) => continue,
                Ok(_) => {}
                Err(error) => return output::wrong(&format!("standard input, line {number}: {error}")),
            }
            let document: Result<RequestDocument, String> =
                serde_json::from_slice(&line).map_err(|error| error.to_string());
            let asked =
                document.and_then(|document| document.request().map(|request| (document.id, request)));
            let (id, request) = match asked {
                Ok(asked) => asked,
                Err(why) => return output::wrong(&format!("standard input, line {number}: {why}")),
            };
            let mut answer =
                AnswerDocument { id: Some(id), answer: serde_json::Value::Null, refusal: None, end: false };
            let mut exit = Exit::Yes;
            match self.ask(&request) {
                Ok(given) => answer.answer = answer_value(&given),
                Err(stop) => {
                    exit = code(&stop.last);
                    answer.end = stop.is_end();
                    if !answer.end {
                        answer.refusal = Some(stop.last.to_string());
                    }
                }
            }
            worst = worst.worst(exit);
            let mut text = serde_json::to_string(&answer).expect("answers have string keys only");
            text.push('\n');
            if deliver(&text) != Exit::Yes {
                return Exit::Wrong;
            }
            if answer.end {
                break;
            }
        }
        worst
    }
}

fn deliver(text: &str) -> Exit {
    match print(text) {
        Ok(()) => Exit::Yes,
        Err(error) => output::wrong(&format!("cannot write to standard output: {error}")),
    }
}

/// The exit code when there is no answer.
fn code(error: &OracleError) -> Exit {
    match error {
        OracleError::Unusable(_) => Exit::Wrong,
        _ => Exit::No,
    }
}
