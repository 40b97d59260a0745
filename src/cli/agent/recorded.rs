//! Records of agents: read, with the files that they name, and compared.

use crate::exit::Exit;
use crate::terminal::eprint;
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use tsl_synth_documents::Record;

/// Whether a file is a record of an agent, by how it begins.
pub(crate) fn is_record(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0_u8; 11];
    let file = std::fs::File::open(path);
    file.and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"{\"header\":{"
}

/// Reads a record, and returns it with its text.
pub(crate) fn read(path: &Path) -> Result<(Record, String)> {
    let named = || format!("cannot read `{}`", path.display());
    let text = std::fs::read_to_string(path).with_context(named)?;
    let record =
        Record::read(&text).map_err(|(line, why)| anyhow!("`{}`, line {line}: {why}", path.display()))?;
    Ok((record, text))
}

/// The files of the specification that a record names, relative to the folder of the record.
pub(crate) fn specs(record: &Record, path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    record.header.spec.iter().map(|name| folder.join(name)).collect()
}

/// The table of prompts that a record names.
pub(crate) fn prompts(record: &Record, path: &Path) -> Option<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    record.header.prompts.as_ref().map(|name| folder.join(name))
}

/// Compares the record of the replay with the original one.
pub(crate) fn compared(again: &str, text: &str) -> Exit {
    let different = again.lines().zip(text.lines()).position(|(a, b)| a != b);
    let shorter = again.lines().count().min(text.lines().count());
    match different.or((again != text).then_some(shorter)) {
        None => {
            eprint(&format!("the same: {} lines, {} bytes\n", text.lines().count(), text.len()));
            Exit::Yes
        }
        Some(line) => {
            eprint(&format!("line {} of the record differs\n", line + 1));
            Exit::No
        }
    }
}
