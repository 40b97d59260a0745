//! Variables of the environment whose values are options of a program: `MAKEFLAGS=-i make test` is `make test -i`.

use super::word::ShellWord;

/// Programs, and the variables that give them options.
const VARIABLES: &[(&str, &str)] = &[
    ("make gmake", "MAKEFLAGS GNUMAKEFLAGS MFLAGS"),
    ("pytest py.test", "PYTEST_ADDOPTS"),
    ("mvn mvnw mvnd", "MAVEN_ARGS MAVEN_OPTS"),
    ("go", "GOFLAGS"),
    ("rspec", "SPEC_OPTS"),
    ("robot", "ROBOT_OPTIONS"),
];

/// Whether a variable gives options to a program.
pub(super) fn gives_options(name: &str) -> bool {
    VARIABLES.iter().any(|(_, variables)| variables.split(' ').any(|own| own == name))
}

/// The words of a command with the options that these variables give it; `None` if they give none.
pub(super) fn with_options<'v>(
    words: &[ShellWord],
    variables: impl Iterator<Item = &'v (String, ShellWord)>,
) -> Option<Vec<ShellWord>> {
    let program = words.first()?.program()?;
    // `python -m pytest`
    let is_module = program.starts_with("python") && words.iter().any(|word| word.text() == Some("pytest"));
    let program = if is_module { "pytest" } else { program };
    let (_, own) = VARIABLES.iter().find(|(programs, _)| programs.split(' ').any(|own| own == program))?;
    let mut options = Vec::new();
    for (_, value) in variables.filter(|(name, _)| own.split(' ').any(|variable| variable == name)) {
        let Some(text) = value.text() else {
            options.push(ShellWord::unknown());
            continue;
        };
        let is_bundle =
            program.ends_with("make") && !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase());
        if is_bundle {
            // `MAKEFLAGS=ik`
            options.push(ShellWord::literal(&format!("-{text}")));
        } else {
            options.extend(text.split_whitespace().map(ShellWord::literal));
        }
    }
    if options.is_empty() {
        return None;
    }
    let end = words.iter().position(|word| word.text() == Some("--")).unwrap_or(words.len());
    Some(words[..end].iter().cloned().chain(options).chain(words[end..].iter().cloned()).collect())
}
