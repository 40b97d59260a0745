//! Names of tools, with the MCP servers that have them.

use tsl_synth_core::base::Glob;
use tsl_synth_core::model::split_mcp;

/// A tool of a call. Hosts name a tool of an MCP server `mcp__SERVER__TOOL`, or tell server and tool apart: both are the
/// same tool, whatever names a policy uses for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolName<'a> {
    /// The MCP server.
    pub server: Option<&'a str>,
    /// The name within the server.
    pub tool: &'a str,
    /// `mcp__SERVER__TOOL`.
    whole: Option<String>,
}

impl<'a> ToolName<'a> {
    /// The tool that a host names so, and its server if the host says it.
    pub fn new(server: Option<&'a str>, name: &'a str) -> Self {
        let (server, tool) = if server.is_some() { (server, name) } else { split_mcp(name) };
        Self { server, tool, whole: server.map(|server| format!("mcp__{server}__{tool}")) }
    }

    /// The names that a policy may use for it, the shorter one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.tool).chain(self.whole.as_deref())
    }

    /// Whether it is one of some tools, or any tool if none is named, of one of some servers, or of any or none if none
    /// is named.
    pub(crate) fn is_one_of(&self, tools: &[Glob], servers: &[Glob]) -> bool {
        let is_tool = || self.names().any(|name| tools.iter().any(|glob| glob.matches(name)));
        let is_server = || self.server.is_some_and(|server| servers.iter().any(|glob| glob.matches(server)));
        (tools.is_empty() || is_tool()) && (servers.is_empty() || is_server())
    }
}
