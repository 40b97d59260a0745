//! `check`, `emit`, `schema` and `new` of policies, as a user calls them.

use super::Folder;

/// A policy under which after `book` and `freeze` a payment is both required and forbidden.
const TRAP: &str = include_str!("../../../fixtures/diagnostics/524-trap.toml");

#[test]
fn traps_are_told_with_the_way_into_them() {
    let folder = Folder::new();
    folder.file("trap.toml", TRAP);
    let run = folder.run(["check", "trap.toml"]).exits(0);
    assert!(
        run.out.starts_with("CONSISTENT\ntrap after 2 legal steps: once the agent does `book`"),
        "{run:?}"
    );
    assert!(run.out.contains("  1. agent: book\n  2. agent: freeze\n"), "{run:?}");
    folder.run(["check", "--deny=TSL0524", "trap.toml"]).exits(1);
    let result = &folder.run(["check", "--format", "json", "trap.toml"]).exits(0).json()["results"][0];
    assert_eq!(result["canActAndStop"], true);
    let traps = result["traps"].as_array().expect("a list");
    assert_eq!(traps.len(), 2);
    assert_eq!(traps[1]["laws"], serde_json::json!(["pay-what-is-booked", "no-payment-while-frozen"]));
    assert_eq!(traps[1]["trajectory"][1], serde_json::json!({ "by": "agent", "names": ["freeze"] }));
    // The freeze can be ended: no position is lost, which the game knows without a search.
    let thaw = TRAP.replace("\"freeze\"]]", "\"freeze\", \"thaw\"]]");
    folder.file(
        "thaw.toml",
        thaw.replace("[[law]]\nid = \"pay-", "thaw = { may_clear = [\"frozen\"] }\n[[law]]\nid = \"pay-"),
    );
    let run = folder.run(["check", "thaw.toml"]).exits(0);
    assert_eq!(run.out, "CONSISTENT\n");
}

#[test]
fn a_policy_that_no_agent_can_keep_is_unrealizable() {
    let folder = Folder::new();
    folder.file("p.toml", include_str!("../../../fixtures/diagnostics/523-unrealizable.toml"));
    let run = folder.run(["check", "p.toml"]).exits(1);
    let expected =
        "UNREALIZABLE\nwhatever the agent does, the world can make it impossible to keep `report-alarms`\n";
    assert!(run.out.starts_with(expected), "{run:?}");
    let result = &folder.run(["check", "--format", "json", "p.toml"]).exits(1).json()["results"][0];
    assert_eq!(
        (&result["verdict"], &result["lost"]),
        (&"UNREALIZABLE".into(), &serde_json::json!(["report-alarms"]))
    );
}

#[test]
fn a_check_that_is_cut_says_so() {
    let folder = Folder::new();
    folder.file("p.toml", TRAP.replace("policy = 1", "policy = 1\nend = \"infinite\""));
    let run = folder.run(["check", "p.toml"]);
    assert!(run.err.contains("whether some agent can keep all hard laws is not decided"), "{run:?}");
    assert!(run.err.contains("is not a safety law"), "{run:?}");
}

/// Any two of the three laws leave some action legal; once `p`, `q` and `r` have all held, the three leave none.
const THREE: &str = r#"policy = 1
idle = false
[propositions]
p = {}
q = {}
r = {}
[actions]
groups = [["a", "b", "c"]]
[[law]]
id = "no-a-after-p"
ltl = "G(O p -> !a)"
[[law]]
id = "no-b-after-q"
ltl = "G(O q -> !b)"
[[law]]
id = "no-c-after-r"
ltl = "G(O r -> !c)"
[[law]]
id = "one-at-a-time"
kind = "assume"
ltl = "G(!(p & q) & !(q & r) & !(p & r))"
"#;

