//! Patches that a shell command of Codex applies: `apply_patch <<'EOF'`.
//!
//! Codex itself runs a command that consists of nothing else, without its shell, as its tool `apply_patch`. Elsewhere in a
//! script, a program of that name does the same. Both edit the files that the patch names.

use std::borrow::Cow;

/// The marks of the lines of a patch that name files.
const NAMES: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The most here-documents without an end: for each the whole script is searched.
const UNENDED: usize = 64;

/// The arguments of `apply_patch`, if a command of a shell of Codex, with these arguments, does nothing else; and those of
/// the patches that it applies beside other things.
pub(super) fn of_shell(arguments: &str) -> (Option<String>, Option<String>) {
    let Some(script) = script(arguments).filter(|script| script.contains("patch")) else {
        return (None, None);
    };
    let of = |patch: String| self::arguments(&patch);
    match whole(&script) {
        Some(whole) => (Some(of(whole)), None),
        None => (None, parts(&script).map(of)),
    }
}

/// The patch, if a script does nothing but apply one, perhaps in another folder (`cd DIR && ..`): then its files are those
/// in that folder.
fn whole(script: &str) -> Option<String> {
    let script = script.trim();
    let (folder, rest) = match script.strip_prefix("cd ") {
        Some(rest) => {
            let (folder, rest) = rest.split_once("&&")?;
            (Some(plain(folder.trim())?), rest.trim_start())
        }
        None => (None, script),
    };
    let rest = program(rest)?;
    let (patch, after) = match rest.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'')?,
        None => document(rest)?,
    };
    if !after.trim().is_empty() {
        return None;
    }
    Some(folder.map_or_else(|| patch.to_owned(), |folder| moved(patch, folder)))
}

