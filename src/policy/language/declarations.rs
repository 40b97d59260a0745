//! Tests of names: actions that only tables name, words of vocabularies, and errors that have one cause.

use super::{OnViolation, Policy, load_policy};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;

fn read(text: &str) -> (Option<Policy>, Vec<String>) {
    let mut map = SourceMap::new();
    let source = map.add("p.toml", format!("policy = 1\n{text}"));
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut map, source, &mut diagnostics);
    let shown = |one: &tsl_synth_core::diag::Diagnostic| {
        format!("{one} {} ({} places)", one.hints.join(" "), one.labels.len())
    };
    (policy, diagnostics.iter().map(shown).collect())
}

fn table(fields: &str) -> String {
    format!("[[match]]\non = \"call\"\n{fields}\n")
}

fn law(id: &str, rule: &str) -> String {
    format!("[[law]]\nid = \"{id}\"\nrule = \"{rule}\"\n")
}

#[test]
fn actions_that_tables_name_form_one_group() {
    let text = [
        table("tool = \"edit\"\naction = \"edit\""),
        table("program = \"git\"\naction = \"git\""),
        "[actions]\ngroups = [[\"a\", \"b\"]]\n".to_owned(),
        law("one", "git requires edit before"),
        law("two", "never (a & b)"),
    ];
    let (policy, found) = read(&text.concat());
    assert!(found.is_empty(), "{found:?}");
    let groups: Vec<(String, usize)> = policy
        .expect("a policy")
        .atoms
        .actions
        .iter()
        .map(|action| (action.name.clone(), action.group))
        .collect();
    let expected =
        [("a", 0), ("b", 0), ("edit", 1), ("git", 1)].map(|(name, group)| (name.to_owned(), group));
    assert_eq!(groups, expected);
}

#[test]
fn words_of_vocabularies_are_groups_of_their_own_unless_the_policy_groups_them() {
    let uses = "use = [\"git.push\", \"git.push.force\", \"git.push\"]\n";
    let text = [
        uses,
        &law("one", "never git.push.force"),
        &law("two", "git.push requires git.push.force.ok before"),
    ];
    let (policy, found) = read(&text.concat());
    assert!(found.is_empty(), "{found:?}");
    let policy = policy.expect("a policy");
    let groups: Vec<usize> = policy.atoms.actions.iter().map(|action| action.group).collect();
    assert_eq!((groups.len(), groups[0] == groups[1]), (2, false));
    let grouped =
        [uses, "[actions]\ngroups = [[\"git.push\", \"git.push.force\"]]\n", &law("one", "never git.push")];
    let (policy, found) = read(&grouped.concat());
    assert!(found.is_empty(), "{found:?}");
    assert!(policy.expect("a policy").atoms.actions.iter().all(|action| action.group == 0));
    // A table of the policy adds to a word.
    let added = [uses, &table("tool = \"ship\"\naction = \"git.push\""), &law("one", "never git.push")];
    let (policy, found) = read(&added.concat());
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(policy.expect("a policy").atoms.actions.len(), 2);
}

#[test]
fn an_error_of_one_cause_is_one_error() {
    let push = table("program = \"git\"\naction = \"push\"");
    for (text, expected, places) in [
        (format!("{push}{}", law("one", "never pusch")), "did you mean `push`?", 1),
        (
            format!(
                "{push}{}{}{}",
                law("one", "never pusch"),
                law("two", "pusch requires push before"),
                law("three", "at most 2 pusch")
            ),
            "did you mean `push`?",
            3,
        ),
        (format!("{push}[[law]]\nid = \"one\"\nltl = \"G !pusch\"\n"), "did you mean `push`?", 1),
        (law("one", "never push"), "there is no action or proposition `push`", 1),
        (law("one", "never push"), "`tool` and `action` makes calls of a tool an action", 1),
        (law("one", "never git.push.ok"), "`use = [\"git.push\"]` declares it", 1),
        (law("one", "never git push"), "words of the vocabularies that begin so are `git.commit`", 1),
        (format!("use = \"git.push\"\n{}", law("one", "never git push")), "did you mean `git.push`?", 1),
        (format!("{push}{}", law("one", "G !push")), "operator of formulas, which stand in `ltl`", 1),
        (format!("{push}{}", law("one", "no push without review")), "`never A` refuses", 1),
        (format!("{push}{}", law("one", "confirm push")), "did you mean `ask before each push`?", 1),
        (format!("{push}{}", law("one", "push requires push.passed before")), "did you mean `push.ok`?", 1),
        (
            format!("{push}{}", law("one", "push requires push.error before")),
            "did you mean `push.failed`?",
            1,
        ),
        (format!("{push}[law]\nid = \"one\"\nrule = \"never push\"\n"), "or a table `[[law]]`", 1),
        (format!("{push}[[rules]]\nid = \"one\"\nrule = \"never push\"\n"), "a line `name = \"rule\"`", 1),
        (format!("rules = [\"never push\"]\n{push}"), "a line `name = \"rule\"`", 1),
        (format!("{push}[rules]\none = 1\n"), "`rules.one` is a rule, or a table", 1),
        (push.clone(), "a policy has at least one law", 1),
        (format!("use = [\"git.pusch\"]\n{push}{}", law("one", "never push")), "did you mean `git.push`?", 1),
        (
            format!(
                "[propositions]\ngit = {{}}\n{}{}",
                table("program = \"git\"\naction = \"git\""),
                law("one", "never git")
            ),
            "the policy has no action `git`",
            1,
        ),
        (
            format!("{}{}", table("flags = \"-n\"\naction = \"a\""), law("one", "never a")),
            "are of a `program`",
            1,
        ),
        (
            format!(
                "{}{}",
                table("program = \"git\"\nflags = \"push\"\naction = \"a\""),
                law("one", "never a")
            ),
            "an option begins with `-`",
            1,
        ),
        (
            format!(
                "{}{}",
                table("program = \"git\"\nargv = [\"git\"]\naction = \"a\""),
                law("one", "never a")
            ),
            "either `argv`",
            1,
        ),
        (
            format!("{}{}", table("shell = \"/arguments/command\"\naction = \"a\""), law("one", "never a")),
            "does not say which command",
            1,
        ),
        (format!("{}{}", table("writes = \"[\"\naction = \"a\""), law("one", "never a")), "TSL0", 1),
        (
            format!("{push}{}on_violation = \"deny\"\n", law("one", "ask before each push")),
            "begins with `ask`",
            1,
        ),
    ] {
        let (policy, found) = read(&text);
        assert!(policy.is_none() && found.len() == 1, "{text}\n{found:?}");
        assert!(found[0].contains(expected), "{text}\n{found:?}");
        assert!(found[0].ends_with(&format!("({places} places)")), "{text}\n{found:?}");
    }
}

#[test]
fn questions_ask() {
    let push = table("program = \"git\"\naction = \"push\"");
    for (rule, answer) in [
        ("ask before each push", OnViolation::Ask),
        ("ask before first push", OnViolation::Ask),
        ("never push", OnViolation::Deny),
    ] {
        let (policy, found) = read(&format!("{push}{}", law("one", rule)));
        assert!(found.is_empty(), "{found:?}");
        let policy = policy.expect("a policy");
        assert_eq!(policy.laws.iter().next().expect("a law").on_violation, answer, "{rule}");
    }
}
