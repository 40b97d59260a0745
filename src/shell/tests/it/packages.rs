//! Programs of packages: under names with versions, and in the place of scripts of a project.

use tsl_synth_shell::{
    ArgvPattern, CommandClause, CommandPattern, LetterAutomaton, letter_automaton, script_automaton,
};

fn automaton(script: &str, words: &[&str]) -> LetterAutomaton {
    let clause = CommandClause::from(ArgvPattern::new(words).expect("a pattern"));
    letter_automaton(&script_automaton(script), &CommandPattern::each(&[clause]))
}

/// Whether every run has a command of these words, and whether some run may have one.
fn runs(script: &str, words: &[&str]) -> (bool, bool) {
    let automaton = automaton(script, words);
    let is = |at: usize| !automaton.letters[at].sure.is_empty();
    let may_be =
        automaton.letters.iter().any(|own| !own.sure.is_empty() || !own.maybe.is_empty() || own.opaque);
    let (mut open, mut seen, mut avoided) = (vec![0], vec![false; automaton.states.len()], false);
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        avoided |= automaton.states[at].ends_ok;
        open.extend(automaton.states[at].edges.iter().filter(|edge| !is(edge.letter)).map(|edge| edge.to));
    }
    (!avoided, may_be)
}

/// `@` stands for the name of the package with its version.
const RUNNERS: &[&str] = &[
    "npx @",
    "npx -y @",
    "npx --yes --package x @",
    "npx -- @",
    "npm exec @",
    "npm exec -- @",
    "npm x -- @",
    "npm exec -w web -- @",
    "pnpm dlx @",
    "pnpm --filter web dlx @",
    "pnpx @",
    "yarn dlx @",
    "yarn dlx -q @",
    "bunx @",
    "bunx --bun @",
    "bun x @",
    "sudo npx @",
    "deno run -A npm:@",
    "deno run --allow-net npm:@",
];

#[test]
fn versions_of_packages_hide_no_program() {
    let deploy = ["wrangler", "deploy", "**"];
    for own in RUNNERS {
        for package in [
            "wrangler",
            "wrangler@latest",
            "wrangler@3.1.0",
            "wrangler@^3",
            "@cloudflare/wrangler@1",
            "@cloudflare/wrangler",
        ] {
            let script = format!("{} deploy --env x", own.replace('@', package));
            assert_eq!(runs(&script, &deploy), (true, true), "{script}");
            let free = format!("{} dev", own.replace('@', package));
            assert_eq!(runs(&free, &deploy), (false, false), "{free}");
        }
        let other = format!("{} deploy", own.replace('@', "wranglers@1"));
        assert_eq!(runs(&other, &deploy), (false, false), "{other}");
    }
    for (script, words) in [
        ("npx \"wrangler@$V\" deploy", &["wrangler", "deploy"][..]),
        ("npx aws-cdk@2 deploy", &["cdk", "deploy"]),
        ("npx @angular/cli@17 build", &["ng", "build"]),
        ("npx firebase-tools deploy", &["firebase", "deploy"]),
        ("npx dotenv-cli -e .env -- git push", &["git", "push"]),
        ("npx @dotenvx/dotenvx run -- git push", &["git", "push"]),
        ("npx cross-env A=1 git push", &["git", "push"]),
        ("npx pnpm@8 exec git push", &["git", "push"]),
        ("uvx ruff@latest check", &["ruff", "check"]),
        ("uvx ruff==0.4 check", &["ruff", "check"]),
        ("uvx 'ruff[x]>=1' check", &["ruff", "check"]),
        ("uvx --from awscli aws s3 ls", &["aws", "s3", "ls"]),
        ("uv tool run ruff@0.4 check", &["ruff", "check"]),
        ("pipx run ruff==0.4 check", &["ruff", "check"]),
        ("corepack pnpm exec git push", &["git", "push"]),
        ("corepack pnpm@9 dlx wrangler@1 deploy", &["wrangler", "deploy"]),
        ("corepack yarn workspace web exec git push", &["git", "push"]),
        ("node node_modules/.bin/wrangler deploy", &["wrangler", "deploy"]),
        ("node --require x ./node_modules/.bin/wrangler deploy", &["wrangler", "deploy"]),
        ("node ../node_modules/aws-cdk/bin/cdk.js deploy", &["cdk", "deploy"]),
        ("./node_modules/.bin/wrangler deploy", &["wrangler", "deploy"]),
        ("yarn workspace web add x", &["yarn", "add", "x"]),
        ("yarn workspace web exec wrangler deploy", &["wrangler", "deploy"]),
        ("yarn workspaces foreach -A exec wrangler deploy", &["wrangler", "deploy"]),
        ("yarn node node_modules/.bin/wrangler deploy", &["wrangler", "deploy"]),
        ("bun exec 'git push'", &["git", "push"]),
    ] {
        assert_eq!(runs(script, words), (true, true), "{script}");
    }
}

#[test]
fn scripts_of_a_project_may_be_programs() {
    let deploy = ["wrangler", "deploy", "**"];
    for own in [
        "yarn @",
        "yarn run @",
        "yarn --cwd web @",
        "yarn -s run @",
        "yarn workspace web @",
        "yarn workspace web run @",
        "yarn workspaces foreach -A run @",
        "pnpm @",
        "pnpm run @",
        "pnpm --filter web @",
        "pnpm -r @",
        "pnpm -C web run @",
        "npm run @",
        "npm --prefix web run @",
        "npm run-script @",
        "bun @",
        "bun run @",
        "corepack yarn @",
        "corepack pnpm --filter web run @",
    ] {
        let script = own.replace('@', "wrangler deploy");
        assert_eq!(runs(&script, &deploy), (false, true), "{script}");
        // What the manager itself is, is certain.
        assert_eq!(
            runs(&script, &[own.split(' ').next().unwrap_or_default(), "**"]),
            (true, true),
            "{script}"
        );
        for free in [
            "wrangler dev",
            "build",
            "build:web",
            "test",
            "lint -- --fix",
            "start",
            "watch --mode dev",
            "clean",
        ] {
            let script = own.replace('@', free);
            assert_eq!(runs(&script, &deploy), (false, false), "{script}");
            assert_eq!(runs(&script, &["git", "push", "**"]), (false, false), "{script}");
        }
    }
    for script in [
        "yarn",
        "yarn install",
        "yarn add wrangler",
        "yarn why wrangler",
        "pnpm install",
        "pnpm add -D wrangler",
        "npm test",
        "npm start",
        "npm i wrangler deploy",
        "bun install",
        "bun add wrangler",
        "bun test wrangler deploy",
        "deno task deploy",
        "node src/wrangler.js deploy",
        "node -e 1",
        "corepack enable",
        "yarn workspaces list",
        "npm run \"$x\"",
    ] {
        assert_eq!(runs(script, &deploy), (false, false), "{script}");
    }
    // Only the manager needs a table.
    let automaton = automaton("yarn wrangler deploy", &["yarn", "**"]);
    assert!(automaton.letters.iter().all(|letter| letter.named));
}
