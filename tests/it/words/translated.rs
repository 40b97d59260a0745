//! Sentences that a scripted model translates.

use super::sentences::assert_equivalent;
use tsl_synth_agents::from_nl::{NotTranslated, from_nl};
use tsl_synth_agents::{AnswerKind, Exchange, NoLog, NoOracle, OracleAnswer, OracleError, Script, Scripted};
use tsl_synth_policy::language::words::{LawTree, NameKind, PolicyNames};

const SENTENCE: &str = "Lock up the vault whenever the alarm rings twice in a row";

fn names() -> PolicyNames {
    use NameKind::{Action, Momentary};
    PolicyNames::from_iter([("lock_vault", Action), ("alarm", Momentary), ("kitchen", Momentary)])
}

fn script(answers: &[(&str, Result<&str, OracleError>)]) -> Script {
    let answers = answers.iter().map(|(subject, outcome)| Scripted {
        kind: Some(AnswerKind::Translate),
        subject: Some((*subject).to_owned()),
        repeat: false,
        outcome: outcome.clone().map(|text| OracleAnswer::Text(text.to_owned())),
    });
    Script::new(answers.collect())
}

#[test]
fn a_model_translates_what_no_pattern_reads() {
    let mut oracle = script(&[
        ("expressions", Ok("`Lock up the vault` = lock_vault\n- the alarm rings = alarm")),
        ("formula", Ok("```ltl\nG(prop_2 & X[!] prop_2 -> F prop_1)\n```")),
    ]);
    let mut log: Vec<Exchange> = Vec::new();
    let read = from_nl(SENTENCE, &names(), &mut oracle, &mut log, 3).expect("a translation");
    let expected = LawTree::read("G(alarm & X[!] alarm -> F lock_vault)", &names()).expect("LTL");
    assert_equivalent(&read.law, &expected, SENTENCE);
    assert_eq!((read.by_model, log.len()), (1, 2));
    assert!(read.notes[0].contains("`the alarm rings` is `alarm`"), "{:?}", read.notes);
    // The second request has symbols instead of names.
    let asked = &log[1].request;
    assert_eq!(asked.about, "prop_1 whenever prop_2 twice in a row");
    assert!(!asked.prompt.contains("vault") && !asked.prompt.contains("alarm"), "{}", asked.prompt);
}

#[test]
fn only_the_sentences_without_a_pattern_are_asked_for() {
    let text = format!("Always avoid the kitchen. {SENTENCE}.");
    let mut oracle = script(&[
        ("expressions", Ok("Lock up the vault = lock_vault\nthe alarm = alarm")),
        ("formula", Ok("G(prop_2 -> F prop_1)")),
    ]);
    let read = from_nl(&text, &names(), &mut oracle, &mut NoLog, 1).expect("a translation");
    let expected = LawTree::read("(G !kitchen) & G(alarm -> F lock_vault)", &names()).expect("LTL");
    assert_equivalent(&read.law, &expected, &text);
    let read =
        from_nl("Always avoid the kitchen", &names(), &mut NoOracle, &mut NoLog, 1).expect("a pattern");
    assert_eq!(read.by_model, 0);
}

#[test]
fn wrong_answers_are_asked_for_again_with_the_reason() {
    let good = "Lock up the vault = lock_vault\nthe alarm = alarm";
    let mut oracle = script(&[
        ("expressions", Ok("banana")),
        ("expressions", Ok("Lock up the vault = lock_vaults\nthe alarm = alarm")),
        ("expressions", Ok(good)),
        ("formula", Ok("G(prop_2 -> -> prop_1")),
        ("formula", Err(OracleError::Refused("I cannot help with that".into()))),
        ("formula", Ok("G(alarm -> F lock_vault)")),
        ("formula", Ok("G prop_2")),
        ("formula", Ok("G(prop_2 -> F prop_1)")),
    ]);
    let mut log: Vec<Exchange> = Vec::new();
    from_nl(SENTENCE, &names(), &mut oracle, &mut log, 5).expect("a translation at last");
    assert_eq!(log.len(), 8);
    for (at, said) in [
        (1, "`banana` does not occur in the sentence"),
        (2, "there is no name `lock_vaults`; did you mean `lock_vault`?"),
        (4, "this is no formula"),
        (5, "it refused"),
        (6, "`alarm` is none of the propositions"),
        (7, "does not mention `prop_1`"),
    ] {
        let prompt = &log[at].request.prompt;
        assert!(prompt.contains(said), "{at}: {prompt}");
    }
}

#[test]
fn a_model_that_never_answers_well_is_given_up() {
    let wrong = || ("expressions", Ok("the alarm = alarms"));
    let mut oracle = script(&[wrong(), wrong(), wrong(), wrong()]);
    let mut log: Vec<Exchange> = Vec::new();
    let error = from_nl(SENTENCE, &names(), &mut oracle, &mut log, 3).expect_err("never a known name");
    assert_eq!(log.len(), 3);
    let NotTranslated::Model { stop, .. } = &error else { panic!("{error}") };
    assert_eq!(stop.attempts, 3);
    assert_eq!(error.diagnostic().code.0, 556);
    let shown = error.to_string();
    assert!(shown.contains("3 attempts") && shown.contains("`alarm`"), "{shown}");
    // Without an oracle there is no second attempt.
    let error = from_nl(SENTENCE, &names(), &mut NoOracle, &mut NoLog, 3).expect_err("nobody is there");
    assert!(error.to_string().contains("nobody is there"), "{error}");
    assert!(from_nl(" . ", &names(), &mut NoOracle, &mut NoLog, 3).is_err());
}

#[test]
fn expressions_may_be_grounded_by_their_words_and_symbols_are_new() {
    let sentence = "prop_1 aside, lock vault whenever it pleases the Alarm";
    let mut oracle =
        script(&[("expressions", Ok("lock vault\nthe alarm")), ("formula", Ok("G(symbol_2 -> F symbol_1)"))]);
    let mut log: Vec<Exchange> = Vec::new();
    let read = from_nl(sentence, &names(), &mut oracle, &mut log, 1).expect("a translation");
    assert_eq!(read.law.to_string(), "G(alarm -> F lock_vault)");
    assert_eq!(log[1].request.about, "prop_1 aside, symbol_1 whenever it pleases symbol_2");
}
