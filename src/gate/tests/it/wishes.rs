//! Thirty-two wishes of the public, `fixtures/wishes`: each policy is held to answers that were written before it.

use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth_gate::{Call, Decision, Gate, MemoryStore, Policy, Ruling, Speaker};

/// Answers that are not as wished, by the file and the line of the call, with the reason.
const OPEN: &[(&str, usize, &str)] = &[];

/// A session of a file: its lines with their numbers.
type Session<'t> = Vec<(usize, &'t str)>;

fn sessions(text: &str) -> Vec<Session<'_>> {
    let (mut all, mut open): (Vec<Session<'_>>, Option<Session<'_>>) = (Vec::new(), None);
    for (i, line) in text.lines().enumerate() {
        match (line, &mut open) {
            ("", _) => {}
            (line, _) if line.starts_with('#') => {}
            ("{", None) => open = Some(Vec::new()),
            ("}", Some(_)) => all.extend(open.take()),
            (line, Some(session)) => session.push((i + 1, line)),
            (line, None) => all.push(vec![(i + 1, line)]),
        }
    }
    assert!(open.is_none(), "a session is not closed");
    all
}

/// The answer of the gate to a proposed call.
fn answer(gate: &Gate, text: &str) -> Decision {
    if text == "%end" {
        return gate.end().expect("an answer");
    }
    let text = text.replace('⏎', "\n");
    let (id, text) = match text.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        Some((id, rest)) if !id.is_empty() => (Some(id), rest),
        _ => (None, text.as_str()),
    };
    let command = serde_json::json!({ "command": text }).to_string();
    let (server, tool, arguments) = match text.strip_prefix('@').and_then(|call| call.split_once(' ')) {
        Some((name, arguments)) => match name.split_once(':') {
            Some((server, tool)) => (Some(server), tool, arguments),
            None => (None, name, arguments),
        },
        None => (None, "Bash", command.as_str()),
    };
    gate.propose_call(&Call { id, server, agent: None, tool, arguments }).expect("an answer")
}

/// The lines of a session whose answers are not as wished, with the answers.
fn wrong(policy: &Policy, session: &Session<'_>) -> (usize, Vec<(usize, String)>) {
    let gate = Gate::new(policy, "session", Arc::new(MemoryStore::new(|| None))).expect("a gate");
    let mut wrong = Vec::new();
    let (mut ticket, mut judged) = (None, 0);
    for &(number, line) in session {
        let (word, rest) = line.split_once('\t').unwrap_or((line, ""));
        let result = (!rest.is_empty()).then_some(rest);
        match word {
            "ok" | "failed" => {
                let ticket: Option<String> = ticket.take();
                let _ = gate.commit(ticket.as_deref().unwrap_or_default(), Some(word == "ok"), result);
            }
            "user" => drop(gate.message(Speaker::User, rest).expect("heard")),
            "agent" => drop(gate.message(Speaker::Agent, rest).expect("heard")),
            expected => {
                let decision = answer(&gate, rest);
                judged += 1;
                let found = match decision.verdict {
                    Ruling::Ask => "ask",
                    Ruling::Deny => "deny",
                    _ => "allow",
                };
                assert!(["allow", "ask", "deny", "any"].contains(&expected), "line {number}: {line}");
                if expected != "any" && expected != found {
                    wrong.push((number, format!("{found} instead of {line}: {}", decision.reason)));
                }
                ticket = decision.ticket;
            }
        }
    }
    (judged, wrong)
}

/// The policies of the gallery, held to their own answers.
#[test]
fn the_gallery_answers_as_written() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = 0;
    for name in ["tests-before-push", "read-before-overwrite", "retail"] {
        let answers =
            std::fs::read_to_string(root.join(format!("fixtures/gallery/{name}.txt"))).expect("answers");
        let text =
            std::fs::read_to_string(root.join(format!("specs/policies/{name}.toml"))).expect("a policy");
        let policy =
            Policy::from_text(&format!("{name}.toml"), &text).unwrap_or_else(|error| panic!("{error}"));
        for session in sessions(&answers) {
            let (calls, wrong) = wrong(&policy, &session);
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
            all += calls;
        }
    }
    assert!(all >= 100, "{all}");
}

