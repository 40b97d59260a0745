//! The fields of a table that describe shell commands.

use super::fields::{TableFields, globs, name_glob, pointer, text, wrong};
use super::types::{DefaultRuling, ShellMatch};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::Pointer;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataKind, DataValue};
use tsl_synth_shell::{
    ArgvPattern, ClauseWords, CommandClause, EnvGlob, FLAG_GROUPS, FileGlob, OptionName, ProgramPattern,
};

/// The tools of all hosts that run shell commands: of these a table about commands is that names no tool.
pub const SHELL_TOOLS: &[&str] = &[
    "Bash",
    "bash",
    "Shell",
    "shell",
    "powershell",
    "exec_command",
    "shell_command",
    "local_shell",
    "container.exec",
    "run_shell_command",
    "execute_command",
    "run_commands",
    "run_in_terminal",
    "run_terminal_cmd",
    "run_terminal_command",
    "execute_bash",
    "terminal",
    "Monitor",
    "PowerShell",
    "mcp__desktop-commander__execute_command",
    "mcp__desktop-commander__start_process",
];
/// Those of these tools that run commands of PowerShell.
const POWERSHELL_TOOLS: &[&str] = &["powershell", "PowerShell"];

/// Whether the commands of a tool are those of PowerShell.
pub(crate) fn is_powershell(tool: &str) -> bool {
    POWERSHELL_TOOLS.contains(&tool)
}

/// Where these tools have the command.
const COMMAND: &str = "/arguments/command";

/// What a table says about commands.
pub(super) struct CommandFields {
    /// The condition on the command, where the table has one that could be read.
    pub(super) shell: Option<ShellMatch>,
    /// Whether the table is about commands.
    pub(super) is_about: bool,
}

/// A list of texts with their spans.
type Texts<'d> = Vec<(&'d str, Span)>;

/// Reads the fields. `default` is the answer to what cannot be read, where the table says none.
pub(super) fn read(
    fields: &mut TableFields<'_>,
    span: Span,
    default: DefaultRuling,
    opaque: Option<DefaultRuling>,
    diagnostics: &mut Diagnostics,
) -> CommandFields {
    let before = diagnostics.len();
    let shell = fields.get("shell");
    let argv = fields.texts("argv", diagnostics);
    let program = fields.texts("program", diagnostics);
    let subcommand = fields.texts("subcommand", diagnostics);
    let flags = fields.get("flags");
    let without_flags = fields.texts("without_flags", diagnostics);
    let operands = fields.texts("operands", diagnostics);
    let without_operands = fields.texts("without_operands", diagnostics);
    let writes = files(fields, "writes", diagnostics);
    let reads = files(fields, "reads", diagnostics);
    let env = environment(fields, diagnostics);
    let input = fields.texts("input", diagnostics).map(|texts| globs(&texts, diagnostics));
    let of_program = subcommand.is_some()
        || flags.is_some()
        || without_flags.is_some()
        || operands.is_some()
        || without_operands.is_some();
    let describes = argv.is_some()
        || program.is_some()
        || of_program
        || writes.is_some()
        || reads.is_some()
        || env.is_some()
        || input.is_some();
    let is_about = describes || shell.is_some();
    if shell.is_some() && !describes {
        let error = wrong(
            "`shell` says where the command stands, and this table does not say which command it is",
            span,
        );
        diagnostics
            .push(error.hint("for example `program = \"git\"` and `subcommand = [\"push\"]`, or `argv`"));
    }
    if of_program && program.is_none() {
        let error = wrong(
            "`subcommand`, `flags`, `without_flags`, `operands` and `without_operands` are of a `program`",
            span,
        );
        diagnostics.push(error);
    }
    if argv.is_some() && program.is_some() {
        diagnostics.push(wrong("a table has either `argv`, the words in their order, or `program`", span));
    }
    let words = if let Some(programs) = program {
        Some(ClauseWords::Program(ProgramPattern {
            programs: globs(&programs, diagnostics),
            subcommand: globs(&subcommand.unwrap_or_default(), diagnostics),
            flags: flags.map(|data| flag_groups(data, diagnostics)).unwrap_or_default(),
            without_flags: options(&without_flags.unwrap_or_default(), diagnostics),
            operands: globs(&operands.unwrap_or_default(), diagnostics),
            without_operands: globs(&without_operands.unwrap_or_default(), diagnostics),
        }))
    } else if let Some(argv) = argv {
        argv_words(&argv, span, diagnostics).map(ClauseWords::Argv)
    } else {
        Some(ClauseWords::Any)
    };
    let clause = words.map(|words| CommandClause {
        words,
        writes: writes.unwrap_or_default(),
        reads: reads.unwrap_or_default(),
        env: env.unwrap_or_default(),
        input: input.unwrap_or_default(),
    });
    let place = match shell {
        Some(data) => text(data, "shell", diagnostics).and_then(|own| pointer(own, data.span, diagnostics)),
        None => Pointer::parse(COMMAND).ok(),
    };
    let shell = place.zip(clause).filter(|_| describes && diagnostics.len() == before);
    let shell = shell.map(|(pointer, clause)| ShellMatch {
        pointer,
        clause,
        files: Vec::new(),
        opaque: opaque.unwrap_or(default),
    });
    CommandFields { shell, is_about }
}

