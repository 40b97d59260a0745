//! Package managers: which program `npx`, `yarn` and the like run. The name of a package may have a version (`x@1`), and a
//! name may stand for a script of the project as well as for a program.

use super::launchers::is_of_system;
use super::programs::SHELLS;
use super::runs::Runs;
use super::word::{ShellWord, WordPiece};

/// Packages whose program has another name than the package, or than its last part.
const PROGRAMS: &[(&str, &str)] = &[
    ("@11ty/eleventy", "eleventy"),
    ("@angular/cli", "ng"),
    ("@anthropic-ai/claude-code", "claude"),
    ("@aws-amplify/backend-cli", "ampx"),
    ("@aws-amplify/cli", "amplify"),
    ("@babel/cli", "babel"),
    ("@biomejs/biome", "biome"),
    ("@capacitor/cli", "cap"),
    ("@changesets/cli", "changeset"),
    ("@commitlint/cli", "commitlint"),
    ("@cucumber/cucumber", "cucumber-js"),
    ("@expo/eas-cli", "eas"),
    ("@google/clasp", "clasp"),
    ("@google/gemini-cli", "gemini"),
    ("@ionic/cli", "ionic"),
    ("@microsoft/rush", "rush"),
    ("@nestjs/cli", "nest"),
    ("@openai/codex", "codex"),
    ("@playwright/test", "playwright"),
    ("@railway/cli", "railway"),
    ("@redocly/cli", "redocly"),
    ("@salesforce/cli", "sf"),
    ("@sentry/cli", "sentry-cli"),
    ("@shopify/cli", "shopify"),
    ("@stryker-mutator/core", "stryker"),
    ("@swc/cli", "swc"),
    ("@tailwindcss/cli", "tailwindcss"),
    ("@tauri-apps/cli", "tauri"),
    ("@vue/cli", "vue"),
    ("@web/test-runner", "web-test-runner"),
    ("aws-cdk", "cdk"),
    ("awscli", "aws"),
    ("cdktf-cli", "cdktf"),
    ("dotenv-cli", "dotenv"),
    ("eas-cli", "eas"),
    ("expo-cli", "expo"),
    ("firebase-tools", "firebase"),
    ("grunt-cli", "grunt"),
    ("gulp-cli", "gulp"),
    ("jest-cli", "jest"),
    ("netlify-cli", "netlify"),
    ("sfdx-cli", "sfdx"),
    ("sequelize-cli", "sequelize"),
    ("webpack-cli", "webpack"),
];
/// Launchers whose command is a package.
const RUNNERS: &[&str] =
    &["npx", "bunx", "pnpx", "uvx", "npm", "pnpm", "yarn", "bun", "uv", "pipx", "corepack", "deno"];
/// Subcommands of package managers. What is none of them is a script of the project or a program.
const PNPM: &str = "add audit bin build cache ci config create dedupe deploy dlx doctor env exec fetch help i import info \
    init install install-test it licenses link list ln login logout ls outdated owner pack patch patch-commit \
    patch-remove prefix prune publish rebuild rb remove rm un uninstall root run run-script search self-update server \
    setup start stop restart store t test tst unlink up update upgrade version view why approve-builds ignored-builds";
const YARN: &str = "add audit autoclean bin cache check config constraints create dedupe dlx exec explain \
    generate-lock-entry global help import info init install licenses link list login logout node npm outdated owner \
    pack patch patch-commit plugin policies publish rebuild remove restart run search set stage start stop tag team test \
    unlink unplug up upgrade upgrade-interactive version versions why workspace workspaces";
const BUN: &str = "a add audit build c create exec feedback help i info init install link outdated patch patch-commit pm \
    publish remove repl rm run test unlink update upgrade why x";
/// Options before the subcommand that take the next word.
const VALUED: &[&str] = &[
    "--cwd",
    "--filter",
    "--filter-prod",
    "-F",
    "-C",
    "--dir",
    "--prefix",
    "--workspace",
    "-w",
    "--loglevel",
    "--reporter",
    "--env-file",
    "--config",
    "--package",
    "-c",
    "--workspace-concurrency",
];

/// The word of a package, `@scope/name@version` or `name==version`, as the name of its program.
pub(super) fn program_word(manager: &str, word: &ShellWord) -> ShellWord {
    let Some(WordPiece::Text(text)) = word.pieces.first().filter(|_| RUNNERS.contains(&manager)) else {
        return word.clone();
    };
    let text = text.strip_prefix("npm:").or_else(|| text.strip_prefix("jsr:")).unwrap_or(text);
    let is_path = text.starts_with(['.', '/', '~']) || text.contains("://");
    let python = matches!(manager, "uvx" | "uv" | "pipx");
    let end = text.char_indices().skip(1).find(|&(_, c)| c == '@' || python && "=<>!~[ ".contains(c));
    // Without a version the rest of the word would be a part of its name.
    if is_path || end.is_none() && word.text().is_none() {
        return word.clone();
    }
    let name = end.map_or(text, |(at, _)| &text[..at]);
    let program = PROGRAMS.iter().find(|(package, _)| *package == name).map(|(_, program)| *program);
    ShellWord { folders: word.folders.clone(), ..ShellWord::literal(program.unwrap_or(name)) }
}

