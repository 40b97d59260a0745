//! Reading and writing files, and finding imported ones.

use crate::exit::uninterrupted;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tsl_synth::diag::{Code, Diagnostic};
use tsl_synth::source::{SourceId, SourceMap, Span};
use tsl_synth::spec::{LoadError, Loaded, Loader};

/// Larger inputs are refused before they are read.
pub(crate) const MAX_INPUT: u64 = 64 << 20;

/// Why a text could not be had.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// It cannot be read; why.
    Unreadable(String),
    /// It is not UTF-8: what could be read of it, and the first wrong byte.
    NotText {
        /// The text before the wrong byte.
        before: String,
        /// The byte.
        byte: u8,
    },
    /// It is larger than [`MAX_INPUT`].
    TooLarge,
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<String, ReadError> {
    text(read_bytes(path)?)
}

fn text(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        let byte = bytes[valid];
        bytes.truncate(valid);
        ReadError::NotText { before: String::from_utf8_lossy(&bytes).into_owned(), byte }
    })
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| ReadError::Unreadable(plain(&error));
    if is_stdin(path) {
        std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        let file = std::fs::File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(ReadError::Unreadable("it is a folder".into()));
        }
        file.take(MAX_INPUT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if bytes.len() as u64 > MAX_INPUT {
        return Err(ReadError::TooLarge);
    }
    Ok(bytes)
}

/// The reason without the number of the system's error.
fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => error.to_string(),
    }
}

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name under which a file is shown.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.to_string_lossy().into_owned() }
}

/// Reads a file into the map.
///
/// # Errors
/// A diagnostic, or `None` for a file past the size limit.
pub(crate) fn load(path: &Path, map: &mut SourceMap) -> Result<SourceId, Option<Diagnostic>> {
    add(path, read_bytes(path), map)
}

/// Puts what was read from a file into the map.
///
/// # Errors
/// As [`load`].
pub(crate) fn add(
    path: &Path,
    bytes: Result<Vec<u8>, ReadError>,
    map: &mut SourceMap,
) -> Result<SourceId, Option<Diagnostic>> {
    let name = shown(path);
    match bytes.and_then(text) {
        Ok(text) => Ok(map.add(name, text)),
        Err(ReadError::TooLarge) => Err(None),
        Err(ReadError::Unreadable(why)) => {
            Err(Some(Diagnostic::error(Code::CANNOT_READ, format!("cannot read `{name}`: {why}"))))
        }
        Err(ReadError::NotText { before, byte }) => {
            let end = before.len();
            let source = map.add(name.clone(), before);
            Err(Some(
                Diagnostic::error(Code::NOT_TEXT, format!("`{name}` is not UTF-8 text"))
                    .at(Span::new(source, end, end), format!("the byte 0x{byte:02x} is here")),
            ))
        }
    }
}

/// Writes a file whole or not at all: into a temporary file beside it, then renamed.
///
/// # Errors
/// When the folder is not there or not writable.
pub(crate) fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    // A link is written through, so that it stays a link; devices and pipes cannot be replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&target) {
        Ok(meta) if meta.is_dir() => return Err(std::io::Error::other("it is a folder")),
        Ok(meta) if !meta.is_file() => {
            return std::fs::OpenOptions::new().write(true).open(&target)?.write_all(contents);
        }
        _ => {}
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    uninterrupted(|| {
        // The name of the temporary file would say nothing.
        let mut file = tempfile::Builder::new().prefix(".tsl-synth-").tempfile_in(folder).map_err(
            |error| match error.kind() {
                std::io::ErrorKind::NotFound => std::io::Error::other("there is no such folder"),
                kind => kind.into(),
            },
        )?;
        file.write_all(contents)?;
        set_permissions(file.as_file(), &target)?;
        file.persist(&target).map_err(|error| error.error)?;
        Ok(())
    })
}

/// Temporary files are private; the result gets the permissions of the file it replaces, or those that a
/// new file has by default.
#[cfg(unix)]
fn set_permissions(file: &std::fs::File, target: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(target).map_or(0o644, |meta| meta.permissions().mode() & 0o777);
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_permissions(_file: &std::fs::File, _target: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Finds imports below a root folder.
pub(crate) struct ImportLoader {
    /// The canonical root; `None` when there is no folder that imports could be relative to.
    root: Option<PathBuf>,
}

impl ImportLoader {
    /// The root: as given, else the nearest folder above `main` with `tsl-synth.toml` or `.git`, else the
    /// folder of `main`.
    pub(crate) fn new(given: Option<&Path>, main: Option<&Path>) -> Self {
        let root = match (given, main) {
            (Some(given), _) => Some(given.to_path_buf()),
            (None, Some(main)) => folder_of(main).map(|folder| {
                let marked = |folder: &&Path| {
                    folder.join(crate::project::FILE_NAME).is_file() || folder.join(".git").exists()
                };
                folder.ancestors().find(marked).unwrap_or(&folder).to_path_buf()
            }),
            (None, None) => None,
        };
        Self { root: root.and_then(|root| std::fs::canonicalize(root).ok()) }
    }
}

/// The canonical folder of a file; for standard input the current one.
fn folder_of(file: &Path) -> Option<PathBuf> {
    if is_stdin(file) {
        return std::env::current_dir().ok();
    }
    std::fs::canonicalize(file).ok()?.parent().map(Path::to_path_buf)
}

/// The name under which imports of a main file are looked up.
pub(crate) fn canonical_name(file: &Path) -> String {
    let path = if is_stdin(file) {
        std::env::current_dir().map(|folder| folder.join("<stdin>")).ok()
    } else {
        std::fs::canonicalize(file).ok()
    };
    path.unwrap_or_else(|| file.to_path_buf()).to_string_lossy().into_owned()
}

impl Loader for ImportLoader {
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError> {
        let Some(root) = &self.root else {
            return Err(LoadError::NotFound(path.into()));
        };
        let wanted = Path::new(from).parent().unwrap_or(Path::new(".")).join(path);
        // Canonical paths have no links and no `..` left, so a prefix test is all that confinement needs.
        let Ok(found) = std::fs::canonicalize(&wanted) else {
            return Err(LoadError::NotFound(wanted.to_string_lossy().into_owned()));
        };
        if !found.starts_with(root) {
            return Err(LoadError::OutsideRoot(root.to_string_lossy().into_owned()));
        }
        let text = match read(&found) {
            Ok(text) => text,
            Err(ReadError::NotText { .. }) => return Err(LoadError::NotText),
            Err(ReadError::Unreadable(why)) => return Err(LoadError::Unreadable(why)),
            Err(ReadError::TooLarge) => {
                return Err(LoadError::Unreadable(format!("it is larger than {} MiB", MAX_INPUT >> 20)));
            }
        };
        let name = std::env::current_dir()
            .ok()
            .and_then(|here| found.strip_prefix(here).ok().map(Path::to_path_buf))
            .unwrap_or_else(|| found.clone());
        Ok(Loaded {
            canonical: found.to_string_lossy().into_owned(),
            name: name.to_string_lossy().into_owned(),
            text,
        })
    }
}
