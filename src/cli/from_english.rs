//! `new spec --from-nl`: a specification out of English sentences: by built-in patterns, or drafted by a model, whose drafts
//! are read and decided until one passes.

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{ColorChoice, EngineArgs, OutputArgs, ProgressChoice};
use crate::oracles::{self, Access, AccessArgs};
use crate::terminal::{self, eprint, escape, escape_lines};
use crate::{output, report, text};
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_agents::requirements::{Requirements, read_requirements};
use tsl_synth_agents::{AnswerKind, Conversation, NoLog, NoOracle, OracleAnswer, OracleRequest, Port};
use tsl_synth_core::base::unfenced;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{CheckRequest, FailureKind, SpecLanguage, SpecRequest};

/// Specifications out of English.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "From English (`new spec`)")]
pub(crate) struct FromEnglishArgs {
    /// Requirements in English, a file or a text: EARS sentences and specification patterns need no model
    #[arg(long, value_name = "FILE|TEXT")]
    pub(crate) from_nl: Vec<String>,
    /// The language of the specification [default: tsl]
    #[arg(long, value_enum, value_name = "LANG", requires = "from_nl")]
    pub(crate) lang: Option<DraftLanguage>,
    /// Who drafts the specification from all sentences: a model such as `http:URL`; each draft is read and decided, and its
    /// faults go back to the model
    #[arg(long, value_name = "ORACLE", requires = "from_nl")]
    pub(crate) oracle: Option<String>,
    /// The most drafts
    #[arg(long, value_name = "N", default_value_t = 3, requires = "from_nl", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) rounds: u32,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DraftLanguage {
    /// Temporal stream logic
    #[default]
    Tsl,
    /// Linear temporal logic
    Ltl,
}

impl DraftLanguage {
    fn spec(self) -> SpecLanguage {
        match self {
            Self::Tsl => SpecLanguage::Tsl,
            Self::Ltl => SpecLanguage::Ltl,
        }
    }
    fn file(self) -> &'static str {
        match self {
            Self::Tsl => "spec.tsl",
            Self::Ltl => "spec.ltl",
        }
    }
}

/// What is known about a draft.
enum Draft {
    /// It is realizable, with what `check` says.
    Good(String),
    /// It is not realizable, undecided, or cannot be read; what to do about it.
    Faulty(String, Exit),
}

/// Runs `new spec [DIR] --from-nl`.
pub(crate) fn run(args: &FromEnglishArgs, folder: Option<&Path>, force: bool) -> Exit {
    match texts(&args.from_nl).and_then(|text| written(args, &text, folder, force)) {
        Ok(exit) => exit,
        Err(error) => output::error(&error),
    }
}