#[test]
fn wishes_are_met() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/wishes");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the wishes")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".txt").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names.len(), 32);
    let only = std::env::var("WISH").unwrap_or_default();
    let (mut all, mut unmet) = (0, Vec::new());
    for name in names.iter().filter(|name| name.starts_with(&only)) {
        let answers = std::fs::read_to_string(folder.join(format!("{name}.txt"))).expect("answers");
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a policy");
        let policy = Policy::from_text(&format!("{name}.toml"), &text);
        let policy = policy.unwrap_or_else(|error| panic!("{name}: {error}"));
        let rules =
            text.lines().filter(|line| line.starts_with("rule =") || line.starts_with("ltl =")).count();
        assert!((1..=3).contains(&rules), "{name}: {rules} rules");
        let mut judged = 0;
        for session in sessions(&answers) {
            let (calls, wrong) = wrong(&policy, &session);
            judged += calls;
            unmet.extend(wrong.into_iter().map(|(line, what)| (name.clone(), line, what)));
        }
        assert!(judged >= 20, "{name}: {judged} answers");
        all += judged;
    }
    println!("{} of {all} answers are as wished", all - unmet.len());
    let is_open = |name: &str, line: usize| OPEN.iter().any(|(own, at, _)| *own == name && *at == line);
    let (open, wrong): (Vec<_>, Vec<_>) = unmet.iter().partition(|(name, line, _)| is_open(name, *line));
    for (name, line, what) in open {
        println!("open: {name}, line {line}: {what}");
    }
    let wrong: Vec<String> =
        wrong.iter().map(|(name, line, what)| format!("{name}:{line}: {what}")).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (name, line, why) in OPEN.iter().filter(|(name, ..)| name.starts_with(&only)) {
        if !unmet.iter().any(|(own, at, _)| own == name && at == line) {
            println!("no longer open: {name}, line {line}: {why}");
        }
    }
}

/// Rules of one or two lines with the words of the vocabularies, and what they are held to: the answers of a wish, or
/// answers of their own.
const SHORT: &[(&str, &[&str], &str)] = &[
    ("git.push", &["ask before each git.push"], "01-ask-before-push"),
    ("files.delete", &["never files.delete"], "02-no-rm"),
    ("files.delete.recursive", &["never files.delete.recursive"], "03-no-recursive-rm"),
    (
        "secrets.read network.send",
        &["secrets.read forbids network.send after", "never (secrets.read & network.send)"],
        "09-secrets",
    ),
    ("git.push", &["never git.push"], "21-see-through"),
    ("git.push git.commit tests.run", &["git.push requires tests.run since git.commit"], "25-no-red-commit"),
    ("git.push files.delete.recursive", &["never (git.push | files.delete.recursive)"], "27-prose"),
    ("git.push", &["never git.push"], "29-judged-is-run"),
    ("git.push tests.run files.write", &["git.push requires tests.run since files.write"], "31-harmless"),
    (
        "git.commit tests.run files.edit",
        &["git.commit requires tests.run since files.edit"],
        "{\nallow\tcargo test -q\nok\nallow\tgit commit -am x\nok\nallow\t@Edit {\"file_path\":\"/p/a.rs\"}\nok\ndeny\tgit -C . commit -m y\n\
         allow\tgit log --grep commit\n}\ndeny\tgit commit\nallow\tcargo test && git commit -m z\n",
    ),
    (
        "tests.run files.edit",
        &["after files.edit end requires tests.run"],
        "{\nallow\t%end\nallow\t@Write {\"file_path\":\"/p/a.rs\",\"content\":\"\"}\nok\ndeny\t%end\nallow\tpytest -q\nfailed\ndeny\t%end\n\
         allow\tpytest -q\nok\nallow\t%end\n}\n",
    ),
    (
        "money.send",
        &["at most 2 money.send"],
        "{\nallow\t@send_money {\"amount\":1}\nok\nallow\t@pay {\"amount\":1}\nok\ndeny\t@transfer_funds {\"amount\":1}\nallow\t@get_balance {}\n}\n",
    ),
    (
        "infra.destroy",
        &["ask before first infra.destroy"],
        "{\nask\tterraform destroy\nok\nallow\tterraform -chdir=prod destroy\n}\nask\ttofu destroy\nallow\tterraform plan\n",
    ),
    (
        "package.install code.inline",
        &["ask before each package.install", "never code.inline"],
        "ask\tnpm install left-pad\nask\tpip install requests\ndeny\tpython3 -c 'print(1)'\nallow\tpython3 a.py\nallow\tnpm run build\n",
    ),
    (
        "db.migrate git.commit.unverified",
        &["ask before each db.migrate", "never git.commit.unverified"],
        "deny\tgit commit --no-verify -m x\ndeny\tgit commit -nm x\nallow\tgit commit -m x\nallow\tgit commit -m '--no-verify'\nallow\tls migrations\n",
    ),
];

