//! Rules that wait for each other, tables with pointers to nothing, and advice on rules about two actions.

use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::analysis::{Lint, lints};
use tsl_synth_policy::language::load_policy;

fn loaded(text: &str) -> Result<CompiledPolicy, Diagnostics> {
    let mut sources = SourceMap::new();
    let source = sources.add("policy.toml", text);
    let mut found = Diagnostics::new();
    match load_policy(&mut sources, source, &mut found) {
        Some(policy) => Ok(CompiledPolicy::new(policy, &Budget::unlimited()).expect("small")),
        None => Err(found),
    }
}

/// A policy of these rules about calls of `a`, `b`, `c` and `d`.
fn of_rules(rules: &[&str]) -> String {
    let rules: Vec<String> =
        rules.iter().enumerate().map(|(i, rule)| format!("r{i} = \"{rule}\"\n")).collect();
    format!("policy = 1\ntools = [\"a\", \"b\", \"c\", \"d\"]\n[rules]\n{}", rules.concat())
}

#[test]
fn rules_that_wait_for_each_other_are_found() {
    for (rules, cycles) in [
        (&["a requires b before", "b requires a before"][..], &["a b"][..]),
        (&["a requires a before"], &["a"]),
        (&["a requires b before", "b requires c before", "c requires a since d"], &["a b c"]),
        (
            &["a requires b before", "b requires a before", "c requires d before", "d requires c before"],
            &["a b", "c d"],
        ),
        (&["a requires (b & c) before", "b requires a before"], &["a b"]),
        (&["a requires b before", "b requires c before"], &[]),
        // Another way is left.
        (&["a requires (b | c) before", "b requires a before"], &[]),
        (&["a requires b.failed before", "b requires a before"], &[]),
        (&["a forbids b after", "b forbids a after"], &[]),
    ] {
        let compiled = loaded(&of_rules(rules)).unwrap_or_else(|why| panic!("{rules:?}: {why:?}"));
        let atoms = &compiled.policy.atoms;
        let mut found: Vec<String> = lints(&compiled)
            .into_iter()
            .filter_map(|lint| match lint {
                Lint::Cycle(cycle) => {
                    let mut names: Vec<String> =
                        cycle.actions.iter().map(|&action| atoms.actions[action].name.clone()).collect();
                    names.sort_unstable();
                    Some(names.join(" "))
                }
                _ => None,
            })
            .collect();
        found.sort_unstable();
        assert_eq!(found, cycles, "{rules:?}");
    }
}

#[test]
fn pointers_to_nothing_are_found_with_what_is_meant() {
    for (on, pointer, meant) in [
        ("call", "/args/x", Some("/arguments/x")),
        ("call", "/tool_input/x/y", Some("/arguments/x/y")),
        ("call", "/x", Some("/arguments/x")),
        ("call", "/arguments/x", None),
        ("call", "/tool", None),
        ("result", "/arguments/x", None),
        ("result", "/result/x", None),
        ("result", "/tool_response/x", Some("/result/x")),
    ] {
        let sets = if on == "call" { "action = \"pay\"" } else { "proposition = \"paid\"" };
        let text = format!(
            "policy = 1\n[propositions]\npaid = {{}}\n[actions]\ngroups = [[\"pay\"]]\n[[match]]\non = \"{on}\"\ntool = \"t\"\n\
             where = [{{ pointer = \"{pointer}\", exists = true }}]\n{sets}\n[rules]\na = \"pay requires paid before\"\n"
        );
        let compiled = loaded(&text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        let found: Vec<String> = lints(&compiled)
            .into_iter()
            .filter_map(|lint| match lint {
                Lint::Elsewhere(_, _, meant) => Some(meant),
                _ => None,
            })
            .collect();
        assert_eq!(found, meant.into_iter().collect::<Vec<_>>(), "{on} {pointer}");
    }
}

#[test]
fn two_actions_without_parentheses_and_large_numbers_are_answered() {
    for (rule, part) in [
        ("at most 5 a or b", "`at most 5 (a | b)`"),
        ("never a or b", "`never (a | b)`"),
        ("never a and b", "`never (a | b)`"),
        ("at most 5 a or b since c", "`at most 5 (a | b) since c`"),
        ("at most 99999999999 a", "up to 4294967295"),
    ] {
        let found = loaded(&of_rules(&[rule])).expect_err(rule);
        let said = format!("{found:?}");
        assert!(said.contains(part), "{rule}: {said}");
    }
}

#[test]
fn lists_of_permitted_commands_are_told_that_they_permit_redirections() {
    let table = |condition: &str, says: &str| {
        format!(
            "[[match]]\non = \"call\"\ntool = \"Bash\"\nshell = \"/arguments/command\"\n{condition}\n{says}\n"
        )
    };
    let words = ["argv = [\"ls\", \"**\"]", "program = \"ls\""].map(|own| table(own, "action = \"a\""));
    let writes = table("writes = [\"**\", \"!src/**\"]", "action = \"w\"");
    let reads = table("reads = [\".env\"]", "action = \"r\"");
    for (unmatched, tables, is_told) in [
        ("deny", vec![&words[0]], true),
        ("deny", vec![&words[1]], true),
        ("deny", vec![&words[0], &words[1], &reads], true),
        ("allow", vec![&words[0]], false),
        ("deny", vec![&words[0], &writes], false),
        ("deny", vec![&writes, &words[1]], false),
        ("deny", vec![&reads], false),
    ] {
        let tables: String = tables.into_iter().map(String::as_str).collect();
        let action = if tables.contains("\"a\"") { "a" } else { "r" };
        let text =
            format!("policy = 1\nunmatched = \"{unmatched}\"\n{tables}[rules]\nl = \"at most 3 {action}\"\n");
        let compiled = loaded(&text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        let found = lints(&compiled).into_iter().any(|lint| matches!(lint, Lint::Redirections(_)));
        assert_eq!(found, is_told, "{text}");
    }
}

#[test]
fn calls_that_two_tables_name_differently_are_told() {
    let table = |condition: &str, action: &str| {
        format!("[[match]]\non = \"call\"\n{condition}\naction = \"{action}\"\n")
    };
    for (first, second, is_told) in [
        ("tool = \"pay*\"", "tool = \"payout\"", true),
        ("tool = \"payout\"", "tool = \"pay*\"", true),
        ("tool = \"*\"", "tool = [\"a\", \"b\"]", true),
        ("tool = \"*\"", "tool = \"a*\"", true),
        ("server = \"bank\"", "server = \"bank\"\ntool = \"pay\"", true),
        ("server = \"bank*\"", "server = \"bank-2\"\ntool = \"pay\"", true),
        ("tool = \"pay*\"", "tool = \"refund\"", false),
        ("tool = \"pay*\"", "tool = [\"payout\", \"refund\"]", false),
        ("server = \"bank\"", "tool = \"pay\"", false),
        ("tool = \"pay*\"", "tool = \"*out\"", false),
    ] {
        let tables = table(first, "x") + &table(second, "y");
        let text = format!("policy = 1\nunmatched = \"allow\"\n{tables}[rules]\nl = \"never x\"\n");
        let compiled = loaded(&text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        let told = lints(&compiled).iter().any(|lint| matches!(lint, Lint::TwoActions(..)));
        assert_eq!(told, is_told, "{text}");
    }
}
