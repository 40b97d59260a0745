//! Tools of hosts that run commands: each is read, PowerShell as far as it means the same as in other shells.

use std::sync::Arc;
use tsl_synth_gate::{Gate, MemoryStore, Policy, Ruling};

const NEVER: &str =
    "policy = 1\nunmatched = \"allow\"\nuse = [\"git.push\"]\n[rules]\nr = \"never git.push\"\n";

fn ruling(tool: &str, command: &str) -> Ruling {
    let policy = Policy::from_text("never.toml", NEVER).expect("a policy");
    let gate = Gate::new(&policy, "s", Arc::new(MemoryStore::new(|| None))).expect("a gate");
    gate.propose(tool, &serde_json::json!({ "command": command }).to_string()).expect("a decision").verdict
}

#[test]
fn all_tools_that_run_commands_are_read() {
    for tool in [
        "Bash",
        "PowerShell",
        "powershell",
        "execute_bash",
        "run_terminal_cmd",
        "terminal",
        "Monitor",
        "mcp__desktop-commander__execute_command",
        "execute_command",
        "run_shell_command",
        "run_in_terminal",
        "exec_command",
    ] {
        assert_eq!(ruling(tool, "git push"), Ruling::Deny, "{tool}");
        assert_eq!(ruling(tool, "npm test && git push origin main"), Ruling::Deny, "{tool}");
        assert_eq!(ruling(tool, "git pull"), Ruling::Allow, "{tool}");
        assert_eq!(ruling(tool, "cargo test; git status"), Ruling::Allow, "{tool}");
    }
    assert_eq!(ruling("notes", "git push"), Ruling::Allow);
}

#[test]
fn powershell_is_read_or_refused() {
    for command in [
        "iex 'git push'",
        "& git push",
        "Start-Process git -ArgumentList push",
        "git pu`sh",
        "$c = 'push'; git $c",
        "if ($?) { git push }",
        "Get-Content x | iex",
        "cmd /c git push",
        "powershell -Command git push",
        "git.exe push",
        "git 'push'",
        "git -C src\\a push",
    ] {
        assert_eq!(ruling("PowerShell", command), Ruling::Deny, "{command}");
    }
    for command in [
        "Get-ChildItem src",
        "git commit -m 'git push'",
        "dir",
        "cargo build 2>&1",
        "Get-Content a\\b.txt",
        "git.exe pull",
    ] {
        assert_eq!(ruling("PowerShell", command), Ruling::Allow, "{command}");
    }
}