/// The requirements of all arguments.
fn texts(arguments: &[String]) -> Result<String> {
    let mut all = String::new();
    for argument in arguments {
        let path = Path::new(argument);
        let text = if argument == "-" {
            std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?
        } else if path.is_file() {
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{argument}`"))?
        } else if argument.contains(' ') {
            argument.clone()
        } else {
            bail!("`{argument}` is neither a file nor a sentence");
        };
        all.push_str(&text);
        all.push('\n');
    }
    Ok(all)
}

fn written(args: &FromEnglishArgs, text: &str, folder: Option<&Path>, force: bool) -> Result<Exit> {
    let language = args.lang.unwrap_or_default();
    let path = folder.map(|folder| folder.join(language.file()));
    if let Some(path) = &path {
        let shown = escape(&path.display().to_string());
        ensure!(force || !path.exists(), "`{shown}` is there already; `--force` replaces it");
    }
    let found = read_requirements(text);
    match &args.oracle {
        Some(oracle) => drafted(args, oracle, text, &found, path.as_deref()),
        None => by_patterns(language, &found, path.as_deref()),
    }
}

/// Reports the sentences that were not read.
fn report_unread(found: &Requirements) {
    for unread in &found.unread {
        eprint(&format!(
            "line {}: `{}` is not read: {}\n",
            unread.line,
            escape(&unread.sentence),
            escape(&unread.expected)
        ));
    }
}

fn by_patterns(language: DraftLanguage, found: &Requirements, path: Option<&Path>) -> Result<Exit> {
    report_unread(found);
    if !found.unread.is_empty() {
        let all = found.read.len() + found.unread.len();
        return Ok(output::wrong(&format!(
            "{} of {all} sentences are not read, and nothing is written; `--oracle http:URL` lets a model draft",
            found.unread.len()
        )));
    }
    ensure!(!found.read.is_empty(), "there is no sentence");
    let spec = match language {
        DraftLanguage::Tsl => found.tsl(),
        DraftLanguage::Ltl => found.ltl(),
    };
    // What we write has to be read again, whatever its verdict.
    match judged(&spec, language)? {
        Draft::Faulty(why, Exit::Wrong) => {
            Ok(output::internal(&format!("our own text cannot be read: {why}\n{spec}")))
        }
        Draft::Good(said) | Draft::Faulty(said, _) => {
            save(&spec, path)?;
            let read = match found.read.len() {
                1 => "1 sentence is read".to_string(),
                count => format!("{count} sentences are read"),
            };
            // A specification on standard output is checked by the next command.
            let said = if path.is_some() { said } else { String::new() };
            eprint(&escape_lines(&format!("{read}\n{said}")));
            Ok(Exit::Yes)
        }
    }
}

/// Writes a specification to its file, or prints it.
fn save(spec: &str, path: Option<&Path>) -> Result<()> {
    if let Some(parent) = path.and_then(Path::parent) {
        crate::files::make_folder(parent)?;
    }
    output::deliver(path, spec)
}

/// What `check` says about a draft.
fn judged(spec: &str, language: DraftLanguage) -> Result<Draft> {
    let shown = OutputArgs { progress: ProgressChoice::Never, ..OutputArgs::default() };
    let engine = EngineArgs { time_limit: Some(std::time::Duration::from_mins(1)), ..EngineArgs::default() };
    let adapters = Adapters::new(&engine, &shown, None);
    let mut request = CheckRequest::new(SpecRequest::text(language.spec(), language.file(), spec));
    request.solver = adapters.settings.solver();
    let asked = adapters.ask(move |session| session.check(&request)).or_exit();
    let Ok(WithSources { answer, sources }) = asked else {
        return Ok(Draft::Faulty("It is not decided within the time limit.".into(), Exit::Unknown));
    };
    Ok(match answer {
        Ok(found) => {
            let errors = found.diagnostics.iter().filter(|one| one.severity >= Severity::Warning);
            let mut said = report::check(&found, &sources, false, None, engine.time_limit);
            said.push_str(&text::render(errors, &sources, false));
            if found.is_realizable() {
                Draft::Good(said)
            } else {
                Draft::Faulty(said, if found.is_unrealizable() { Exit::No } else { Exit::Unknown })
            }
        }
        Err(failure) if matches!(failure.kind, FailureKind::Input) => {
            Draft::Faulty(text::render(&failure.diagnostics, &sources, false), Exit::Wrong)
        }
        Err(failure) => bail!("{}", failure.reason()),
    })
}

/// What a model is told about the language.
fn manual(language: DraftLanguage) -> &'static str {
    match language {
        DraftLanguage::Tsl => {
            "TSL: declare signals as `input name: Bool;` and `output name: Bool;`; write sections `assume { .. }` (what the \
             environment keeps) and `guarantee { .. }` (what the system keeps) with formulas that end in `;`. Operators: \
             `!`, `&&`, `||`, `->`, `<->`, `X` (next), `F` (eventually), `G` (always), `U` (until), `W` (weak until), bounded \
             `F[0:5]`. Comments begin with `//`. Example:\n\ninput request: Bool;\noutput grant: Bool;\nguarantee {\n  // When \
             a request comes, the arbiter shall grant within 3 steps.\n  G (request -> F[0:3] grant);\n}\n"
        }
        DraftLanguage::Ltl => {
            "LTL: the first lines name the signals, `// inputs: a, b` and `// outputs: c`; each formula ends in `;`. \
             Operators: `!`, `&`, `|`, `->`, `<->`, `X`, `F`, `G`, `U`, `W`, bounded `F[0:5]`. The formulas are what the system \
             guarantees. Example:\n\n// inputs: request\n// outputs: grant\nG (request -> F[0:3] grant);\n"
        }
    }
}

