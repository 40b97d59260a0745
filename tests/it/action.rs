//! The GitHub action: its steps are run as GitHub runs them, with the variables that `action.yml` sets.
#![cfg(unix)]

use crate::cli::{Folder, REALIZABLE, UNREALIZABLE};
use crate::readme::{read, root};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn action() -> PathBuf {
    root().join(".github/actions/check")
}

/// The parts of `action.yml` that the tests use.
struct Action {
    /// The inputs with their defaults.
    inputs: BTreeMap<String, String>,
    /// The steps: their ids, the variables, and the script or the action that is used.
    steps: Vec<Step>,
}

#[derive(Debug, Default)]
struct Step {
    id: String,
    env: BTreeMap<String, String>,
    run: Option<String>,
    uses: Option<String>,
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text).to_string()
}

impl Action {
    fn read() -> Self {
        let text = read(&action().join("action.yml"));
        let (mut inputs, mut steps) = (BTreeMap::new(), Vec::<Step>::new());
        let (mut section, mut input, mut env) = ("", String::new(), false);
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            let item = line.trim_start();
            if item.starts_with('#') {
                continue;
            }
            if indent == 0 {
                section = item.trim_end_matches(':');
            }
            let (key, value) = item.split_once(':').unwrap_or((item, ""));
            match (section, indent) {
                ("inputs", 2) => {
                    input = key.into();
                    inputs.insert(input.clone(), String::new());
                }
                ("inputs", 4) if key == "default" => {
                    inputs.insert(input.clone(), unquoted(value));
                }
                ("runs", 4) if item.starts_with("- ") => steps.push(Step::default()),
                ("runs", 6) => {
                    let step = steps.last_mut().expect("a step");
                    env = key == "env";
                    match key {
                        "id" => step.id = value.trim().into(),
                        "run" => step.run = Some(unquoted(value)),
                        "uses" => step.uses = Some(value.trim().into()),
                        _ => {}
                    }
                }
                ("runs", 8) if env => {
                    let step = steps.last_mut().expect("a step");
                    step.env.insert(key.into(), value.trim().into());
                }
                _ => {}
            }
        }
        Self { inputs, steps }
    }
}

/// A run of the action in a folder, which is the workspace.
struct Runner<'f> {
    folder: &'f Folder,
    action: Action,
    /// The values of the expressions `${{ .. }}`.
    known: BTreeMap<String, String>,
}

struct Ended {
    code: i32,
    out: String,
    outputs: BTreeMap<String, String>,
    summary: String,
}

impl<'f> Runner<'f> {
    fn new(folder: &'f Folder, with: &[(&str, &str)]) -> Self {
        let action = Action::read();
        let mut known: BTreeMap<String, String> =
            action.inputs.iter().map(|(name, value)| (format!("inputs.{name}"), value.clone())).collect();
        for (name, value) in with {
            assert!(known.insert(format!("inputs.{name}"), (*value).into()).is_some(), "no input {name}");
        }
        let temp = folder.path().join("runner temp");
        std::fs::create_dir_all(&temp).expect("a folder");
        known.insert("runner.temp".into(), temp.display().to_string());
        known.insert("github.action_path".into(), self::action().display().to_string());
        known.insert("github.server_url".into(), format!("file://{}", folder.path().display()));
        known.insert("github.action_repository || github.repository".into(), "owner/repository".into());
        Self { folder, action, known }
    }