#[test]
fn three_laws_are_a_core_without_declared_effects() {
    let folder = Folder::new();
    folder.file("three.toml", THREE);
    let run = folder.run(["check", "--format", "json", "three.toml"]).exits(1);
    let result = &run.json()["results"][0];
    assert_eq!(result["verdict"], "OVER-CONSTRAINED");
    let stuck = result["overConstrained"].as_array().expect("a list");
    assert_eq!(stuck.len(), 1, "{stuck:?}");
    assert_eq!(stuck[0]["laws"], serde_json::json!(["no-a-after-p", "no-b-after-q", "no-c-after-r"]));
    assert_eq!(stuck[0]["trajectory"].as_array().map(Vec::len), Some(3));
    // With a fourth action there is always one left, and the search is complete.
    folder.file("four.toml", THREE.replace("\"c\"]]", "\"c\", \"d\"]]"));
    assert!(folder.run(["check", "four.toml"]).exits(0).out.starts_with("CONSISTENT\n"));
}

#[test]
fn a_policy_is_checked_against_logs() {
    let folder = Folder::new();
    let policies = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/policies");
    let policy = format!("{policies}/refunds.toml");
    let against = |log: &str, more: &[&str]| {
        let log = format!("{policies}/logs/{log}.jsonl");
        let mut args = vec!["check", &policy, "--against", &log];
        args.extend(more);
        folder.run(&args)
    };
    let kept = against("refunds.keeps", &["--from", "jsonl"]).exits(0);
    assert!(kept.out.contains("held to 1 session:\n  receipt-first   triggered, and kept\n"), "{kept:?}");
    let broken = against("refunds.breaks", &[]).exits(0);
    assert!(broken.out.contains("  receipt-first   violated once\n"), "{broken:?}");
    assert!(broken.err.contains("ends while `refund-audited` is owed"), "{broken:?}");
    against("refunds.breaks", &["--deny=warnings"]).exits(1);
    // A log about something else: names that never occur, laws that are never triggered, calls that no table matches.
    let other = against("tests-before-push.keeps", &[]).exits(0);
    assert!(other.out.contains("  receipt-first   never triggered\n"), "{other:?}");
    assert!(other.err.contains("the action `refund` does not occur in the sessions"), "{other:?}");
    assert!(other.err.contains("no table matches the tool `Bash`, which is called 2 times"), "{other:?}");
    let result = &against("tests-before-push.keeps", &["--format", "json"]).exits(0).json()["results"][0];
    assert_eq!(result["unmatched"]["Bash"], 2);
    assert_eq!(result["neverSeen"][0], "receipt_ok");
    let missing = against("nothing", &[]).exits(2);
    assert!(missing.err.contains("cannot read"), "{missing:?}");
    folder.run(["check", &policy, "--from", "jsonl"]).exits(2);
}

