//! `new`: writes the files of a new project.

use crate::exit::Exit;
use crate::from_english::FromEnglishArgs;
use crate::{from_english, output, terminal};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// `new`
#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// What to begin
    #[arg(value_enum, value_name = "spec|policy|agent|ci|monitor")]
    pub(crate) what: NewWhat,
    /// The folder, which is new or has none of the files [of `ci`: the root of the repository, by default `.`]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) english: FromEnglishArgs,
}

/// The kinds of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewWhat {
    /// A specification in TSL with a project file
    Spec,
    /// A policy with scenarios, a log that keeps it and one that breaks it
    Policy,
    /// A story that a controller tells with a model: a specification and prompts
    Agent,
    /// A workflow of GitHub that checks all specifications of a repository
    Ci,
    /// Rules of Prometheus and a dashboard of Grafana for the numbers of `policy monitor`
    Monitor,
}

/// A file by its path, and its text.
type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal, $($name:literal),*) => {
        &[$(($name, tsl_synth_templates::text(concat!("new/", $folder, "/", $name)))),*]
    };
}

const SPEC: &[File] = files!("spec", "lamp.tsl", "tsl-synth.toml", "README.md");
const POLICY: &[File] =
    files!("policy", "policy.toml", "keeps.jsonl", "breaks.jsonl", "scenarios.jsonl", "README.md");
const AGENT: &[File] = files!("agent", "host.tsl", "host.prompts.toml", "README.md");
const MONITOR: &[File] = files!("monitor", "alerts.yml", "dashboard.json", "README.md");
const CI: &[File] = &[(".github/workflows/tsl-synth.yml", tsl_synth_templates::text("new/ci/tsl-synth.yml"))];

/// Runs the verb.
pub(crate) fn run(args: &NewArgs) -> Exit {
    if !args.english.from_nl.is_empty() {
        if args.what != NewWhat::Spec {
            return output::wrong(
                "`--from-nl` writes specifications: `tsl-synth new spec DIR --from-nl FILE`",
            );
        }
        return from_english::run(&args.english, args.folder.as_deref(), args.force);
    }
    let files = match args.what {
        NewWhat::Spec => SPEC,
        NewWhat::Policy => POLICY,
        NewWhat::Agent => AGENT,
        NewWhat::Ci => CI,
        NewWhat::Monitor => MONITOR,
    };
    let folder = match (&args.folder, args.what) {
        (Some(folder), _) => folder.as_path(),
        (None, NewWhat::Ci) => Path::new("."),
        (None, what) => {
            let what = what.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
            return output::wrong(&format!("the folder is missing: `tsl-synth new {what} DIR`"));
        }
    };
    let text = write(files, folder, args.force).map(|()| next(args.what, folder));
    match text.and_then(|text| output::deliver(None, &text)) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

fn write(files: &[File], folder: &Path, force: bool) -> Result<()> {
    let shown = |path: &Path| terminal::escape(&path.display().to_string());
    let there = files.iter().map(|(name, _)| folder.join(name)).find(|path| path.exists());
    if let (Some(path), false) = (there, force) {
        bail!("`{}` is there already; `--force` replaces it", shown(&path));
    }
    files.iter().try_for_each(|(name, text)| {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        crate::files::make_folder(parent)?;
        output::write_file(&path, text.as_bytes())
    })
}

/// Commands to try next, with paths relative to the current folder.
fn next(what: NewWhat, folder: &Path) -> String {
    let file = |name: &str| quoted(&folder.join(name).display().to_string());
    let (written, commands) = match what {
        NewWhat::Spec => {
            let spec = file("lamp.tsl");
            let commands = [
                format!("check {spec}"),
                format!("simulate {spec} --random 5"),
                format!("emit {spec} --lang js"),
            ];
            ("a specification and a project file", commands.to_vec())
        }
        NewWhat::Policy => {
            let (policy, keeps, breaks) = (file("policy.toml"), file("keeps.jsonl"), file("breaks.jsonl"));
            let commands = [
                format!("check {policy}"),
                format!("policy test {policy} {}", file("scenarios.jsonl")),
                format!("monitor {policy} {keeps}"),
                format!("monitor {policy} {breaks} --blame"),
            ];
            ("a policy, scenarios and two logs", commands.to_vec())
        }
        NewWhat::Agent => {
            let spec = file("host.tsl");
            let commands = [format!("check {spec}"), format!("agent {spec} --oracle sim --turns 3")];
            ("a specification and prompts", commands.to_vec())
        }
        NewWhat::Ci => {
            let folder = quoted(&folder.display().to_string());
            ("a workflow", vec![format!("check --each --format github {folder}")])
        }
        NewWhat::Monitor => {
            let call = "policy monitor policy.toml logs --follow --format prometheus -o tsl-synth.prom";
            ("rules of Prometheus and a dashboard of Grafana", vec![call.to_owned()])
        }
    };
    let folder = terminal::escape(&folder.display().to_string());
    let commands: Vec<String> = commands.iter().map(|command| format!("  tsl-synth {command}\n")).collect();
    format!("wrote {written} into `{folder}`; now try\n\n{}", commands.concat())
}

/// A word quoted for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = !word.starts_with('-')
        && word.chars().all(|c| {
            c.is_ascii_alphanumeric() || "/._-+=:@\\".contains(c) || !c.is_ascii() && !c.is_control()
        });
    if is_plain { word.to_string() } else { format!("'{}'", terminal::escape(&word.replace('\'', "'\\''"))) }
}
