//! The program `campaigns`: its list, its exit codes, and what it prints. It runs no campaign.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_campaigns")).args(arguments).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn without_a_name_it_lists_them() {
    let output = run(&[]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), tsl_synth_lab::list()));
    let help = text(&run(&["--help"]).stdout);
    assert!(help.contains("--count N") && help.ends_with(&tsl_synth_lab::list()), "{help}");
}

#[test]
fn what_it_does_not_know_is_an_error() {
    for (arguments, said) in [
        (&["tls"][..], "no campaign is called `tls`; there is `tsl`, `ltl`"),
        (&["ltl", "tsl"], "found also `tsl`"),
        (&["ltl", "--count", "many"], "`--count` needs a number, found `many`"),
        (&["ltl", "--seed"], "`--seed` needs a number"),
        (&["ltl", "--often"], "there is no option `--often`"),
        (&["--count", "3"], "the name of a campaign is missing"),
        (&["gallery", "--count", "3"], "`gallery` has no count"),
        (&["gates", "--count", "-3"], "`--count` needs a number"),
    ] {
        let output = run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(said), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn it_prints_the_command() {
    let output = run(&["gates", "--seed=5", "--count", "2", "--print"]);
    assert_eq!(
        text(&output.stdout),
        "TSL_SYNTH_GATES=2 TSL_SYNTH_GATES_FROM=5 cargo test --release -p tsl-synth --test it \
         gate::random::campaign_gates -- --exact --ignored --nocapture\n"
    );
    assert_eq!(output.status.code(), Some(0));
}
