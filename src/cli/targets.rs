//! Expands the names on the command line and in the project file: files, folders and globs.

use globset::{GlobBuilder, GlobMatcher};
use std::path::{Component, Path, PathBuf};
use tsl_synth_service::{SpecLanguage, is_stdin};
use walkdir::{DirEntry, WalkDir};

/// A file that a name refers to, or a name that refers to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckTarget {
    /// A file that was named.
    Named(PathBuf),
    /// A file that was found in a folder or by a glob.
    Found(PathBuf),
    /// A name that refers to no file, and the reason.
    Nothing(PathBuf, String),
}

impl CheckTarget {
    /// The path, which for [`CheckTarget::Nothing`] is the name as it was given.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Found(path) | Self::Nothing(path, _) => path,
        }
    }
}

/// The files that names refer to.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    /// In the order of the names, those of one name sorted. A file that is found is left out if it is already in the
    /// list.
    pub(crate) list: Vec<CheckTarget>,
    /// Whether a folder was among the names; its files are then separate specifications.
    pub(crate) folder: bool,
}

/// Expands folders and globs. With `any_ending`, globs also match files without the ending of a specification.
pub(crate) fn expand(names: &[PathBuf], any_ending: bool) -> Targets {
    let mut targets = Targets::default();
    for name in names {
        if is_stdin(name) {
            targets.list.push(CheckTarget::Named(name.clone()));
        } else if name.is_dir() {
            targets.folder = true;
            let (found, errors) =
                walk(name, usize::MAX, false, |path| SpecLanguage::of_ending(path).is_some());
            let why = "it is a folder without `.tsl`, `.ltl` or `.tlsf` files";
            targets.take(name, found, errors, why);
        } else if name.symlink_metadata().is_ok() || !is_glob(name) {
            // A file, possibly with brackets in its name, or a missing file, which is reported when it is read.
            targets.list.push(CheckTarget::Named(name.clone()));
        } else {
            match GlobPattern::new(name) {
                Ok(pattern) => {
                    let kept = |path: &Path| any_ending || SpecLanguage::of_ending(path).is_some();
                    let (found, errors) = pattern.files(kept);
                    targets.take(name, found, errors, "no specification has such a name");
                }
                Err(why) => targets.list.push(CheckTarget::Nothing(name.clone(), why)),
            }
        }
    }
    targets
}

impl Targets {
    fn take(&mut self, name: &Path, mut found: Vec<PathBuf>, errors: Vec<String>, why: &str) {
        if found.is_empty() && errors.is_empty() {
            self.list.push(CheckTarget::Nothing(name.into(), why.into()));
        }
        found.sort();
        for path in found {
            if self.list.iter().all(|known| known.path() != path) {
                self.list.push(CheckTarget::Found(path));
            }
        }
        self.list.extend(errors.into_iter().map(|why| CheckTarget::Nothing(name.into(), why)));
    }
}

/// Whether a name has one of the special characters of globs.
fn is_glob(name: &Path) -> bool {
    name.to_str().is_some_and(|name| name.contains(['*', '?', '[', '{']))
}

/// A glob with the folder that it begins in.
struct GlobPattern {
    matcher: GlobMatcher,
    base: PathBuf,
    /// How deep below the base a match can be.
    depth: usize,
    /// Whether files and folders whose names begin with a dot are included.
    hidden: bool,
}

impl GlobPattern {
    fn new(name: &Path) -> Result<Self, String> {
        let text = name.to_str().ok_or("it is not UTF-8")?;
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let matcher = glob.map_err(|error| error.kind().to_string())?.compile_matcher();
        let parts: Vec<Component<'_>> = name.components().collect();
        let plain = parts.iter().take_while(|part| !is_glob(Path::new(part.as_os_str()))).count();
        let base = parts[..plain].iter().collect();
        let depth = if text.contains("**") || text.contains('{') { usize::MAX } else { parts.len() - plain };
        let hidden = parts[plain..].iter().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
        Ok(Self { matcher, base, depth, hidden })
    }

