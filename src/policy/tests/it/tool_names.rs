//! A tool of an MCP server has two names: `mcp__SERVER__TOOL`, and `TOOL` together with the name of its server. Hosts and
//! policies may use either of them.

use super::gates::Gate;
use tsl_synth_core::model::{HostEventKind, JsonText};

fn is_let_through(gate: &mut Gate, server: Option<&str>, tool: &str) -> bool {
    gate.lets_through(HostEventKind::Call {
        id: None,
        server: server.map(|name| name.to_owned().into()),
        tool: tool.to_owned().into(),
        arguments: JsonText::borrowed("{}"),
    })
}

fn table(fields: &str) -> String {
    format!("[rules]\nnever-push = \"never push\"\n[[match]]\non = \"call\"\naction = \"push\"\n{fields}\n")
}

fn tools(name: &str) -> String {
    format!("tools = [\"{name}\", \"other\"]\n[rules]\nnever-push = \"never {name}\"\n")
}

#[test]
fn all_names_of_a_tool_are_the_tool() {
    let policies = [
        table("tool = \"mcp__github__push_files\""),
        table("tool = \"push_files\""),
        table("tool = \"mcp__github__*\""),
        table("tool = [\"mcp__github__push_*\", \"mcp__gitlab__push_*\"]"),
        table("server = \"github\"\ntool = \"push_files\""),
        table("server = \"github\"\ntool = \"mcp__*__push_files\""),
        tools("mcp__github__push_files"),
        tools("push_files"),
        "[actions]\ngroups = [[\"mcp__github__push_files\"]]\n[rules]\nr = \"never mcp__github__push_files\"\n"
            .to_owned(),
        "use = [\"git.push\"]\n[rules]\nr = \"never git.push\"\n".to_owned(),
    ];
    for policy in policies {
        let text = format!("policy = 1\nunmatched = \"allow\"\n{policy}");
        let mut gate = Gate::new(&text);
        for (server, tool) in [(Some("github"), "push_files"), (None, "mcp__github__push_files")] {
            assert!(!is_let_through(&mut gate, server, tool), "{server:?} {tool}\n{text}");
        }
        for (server, tool) in [
            (Some("github"), "list_issues"),
            (None, "mcp__shop__push_file"),
            (None, "mcp__push_files"),
            (None, "mcp____push_files"),
            (None, "github__push_files"),
        ] {
            let is_glob = text.contains("mcp__github__*") && server == Some("github");
            // The servers of the shipped words have wildcards.
            let is_word = text.contains("use =") && tool == "github__push_files";
            let is_it = is_glob || is_word;
            assert_eq!(is_let_through(&mut gate, server, tool), !is_it, "{server:?} {tool}\n{text}");
        }
    }
}

/// Some hosts join the name of the server and that of the tool without saying where the one ends.
#[test]
fn a_joined_name_is_that_of_the_server_and_its_tool() {
    let head = "policy = 1\nunmatched = \"allow\"\n";
    for (fields, names, others) in [
        (
            "server = \"github\"\ntool = \"push_files\"",
            &["github_push_files", "mcp_github_push_files", "github-push_files", "github.push_files"][..],
            &["github_list", "push_files", "gitlab_push_files", "github_push", "hub_push_files"][..],
        ),
        (
            "server = \"my.shop 2\"\ntool = \"pay\"",
            &["my_shop_2_pay", "mcp__my_shop_2__pay"],
            &["my_shop_pay"],
        ),
        ("server = \"bank\"", &["bank_pay", "mcp_bank_any_thing"], &["bank", "banks_pay", "pay_bank"]),
        ("server = \"b*\"\ntool = \"pay*\"", &["bank_pay", "bank_eu_payout"], &["bank_get", "shop_pay"]),
    ] {
        let mut gate = Gate::new(&format!("{head}{}", table(fields)));
        for name in names {
            assert!(!is_let_through(&mut gate, None, name), "{name}: {fields}");
        }
        for name in others {
            assert!(is_let_through(&mut gate, None, name), "{name}: {fields}");
        }
        // A host that tells the server tells it for each tool.
        assert!(is_let_through(&mut gate, Some("other"), names[0]), "{fields}");
    }
}

#[test]
fn servers_are_other_servers_in_another_case() {
    let head = "policy = 1\nunmatched = \"allow\"\n";
    let mut own = Gate::new(&format!("{head}{}", table("server = \"github*\"\ntool = \"push\"")));
    // The shipped words know how people write the names of services.
    let mut word = Gate::new(&format!("{head}use = [\"git.push\"]\n[rules]\nr = \"never git.push\"\n"));
    for (server, is_own) in
        [("github", true), ("github-2", true), ("GitHub", false), ("claude_ai_GitHub", false)]
    {
        for (gate, tool, is_it) in [(&mut own, "push", is_own), (&mut word, "push_files", true)] {
            assert_eq!(is_let_through(gate, Some(server), tool), !is_it, "{server} {tool}");
            let whole = format!("mcp__{server}__{tool}");
            assert_eq!(is_let_through(gate, None, &whole), !is_it, "{whole}");
        }
    }
    assert!(is_let_through(&mut own, None, "push"), "of no server");
}
