//! Mistakes in policy files: what is meant is said, and is accepted.

use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::language::load_policy;

/// The hints of the errors in a policy; `None` if there is no error.
fn hints(text: &str) -> Option<Vec<String>> {
    let mut sources = SourceMap::new();
    let source = sources.add("policy.toml", text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut sources, source, &mut diagnostics);
    policy.is_none().then(|| diagnostics.iter().flat_map(|one| one.hints.clone()).collect())
}

fn policy(head: &str, conditions: &str) -> String {
    format!(
        "policy = 1\n[actions]\ngroups = [[\"pay\"]]\n{head}\non = \"call\"\ntool = \"pay\"\naction = \"pay\"\n\
         {conditions}\n[rules]\nnone = \"never pay\"\n"
    )
}

#[test]
fn a_table_where_a_list_is_expected_is_answered_with_the_list() {
    for (pairs, count) in [
        ("\"/arguments/to\" = \"me\"", 1),
        ("\"/arguments/to\" = \"a \\\"b\\\" c\"", 1),
        ("\"/arguments/to\" = \"\\u001b[2J\\u007f\"", 1),
        ("\"/arguments/sum\" = 7", 1),
        ("\"/arguments/now\" = true, \"/arguments/sum\" = 2.5", 2),
    ] {
        let hints = hints(&policy("[[match]]", &format!("where = {{ {pairs} }}"))).expect("an error");
        assert_eq!(hints.len(), 1, "{hints:?}");
        let meant =
            hints[0].strip_prefix("write `").and_then(|rest| rest.strip_suffix('`')).expect("a spelling");
        assert_eq!(meant.matches("pointer").count(), count, "{meant}");
        assert_eq!(self::hints(&policy("[[match]]", meant)), None, "{meant}");
    }
    // Single brackets where double ones are meant.
    let hints = hints(&policy("[match]", "")).expect("an error");
    assert!(hints.iter().any(|hint| hint.starts_with("write `[[match]]`, once for each")), "{hints:?}");
    assert_eq!(self::hints(&policy("[[match]]", "")), None);
}

/// Whether some hint about a policy has this text.
fn hinted(text: &str, part: &str) {
    let hints = hints(text).unwrap_or_else(|| panic!("no error in {text}"));
    assert!(hints.iter().any(|hint| hint.contains(part)), "{part}: {hints:?}\n{text}");
}

#[test]
fn what_is_written_from_memory_is_answered_with_what_is_meant() {
    let with = |rule: &str| format!("policy = 1\nuse = [\"git.push\"]\n[rules]\na = \"{rule}\"\n");
    for action in ["git_push", "push", "send-mail"] {
        for value in ["{ tool = \"Bash\" }", "\"git push*\""] {
            let text =
                format!("policy = 1\n[actions]\n{action} = {value}\n[rules]\na = \"never {action}\"\n");
            hinted(&text, &format!("`action = \"{action}\"`"));
        }
    }
    for word in ["to main", "with force", "on weekends", "from ci"] {
        hinted(&with(&format!("never git.push {word}")), "`[[match]]`");
    }
    hinted(&with("never git.push").replace("policy =", "version ="), "`policy = 1`");
    // Two errors of one cause keep both suggestions.
    let two = with("max 3 git.push") + "b = \"max 3 git.push per hour\"\n";
    hinted(&two, "`at most 3 git.push`");
    hinted(&two, "per 1h");
}

#[test]
fn yaml_is_one_error_that_names_it() {
    for text in [
        "policy: 1\nrules:\n  - never push\n",
        "# rules\n\npolicy: 1\n",
        "---\npolicy: 1\n",
        "- never push\n- never pull\n",
        "rules:\n  a: never push\n",
    ] {
        let hints = hints(text).expect("an error");
        assert!(hints.len() == 1 && hints[0].starts_with("YAML is not read"), "{text}: {hints:?}");
    }
    for text in ["policy = = 1\n", "a = \"x: y\nb", "[rules\na = 1\n"] {
        let hints = hints(text).expect("an error");
        assert!(hints.iter().all(|hint| !hint.contains("YAML")), "{text}: {hints:?}");
    }
}
