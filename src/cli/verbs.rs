//! The verbs that compute nothing: schemas, completions, the manual page.

use crate::exit::Exit;
use crate::flags::SchemaName;
use crate::output;
use clap::{Args, Command};
use std::path::PathBuf;
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_documents::policy_file::policy_schema;
use tsl_synth_documents::view::View;
use tsl_synth_documents::{
    AnswerDocument, BaselineDocument, CauseDocument, CausesDocument, CheckDocument, CriticDocument,
    CriticLoopDocument, DiffDocument, EmitDocument, ExplainDocument, PlanDocument, PolicyAskDocument,
    PolicyCheckDocument, PolicySentencesDocument, RequestDocument, ScriptedDocument, TraceDocument,
    TravelJudgmentDocument, VerifyDocument,
};
use tsl_synth_policy::language::{VOCABULARIES, Vocabulary, vocabulary};
use tsl_synth_service::patterns_document;

/// `man`
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for the program and for each verb into this folder instead of printing one
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// `completions`
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// `schema`
#[derive(Args, Debug)]
pub(crate) struct SchemaArgs {
    /// Which one
    #[arg(value_enum)]
    pub(crate) name: SchemaName,
    /// A word of the vocabularies, with `vocabulary`
    #[arg(value_name = "WORD")]
    pub(crate) word: Option<String>,
}

/// Prints a text.
pub(crate) fn print(text: &str) -> Exit {
    match output::deliver(None, text) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

/// `schema NAME`
pub(crate) fn schema(args: &SchemaArgs) -> Exit {
    if let (Some(word), true) = (&args.word, args.name != SchemaName::Vocabulary) {
        return output::wrong(&format!("`{word}`: only `schema vocabulary` takes a word"));
    }
    match args.name {
        SchemaName::Vocabulary => vocabularies(args.word.as_deref()),
        SchemaName::Answer => print(&output::json(&schemars::schema_for!(AnswerDocument))),
        SchemaName::Request => print(&output::json(&schemars::schema_for!(RequestDocument))),
        SchemaName::Script => print(&output::json(&schemars::schema_for!(ScriptedDocument))),
        SchemaName::Baseline => print(&output::json(&schemars::schema_for!(BaselineDocument))),
        SchemaName::Cause => print(&output::json(&schemars::schema_for!(CauseDocument))),
        SchemaName::Causes => print(&output::json(&schemars::schema_for!(CausesDocument))),
        SchemaName::Critic => print(&output::json(&schemars::schema_for!(CriticDocument))),
        SchemaName::CriticLoop => print(&output::json(&schemars::schema_for!(CriticLoopDocument))),
        SchemaName::Ask => print(&output::json(&schemars::schema_for!(PolicyAskDocument))),
        SchemaName::Check => print(&output::json(&schemars::schema_for!(CheckDocument))),
        SchemaName::Machine => print(&output::json(&schemars::schema_for!(MachineDocument))),
        SchemaName::Template => print(&output::json(&schemars::schema_for!(View))),
        SchemaName::Judgments => print(&output::json(&schemars::schema_for!(TravelJudgmentDocument))),
        SchemaName::Plan => print(&output::json(&schemars::schema_for!(PlanDocument))),
        SchemaName::PolicyCheck => print(&output::json(&schemars::schema_for!(PolicyCheckDocument))),
        SchemaName::Pattern => print(&output::json(&patterns_document())),
        SchemaName::Policy => print(&output::json(&policy_schema())),
        SchemaName::Sentences => print(&output::json(&schemars::schema_for!(PolicySentencesDocument))),
        SchemaName::Trace => print(&output::json(&schemars::schema_for!(TraceDocument))),
        SchemaName::Explain => print(&output::json(&schemars::schema_for!(ExplainDocument))),
        SchemaName::Verify => print(&output::json(&schemars::schema_for!(VerifyDocument))),
        SchemaName::Diff => print(&output::json(&schemars::schema_for!(DiffDocument))),
        SchemaName::World => print(&output::json(&tsl_synth_agents::world::world_schema())),
        SchemaName::Tools => print(&output::json(&tsl_synth_agents::tools::tools_schema())),
        SchemaName::Emit => print(&output::json(&schemars::schema_for!(EmitDocument))),
    }
}

/// `schema vocabulary [WORD]`
fn vocabularies(word: Option<&str>) -> Exit {
    let Some(word) = word else {
        let widest = VOCABULARIES.iter().map(|own| own.name.len()).max().unwrap_or(0);
        let line = |own: &Vocabulary| format!("{:widest$}  {}\n", own.name, own.summary());
        return print(&VOCABULARIES.iter().map(line).collect::<String>());
    };
    match vocabulary(word) {
        Some(own) => print(own.text),
        None => output::wrong(&format!("there is no vocabulary `{word}`; `schema vocabulary` lists them")),
    }
}

/// `completions SHELL`
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tsl-synth", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// `man`
pub(crate) fn man(args: &ManArgs, command: Command) -> Exit {
    let page = |command: Command| {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map(|()| String::from_utf8_lossy(&page).into_owned())
    };
    let Some(folder) = &args.output else {
        return page(command).map_or_else(|e| output::internal(&e.to_string()), |text| print(&text));
    };
    let mut pages = vec![("tsl-synth.1".to_string(), command.clone())];
    for verb in command.get_subcommands() {
        let name = format!("tsl-synth-{}", verb.get_name());
        pages.push((
            format!("{name}.1"),
            verb.clone().display_name(name.clone()).bin_name(format!("tsl-synth {}", verb.get_name())),
        ));
    }
    if let Err(error) = crate::files::make_folder(folder) {
        return output::error(&error);
    }
    for (name, command) in pages {
        let written = page(command)
            .map_err(anyhow::Error::from)
            .and_then(|text| output::write_file(&folder.join(name), text.as_bytes()));
        if let Err(error) = written {
            return output::error(&error);
        }
    }
    Exit::Yes
}
