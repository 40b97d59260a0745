//! Equivalent and similar commands that are generated from a table are judged by it as they should be.

use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::analysis::{ReadSpelling, TableSpellings, look_alikes, spellings};
use tsl_synth_policy::language::load_policy;
use tsl_synth_shell::{Certainty, ExampleCommand};

/// The spellings for a table with these fields and the action `a`, and the similar commands.
fn of_table(fields: &str) -> (TableSpellings, Vec<ReadSpelling>) {
    let text = format!(
        "policy = 1\n[[match]]\non = \"call\"\n{fields}\naction = \"a\"\n[[law]]\nid = \"l\"\nltl = \"G !a\"\n"
    );
    let mut map = SourceMap::new();
    let source = map.add("table.toml", text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut map, source, &mut diagnostics).expect("a policy");
    let own = spellings(&policy).remove(0);
    let others = look_alikes(&policy, &own);
    (own, others)
}

fn passing(own: &TableSpellings) -> Vec<&str> {
    own.same.iter().filter(|one| one.passes).map(|one| one.text.as_str()).collect()
}

#[test]
fn tables_that_know_options_catch_all_spellings() {
    for (fields, example) in [
        ("program = \"git\"\nsubcommand = [\"push\"]", "git push"),
        (
            "program = \"git\"\nsubcommand = [\"commit\"]\nflags = [\"--no-verify\", \"-n\"]",
            "git commit --no-verify",
        ),
        ("program = \"rm\"\nflags = [[\"-r\", \"-R\"], [\"-f\"]]\noperands = [\"build\"]", "rm -r -f build"),
        (
            "program = [\"terraform\", \"tofu\"]\nsubcommand = [\"apply\"]\nflags = [\"-auto-approve\"]",
            "terraform apply -auto-approve",
        ),
        ("program = \"{curl,wget}\"\noperands = [\"http*\"]", "curl httpx"),
        ("program = \"git\"\nenv = [\"HUSKY=0\"]", "HUSKY=0 git"),
        ("reads = [\".env\"]", "cat .env"),
        ("writes = [\"ci/**\"]", "true > ci/xx"),
    ] {
        let (own, others) = of_table(fields);
        assert_eq!(own.example.as_ref().map(ExampleCommand::text).as_deref(), Some(example), "{fields}");
        assert_eq!(passing(&own), Vec::<&str>::new(), "{fields}");
        assert!((15..=20).contains(&own.same.len()), "{fields}: {:?}", own.same);
        assert!((10..=20).contains(&others.len()), "{fields}: {others:?}");
        // Texts about a command are not the command.
        let prose = others.iter().filter(|one| one.text.starts_with("git commit -m"));
        assert!(prose.clone().all(|one| one.certainty == Certainty::No && !one.is_opaque), "{fields}");
        assert_eq!(
            prose.count(),
            usize::from(!fields.contains("\"commit\"") || example.contains("no-verify"))
        );
    }
}

#[test]
fn lists_of_words_let_other_orders_pass() {
    let (own, _) = of_table("argv = [\"rm\", \"-rf\", \"**\"]");
    assert_eq!(passing(&own), ["rm -fr", "rm -r -f"]);
    let (own, _) = of_table("argv = [\"terraform\", \"destroy\", \"**\"]");
    assert_eq!(passing(&own), ["terraform -chdir=. destroy"]);
    assert_eq!(passing(&of_table("argv = [\"git\", \"push\", \"**\"]").0), Vec::<&str>::new());
}

#[test]
fn tables_that_match_no_command_say_why() {
    for (fields, part) in [
        ("program = \"git push\"", "`git push` is compared with one word"),
        ("program = \"supabase\"\nsubcommand = [\"db reset\"]", "`db reset` is compared with one word"),
        ("argv = [\"cd x && git\", \"push\"]", "`cd x && git` is compared with one word"),
        ("argv = [\"git\", \"add\", \"&&\", \"git\", \"push\"]", "`&&` is no word of a command"),
        ("program = \"rm\"\nflags = [\"-rf\"]", "reads `-rf` as several options"),
        ("program = \"git\"\nsubcommand = [\"-n\"]", "`-n` is an option"),
        (
            "program = \"git\"\nsubcommand = [\"push\"]\nflags = [\"-f\"]\nwithout_flags = [\"-f\"]",
            "contradict",
        ),
        (
            "program = \"git\"\nsubcommand = [\"push\"]\noperands = [\"a\"]\nwithout_operands = [\"a\"]",
            "contradict",
        ),
    ] {
        let (own, _) = of_table(fields);
        let (why, hint) = own.never.unwrap_or_else(|| panic!("{fields}: {:?}", own.example));
        assert!(why.contains(part) && !hint.is_empty(), "{fields}: {why}");
    }
    for fields in ["program = \"git\"", "program = \"*\"\nwithout_flags = [\"-x\"]", "argv = [\"**\"]"] {
        assert_eq!(of_table(fields).0.never, None, "{fields}");
    }
}
