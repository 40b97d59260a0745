//! Adapters: files beside an emitted gate that put it in front of the tools of an SDK for agents.

use super::{PolicyMeta, PolicyTarget};
use crate::input::{Contents, EmitError, EmittedFile};
use crate::render;
use crate::text::{comment, js_string, python_string};
use std::fmt::Write;
use tsl_synth_documents::PolicyAdapterView;

/// An SDK for agents whose tool calls an emitted gate decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adapter {
    /// OpenAI Agents SDK for Python.
    OpenaiAgents,
    /// LangChain and LangGraph: a middleware of agents.
    Langchain,
    /// Pydantic AI: a capability.
    PydanticAi,
    /// Claude Agent SDK for Python: hooks.
    ClaudeAgentSdk,
    /// Microsoft Agent Framework for Python: a function middleware.
    AgentFramework,
    /// AI SDK of Vercel.
    AiSdk,
}

impl Adapter {
    /// All adapters.
    pub const ALL: [Self; 6] = [
        Self::OpenaiAgents,
        Self::Langchain,
        Self::PydanticAi,
        Self::ClaudeAgentSdk,
        Self::AgentFramework,
        Self::AiSdk,
    ];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenaiAgents => "openai-agents",
            Self::Langchain => "langchain",
            Self::PydanticAi => "pydantic-ai",
            Self::ClaudeAgentSdk => "claude-agent-sdk",
            Self::AgentFramework => "agent-framework",
            Self::AiSdk => "ai-sdk",
        }
    }
    /// The adapter with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|adapter| adapter.name() == name)
    }
    /// The target in which the gate is emitted.
    pub fn target(self) -> PolicyTarget {
        match self {
            Self::AiSdk => PolicyTarget::Js,
            _ => PolicyTarget::Python,
        }
    }
    fn template(self) -> &'static str {
        match self {
            Self::OpenaiAgents => "policy/adapters/openai_agents",
            Self::Langchain => "policy/adapters/langchain",
            Self::PydanticAi => "policy/adapters/pydantic_ai",
            Self::ClaudeAgentSdk => "policy/adapters/claude_agent_sdk",
            Self::AgentFramework => "policy/adapters/agent_framework",
            Self::AiSdk => "policy/adapters/ai_sdk",
        }
    }
}

/// The adapter of the policy with this name, whose gate is the file `gate` beside it.
pub(super) fn adapter(
    adapter: Adapter,
    policy: &str,
    meta: &PolicyMeta,
    stem: &str,
    gate: &str,
) -> Result<EmittedFile, EmitError> {
    let js = adapter.target() == PolicyTarget::Js;
    let module = format!("{}_{}", identifier(stem), adapter.name().replace('-', "_"));
    let ending = match gate.rsplit_once('.') {
        Some((_, "mjs")) if js => "mjs",
        _ => adapter.target().ending(),
    };
    let view = PolicyAdapterView {
        policy: comment(policy),
        version: comment(&meta.tool_version),
        gate: if js { js_string(&specifier(gate)) } else { python_string(gate) },
        file: format!("{module}.{ending}"),
        module: module.clone(),
    };
    let text = render::embedded(adapter.template(), &view)?;
    Ok(EmittedFile { path: view.file, contents: Contents::Text(text), main: false })
}

/// The stem as the prefix of a module name that is valid in `import`.
fn identifier(stem: &str) -> String {
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// The specifier of a file beside a module: a relative URL.
fn specifier(file: &str) -> String {
    let mut out = String::from("./");
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
