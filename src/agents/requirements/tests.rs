//! Sentences and what is read of them.

use super::*;

fn formula(text: &str) -> String {
    let found = read_requirements(text);
    assert!(found.unread.is_empty(), "{text}: {:?}", found.unread);
    found.read.last().expect("a sentence").formula.clone()
}

fn expected(text: &str) -> String {
    let found = read_requirements(text);
    assert!(found.read.is_empty(), "{text}: {:?}", found.read);
    found.unread.first().expect("a sentence").expected.clone()
}

#[test]
fn ears() {
    for (sentence, expected) in [
        ("The lamp shall light the room.", "G light_room"),
        (
            "When the button is pressed, the lamp shall light the room within 5 steps.",
            "G (button_pressed -> F[0:5] light_room)",
        ),
        ("While the door is not closed, the oven shall not heat.", "G (!door_closed -> !heat)"),
        ("If a and b, then the system shall c immediately.", "G ((a && b) -> c)"),
        ("The system shall q no later than 5 steps after p.", "G (p -> F[0:5] q)"),
        ("While p, when q, the system shall r in the next step", "G ((p && q) -> X r)"),
        (
            "Where the heater is fitted, when it is cold, the system shall heat.",
            "G ((heater_fitted && it_cold) -> F heat)",
        ),
        ("[REQ-7] When p, the system shall q for 3 steps.", "G (p -> G[0:2] q)"),
        ("R1: The system must q until p.", "(q W p)"),
        ("The system shall never q.", "G !q"),
        ("When p, the system shall q before r.", "G (p -> (!r W q))"),
        ("The system shall q when p.", "G (p -> F q)"),
        ("The system shall q while p.", "G (p -> q)"),
        ("While r, the system shall q only if p.", "G (r -> (q -> p))"),
        ("Unless p, the system shall q.", "G (!p -> q)"),
        ("As soon as p, the system shall q.", "G (p -> F q)"),
    ] {
        assert_eq!(formula(sentence), expected, "{sentence}");
    }
}

#[test]
fn names_and_sides() {
    let found = read_requirements(
        "open = open the valve | the valve is open\ninput leak\nWhen the valve is open, the pump shall report.\nIf report, \
         then the pump shall open the valve.\nWhile leak, the pump shall not report.",
    );
    let formulas: Vec<&str> = found.read.iter().map(|one| one.formula.as_str()).collect();
    assert_eq!(formulas, ["G (open -> F report)", "G (report -> F open)", "G (leak -> !report)"]);
    let names = |list: &[(String, String)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&found.inputs), names(&found.outputs)),
        (vec!["leak".to_string()], vec!["open".into(), "report".into()])
    );
    assert!(found.read[0].note.as_deref().is_some_and(|note| note.contains("no time is named")));
    let text = found.tsl();
    assert!(text.contains("  // While leak, the pump shall not report\n  G (leak -> !report);\n"), "{text}");
    assert!(found.ltl().starts_with("// inputs: leak\n// outputs: open, report\n"), "{}", found.ltl());
}

#[test]
fn sentences_go_on_in_the_next_line() {
    let found = read_requirements("# a comment\nWhen p,\n  the system shall q. The system shall r.\n");
    let formulas: Vec<(usize, &str)> =
        found.read.iter().map(|one| (one.line, one.formula.as_str())).collect();
    assert_eq!(formulas, [(2, "G (p -> F q)"), (2, "G r")]);
}

#[test]
fn what_is_not_read_says_what_was_expected() {
    for (sentence, why) in [
        ("It would be nice if it were fast.", "expected `When .., the SYSTEM shall ..`"),
        ("When p the system shall q.", "expected a comma between the condition and the system"),
        ("When p, the system shall q within a while.", "expected a number of steps after `within`"),
        ("When p, the system shall q within 5 seconds.", "time is counted in steps"),
        ("When , the system shall q.", "expected a condition"),
        ("When p, the system shall the.", "expected what holds, in words"),
        ("As far as p, the system shall q.", "expected the name of the system before `shall`"),
        ("Ringing must always follow p within 3 steps.", "there are two"),
        ("Ringing the bell must always follow p.", "expected the name of the system"),
        ("If a or b and c, then the system shall d at once.", "both can be read in two ways"),
        ("The pump and the fan shall not run.", "`neither the pump nor the fan shall run`"),
        ("When p, the system shall close it.", "expected the name of the thing in place of `it`"),
        ("When p within 3 steps of r, the system shall q.", "without `within`"),
        ("It is always the case that if p then q.", "expected `.. eventually holds`"),
        ("Between p, it is never the case that q holds.", "expected `Between Q and R,`"),
        ("After p, q holds at least every 5 steps.", "as the scope of what happens again and again"),
    ] {
        let said = expected(sentence);
        assert!(said.contains(why), "{sentence}: {said}");
    }
}

#[test]
fn lists_are_read_and_names_are_one_in_all_spellings() {
    let found = read_requirements(
        "1. If P holds, the pump shall run at once.\n- While p, the lamp shall be on.\n2) The fan shall stop.\n  10. The horn \
         shall sound.",
    );
    let formulas: Vec<&str> = found.read.iter().map(|one| one.formula.as_str()).collect();
    assert_eq!(formulas, ["G (p -> run)", "G (p -> lamp_on)", "G stop", "G sound"], "{:?}", found.unread);
    assert_eq!(found.inputs.len(), 1);
    // A declared name is spelled as it is declared.
    let found =
        read_requirements("output P\nIt is never the case that P holds. If p, the lamp shall blink at once.");
    assert_eq!(found.ltl().lines().next(), Some("// outputs: P, blink"));
}

#[test]
fn hostile_texts_are_read_or_not_and_nothing_else() {
    for text in [
        "",
        ".",
        "shall",
        " shall ",
        "When shall , shall",
        "\u{0}\u{202e} shall x",
        "If then shall",
        "The \u{1f600} shall \u{1f600}.",
        "between and , it",
        "= x",
        "When p, the system shall q within 99999999999 steps.",
    ] {
        let found = read_requirements(text);
        assert!(!found.tsl().contains('\u{0}'));
        for (name, _) in found.inputs.iter().chain(&found.outputs) {
            assert!(name.is_ascii() && !name.is_empty(), "{text:?}: {name}");
        }
    }
}
