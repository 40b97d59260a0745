//! Paths in the values that `where` compares with globs.

use tsl_synth_core::base::{Glob, GlobKind, from_home};
use tsl_synth_core::model::Pointer;

/// Whether a text matches one of these globs, as the path that it names: without `./`, `//`, `x/..` and a `/` at the end.
/// `None` if that cannot be told: the path leaves the folder that it is relative to, or only its spelling matches. Links
/// are not followed.
pub(super) fn path_matches(globs: &[Glob], text: &str) -> Option<bool> {
    let as_written = globs.iter().any(|glob| glob.matches(text));
    let Some(path) = plain(text) else { return Some(as_written) };
    let matches = globs.iter().any(|glob| glob.matches(&path));
    let above = path.strip_prefix("../").map(|rest| rest.trim_start_matches("../"));
    // It may be any path that ends so.
    let may_match = above.is_some_and(|rest| {
        let whole = [format!("/{rest}"), rest.to_owned(), format!("~/{rest}")];
        // The last name of the path matches the last one of the pattern.
        let ends = |glob: &Glob| {
            let name = glob.as_str().rsplit('/').next().unwrap_or_default();
            let last = Glob::new(name, GlobKind::Path);
            let matches = |last: Glob| last.matches(rest.rsplit('/').next().unwrap_or_default());
            glob.as_str().contains("**") || last.map_or(true, matches)
        };
        globs.iter().any(|glob| whole.iter().any(|path| glob.matches(path)) || ends(glob))
    }) || globs.iter().any(|glob| may_be_at_home(glob, &path));
    match (as_written, matches) {
        (_, true) => Some(true),
        (true, false) => None,
        (false, false) => (!may_match).then_some(false),
    }
}

/// Whether a glob matches a path if the home folder is that of some user.
fn may_be_at_home(glob: &Glob, path: &str) -> bool {
    if glob.as_str().starts_with("~/") {
        return from_home(path).is_some_and(|path| glob.matches(&path));
    }
    let own = from_home(glob.as_str()).filter(|_| path.starts_with("~/"));
    own.and_then(|own| Glob::new(&own, GlobKind::Path).ok()).is_some_and(|glob| glob.matches(path))
}

/// The value at a pointer: if its last part names a path, as `file_path` does, without what does not change the path.
pub(super) fn as_path(pointer: &Pointer, value: String) -> String {
    let last = pointer.parts().last().map(|part| part.to_ascii_lowercase()).unwrap_or_default();
    let ends = ["path", "file", "filename", "dir", "directory", "folder"];
    if !ends.iter().any(|end| last.ends_with(end)) {
        return value;
    }
    match plain(&value) {
        Some(path) if !path.is_empty() => path,
        _ => value,
    }
}

/// A path without what does not change it; `None` if the text has no folders, or is an address.
fn plain(text: &str) -> Option<String> {
    if text.contains("://") || text.contains('\0') || !text.contains('/') && text != "." && text != ".." {
        return None;
    }
    let is_absolute = text.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => drop(kept.pop()),
            ".." if is_absolute => {}
            part => kept.push(part),
        }
    }
    Some(format!("{}{}", if is_absolute { "/" } else { "" }, kept.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_and_not_their_spellings() {
        let table: &[(&str, &str, Option<bool>)] = &[
            ("src/**", "src/a.rs", Some(true)),
            ("src/**", "./src/a.rs", Some(true)),
            ("src/**", "src//a.rs", Some(true)),
            ("src/**", "src/./x/../a.rs", Some(true)),
            ("src/**", "lib/../src/a.rs", Some(true)),
            ("src/**", "src/../lib/a.rs", None),
            ("src/**", "src/../../etc/passwd", None),
            ("src/**", "lib/a.rs", Some(false)),
            ("src/**", "https://src//a", Some(false)),
            ("/etc/**", "/etc/passwd", Some(true)),
            ("/etc/**", "/usr/../etc/passwd", Some(true)),
            ("/etc/**", "//etc//passwd", Some(true)),
            ("/etc/**", "/../etc/passwd", Some(true)),
            ("/etc/**", "../../etc/passwd", None),
            ("/etc/**", "etc/passwd", Some(false)),
            ("/etc/passwd", "../README.md", Some(false)),
            ("**/.env", ".env", Some(true)),
            ("**/.env", "./.env", Some(true)),
            ("**/.env", "../.env", Some(true)),
            ("**/.env", "a/.env/", Some(true)),
            (".env", "./.env", Some(true)),
            (".env", "x/../.env", Some(true)),
            (".env", "../.env", None),
            ("~/.ssh/**", "/root/.ssh/id", None),
            ("~/.ssh/**", "/home/me/x/../.ssh/id", None),
            ("~/.ssh/**", "/Users/me/.ssh/a/b", None),
            ("~/.ssh/**", "/home/me/ssh/id", Some(false)),
            ("~/.ssh/**", "/home/.ssh/id", Some(false)),
            ("~/.ssh/**", "/etc/.ssh/id", Some(false)),
            ("/home/me/p/**", "~/p/a", None),
            ("/home/me/p/**", "~/q/a", Some(false)),
            ("*.rs", "./a.rs", Some(true)),
            ("*.rs", "a.rs", Some(true)),
        ];
        for (glob, text, expected) in table {
            let glob = Glob::new(glob, GlobKind::Path).expect("a pattern");
            assert_eq!(
                path_matches(std::slice::from_ref(&glob), text),
                *expected,
                "{} {text}",
                glob.as_str()
            );
        }
    }
}