#[test]
fn sentences_are_read_as_laws_and_read_back() {
    let folder = Folder::new();
    folder.file("p.toml", TRAP);
    let text = "# Rules\n`pay` requires `book` before.\nNever `freeze`.\n";
    folder.file("rules.txt", text);
    let run =
        folder.run(["check", "p.toml", "--from-nl", "rules.txt", "--from-nl", "never pay while frozen"]);
    let run = run.exits(0);
    assert!(
        run.out.starts_with("nl-1: `pay` requires `book` before\n  formula: G(pay -> O book.ok)\n"),
        "{run:?}"
    );
    assert!(
        run.out.contains("nl-3: never pay while frozen\n  formula: G !(pay & frozen)\n  means:   "),
        "{run:?}"
    );
    // The sentence that explains a law is translated into the same formula.
    let document =
        folder.run(["check", "p.toml", "--from-nl", "rules.txt", "--format", "json"]).exits(0).json();
    for law in document["laws"].as_array().expect("a list") {
        let means = law["means"].as_str().expect("a sentence");
        let again = folder.run(["check", "p.toml", "--from-nl", means, "--format", "json"]).exits(0).json();
        assert_eq!(again["laws"][0]["ltl"], law["ltl"], "{means}");
    }
    // Without an oracle such a sentence is not translated.
    let run = folder.run(["check", "p.toml", "--from-nl", "Whenever it rains, sing"]).exits(2);
    assert!(run.out.contains("  not translated\n") && run.err.contains("error[TSL055"), "{run:?}");
    // A script answers: the expressions, then the formula over symbols.
    let script = "{\"subject\":\"expressions\",\"answer\":\"it rains = frozen\\nsing = pay\"}\n\
                  {\"subject\":\"formula\",\"answer\":\"G(prop_1 -> F prop_2)\"}\n";
    folder.file("answers.jsonl", script);
    let ask = |oracle: &str| {
        folder.run(["check", "p.toml", "--from-nl", "Whenever it rains, sing", "--oracle", oracle])
    };
    let run = ask("script:answers.jsonl").exits(0);
    assert!(
        run.out.contains("  formula: G(frozen -> F pay)\n") && run.out.contains("a model translated"),
        "{run:?}"
    );
    // A name that the policy does not have is refused.
    folder.file(
        "wrong.jsonl",
        "{\"subject\":\"expressions\",\"answer\":\"it rains = rain\",\"repeat\":true}\n",
    );
    let run = ask("script:wrong.jsonl").exits(2);
    assert!(run.err.contains("there is no name `rain`"), "{run:?}");
    folder.run(["check", "--from-nl", "Never freeze"]).exits(2);
    // Where `X` is the strong next, the weak next is written `!X[!] !`.
    folder.file("strong.toml", TRAP.replace("policy = 1", "policy = 1\nnext = \"strong\""));
    let run = folder.run(["check", "strong.toml", "--from-nl", "freeze forbids pay after"]).exits(0);
    assert!(run.out.contains("  formula: G(freeze -> !X[!] !G !pay)\n"), "{run:?}");
}

#[test]
fn a_new_policy_shows_a_violation_at_once() {
    let folder = Folder::new();
    let run = folder.run(["new", "policy", "my rules"]).exits(0);
    let commands: Vec<Vec<String>> = run
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("  tsl-synth "))
        .map(crate::readme::words)
        .collect();
    assert_eq!(commands.len(), 4, "{run:?}");
    let runs: Vec<_> = commands.iter().map(|command| folder.run(command)).collect();
    assert_eq!(runs.iter().map(|run| run.code).collect::<Vec<_>>(), [0, 0, 0, 1], "{runs:#?}");
    assert!(runs[0].out.starts_with("CONSISTENT\n") && !runs[0].out.contains("trap after"), "{runs:#?}");
    assert!(runs[1].out.contains("0 scenarios differ"), "{runs:#?}");
    assert!(runs[2].out.contains("1 session: no law is violated"), "{runs:#?}");
    assert!(runs[3].out.contains("violates tests-before-push: Run the tests"), "{runs:#?}");
    // The commands of its README have the expected exit codes, except the one that needs logs of Claude.
    let readme = std::fs::read_to_string(folder.path().join("my rules/README.md")).expect("it is written");
    let mut tried = 0;
    for line in readme.lines().filter_map(|line| line.strip_prefix("tsl-synth ")) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.contains("--from claude") {
            continue;
        }
        let own =
            folder.command(crate::readme::words(line)).current_dir(folder.path().join("my rules")).output();
        let code = own.expect("it starts").status.code();
        assert_eq!(code, Some(i32::from(line.contains("breaks"))), "{line}");
        tried += 1;
    }
    assert_eq!(tried, 5);
    // Existing files are replaced only with `--force`.
    let again = folder.run(["new", "policy", "my rules"]).exits(2);
    assert!(again.err.contains("is there already"), "{again:?}");
    folder.run(["new", "policy", "my rules", "--force"]).exits(0);
}

