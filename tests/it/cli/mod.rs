//! The real binary, as a user calls it.

mod actor;
mod adapters;
mod agent;
mod bad_input;
mod begin;
mod blame;
mod cache;
mod causes;
mod convert;
mod corpus;
mod diff;
mod emit;
mod experiments;
mod families;
mod follow;
mod leads;
mod log_folders;
mod formats;
mod help;
mod many;
mod monitor;
mod moore;
mod packages;
mod plan;
mod policy;
mod policy_head;
mod policy_schema;
mod programs;
mod project;
mod simulate;
mod smv;
mod verdicts;
mod view;
mod view_sessions;
mod view_trace;
pub(crate) mod verify;
mod watch;
mod waves;
mod world_schema;
mod worlds;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary folder, removed at the end of the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
    /// Writes a file; folders in its name are made.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file in a folder")).expect("folders");
        std::fs::write(&path, contents).expect("a file");
        path
    }
    /// Runs the binary in this folder, without `CI` and `NO_COLOR` in its environment.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        self.run_with(args, "")
    }
    pub(crate) fn run_with<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        stdin: &str,
    ) -> Run {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // Writing fails if the program ends without reading its input.
        let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
        Run::of(child.wait_with_output().expect("the binary ends"))
    }
    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsl-synth"));
        command.args(args).current_dir(self.path()).env_remove("CI").env_remove("NO_COLOR");
        command
    }
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
    /// Asserts the exit code; a failure prints the whole result.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}

/// Realizable: `go` determines the update of `x`.
pub(crate) const REALIZABLE: &str = "always guarantee {\n  go -> [x <- a()];\n  ! go -> [x <- b()];\n}\n";
/// Two guarantees in conflict, and one that has nothing to do with it.
pub(crate) const UNREALIZABLE: &str =
    "always guarantee {\n  go -> [x <- a()];\n  stop -> [x <- b()];\n  go -> [y <- c()];\n}\n";
/// A missing parenthesis.
pub(crate) const BROKEN: &str = "always guarantee {\n  (go -> [x <- a()];\n}\n";
