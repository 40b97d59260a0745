//! Tools that no state of a policy permits.

use crate::journal::GateJournal;
use crate::service::GateService;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::language::{DefaultRuling, EventKind, Named};

impl<J: GateJournal> GateService<J> {
    /// Whether a tool is refused in every state of every session: calls that no table matches are denied, and no table
    /// can match a call of this tool, whatever its arguments are.
    pub fn never_permits(&self, server: Option<&str>, tool: &str) -> bool {
        never_permits(self.compiled(), server, tool)
    }
}

fn never_permits(compiled: &CompiledPolicy, server: Option<&str>, tool: &str) -> bool {
    let policy = &compiled.policy;
    if policy.unmatched != DefaultRuling::Deny {
        return false;
    }
    let is_named = policy.matches.iter().filter(|table| table.on == EventKind::Call).any(|table| {
        (table.tools.is_empty() || table.tools.iter().any(|glob| glob.matches(tool)))
            && (table.servers.is_empty()
                || server.is_some_and(|server| table.servers.iter().any(|glob| glob.matches(server))))
    });
    // An action that no table defines is that of the tool with its name.
    let is_action = matches!(policy.atoms.named(tool), Some(Named::Action(action))
        if !policy.matches.iter().any(|table| table.action == Some(action)));
    !is_named && !is_action
}
