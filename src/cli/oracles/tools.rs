//! The tools of a tools file: texts of folders beside it, and programs that get the input of a call and print its result.

use crate::shield::probe::{HookEnd, run_command};
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tsl_synth_agents::tools::{ToolBox, ToolPort};

/// A folder has at most this many texts.
const MOST_TEXTS: usize = 10_000;
/// Longer texts are not read, in bytes.
const LONGEST_TEXT: u64 = 4 << 20;

/// Opens the tools of a file.
///
/// # Errors
/// When the file or a folder that it names cannot be read.
pub(super) fn open(path: &Path, timeout: Duration) -> Result<ToolBox> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let beside = path.parent().map(Path::to_path_buf).unwrap_or_default();
    ToolBox::read(&text, is_json, Box::new(ToolFiles { beside, timeout }))
        .map_err(|why| anyhow!("`{}`: {why}", path.display()))
}

struct ToolFiles {
    /// The folder of the tools file; relative folders are below it, and programs run in it.
    beside: PathBuf,
    timeout: Duration,
}

impl ToolPort for ToolFiles {
    fn texts(&mut self, folder: &str) -> Result<Vec<(String, String)>, String> {
        let folder = self.beside.join(folder);
        let failed = |error: &dyn std::fmt::Display| format!("cannot read `{}`: {error}", folder.display());
        let mut texts = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(|error| failed(&error))? {
            let path = entry.map_err(|error| failed(&error))?.path();
            let is_text = path.extension().is_some_and(|ending| ending == "txt" || ending == "md");
            if !is_text {
                continue;
            }
            let size = path.metadata().map_err(|error| failed(&error))?.len();
            if size > LONGEST_TEXT || texts.len() >= MOST_TEXTS {
                return Err(format!(
                    "`{}` has a text over {} MiB, or more than {MOST_TEXTS} texts",
                    folder.display(),
                    LONGEST_TEXT >> 20
                ));
            }
            let text = std::fs::read(&path).map_err(|error| failed(&error))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            texts.push((name, String::from_utf8_lossy(&text).into_owned()));
        }
        texts.sort();
        Ok(texts)
    }

    fn run(&mut self, command: &str, input: &str) -> Result<String, String> {
        let words = shlex::split(command).ok_or_else(|| format!("a quote in `{command}` is not closed"))?;
        let (program, arguments) = words.split_first().ok_or("the tool names no program")?;
        let mut process = Command::new(program);
        process.args(arguments);
        if !self.beside.as_os_str().is_empty() {
            process.current_dir(&self.beside);
        }
        let run = run_command(&mut process, input, self.timeout);
        match run.ended {
            HookEnd::By(Some(0)) => Ok(run.stdout.trim_end().to_owned()),
            HookEnd::By(code) => {
                let why = run.stderr.trim().lines().last().unwrap_or_default().to_owned();
                let code = code.map_or("by a signal".into(), |code| format!("with exit code {code}"));
                Err(format!("`{program}` ended {code}: {why}").trim_end_matches([':', ' ']).to_owned())
            }
            HookEnd::TooSlow => Err(format!("`{program}` took longer than {} s", self.timeout.as_secs())),
            HookEnd::NotStarted(why) => Err(format!("cannot run `{program}`: {why}")),
        }
    }
}