/// The words of a command that begins with a package.
fn of_package(manager: &str, words: &[ShellWord]) -> Vec<ShellWord> {
    let mut words = words.to_vec();
    words[0] = program_word(manager, &words[0]);
    words
}

/// The position after the options at the beginning.
fn after_options(words: &[ShellWord]) -> usize {
    let mut at = 0;
    while let Some(text) = words.get(at).and_then(ShellWord::text).filter(|text| text.starts_with('-')) {
        at += 1 + usize::from(VALUED.contains(&text));
    }
    at
}

/// What a package manager runs besides the subcommands that the tables of launchers have.
pub(super) fn managed(name: &str, words: &[ShellWord]) -> Runs {
    let at = after_options(words);
    let Some(first) = words.get(at) else { return Runs::Nothing };
    let rest = &words[at + 1..];
    let again = |words: &[ShellWord]| {
        let own = std::iter::once(ShellWord::literal(name)).chain(words.iter().cloned());
        if words.is_empty() { Runs::Nothing } else { Runs::Command(own.collect()) }
    };
    let either = |words: &[ShellWord]| script_or_program(name, &words[after_options(words)..]);
    match (name, first.text()) {
        ("deno", Some("run" | "x")) => {
            let is_package = |word: &ShellWord| {
                word.text().is_some_and(|text| text.starts_with("npm:") || text.starts_with("jsr:"))
            };
            let package = rest.iter().position(is_package);
            package.map_or(Runs::Nothing, |at| Runs::Command(of_package(name, &rest[at..])))
        }
        ("node" | "nodejs", _) => program_of_node(words),
        ("corepack", Some(text)) if ["npm", "yarn", "pnpm"].iter().any(|own| text.starts_with(own)) => {
            Runs::Command(of_package(name, &words[at..]))
        }
        ("yarn", Some("workspace")) if !rest.is_empty() => again(&rest[1..]),
        ("yarn", Some("workspaces")) => {
            let runs = rest.iter().position(|word| matches!(word.text(), Some("run" | "exec")));
            runs.map_or(Runs::Nothing, |at| again(&rest[at..]))
        }
        ("yarn", Some("node")) => {
            Runs::Command(std::iter::once(ShellWord::literal("node")).chain(rest.iter().cloned()).collect())
        }
        ("bun", Some("exec")) => match rest {
            [text] if text.text().is_some() => {
                Runs::Script(text.text().unwrap_or_default().to_owned(), false, false)
            }
            _ => Runs::Opaque("a script whose text is not known"),
        },
        ("npm", Some("run" | "run-script" | "rum" | "urn")) | ("yarn" | "pnpm" | "bun", Some("run")) => {
            either(rest)
        }
        ("pnpm", Some("run-script")) => either(rest),
        ("yarn", text) if text.is_none_or(|text| !is_listed(YARN, text)) => either(&words[at..]),
        ("pnpm", text) if text.is_none_or(|text| !is_listed(PNPM, text)) => either(&words[at..]),
        ("bun", text) if text.is_none_or(|text| !is_listed(BUN, text)) => either(&words[at..]),
        _ => Runs::Nothing,
    }
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|own| own == word)
}

/// A script of the project, or a program.
fn script_or_program(manager: &str, words: &[ShellWord]) -> Runs {
    let Some(first) = words.first() else { return Runs::Nothing };
    let Some(text) = first.text() else {
        // The scripts of a project are its own, and only pnpm and bun start programs of the system.
        return if manager == "npm" || manager == "yarn" {
            Runs::Nothing
        } else {
            Runs::Either(words.to_vec())
        };
    };
    // `build:web`, a file, and names that only the shell gives a meaning.
    let is_script = text.contains(':') || SHELLS.contains(&text) || text == "." || text == "eval";
    let is_script = is_script && manager != "pnpm";
    // `yarn watch --mode dev` is no `watch` of the system.
    let is_unlikely = is_of_system(text) && matches!(manager, "npm" | "yarn");
    if is_script || is_unlikely { Runs::Nothing } else { Runs::Either(words.to_vec()) }
}

/// `node node_modules/.bin/PROGRAM`, `node node_modules/PACKAGE/cli.js`
fn program_of_node(words: &[ShellWord]) -> Runs {
    const TAKING: &[&str] = &["-r", "--require", "--import", "--loader", "--env-file", "-C", "--conditions"];
    let mut at = 0;
    while let Some(text) = words.get(at).and_then(ShellWord::text).filter(|text| text.starts_with('-')) {
        at += 1 + usize::from(TAKING.contains(&text));
    }
    let file = words.get(at).and_then(ShellWord::text);
    let Some((_, inside)) = file.and_then(|file| file.rsplit_once("node_modules/")) else {
        return Runs::Nothing;
    };
    let mut parts = inside.split('/');
    let first = parts.next().unwrap_or_default();
    let package = match (first, parts.next()) {
        (".bin", Some(program)) => program.to_owned(),
        (scope, Some(name)) if scope.starts_with('@') => format!("{scope}/{name}"),
        _ => first.to_owned(),
    };
    let program = program_word("npx", &ShellWord::literal(&package));
    Runs::Command(std::iter::once(program).chain(words[at + 1..].iter().cloned()).collect())
}
