//! Names of tools, with the MCP servers that have them.

use tsl_synth_core::base::Glob;
use tsl_synth_core::model::split_mcp;

/// A tool of a call. Hosts name a tool of an MCP server `mcp__SERVER__TOOL`, or `SERVER_TOOL` without saying where the name
/// of the server ends, or tell server and tool apart: all are the same tool, whatever names a policy uses for it.
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

    /// If no server is known: the servers and tools that the name may be joined from.
    pub(crate) fn joined(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let name = if self.server.is_none() { self.tool } else { "" };
        let name = name.strip_prefix("mcp_").unwrap_or(name);
        let ends = name.char_indices().filter(|(_, c)| matches!(c, '_' | '-' | '.' | '/' | ':'));
        let parts = ends.map(move |(at, _)| (&name[..at], &name[at + 1..]));
        parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    }

    /// Whether it is one of some tools, or any tool if none is named, of one of some servers, or of any or none if none
    /// is named.
    pub(crate) fn is_one_of(&self, tools: &[Glob], servers: &[Glob]) -> bool {
        let named = |name: &str| tools.is_empty() || tools.iter().any(|glob| glob.matches(name));
        if servers.is_empty() {
            return self.names().any(named);
        }
        let of_server =
            |server: &str| servers.iter().any(|glob| glob.matches(server) || is_written(glob, server));
        match self.server {
            Some(server) => of_server(server) && self.names().any(named),
            None => self.joined().any(|(server, tool)| of_server(server) && named(tool)),
        }
    }
}

/// Whether a server is written so in names of tools, in which other characters than letters, digits and `-` are `_`.
fn is_written(server: &Glob, part: &str) -> bool {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let written = |text: &str| text.replace(|c| !is_kept(c), "_");
    server.literal().is_some_and(|literal| written(literal) == part)
}