/// Rules that people wrote down for their agents, each as at most three lines besides `policy` and `unmatched`, with the
/// answers that they were written for.
const THREE_LINES: &[(&str, &str)] = &[
    // This file is read before it is overwritten.
    (
        "use = [\"files.read\", \"files.write\"]\n[rules]\nread-first = { rule = \"files.write requires files.read before\", for_each = \"file\" }",
        "{\nallow\t@Read {\"file_path\":\"/p/a.rs\"}\nok\nallow\t@Write {\"file_path\":\"/p/a.rs\",\"content\":\"\"}\nok\n\
         deny\t@Write {\"file_path\":\"/p/b.rs\",\"content\":\"\"}\n}\ndeny\t@Edit {\"file_path\":\"/p/a.rs\"}\ndeny\techo x > a.rs\n\
         {\nallow\tcat a.rs\nok\nallow\techo x > a.rs\nok\ndeny\techo x > b.rs\n}\nallow\tls\n",
    ),
    // No push unless the user asked.
    (
        "use = [\"git.push\"]\nuser_says = { asked = '(?i)\\bpush\\b' }\n[rules]\nasked = \"git.push requires asked before\"",
        "deny\tgit push\n{\nuser\tplease commit\ndeny\tgit push\nuser\tnow Push it\nallow\tgit push origin main\n}\n\
         {\nagent\tI push now\ndeny\tgit push\n}\nallow\tgit log --grep push\n",
    ),
    // Identify the customer first.
    (
        "tools = [\"find_user\", \"cancel_order\"]\n[rules]\nidentify = \"cancel_order requires find_user before\"",
        "deny\t@cancel_order {}\n{\nallow\t@find_user {\"id\":1}\nfailed\ndeny\t@cancel_order {}\nallow\t@find_user {\"id\":2}\nok\nallow\t@cancel_order {}\n}\n",
    ),
    // The details are listed and the user says yes before each write.
    (
        "tools = [\"modify_order\"]\nuser_says = { yes = '(?i)\\byes\\b' }\n[rules]\nyes-first = \"modify_order requires yes since modify_order\"",
        "deny\t@modify_order {}\n{\nuser\tyes, please\nallow\t@modify_order {}\nok\ndeny\t@modify_order {}\nuser\tno\ndeny\t@modify_order {}\nuser\tYES\nallow\t@modify_order {}\n}\n",
    ),
    // The status of this order is checked before it is changed.
    (
        "tools = [\"get_order\", \"cancel_order\"]\n[rules]\nchecked = { rule = \"cancel_order requires get_order before\", for_each = \"order_id\" }",
        "{\nallow\t@get_order {\"order_id\":\"7\"}\nok\nallow\t@cancel_order {\"order_id\":\"7\"}\nok\ndeny\t@cancel_order {\"order_id\":\"8\"}\n}\n\
         deny\t@cancel_order {}\n{\nallow\t@get_order {\"order_id\":7}\nok\nallow\t@cancel_order {\"order_id\":7.0}\n}\n",
    ),
    // An order is exchanged once, and not cancelled after that.
    (
        "tools = [\"exchange\", \"cancel\"]\n[rules]\nonce = { rule = \"at most 1 exchange\", for_each = \"order\" }\nno-cancel = { rule = \"exchange forbids cancel after\", for_each = \"order\" }",
        "{\nallow\t@exchange {\"order\":1}\nok\ndeny\t@exchange {\"order\":1}\ndeny\t@cancel {\"order\":1}\nallow\t@cancel {\"order\":2}\nok\nallow\t@exchange {\"order\":3}\n}\n",
    ),
    // One customer in a conversation.
    (
        "tools = [\"get_user\"]\n[rules]\none-customer = \"at most 1 distinct user_id in get_user\"",
        "{\nallow\t@get_user {\"user_id\":\"ann\"}\nok\nallow\t@get_user {\"user_id\":\"ann\"}\nok\ndeny\t@get_user {\"user_id\":\"bob\"}\n}\n",
    ),
    // A transfer is followed by the fixed sentence.
    (
        "tools = [\"transfer\"]\nagent_says = { told = '^YOU ARE BEING TRANSFERRED' }\n[rules]\ntell = \"after transfer end requires told\"",
        "{\nallow\t%end\nallow\t@transfer {}\nok\ndeny\t%end\nagent\tgoodbye\ndeny\t%end\nagent\tYOU ARE BEING TRANSFERRED NOW\nallow\t%end\n}\n",
    ),
    // A suspension is lifted after these bills are paid.
    (
        "tools = [\"pay_bill\", \"lift_suspension\"]\n[rules]\npaid = { rule = \"lift_suspension requires pay_bill before\", for_each = \"bill\" }",
        "{\nallow\t@pay_bill {\"bill\":\"b1\"}\nok\nallow\t@lift_suspension {\"bill\":\"b1\"}\nok\ndeny\t@lift_suspension {\"bill\":\"b2\"}\n}\ndeny\t@lift_suspension {\"bill\":\"b1\"}\n",
    ),
    // At most 500 in all, and three payments a minute.
    (
        "tools = [\"pay\"]\ncount = [{ name = \"over\", sum = \"/arguments/eur\", on = \"pay\", above = 500 }]\n[rules]\ntotal = \"never (pay & over)\"\nfew = \"at most 3 pay per 60s\"",
        "{\nallow\t@pay {\"eur\":400}\nok\ndeny\t@pay {\"eur\":101}\nallow\t@pay {\"eur\":50}\nok\nallow\t@pay {\"eur\":50}\nok\ndeny\t@pay {\"eur\":0}\n}\ndeny\t@pay {}\n",
    ),
    // Consent once for a tool.
    (
        "tools = [\"deploy\"]\n[rules]\nconsent = \"ask before first deploy\"",
        "{\nask\t@deploy {}\nok\nallow\t@deploy {}\n}\nallow\t@build {}\n",
    ),
    // Nothing leaves after confidential data was read.
    (
        "tools = [\"read_salaries\", \"send_mail\"]\n[rules]\nratchet = \"read_salaries forbids send_mail after\"",
        "{\nallow\t@send_mail {}\nok\nallow\t@read_salaries {}\nok\ndeny\t@send_mail {}\n}\n",
    ),
    // A freeze that the user declares.
    (
        "tools = [\"write_db\"]\nuser_says = { freeze = '(?i)code freeze', over = '(?i)freeze is over' }\n[rules]\nfrozen = { ltl = \"G (write_db -> !(!over S freeze))\" }",
        "{\nallow\t@write_db {}\nok\nuser\tCode freeze from now on\ndeny\t@write_db {}\nuser\tthe freeze is over\nallow\t@write_db {}\n}\n",
    ),
];

