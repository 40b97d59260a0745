//! Variables that a command sets for another one reach what that one runs, however deep.

use tsl_synth_core::base::{Glob, GlobKind};
use tsl_synth_shell::{
    Certainty, ClauseWords, CommandClause, EnvGlob, Exported, OptionName, ProgramPattern, script_automaton,
};

/// How sure it is that some command of a script runs with `HUSKY=0`, and has `commit` in its words.
fn with_husky_off(script: &str) -> Certainty {
    let glob = |text| Glob::new(text, GlobKind::Name).expect("a glob");
    let clause = CommandClause {
        words: ClauseWords::Any,
        writes: Vec::new(),
        reads: Vec::new(),
        env: vec![EnvGlob { name: glob("HUSKY"), value: Some(glob("0")) }],
        input: Vec::new(),
    };
    let automaton = script_automaton(script);
    let exported = Exported::of(&automaton);
    let commits = automaton.letters.iter().filter(|command| {
        let words = || command.views.last().into_iter().flatten();
        words().next().and_then(|word| word.text()) == Some("git")
            && words().any(|word| word.text() == Some("commit"))
    });
    commits.map(|command| clause.matches(command, &exported)).max().unwrap_or(Certainty::No)
}

#[test]
fn what_a_command_runs_inherits_its_variables() {
    for script in [
        "HUSKY=0 git commit",
        "env HUSKY=0 git commit",
        "HUSKY=0 bash -c 'git commit'",
        "env HUSKY=0 bash -c 'git commit'",
        "sudo HUSKY=0 sh -c 'cd x && git commit'",
        "HUSKY=0 bash -c \"bash -c 'git commit'\"",
        "HUSKY=0 bash <<'END'\ngit commit\nEND",
        "echo x | HUSKY=0 xargs git commit",
        "echo x | env HUSKY=0 xargs git commit",
        "HUSKY=0 bash -c 'echo x | xargs git commit'",
        "HUSKY=0 find . -name x -exec git commit {} \\;",
        "env HUSKY=0 find . -name x -exec git commit {} +",
        "f() { git commit; }; HUSKY=0 f",
        "HUSKY=0 eval 'git commit'",
        "HUSKY=0 timeout 60 bash -c 'git commit'",
        "X=1 bash -c 'HUSKY=0 bash -c \"git commit\"'",
        "HUSKY=0 bash -c 'X=1 git commit'",
        "HUSKY=0 bash -c 'env git commit -m HUSKY=1'",
    ] {
        assert_eq!(with_husky_off(script), Certainty::Yes, "{script}");
    }
}

#[test]
fn other_commands_do_not_inherit_them() {
    for script in [
        "git commit",
        "HUSKY=1 bash -c 'git commit'",
        "HUSKY=0 bash -c 'npm test'; git commit",
        "HUSKY=0 xargs npm test; git commit",
        "f() { git commit; }; HUSKY=0 true; f",
        "f() { HUSKY=0 true; git commit; }; f",
        "bash -c 'HUSKY=0 true' && git commit",
        "HUSKY=0 bash -c 'HUSKY=1 git commit'",
        "echo HUSKY=0 | xargs git commit",
    ] {
        assert_eq!(with_husky_off(script), Certainty::No, "{script}");
    }
}

/// How sure it is that some command of a script is `PROGRAM SUBCOMMAND` with an option.
fn with_option(script: &str, program: &str, subcommand: &str, option: &str) -> Certainty {
    let glob = |text: &str| Glob::new(text, GlobKind::Name).expect("a glob");
    let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
    let clause = CommandClause {
        words: ClauseWords::Program(ProgramPattern {
            programs: vec![glob(program)],
            subcommand: vec![glob(subcommand)],
            flags: vec![vec![OptionName::new(glob(name), value.map(glob))]],
            without_flags: Vec::new(),
            operands: Vec::new(),
            without_operands: Vec::new(),
        }),
        writes: Vec::new(),
        reads: Vec::new(),
        env: Vec::new(),
        input: Vec::new(),
    };
    let automaton = script_automaton(script);
    let exported = Exported::of(&automaton);
    automaton.letters.iter().map(|own| clause.matches(own, &exported)).max().unwrap_or(Certainty::No)
}

#[test]
fn variables_give_options_to_their_programs() {
    for script in [
        "terraform apply -auto-approve",
        "TF_CLI_ARGS=-auto-approve terraform apply",
        "TF_CLI_ARGS_apply=-auto-approve terraform apply",
        "TF_CLI_ARGS_apply='-input=false -auto-approve' terraform apply",
        "TF_CLI_ARGS_apply=-auto-approve terraform -chdir=x apply plan",
        "export TF_CLI_ARGS_apply=-auto-approve; terraform apply",
        "export TF_CLI_ARGS=-auto-approve && cd x && terraform apply",
        "env TF_CLI_ARGS_apply=-auto-approve terraform apply",
        "TF_CLI_ARGS_apply=-auto-approve bash -c 'terraform apply'",
        "sudo TF_CLI_ARGS_apply=-auto-approve terraform apply",
    ] {
        assert_eq!(with_option(script, "terraform", "apply", "-auto-approve"), Certainty::Yes, "{script}");
    }
    assert_eq!(
        with_option("TF_CLI_ARGS_apply=\"$x\" terraform apply", "terraform", "apply", "-auto-approve"),
        Certainty::Maybe
    );
    for script in [
        "terraform apply",
        "TF_CLI_ARGS_plan=-auto-approve terraform apply",
        "TF_CLI_ARGS_apply=-auto-approve terraform plan",
        "TF_CLI_ARGS_apply=-input=false terraform apply",
        "TF_CLI_ARGS_apply=-auto-approve echo x; terraform apply",
        "TF_CLI_ARG=-auto-approve terraform apply",
        "TF_VAR_x=-auto-approve terraform apply",
        "RUSTFLAGS=-auto-approve terraform apply",
        "echo TF_CLI_ARGS=-auto-approve; terraform apply",
        "MAKEFLAGS=-auto-approve terraform apply",
    ] {
        assert_eq!(with_option(script, "terraform", "apply", "-auto-approve"), Certainty::No, "{script}");
    }
}
