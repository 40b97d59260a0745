//! A tool of an MCP server is the same tool whether a host says `mcp__SERVER__TOOL` or tells both apart, and whichever of
//! its names a policy uses.

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
        table("server = \"GitHub\"\ntool = \"mcp__*__push_files\""),
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
            assert_eq!(is_let_through(&mut gate, server, tool), !is_glob, "{server:?} {tool}\n{text}");
        }
    }
}

#[test]
fn servers_are_told_apart_without_regard_to_case() {
    let text =
        format!("policy = 1\nunmatched = \"allow\"\n{}", table("server = [\"GitHub*\"]\ntool = \"push\""));
    let mut gate = Gate::new(&text);
    for (server, is_it) in [("github", true), ("GITHUB-2", true), ("gitlab", false), ("my-github", false)] {
        assert_eq!(is_let_through(&mut gate, Some(server), "push"), !is_it, "{server}");
        let whole = format!("mcp__{server}__push");
        assert_eq!(is_let_through(&mut gate, None, &whole), !is_it, "{whole}");
    }
    assert!(is_let_through(&mut gate, None, "push"), "of no server");
}
