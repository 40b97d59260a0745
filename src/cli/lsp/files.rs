//! Files as the editor sees them: the texts of open documents, and for all others the disk.

use crate::files::DiskLoader;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_lang::spec::{LoadError, Loaded};
use tsl_synth_service::{ImportLoader, Loader, ReadError};

/// The texts of open files by their canonical paths.
pub(super) type OpenTexts = Arc<BTreeMap<PathBuf, Arc<str>>>;

/// Reads open documents from the editor and other files from disk.
#[derive(Clone, Debug)]
pub(super) struct EditorFiles {
    open: OpenTexts,
    disk: DiskLoader,
}

impl EditorFiles {
    pub(super) fn new(open: OpenTexts) -> Self {
        Self { open, disk: DiskLoader::new(None) }
    }
    /// The same files with this text for one of them.
    pub(super) fn with(&self, path: &Path, text: &str) -> Self {
        let mut open = (*self.open).clone();
        open.insert(canonical(path), text.into());
        Self::new(Arc::new(open))
    }
    /// The text of a file.
    pub(super) fn text(&self, path: &Path) -> Option<Arc<str>> {
        if let Some(text) = self.open.get(&canonical(path)) {
            return Some(Arc::clone(text));
        }
        let bytes = self.disk.read(path).ok()?;
        String::from_utf8(bytes).ok().map(Arc::from)
    }
}

/// The canonical path, or the path itself if there is no such file.
pub(super) fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

impl Loader for EditorFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        match self.open.get(&canonical(path)) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.disk.read(path),
        }
    }
    fn canonical(&self, path: &Path) -> String {
        self.disk.canonical(path)
    }
    fn imports<'l>(&'l self, main: Option<&Path>) -> Box<dyn ImportLoader + 'l> {
        Box::new(EditorImports { disk: self.disk.imports(main), open: &self.open })
    }
}

struct EditorImports<'l> {
    disk: Box<dyn ImportLoader + 'l>,
    open: &'l BTreeMap<PathBuf, Arc<str>>,
}

impl ImportLoader for EditorImports<'_> {
    fn load(&self, from: &str, path: &str) -> Result<Loaded, LoadError> {
        // The loader of the disk checks whether the file may be imported.
        let loaded = self.disk.load(from, path)?;
        Ok(match self.open.get(Path::new(&loaded.canonical)) {
            Some(text) => Loaded { text: text.to_string(), ..loaded },
            None => loaded,
        })
    }
}