/// The patches of a script that does more, one after the other; `None` if there are none. Their folder is not known.
fn parts(script: &str) -> Option<String> {
    let mut found = String::new();
    let mut unended = 0;
    let mut rest = script;
    while let Some(place) = rest.find("apply").filter(|_| unended < UNENDED) {
        let before = rest[..place].chars().next_back();
        let is_word = before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
        let named = &rest[place..];
        rest = &named["apply".len()..];
        let Some(text) = program(named).filter(|text| is_word && text.starts_with("<<")) else { continue };
        if let Some((patch, after)) = document(text) {
            found.push_str(patch);
            rest = after;
        } else {
            unended += 1;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// What follows the name of the program.
fn program(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("apply_patch").or_else(|| text.strip_prefix("applypatch"))?;
    let trimmed = rest.trim_start_matches([' ', '\t']);
    (trimmed.len() < rest.len() || trimmed.starts_with('<')).then_some(trimmed)
}

/// The text of a here-document, and what follows it.
fn document(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("<<")?.trim_start_matches('-').trim_start_matches([' ', '\t']);
    let (word, body) = rest.split_once('\n')?;
    let word = word.trim();
    let inner = ['\'', '"'].iter().find_map(|&quote| word.strip_prefix(quote)?.strip_suffix(quote));
    let delimiter = inner.unwrap_or(word);
    if delimiter.is_empty() || !delimiter.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim() == delimiter {
            return Some((&body[..at], &body[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// A word without anything that a shell expands.
fn plain(word: &str) -> Option<&str> {
    let inner = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')).unwrap_or(word);
    let is_plain = |c: char| c.is_alphanumeric() || "_-./@+:,".contains(c);
    (!inner.is_empty() && inner.chars().all(is_plain)).then_some(inner)
}

/// The patch with its files in a folder.
fn moved(patch: &str, folder: &str) -> String {
    let folder = folder.trim_end_matches('/');
    let line = |line: &str| -> String {
        let name = NAMES.iter().find_map(|mark| Some((mark, line.strip_prefix(mark)?)));
        match name {
            Some((mark, path)) if !path.starts_with('/') => format!("{mark}{folder}/{path}"),
            _ => line.to_owned(),
        }
    };
    patch.split_inclusive('\n').map(line).collect()
}

/// The arguments of the tool `apply_patch` for a patch, as its hooks have them.
fn arguments(patch: &str) -> String {
    let patch = super::text::quoted(patch);
    format!("{{\"input\":{patch},\"command\":{patch}}}", patch = patch.as_str())
}

/// The script in arguments of a shell of Codex: `cmd`, or `command` as a text or a list of words.
fn script(arguments: &str) -> Option<Cow<'_, str>> {
    #[derive(serde::Deserialize)]
    struct Shell<'a> {
        #[serde(borrow)]
        command: Option<Cow<'a, str>>,
    }
    let read: super::lenient::LenientObject<Shell<'_>> = serde_json::from_str(arguments).ok()?;
    read.0?.command
}

#[cfg(test)]
mod tests {
    use super::{parts, whole};

    const PATCH: &str = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** End Patch\n";

    #[test]
    fn whole_patches_are_read() {
        for script in [
            format!("apply_patch <<'EOF'\n{PATCH}EOF"),
            format!("apply_patch <<'EOF'\n{PATCH}EOF\n"),
            format!("apply_patch <<EOF\n{PATCH}EOF"),
            format!("apply_patch << \"EOF\"\n{PATCH}EOF"),
            format!("apply_patch <<-'PATCH'\n{PATCH}PATCH"),
            format!("  applypatch <<'EOF'\n{PATCH}EOF"),
            format!("apply_patch<<'EOF'\n{PATCH}EOF"),
            format!("apply_patch '{PATCH}'"),
        ] {
            assert_eq!(whole(&script).as_deref(), Some(PATCH), "{script}");
        }
        let there = PATCH.replace("src/a.rs", "web/src/a.rs");
        for script in [
            format!("cd web && apply_patch <<'EOF'\n{PATCH}EOF"),
            format!("cd 'web/' && apply_patch <<'EOF'\n{PATCH}EOF"),
        ] {
            assert_eq!(whole(&script).as_ref(), Some(&there), "{script}");
        }
    }

    #[test]
    fn other_scripts_are_no_patches() {
        for script in [
            "ls".to_owned(),
            "apply_patch".to_owned(),
            "apply_patch --help".to_owned(),
            "my_apply_patch <<'EOF'\nx\nEOF".to_owned(),
            "apply_patches <<'EOF'\nx\nEOF".to_owned(),
            "echo apply_patch".to_owned(),
            "apply_patch <<'EOF'\nx".to_owned(),
            format!("apply_patch <<'EOF'\n{PATCH}EOF\nls"),
            format!("cd $DIR && apply_patch <<'EOF'\n{PATCH}EOF"),
            format!("ls && apply_patch <<'EOF'\n{PATCH}EOF"),
            format!("apply_patch '{PATCH}' && ls"),
        ] {
            assert_eq!(whole(&script), None, "{script}");
        }
    }

    #[test]
    fn patches_inside_of_scripts_are_found() {
        for (script, found) in [
            (format!("cargo fmt && apply_patch <<'EOF'\n{PATCH}EOF"), Some(PATCH.to_owned())),
            (format!("apply_patch <<'EOF'\n{PATCH}EOF\ncargo test"), Some(PATCH.to_owned())),
            (format!("cd $DIR && apply_patch <<'EOF'\n{PATCH}EOF"), Some(PATCH.to_owned())),
            (format!("apply_patch <<A\n{PATCH}A\napply_patch <<B\n{PATCH}B"), Some(PATCH.repeat(2))),
            (format!("if x; then\napply_patch <<'EOF'\n{PATCH}EOF\nfi"), Some(PATCH.to_owned())),
            (format!("my_apply_patch <<'EOF'\n{PATCH}EOF"), None),
            ("echo apply_patch".to_owned(), None),
            ("apply_patch".repeat(50_000), None),
            ("apply_patch <<A\n".repeat(50_000), None),
        ] {
            assert_eq!(parts(&script), found, "{}", script.chars().take(80).collect::<String>());
        }
    }
}
