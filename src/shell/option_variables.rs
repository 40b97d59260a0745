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
    ("terraform tofu terragrunt", "TF_CLI_ARGS TF_CLI_ARGS_*"),
];

/// Whether a variable gives options to a program.
pub(super) fn gives_options(name: &str) -> bool {
    VARIABLES.iter().any(|(_, variables)| variables.split(' ').any(|own| is_named(own, name)))
}

/// Whether a variable has a name, or one that begins so: `TF_CLI_ARGS_*`.
fn is_named(own: &str, name: &str) -> bool {
    own.strip_suffix('*').map_or(own == name, |start| name.starts_with(start))
}

/// Whether a variable that is about one subcommand only, as `TF_CLI_ARGS_apply`, is about this one.
fn is_about(words: &[ShellWord], own: &str, name: &str) -> bool {
    let Some(subcommand) = own.strip_suffix('*').and_then(|start| name.strip_prefix(start)) else {
        return true;
    };
    let mut operands =
        words.iter().skip(1).map(ShellWord::text).filter(|text| text.is_none_or(|t| !t.starts_with('-')));
    operands.next().flatten().is_none_or(|text| text == subcommand)
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
    for (_, value) in variables.filter(|(name, _)| {
        own.split(' ').any(|variable| is_named(variable, name) && is_about(words, variable, name))
    }) {
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
