//! Scripts of calls in files.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use tsl_synth_core::model::{SCRIPT_FILE_LENGTH, ScriptContent};
use tsl_synth_gate::ScriptReader;

/// Reads scripts from the file system. Pipes, devices and folders are not read, and of long files only the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskScripts;

fn full(folder: Option<&str>, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    let folder = Path::new(folder?);
    folder.is_absolute().then(|| folder.join(path))
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

fn text(path: PathBuf) -> Option<String> {
    path.into_os_string().into_string().ok()
}

impl ScriptReader for DiskScripts {
    fn read(&self, folder: Option<&str>, path: &str) -> (ScriptContent, Option<String>) {
        let Some(path) = full(folder, path) else { return (ScriptContent::NoFolder, None) };
        let missing = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
        // Opening a pipe would wait for a writer.
        let metadata = match path.metadata() {
            Ok(metadata) if metadata.is_file() => metadata,
            Err(error) if missing(error.kind()) => return (ScriptContent::Missing, None),
            _ => return (ScriptContent::Unreadable, None),
        };
        let mut bytes = Vec::new();
        let limit = SCRIPT_FILE_LENGTH as u64 + 1;
        if File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).is_err() {
            return (ScriptContent::Unreadable, None);
        }
        let place = path.canonicalize().ok().filter(|_| !has_other_names(&metadata)).and_then(text);
        (ScriptContent::of_bytes(&bytes), place)
    }
    fn place(&self, folder: Option<&str>, path: &str) -> Option<String> {
        let path = full(folder, path)?;
        match path.symlink_metadata() {
            Ok(_) => {
                let metadata = path.metadata().ok()?;
                let is_one = metadata.is_dir() || !has_other_names(&metadata);
                path.canonicalize().ok().filter(|_| is_one).and_then(text)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let name = path.file_name()?;
                text(path.parent()?.canonicalize().ok()?.join(name))
            }
            Err(_) => None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn files_are_read_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let at = |name: &str| root.join(name);
        std::fs::create_dir(at("sub")).expect("a folder");
        std::fs::write(at("a b.sh"), "echo hello\n").expect("a file");
        std::fs::write(at("long"), vec![b'#'; SCRIPT_FILE_LENGTH + 9]).expect("a file");
        symlink("a b.sh", at("link")).expect("a link");
        symlink("nowhere", at("dangling")).expect("a link");
        symlink("round", at("round")).expect("a link");
        std::fs::write(at("one"), "ls\n").expect("a file");
        std::fs::hard_link(at("one"), at("two")).expect("a link");
        std::fs::write(at("closed"), "ls\n").expect("a file");
        std::fs::set_permissions(at("closed"), PermissionsExt::from_mode(0o000)).expect("permissions");
        let base = root.to_str().expect("a text");
        let read = |path: &str| DiskScripts.read(Some(base), path);
        let place = |path: &str| DiskScripts.place(Some(base), path);
        let own = Some(format!("{base}/a b.sh"));
        for path in ["a b.sh", "./a b.sh", "sub/../a b.sh", "link", &format!("{base}/link")] {
            let (content, place) = read(path);
            assert!(matches!(content, ScriptContent::Text { text, .. } if text == "echo hello\n"), "{path}");
            assert_eq!(place, own, "{path}");
        }
        assert_eq!(read("long").0, ScriptContent::TooLong);
        assert_eq!(read("one").1, None);
        for (path, expected) in [
            ("missing", ScriptContent::Missing),
            ("dangling", ScriptContent::Missing),
            ("a b.sh/x", ScriptContent::Missing),
            ("round", ScriptContent::Unreadable),
            ("sub", ScriptContent::Unreadable),
            ("/dev/zero", ScriptContent::Unreadable),
        ] {
            assert_eq!(read(path).0, expected, "{path}");
        }
        // The superuser reads every file.
        if File::open(at("closed")).is_err() {
            assert_eq!(read("closed").0, ScriptContent::Unreadable);
        }
        assert_eq!(DiskScripts.read(None, "a b.sh").0, ScriptContent::NoFolder);
        assert_eq!(DiskScripts.read(Some("sub"), "a b.sh").0, ScriptContent::NoFolder);
        assert_eq!(place("link"), own);
        assert_eq!(place("new"), Some(format!("{base}/new")));
        assert_eq!(place("sub"), Some(format!("{base}/sub")));
        for path in ["dangling", "two", "round", "nowhere/x", "missing/.."] {
            assert_eq!(place(path), None, "{path}");
        }
    }
}
