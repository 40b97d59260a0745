//! The ways to write the path of a file in a command.

use std::path::{Component, Path, PathBuf};
use tsl_synth_shell::{ShellWord, WordPiece};

/// The text of a word if it is known, with the path of the home folder in place of `~`, `$HOME`.
pub(super) fn text_of(word: &ShellWord) -> Option<String> {
    match (&word.pieces[..], word.home) {
        ([WordPiece::Any, rest @ ..], true) => {
            let mut text = std::env::home_dir()?.to_string_lossy().into_owned();
            for piece in rest {
                let WordPiece::Text(part) = piece else { return None };
                text.push_str(part);
            }
            Some(text)
        }
        _ => word.text().map(str::to_owned),
    }
}

/// Whether a word with these pieces may expand to this name.
pub(super) fn may_be(pieces: &[WordPiece], name: &str) -> bool {
    // The lengths of the prefixes of the name to which the pieces so far may expand.
    let mut reached = vec![0];
    for piece in pieces {
        let mut next: Vec<usize> = Vec::new();
        for &at in &reached {
            let rest = &name[at..];
            match piece {
                WordPiece::Text(text) => {
                    next.extend(rest.starts_with(text.as_str()).then_some(at + text.len()));
                }
                // A wildcard leaves hidden files out, and goes no deeper.
                WordPiece::Name if rest.starts_with('.') && (at == 0 || name[..at].ends_with('/')) => {}
                WordPiece::Name | WordPiece::Any | WordPiece::Plain => {
                    let slash = if *piece == WordPiece::Name { rest.find('/') } else { None };
                    let end = slash.unwrap_or(rest.len());
                    next.extend((0..=end).filter(|&more| rest.is_char_boundary(more)).map(|more| at + more));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        reached = next;
    }
    reached.contains(&name.len())
}

/// The path without `.` and `..`, by its text alone: links are not followed.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The path with the links of its longest part that exists resolved.
pub(super) fn resolved(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(found) = above.canonicalize() {
            return plain(&found.join(path.strip_prefix(above).unwrap_or(Path::new(""))));
        }
    }
    plain(path)
}

/// How a path may be written: absolute, and relative to each folder that it is in.
pub(super) fn spellings(path: &Path, bases: &[PathBuf]) -> Vec<String> {
    let relative = bases.iter().filter_map(|base| path.strip_prefix(plain(base)).ok().map(Path::to_path_buf));
    let names = std::iter::once(path.to_path_buf()).chain(relative);
    let names = names.map(|name| name.to_string_lossy().into_owned()).filter(|name| !name.is_empty());
    names.flat_map(|name| [format!("./{name}"), name]).collect()
}