fn argv_words(argv: &Texts<'_>, span: Span, diagnostics: &mut Diagnostics) -> Option<ArgvPattern> {
    let words: Vec<&str> = argv.iter().map(|(word, _)| *word).collect();
    ArgvPattern::new(&words)
        .map_err(|(place, bad)| {
            let span = argv.get(place).map_or(span, |(_, span)| *span);
            diagnostics.push(wrong(bad.message, span));
        })
        .ok()
}

/// Options in one list are names of one option; each inner list is an option of its own.
fn flag_groups(data: &DataValue, diagnostics: &mut Diagnostics) -> Vec<Vec<OptionName>> {
    let mut groups = Vec::new();
    let mut one: Texts<'_> = Vec::new();
    let items = match &data.kind {
        DataKind::List(items) => items.as_slice(),
        _ => std::slice::from_ref(data),
    };
    for item in items {
        match &item.kind {
            DataKind::List(inner) => {
                let texts = inner.iter().filter_map(|one| Some((text(one, "flags", diagnostics)?, one.span)));
                let texts: Texts<'_> = texts.collect();
                groups.push(options(&texts, diagnostics));
            }
            _ => one.extend(text(item, "flags", diagnostics).map(|text| (text, item.span))),
        }
    }
    if !one.is_empty() {
        groups.push(options(&one, diagnostics));
    }
    if groups.len() > FLAG_GROUPS {
        diagnostics.push(wrong(format!("a table asks for at most {FLAG_GROUPS} options"), data.span));
    }
    groups
}

fn options(texts: &Texts<'_>, diagnostics: &mut Diagnostics) -> Vec<OptionName> {
    texts.iter().filter_map(|(text, span)| option(text, *span, diagnostics)).collect()
}

/// `-n`, `--no-verify`, `-c=core.*`
fn option(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<OptionName> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    if !name.starts_with(['-', '+']) || name.trim_start_matches('-').is_empty() {
        let error = wrong("an option begins with `-`, as `-n` or `--no-verify`", span);
        diagnostics.push(error.hint("other words of a command are its `subcommand` or `operands`"));
        return None;
    }
    let name = name_glob(name, span, diagnostics)?;
    let value = match value {
        Some(value) => Some(name_glob(value, span, diagnostics)?),
        None => None,
    };
    Some(OptionName::new(name, value))
}

fn files(
    fields: &mut TableFields<'_>,
    name: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<FileGlob>> {
    let texts = fields.texts(name, diagnostics)?;
    let glob = |(text, span): &(&str, Span)| {
        FileGlob::new(text).map_err(|bad| diagnostics.push(wrong(bad.message, *span))).ok()
    };
    Some(texts.iter().filter_map(glob).collect())
}

/// `HUSKY=*`, `HUSKY`
fn environment(fields: &mut TableFields<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<EnvGlob>> {
    let texts = fields.texts("env", diagnostics)?;
    let mut all = Vec::new();
    for (text, span) in texts {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let value = match value {
            Some(value) => match name_glob(value, span, diagnostics) {
                Some(value) => Some(value),
                None => continue,
            },
            None => None,
        };
        all.extend(name_glob(name, span, diagnostics).map(|name| EnvGlob { name, value }));
    }
    Some(all)
}