    fn files(&self, kept: impl Fn(&Path) -> bool) -> (Vec<PathBuf>, Vec<String>) {
        if !self.base.as_os_str().is_empty() && !self.base.is_dir() {
            return (Vec::new(), Vec::new());
        }
        let kept = |path: &Path| self.matcher.is_match(path) && kept(path);
        walk(&self.base, self.depth, self.hidden, kept)
    }
}

/// The files below a folder that `kept` accepts, and the errors. Links to folders are not followed, so that there are
/// no loops; names that begin with a dot are left out unless `hidden`.
fn walk(
    folder: &Path,
    depth: usize,
    hidden: bool,
    kept: impl Fn(&Path) -> bool,
) -> (Vec<PathBuf>, Vec<String>) {
    let here = folder.as_os_str().is_empty() || folder == Path::new(".");
    let seen = |entry: &DirEntry| {
        hidden || entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let walk = WalkDir::new(if here { Path::new(".") } else { folder }).max_depth(depth).min_depth(1);
    for entry in walk.into_iter().filter_entry(seen) {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                let path = if here { path.strip_prefix(".").unwrap_or(path) } else { path };
                if kept(path) && path.is_file() {
                    found.push(path.to_path_buf());
                }
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    errors.sort();
    (found, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "").expect("a file");
        }
        folder
    }

    fn names(folder: &tempfile::TempDir, names: &[&str]) -> Vec<String> {
        let names: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
        let show = |target: &CheckTarget| {
            let path = target.path().strip_prefix(folder.path()).expect("below the folder");
            let missing = if matches!(target, CheckTarget::Nothing(..)) { "nothing: " } else { "" };
            format!("{missing}{}", path.display())
        };
        expand(&names, false).list.iter().map(show).collect()
    }

    #[test]
    fn globs_and_folders_are_expanded_in_order() {
        let folder =
            folder(&["b.tsl", "a.tsl", "c.ltl", "x.md", "s/d.tlsf", "s/t/e.tsl", ".git/f.tsl", "g[1].tsl"]);
        assert_eq!(names(&folder, &["*.tsl"]), ["a.tsl", "b.tsl", "g[1].tsl"]);
        assert_eq!(names(&folder, &["**/*.tsl"]), ["a.tsl", "b.tsl", "g[1].tsl", "s/t/e.tsl"]);
        assert_eq!(names(&folder, &["*"]), ["a.tsl", "b.tsl", "c.ltl", "g[1].tsl"]);
        assert_eq!(names(&folder, &["s"]), ["s/d.tlsf", "s/t/e.tsl"]);
        assert_eq!(names(&folder, &["{a,c}.{tsl,ltl}", "a.tsl"]), ["a.tsl", "c.ltl", "a.tsl"]);
        assert_eq!(names(&folder, &["a.tsl", "?.tsl"]), ["a.tsl", "b.tsl"]);
        assert_eq!(names(&folder, &["g[1].tsl", "[ab].tsl"]), ["g[1].tsl", "a.tsl", "b.tsl"]);
        assert_eq!(names(&folder, &["s/*/e.tsl", ".git/*"]), ["s/t/e.tsl", ".git/f.tsl"]);
    }

    #[test]
    fn what_stands_for_nothing_is_said() {
        let folder = folder(&["empty/x.md", "a.tsl"]);
        assert_eq!(
            names(&folder, &["no/*.tsl", "empty", "[", "gone.tsl", "*.ltl"]),
            ["nothing: no/*.tsl", "nothing: empty", "nothing: [", "gone.tsl", "nothing: *.ltl"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_are_not_followed() {
        let folder = folder(&["s/a.tsl", "b.tsl"]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("s/loop")).expect("a link");
        std::os::unix::fs::symlink(folder.path().join("b.tsl"), folder.path().join("s/c.tsl"))
            .expect("a link");
        assert_eq!(names(&folder, &["s"]), ["s/a.tsl", "s/c.tsl"]);
        assert_eq!(names(&folder, &["s/**"]), ["s/a.tsl", "s/c.tsl"]);
    }
}
