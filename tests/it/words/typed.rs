//! Sentences as people type them, against the formulas that they mean.

use super::sentences::assert_equivalent;
use tsl_synth_policy::language::words::{LawTree, NameKind, PolicyNames, read_sentence};

fn rooms() -> PolicyNames {
    ["bathroom", "bedroom", "kitchen", "living_room"]
        .into_iter()
        .map(|name| (name, NameKind::Momentary))
        .collect()
}

fn calls() -> PolicyNames {
    use NameKind::{Action, Momentary, State};
    PolicyNames::from_iter([
        ("action_push", Action),
        ("run_tests", Action),
        ("edit", Action),
        ("refundOrder", Action),
        ("obs_confirmed", Momentary),
        ("account_frozen", State),
    ])
}

const ROOMS: &[(&str, &str)] = &[
    // Sentences of the Safety Chip experiments.
    ("you have to enter living room before bathroom", "(!bathroom) W living_room"),
    ("you have to enter bedroom before going into living room", "(!living_room) W bedroom"),
    ("Go to living room means you have to go to kitchen in the future", "G(living_room -> F kitchen)"),
    ("you have to go to kitchen right after living room", "G(living_room -> X kitchen)"),
    (
        "do not go to bedroom more than two times",
        "!F(bedroom & (bedroom U (!bedroom & F(bedroom & (bedroom U (!bedroom & F bedroom))))))",
    ),
    ("always avoid living room", "G !living_room"),
    ("you cannot go to bathroom if you have visited kitchen", "G(kitchen -> G !bathroom)"),
    ("don't enter living room if you haven't enter kitchen", "(!living_room) W kitchen"),
    ("you have to enter bathroom before living room", "(!living_room) W bathroom"),
    ("you have to go to bedroom right after bathroom", "G(bathroom -> X bedroom)"),
    ("Will you go to the kitchen before the bathroom?", "(!bathroom) W kitchen"),
    // Global, past and future avoidance.
    ("Never go to the kitchen.", "G !kitchen"),
    ("Stay away from the bathroom!", "G !bathroom"),
    ("the living room is forbidden", "G !living_room"),
    ("you must not enter the bedroom or the kitchen", "G !(bedroom | kitchen)"),
    ("do not enter the bathroom until you have visited the kitchen", "(!bathroom) W kitchen"),
    ("Do not go to the bathroom unless you have been to the living room", "(!bathroom) W living_room"),
    ("before entering the bathroom, you must visit the kitchen", "(!bathroom) W kitchen"),
    ("you may enter the bedroom only after the kitchen", "(!bedroom) W kitchen"),
    ("Do not enter the bedroom before the kitchen", "(!bedroom) W kitchen"),
    (
        "visit the kitchen and the living room before the bedroom",
        "(!bedroom W kitchen) & (!bedroom W living_room)",
    ),
    ("once you have visited the kitchen, never go to the bathroom", "G(kitchen -> G !bathroom)"),
    ("after visiting the bedroom you must not enter the kitchen", "G(bedroom -> G !kitchen)"),
    ("do not go to the bedroom after the bathroom", "G(bathroom -> G !bedroom)"),
    ("do not be in the kitchen while in the bathroom", "G !(kitchen & bathroom)"),
    // Counted visits: at most, at least, exactly.
    ("visit the bedroom at most once", "!F(bedroom & (bedroom U (!bedroom & F bedroom)))"),
    ("go to the bedroom no more than 1 time", "!F(bedroom & (bedroom U (!bedroom & F bedroom)))"),
    ("you have to visit the kitchen at least two times", "F(kitchen & (kitchen U (!kitchen & F kitchen)))"),
    ("go to the kitchen at least once", "F kitchen"),
    ("never enter the kitchen more than 0 times", "G !kitchen"),
    ("visit the kitchen exactly once", "F kitchen & !F(kitchen & (kitchen U (!kitchen & F kitchen)))"),
    ("enter the kitchen less than two times", "!F(kitchen & (kitchen U (!kitchen & F kitchen)))"),
    ("go to the kitchen exactly zero times", "G !kitchen"),
    // Triggers: instantaneous, prompt and delayed reaction; bound ones.
    ("if you go to the kitchen, you have to go to the bedroom later", "G(kitchen -> F bedroom)"),
    ("whenever you enter the kitchen, you must eventually visit the bathroom", "G(kitchen -> F bathroom)"),
    ("after the kitchen, go to the bedroom", "G(kitchen -> F bedroom)"),
    ("if you are in the kitchen, go to the bedroom next", "G(kitchen -> X bedroom)"),
    ("immediately after the kitchen go to the bathroom", "G(kitchen -> X bathroom)"),
    ("do not go to the bedroom right after the kitchen", "G(kitchen -> X !bedroom)"),
    ("when you are in the kitchen you must be in the bedroom at the same time", "G(kitchen -> bedroom)"),
    ("be in the kitchen if and only if you are in the bedroom", "G(kitchen <-> bedroom)"),
    ("stay in the kitchen until you go to the bedroom", "kitchen W bedroom"),
    ("go to the kitchen", "F kitchen"),
    // Several sentences.
    (
        "Always avoid the kitchen. You have to enter living room before bathroom.",
        "G !kitchen & ((!bathroom) W living_room)",
    ),
];

