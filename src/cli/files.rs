//! Reading and writing files, and finding imported ones.

use crate::exit::uninterrupted;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tsl_synth_lang::spec::{LoadError, Loaded, Loader as ImportLoader};
use tsl_synth_service::{Loader, MAX_INPUT, ReadError, is_export, is_stdin};

/// The name of the project file.
pub(crate) const PROJECT_FILE: &str = "tsl-synth.toml";

/// The environment variable with the file in which a process notes what it reads, for `check --watch`, which sets it.
pub(crate) const NOTE_READS: &str = "TSL_SYNTH_NOTE_READS";

/// Notes that a file was requested, even if it does not exist.
fn note(path: &Path) {
    let Some(notes) = std::env::var_os(NOTE_READS) else { return };
    let path =
        path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf());
    let line = format!("{}\n", path.display());
    let file = std::fs::OpenOptions::new().create(true).append(true).open(notes);
    // If this fails, the file is merely not watched.
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// Standard input, which is read once however often it is asked for.
fn standard_input() -> Result<Vec<u8>, ReadError> {
    static READ: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| plain(&error))
    });
    read.clone().map_err(ReadError::Unreadable)
}

/// Whether standard input holds a text for which this is true.
pub(crate) fn standard_input_is(holds: impl Fn(&str) -> bool) -> bool {
    standard_input().is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok_and(holds))
}

/// Whether a file is an export of FRET: its name ends in `.json` and its text has requirements. A file that cannot be read
/// is none.
pub(crate) fn is_fret(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    is_json && read_bytes(path).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok_and(is_export))
}

/// The bytes of a file, or of standard input for `-`.
fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    if !is_stdin(path) {
        note(path);
    }
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| ReadError::Unreadable(plain(&error));
    if is_stdin(path) {
        bytes = standard_input()?;
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

/// The reason without the error number of the operating system.
pub(crate) fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a folder".into(),
        std::io::ErrorKind::AlreadyExists => "there is a file of this name".into(),
        std::io::ErrorKind::NotADirectory => "a part of this path is a file".into(),
        _ => error.to_string(),
    }
}

/// Creates a folder and its missing parents.
///
/// # Errors
/// When it cannot be created; the message has its name.
pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "the system makes no folders there".into(),
            _ => plain(&error),
        };
        anyhow::anyhow!("cannot make the folder `{}`: {why}", folder.display())
    })
}

/// Writes a file whole or not at all: into a temporary file beside it, then renamed.
///
/// # Errors
/// When the folder does not exist or cannot be written to.
pub(crate) fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    // The target of a symbolic link is replaced, not the link; devices and pipes are written to directly.
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
        // The plain error would show the meaningless name of the temporary file.
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

/// Reads files from disk. Imports are confined to a root folder.
#[derive(Clone, Debug)]
pub(crate) struct DiskLoader {
    import_root: Option<PathBuf>,
}

impl DiskLoader {
    /// Confines imports to `import_root`, else to the nearest folder above the main file with `tsl-synth.toml` or
    /// `.git`, else to the folder of the main file.
    pub(crate) fn new(import_root: Option<PathBuf>) -> Self {
        Self { import_root }
    }
}

impl Loader for DiskLoader {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        read_bytes(path)
    }
    fn canonical(&self, path: &Path) -> String {
        let found = if is_stdin(path) {
            std::env::current_dir().map(|folder| folder.join("<stdin>")).ok()
        } else {
            std::fs::canonicalize(path).ok()
        };
        found.unwrap_or_else(|| path.to_path_buf()).to_string_lossy().into_owned()
    }
    fn imports<'l>(&'l self, main: Option<&Path>) -> Box<dyn ImportLoader + 'l> {
        let root = match (&self.import_root, main) {
            (Some(given), _) => Some(given.clone()),
            (None, Some(main)) => folder_of(main).map(|folder| {
                let marked =
                    |folder: &&Path| folder.join(PROJECT_FILE).is_file() || folder.join(".git").exists();
                folder.ancestors().find(marked).unwrap_or(&folder).to_path_buf()
            }),
            (None, None) => None,
        };
        Box::new(Imports { root: root.and_then(|root| std::fs::canonicalize(root).ok()) })
    }
}

/// Finds imports below a root folder.
struct Imports {
    /// The canonical root; `None` when there is no folder that imports could be relative to.
    root: Option<PathBuf>,
}

/// The canonical folder of a file; for standard input the current one.
fn folder_of(file: &Path) -> Option<PathBuf> {
    if is_stdin(file) {
        return std::env::current_dir().ok();
    }
    std::fs::canonicalize(file).ok()?.parent().map(Path::to_path_buf)
}

impl ImportLoader for Imports {
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError> {
        let Some(root) = &self.root else {
            return Err(LoadError::NotFound(path.into()));
        };
        let wanted = Path::new(from).parent().unwrap_or(Path::new(".")).join(path);
        // Canonical paths have no links and no `..` left, so a prefix test is all that confinement needs.
        let Ok(found) = std::fs::canonicalize(&wanted) else {
            note(&wanted);
            return Err(LoadError::NotFound(wanted.to_string_lossy().into_owned()));
        };
        if !found.starts_with(root) {
            return Err(LoadError::OutsideRoot(root.to_string_lossy().into_owned()));
        }
        let bytes = match read_bytes(&found) {
            Ok(bytes) => bytes,
            Err(ReadError::Unreadable(why)) => return Err(LoadError::Unreadable(why)),
            Err(_) => {
                return Err(LoadError::Unreadable(format!("it is larger than {} MiB", MAX_INPUT >> 20)));
            }
        };
        let text = String::from_utf8(bytes).map_err(|_| LoadError::NotText)?;
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