#[test]
fn a_dialect_of_sql_is_for_queries_only() {
    let folder = Folder::new();
    folder.file("p.toml", TRAP);
    folder.file("s.tsl", super::REALIZABLE);
    let duckdb = ["--dialect", "duckdb"];
    for command in [
        &["check", "s.tsl"][..],
        &["check", "p.toml"],
        &["fmt", "s.tsl"],
        &["emit", "s.tsl", "--lang", "js"],
        &["emit", "p.toml", "--lang", "python"],
        &["simulate", "s.tsl", "--random", "2"],
    ] {
        let run = folder.run(command.iter().chain(&duckdb)).exits(2);
        assert!(run.err.contains("is a dialect of SQL"), "{command:?}: {run:?}");
    }
    folder.run(["emit", "p.toml", "--lang", "sql"].iter().chain(&duckdb)).exits(0);
    folder.file("tsl-synth.toml", "spec = \"s.tsl\"\ndialect = \"duckdb\"\n");
    folder.run(["check"]).exits(2);
}

#[test]
fn next_is_strong_in_words_where_the_policy_says_so() {
    let folder = Folder::new();
    let policy = |head: &str| {
        let law = "[actions]\ngroups = [[\"a\", \"b\"]]\n[[law]]\nid = \"l\"\nltl = \"G(a -> X b)\"\n";
        format!("policy = 1\n{head}{law}")
    };
    folder.file("weak.toml", policy(""));
    folder.file("strong.toml", policy("next = \"strong\"\n"));
    folder.file("written.toml", policy("").replace("X b", "X[!] b"));
    let sentence = |name: &str| {
        let run = folder.run(["explain", name]).exits(0);
        run.out.lines().nth(1).expect("a sentence").to_string()
    };
    assert_eq!(sentence("strong.toml"), sentence("written.toml"));
    assert_ne!(sentence("weak.toml"), sentence("strong.toml"));
}

/// `--spellings`: twenty equivalent spellings of a table's command and twenty similar commands, with what the gate says.
#[test]
fn spellings_are_listed_with_what_the_gate_decides() {
    let table = |fields: &str| {
        format!(
            "policy = 1\nunmatched = \"allow\"\n[[match]]\non = \"call\"\n{fields}\naction = \"a\"\n[rules]\nnone = \"never a\"\n"
        )
    };
    for (fields, is_sound) in [
        ("program = \"git\"\nsubcommand = [\"push\"]", true),
        ("program = \"rm\"\nflags = [\"-r\", \"-R\", \"--recursive\"]", true),
        ("program = \"terraform\"\nsubcommand = [\"destroy\"]", true),
        ("argv = [\"rm\", \"-rf\", \"**\"]", false),
    ] {
        let folder = Folder::new();
        folder.file("p.toml", table(fields));
        let listed = folder.run(["policy", "check", "p.toml", "--spellings"]).out;
        let (same, similar) = listed.split_once("looks like it:").expect("two lists");
        let (_, same) = same.split_once("the same command:").expect("a list");
        let [same, similar] =
            [same, similar].map(|list| list.lines().filter(|line| line.starts_with("    ")).count());
        assert!((15..=20).contains(&same) && (15..=20).contains(&similar), "{fields}: {listed}");
        let of = |list: &str, verdict: &str| {
            let list = listed.split(list).nth(1).expect("a list");
            let lines = list.lines().skip(1).take_while(|line| line.starts_with("    "));
            lines.filter(|line| line.split_whitespace().nth(1) == Some(verdict)).count()
        };
        // A table without `without_flags` is also about `--help` and `--dry-run`, and the list shows it.
        let allowed = of("looks like it:", "allow");
        assert!((similar - 2..=similar).contains(&allowed), "{fields}: {listed}");
        assert_eq!(of("the same command:", "deny") == same, is_sound, "{fields}: {listed}");
        assert_eq!(of("the same command:", "deny") + of("the same command:", "allow"), same, "{listed}");
    }
}