fn drafted(
    args: &FromEnglishArgs,
    oracle: &str,
    requirements: &str,
    found: &Requirements,
    path: Option<&Path>,
) -> Result<Exit> {
    let language = args.lang.unwrap_or_default();
    let access = Access::new(&args.access, None, terminal::wants_color(ColorChoice::Auto));
    let mut model = oracles::open(oracle, &access)?;
    let mut prompt = format!(
        "Write a specification for a reactive system that says exactly what these requirements say:\n\n{}\n\n{}\n\
         Above each formula stands its requirement as a comment. Answer with the specification and nothing else.\n",
        requirements.trim(),
        manual(language)
    );
    if !found.read.is_empty() {
        prompt.push_str("\nThese sentences mean the following:\n");
        for one in &found.read {
            let _ = writeln!(prompt, "- {}: {}", one.sentence, one.formula);
        }
    }
    let mut last: Option<(String, String)> = None;
    for round in 1..=args.rounds {
        let mut asked = prompt.clone();
        if let Some((draft, faults)) = &last {
            let _ = write!(
                asked,
                "\nYour last draft was:\n\n{draft}\nIt has faults:\n\n{faults}\nWrite it anew.\n"
            );
        }
        let request = OracleRequest::new(AnswerKind::Translate, "specification", asked).about(requirements);
        let (mut a, mut b, mut c, mut log) = (NoOracle, NoOracle, NoOracle, NoLog);
        let mut conversation =
            Conversation::new(model.as_mut(), &mut a, &mut b, &mut c, &mut log, args.access.attempts);
        let draft = match conversation.ask(Port::Evaluator, &request) {
            Ok(OracleAnswer::Text(text)) => format!("{}\n", unfenced(&text)),
            Ok(_) => String::new(),
            Err(stop) => {
                eprint(&escape_lines(&format!("no draft: {stop}\n")));
                return Ok(fallen(last.as_ref(), if stop.is_end() { Exit::No } else { Exit::Wrong }));
            }
        };
        let missing = missing(&draft, found);
        match judged(&draft, language)? {
            Draft::Good(said) if missing.is_empty() => {
                save(&draft, path)?;
                let said = if path.is_some() { said } else { String::new() };
                eprint(&escape_lines(&format!("draft {round} passes\n{said}")));
                return Ok(Exit::Yes);
            }
            Draft::Good(_) => {
                eprint(&escape_lines(&format!("draft {round} leaves something out:\n{missing}")));
                last = Some((draft, missing));
            }
            Draft::Faulty(faults, exit) => {
                let word = match exit {
                    Exit::No => "is unrealizable",
                    Exit::Wrong => "cannot be read",
                    _ => "is not decided",
                };
                eprint(&escape_lines(&format!("draft {round} {word}\n")));
                last = Some((draft, faults));
            }
        }
    }
    Ok(fallen(last.as_ref(), Exit::No))
}

/// Names that the built-in patterns read and the draft does not have, in a sentence each.
fn missing(draft: &str, found: &Requirements) -> String {
    let has =
        |name: &str| draft.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name);
    let mut said = String::new();
    for name in found.names().into_iter().filter(|name| !has(name)) {
        let _ = writeln!(said, "The signal `{name}` does not occur.");
    }
    said
}

/// Reports the last draft and its faults.
fn fallen(last: Option<&(String, String)>, exit: Exit) -> Exit {
    if let Some((draft, faults)) = last {
        eprint(&escape_lines(&format!(
            "no draft passes, and nothing is written; the last one:\n\n{draft}\n\nits faults:\n\n{faults}\n"
        )));
    }
    exit
}