const CALLS: &[(&str, &str)] = &[
    ("you have to run the tests before pushing", "G(action_push -> O run_tests.ok)"),
    ("never push without running tests", "G(action_push -> O run_tests.ok)"),
    ("Don't push unless the user confirmed", "G(action_push -> obs_confirmed)"),
    ("don't push unless it has been confirmed", "G(action_push -> O obs_confirmed)"),
    ("no refund order while the account is frozen", "G !(refundOrder & account_frozen)"),
    ("do not refund the order more than twice", "G !(refundOrder & Y O(refundOrder & Y O refundOrder))"),
    ("after an edit, run tests", "G(edit -> X[!] F run_tests.ok)"),
    ("run tests right after edit", "G(edit -> X[!]((act -> run_tests) U run_tests.ok))"),
    ("after a push never edit again", "G(action_push -> X G !edit)"),
    ("if the tests failed, do not push", "G(run_tests.failed -> G !action_push)"),
    ("`edit` requires `run_tests` before", "G(edit -> O run_tests.ok)"),
    (
        "edit requires run_tests since action_push",
        "G(edit -> run_tests.ok | Y(!action_push S (run_tests.ok & !action_push)))",
    ),
];

#[test]
fn typed_sentences_mean_their_formulas() {
    let check = |text: &str, formula: &str, names: &PolicyNames| {
        let read = read_sentence(text, names)
            .unwrap_or_else(|refused| panic!("{text}: {refused} at `{}`", &text[refused.range.clone()]));
        let law = LawTree::read(formula, names).expect("LTL");
        assert_equivalent(&law, &read.law, text);
    };
    for (text, formula) in ROOMS {
        check(text, formula, &rooms());
        // Names in other spellings.
        let other: PolicyNames = ["obs_bathroom", "Bedroom", "kitchen", "obs_livingRoom"]
            .into_iter()
            .map(|name| (name, NameKind::Momentary))
            .collect();
        let rename =
            [("living_room", "obs_livingRoom"), ("bathroom", "obs_bathroom"), ("bedroom", "Bedroom")];
        let formula = rename.iter().fold((*formula).to_owned(), |text, (a, b)| text.replace(a, b));
        check(text, &formula, &other);
    }
    for (text, formula) in CALLS {
        check(text, formula, &calls());
    }
}

#[test]
fn weak_readings_are_told() {
    let notes = |text: &str| read_sentence(text, &rooms()).expect(text).notes.join(" ");
    assert!(notes("you have to enter living room before bathroom").contains("read weakly"));
    assert!(notes("stay in the kitchen until the bedroom").contains("weakly"));
    assert!(notes("if you go to the kitchen, go to the bedroom").contains("any later time"));
    assert!(notes("do not go to the kitchen if you go to the bedroom").contains("from then on"));
    assert!(notes("always avoid the kitchen").is_empty());
}

#[test]
fn unknown_nouns_are_named_with_near_names() {
    for (text, at, hint) in [
        ("you have to enter living rom before bathroom", "living rom", "`living_room`"),
        ("always avoid the garage", "garage", ""),
        ("never enter the kitchn", "kitchn", "`kitchen`"),
        ("do not go to bedrom more than two times", "bedrom", "`bedroom`"),
        ("always avoid the big kitchen", "big", ""),
        ("you have to sing in the kitchen", "sing", ""),
    ] {
        let refused = read_sentence(text, &rooms()).expect_err(text);
        assert_eq!(&text[refused.range.clone()], at, "{text}: {refused}");
        assert!(refused.hints.join(" ").contains(hint), "{text}: {refused}");
        assert_eq!(refused.code.0, 554, "{text}: {refused}");
    }
    let names = PolicyNames::from_iter([("pay_bill", NameKind::Action), ("see_bill", NameKind::Action)]);
    let refused = read_sentence("never bill", &names).expect_err("two names have the word");
    assert!(refused.to_string().contains("bill"), "{refused}");
}