    fn value(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${{") {
            let (name, after) = after.split_once("}}").expect("the expression ends");
            let name = name.trim();
            out.push_str(before);
            out.push_str(self.known.get(name).unwrap_or_else(|| panic!("`{name}` is not known")));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// Runs the script of a step as GitHub does with `shell: bash`.
    fn step(&mut self, id: &str) -> Ended {
        let temp = PathBuf::from(&self.known["runner.temp"]);
        let step = self.action.steps.iter().find(|step| step.id == id).expect("the step is there");
        let script = temp.join("script.sh");
        std::fs::write(&script, step.run.as_ref().expect("a script")).expect("a file");
        let (output, summary) = (temp.join("output"), temp.join("summary"));
        std::fs::write(&output, "").expect("a file");
        std::fs::write(&summary, "").expect("a file");
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(&script);
        bash.current_dir(self.folder.path()).stdin(Stdio::null());
        bash.env("CI", "true").env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64").env("RUNNER_TEMP", &temp);
        bash.env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", &summary);
        bash.envs(step.env.iter().map(|(name, value)| (name, self.value(value))));
        let ended = bash.output().expect("bash starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let outputs: BTreeMap<String, String> = read(&output)
            .lines()
            .map(|line| line.split_once('=').expect("name=value"))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        for (name, value) in &outputs {
            self.known.insert(format!("steps.{id}.outputs.{name}"), value.clone());
        }
        Ended {
            code: ended.status.code().expect("ended by itself"),
            out: text(ended.stdout) + &text(ended.stderr),
            outputs,
            summary: read(&summary),
        }
    }
}

/// Installs the program under test, and checks.
fn check(folder: &Folder, with: &[(&str, &str)]) -> Ended {
    let program = [("binary", env!("CARGO_BIN_EXE_tsl-synth"))];
    let with: Vec<(&str, &str)> = program.into_iter().chain(with.iter().copied()).collect();
    let mut runner = Runner::new(folder, &with);
    let installed = runner.step("install");
    assert_eq!(installed.code, 0, "{}", installed.out);
    let ended = runner.step("check");
    assert_eq!(ended.outputs.get("exit-code").cloned(), Some(ended.code.to_string()), "{}", ended.out);
    ended
}

#[test]
fn checks_what_globs_name_and_summarizes() {
    let folder = Folder::new();
    folder.file("specs/no.tsl", UNREALIZABLE);
    folder.file("specs/deep/yes.tsl", REALIZABLE);
    folder.file("more specs/yes too.tsl", REALIZABLE);
    let ended = check(&folder, &[("specs", "specs/**/*.tsl\nmore specs/yes too.tsl\n")]);
    assert_eq!(ended.code, 1, "{}", ended.out);
    assert!(ended.out.contains("\n::error file=specs/no.tsl,line=2,"), "{}", ended.out);
    let line = "3 specifications: 2 realizable, 1 unrealizable, 0 unknown, 0 errors";
    assert!(ended.out.contains(line) && ended.summary.contains(line), "{}", ended.summary);
    assert!(ended.summary.contains("| more specs/yes too.tsl | REALIZABLE |"), "{}", ended.summary);
    // Blanks separate globs as well, and verdicts are cached for the next run.
    let kept = || std::fs::read_dir(folder.path().join("runner temp/tsl-synth-verdicts")).expect("a folder");
    assert!(kept().count() > 0);
    let ended = check(&folder, &[("specs", "specs/deep  specs/*.tsl gone.tsl")]);
    assert_eq!(ended.code, 2, "{}", ended.out);
    assert!(ended.out.contains("::error file=gone.tsl,line=1"), "{}", ended.out);
    let ended = check(&folder, &[("specs", " \n\t\n")]);
    assert_eq!(ended.code, 2, "{}", ended.out);
}

#[test]
fn deny_and_baseline_are_respected() {
    let folder = Folder::new();
    folder.file("vacuous.tsl", "always assume { go; ! go; }\nalways guarantee { go -> [x <- a()]; }\n");
    folder.file("no.tsl", UNREALIZABLE);
    let vacuous = ("specs", "vacuous.tsl");
    assert_eq!(check(&folder, &[vacuous]).code, 1);
    assert_eq!(check(&folder, &[vacuous, ("deny", "")]).code, 0);
    assert_eq!(check(&folder, &[vacuous, ("deny", "TSL0001")]).code, 0);
    let known = "{\"schemaVersion\":\"1.0\",\"known\":[{\"spec\":\"no.tsl\",\"verdict\":\"UNREALIZABLE\"}]}";
    folder.file("known.json", known);
    assert_eq!(check(&folder, &[("specs", "no.tsl"), ("baseline", "known.json")]).code, 0);
    let ended = check(&folder, &[("specs", "no.tsl"), ("time-limit", "soon")]);
    assert_eq!(ended.code, 2, "{}", ended.out);
}

#[test]
fn nothing_in_an_input_is_executed() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    let hostile = "$(touch hacked1) `touch hacked2` ; touch hacked3 ; \"; touch hacked4; \" ' --output=hacked5 \
                   -o hacked6 ${IFS} $SPECS & | > hacked7 \\ * yes.tsl";
    let ended = check(&folder, &[("specs", hostile)]);
    assert_eq!(ended.code, 2, "{}", ended.out);
    assert!(ended.out.contains("REALIZABLE") && ended.summary.contains("| yes.tsl | REALIZABLE |"));
    for (name, value) in [
        ("deny", "$(touch hacked1)"),
        ("time-limit", "1s; touch hacked2"),
        ("baseline", "$(touch hacked3)`touch hacked4`"),
    ] {
        let ended = check(&folder, &[("specs", "yes.tsl"), (name, value)]);
        assert_eq!(ended.code, 2, "{name}: {}", ended.out);
    }
    for (name, value) in [
        ("binary", "$(touch hacked1)"),
        ("binary", "x\n::error::mine"),
        ("version", "1.2.3; touch hacked2"),
        ("version", "../../1.2.3"),
        ("sha256", "$(touch hacked3)"),
    ] {
        let sum = "0".repeat(64);
        let ended = Runner::new(&folder, &[("sha256", sum.as_str()), (name, value)]).step("install");
        assert_eq!(ended.code, 2, "{name}: {}", ended.out);
        assert!(ended.out.lines().all(|line| !line.starts_with("::error::")), "{}", ended.out);
    }
    let names = std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["runner temp", "yes.tsl"]);
}

fn sha256(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("a file");
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A program that calls the one under test.
fn program(folder: &Folder, name: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.file(name, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_tsl-synth")));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    path
}

#[test]
fn a_given_program_is_pinned_by_its_hash() {
    let folder = Folder::new();
    let sum = sha256(&program(&folder, "bin/tsl-synth"));
    let install = |with: &[(&str, &str)]| Runner::new(&folder, with).step("install");
    let ended = install(&[("binary", "bin/tsl-synth"), ("sha256", &sum.to_uppercase())]);
    assert_eq!(ended.code, 0, "{}", ended.out);
    assert!(Path::new(&ended.outputs["program"]).is_absolute());
    let other = "0".repeat(64);
    let ended = install(&[("binary", "bin/tsl-synth"), ("sha256", &other)]);
    assert!(ended.code == 2 && ended.out.contains(&sum) && ended.outputs.is_empty(), "{}", ended.out);
    assert_eq!(install(&[("binary", "bin/gone"), ("sha256", &sum)]).code, 2);
    assert_eq!(install(&[("binary", "bin/tsl-synth"), ("version", "1.2.3")]).code, 2);
}

#[test]
fn a_released_program_is_pinned_by_the_hash_of_its_archive() {
    let folder = Folder::new();
    let name = "tsl-synth-1.2.3-x86_64-unknown-linux-musl";
    program(&folder, &format!("{name}/tsl-synth"));
    let releases = folder.path().join("owner/repository/releases/download/v1.2.3");
    std::fs::create_dir_all(&releases).expect("a folder");
    let archive = releases.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(folder.path()).arg("-czf").arg(&archive).arg(name);
    assert!(tar.status().expect("tar is there").success());
    folder.file("yes.tsl", REALIZABLE);
    let sum = sha256(&archive);
    let mut runner = Runner::new(&folder, &[("version", "1.2.3"), ("sha256", &sum), ("specs", "*.tsl")]);
    let ended = runner.step("install");
    assert_eq!(ended.code, 0, "{}", ended.out);
    let ended = runner.step("check");
    assert!(ended.code == 0 && ended.out.contains("REALIZABLE"), "{}", ended.out);
    // Without the hash, or with another one, nothing is installed.
    let install = |with: &[(&str, &str)]| Runner::new(&folder, with).step("install");
    let ended = install(&[("version", "1.2.3")]);
    assert!(ended.code == 2 && ended.out.contains("version needs sha256"), "{}", ended.out);
    let ended = install(&[("version", "1.2.3"), ("sha256", &"0".repeat(64))]);
    assert!(ended.code == 2 && ended.outputs.is_empty(), "{}", ended.out);
    assert_eq!(install(&[("version", "1.2.4"), ("sha256", &sum)]).code, 2);
}

#[test]
fn what_would_be_built_has_a_name() {
    let folder = Folder::new();
    let key = |runner: &mut Runner<'_>| runner.step("key").outputs["key"].clone();
    let first = key(&mut Runner::new(&folder, &[]));
    assert_eq!((first.len(), key(&mut Runner::new(&folder, &[]))), (64, first.clone()));
    // A program in the cache is used without a build.
    let mut runner = Runner::new(&folder, &[]);
    let built = program(&folder, "runner temp/tsl-synth/bin/tsl-synth");
    let ended = runner.step("install");
    assert_eq!(
        (ended.code, ended.outputs.get("program")),
        (0, Some(&built.display().to_string())),
        "{}",
        ended.out
    );
}

#[test]
fn scripts_hold_no_expressions_and_other_actions_are_pinned() {
    let action = Action::read();
    assert_eq!(action.steps.len(), 5);
    for step in &action.steps {
        if let Some(uses) = &step.uses {
            let pin = uses.split_once('@').expect("a pin").1.split(' ').next().expect("a hash");
            assert!(pin.len() == 40 && pin.bytes().all(|b| b.is_ascii_hexdigit()), "{uses}");
        }
        assert!(step.run.as_ref().is_none_or(|run| !run.contains("${{")), "{step:?}");
    }
}

/// The globs that the manual shows for the action.
#[test]
fn the_globs_that_are_shown_work() {
    let pages = [root().join("src/cli/topics/recipes.md"), root().join("src/cli/topics/ci.md")];
    for page in pages {
        let text = read(&page);
        let shown: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("specs: ")).collect();
        assert!(!shown.is_empty(), "{} shows no globs", page.display());
        for specs in shown {
            let folder = Folder::new();
            for file in std::fs::read_dir(root().join("specs/tutorial")).expect("the tutorial").flatten() {
                let contents = std::fs::read(file.path()).expect("a file");
                folder.file(&format!("specs/tutorial/{}", file.file_name().to_string_lossy()), contents);
            }
            let ended = check(&folder, &[("specs", &unquoted(specs))]);
            assert_eq!(ended.code, 1, "{specs}: {}", ended.out);
            assert!(ended.out.contains("::error file=specs/tutorial/washer_2.tsl,line=8"), "{}", ended.out);
        }
    }
}