#[test]
fn rules_of_three_lines_answer_as_written() {
    let mut all = 0;
    for (lines, answers) in THREE_LINES {
        let own = lines.lines().filter(|line| *line != "[rules]").count();
        assert!(own <= 4, "{lines}");
        let text = format!("policy = 1\nunmatched = \"allow\"\n{lines}\n");
        let policy = Policy::from_text("short.toml", &text).unwrap_or_else(|error| panic!("{text}{error}"));
        for session in sessions(answers) {
            let (calls, wrong) = wrong(&policy, &session);
            assert!(wrong.is_empty(), "{text}{wrong:#?}");
            all += calls;
        }
    }
    assert!(all >= 60, "{all}");
}

#[test]
fn short_forms_are_read_strictly() {
    let laws = "[rules]\na = \"never pay\"\n";
    for (text, says) in [
        ("tools = [\"pay now\"]\n", "a name of a policy has no blanks"),
        ("tools = [\"pay\"]\n[propositions]\npay = {}\n", "the name `pay` is taken"),
        ("tools = 3\n", "a text or a list of texts"),
        ("tools = [\"pay\"]\nuser_says = { yes = '(' }\n", "not a regular expression"),
        ("tools = [\"pay\"]\nuser_says = { pay = 'x' }\n", "the name `pay` is taken"),
        ("tools = [\"pay\"]\nagent_says = { yes = 3 }\n", "a text"),
        ("tools = [\"buy\"]\n", "there is no action or proposition `pay`"),
    ] {
        let text = format!("policy = 1\n{text}{laws}");
        let error = Policy::from_text("short.toml", &text).expect_err("an error").to_string();
        assert!(error.contains(says), "{text}{error}");
    }
}

/// Most wishes are words of the vocabularies and one pattern: `use`, `[rules]`, and a line for each rule.
#[test]
fn rules_of_one_line_answer_as_long_ones() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/wishes");
    let mut all = 0;
    for (words, rules, answers) in SHORT {
        let words: Vec<&str> = words.split(' ').collect();
        let lines = rules.iter().enumerate().map(|(i, rule)| format!("rule-{i} = \"{rule}\"\n"));
        let text = format!(
            "policy = 1\nunmatched = \"allow\"\nuse = {words:?}\n[rules]\n{}",
            lines.collect::<String>()
        );
        let policy = Policy::from_text("short.toml", &text).unwrap_or_else(|error| panic!("{text}{error}"));
        let read = std::fs::read_to_string(folder.join(format!("{answers}.txt")));
        let answers = read.unwrap_or_else(|_| (*answers).to_owned());
        for session in sessions(&answers) {
            let (calls, wrong) = wrong(&policy, &session);
            assert!(wrong.is_empty(), "{text}{wrong:#?}");
            all += calls;
        }
    }
    println!("{} policies, {all} answers", SHORT.len());
    assert!(all > 300, "{all}");
}
