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
