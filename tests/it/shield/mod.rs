//! The gate in front of an agent: hooks of hosts, journals, installation, the proxy of MCP.

mod clean;
mod dialects;
mod hook;
mod hosts;
mod install;
mod journal;
mod lines;
mod live;
mod mcp;
mod shapes;
mod speed;
