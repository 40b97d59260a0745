//! `emit POLICY`: the monitor of a policy as one file, or an agent behind its gate.

use crate::{Failure, FilesReport, Input, Session, VERSION, emitted};
use tsl_synth_core::base::sha256;
use tsl_synth_emit::{
    AgentLang, PolicyEmitOptions, PolicyMeta, PolicyTarget, SqlDialect, emit_policy, emit_policy_agent,
};

/// Asks for the monitor of a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyEmitRequest {
    /// The text of the policy.
    pub policy: Input,
    /// The target.
    pub target: PolicyTarget,
    /// The stem of the file name; `None`: that of the text.
    pub stem: Option<String>,
    /// The dialect of SQL.
    pub dialect: SqlDialect,
    /// Whether a query gives an answer after each letter, and not only at the end of each session.
    pub rows: bool,
}

impl PolicyEmitRequest {
    /// Asks for this target.
    pub fn new(policy: Input, target: PolicyTarget) -> Self {
        Self { policy, target, stem: None, dialect: SqlDialect::default(), rows: false }
    }
}

/// Asks for an agent behind the gate of a policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyAgentRequest {
    /// The text of the policy.
    pub policy: Input,
    /// The language of the agent.
    pub lang: AgentLang,
}

impl PolicyAgentRequest {
    /// Asks for an agent in this language.
    pub fn new(policy: Input, lang: AgentLang) -> Self {
        Self { policy, lang }
    }
}

impl Session<'_> {
    /// The monitor of a policy as code, as automata, or as a query.
    ///
    /// # Errors
    /// Errors of the text, a limit, or what the target cannot express.
    pub fn emit_policy(&mut self, request: &PolicyEmitRequest) -> Result<FilesReport, Failure> {
        self.deep(|session| session.emit_policy_here(request))
    }

    fn emit_policy_here(&mut self, request: &PolicyEmitRequest) -> Result<FilesReport, Failure> {
        let name = request.policy.shown();
        // Read once, so that the hash is that of the text which is compiled.
        let source = self.source(&request.policy)?;
        let text = self.sources.get(source).text.clone();
        let meta = PolicyMeta { tool_version: VERSION.into(), sha256: sha256(text.as_bytes()) };
        let input = Input::Text { name: name.clone(), text };
        let loaded = self.policy_here(&input)?;
        let stem = emitted::stem(request.stem.as_deref(), &name, "policy");
        let mut options = PolicyEmitOptions::new(request.target, stem);
        options.dialect = request.dialect;
        options.rows = request.rows;
        let files = emit_policy(&loaded.compiled, &meta, &options)?;
        Ok(FilesReport { name, target: request.target.name(), files, diagnostics: loaded.diagnostics })
    }
    /// The scaffold of an agent that runs the gate of a policy by a package of its language.
    ///
    /// # Errors
    /// Errors of the text, or a limit.
    pub fn emit_policy_agent(&mut self, request: &PolicyAgentRequest) -> Result<FilesReport, Failure> {
        self.deep(|session| session.emit_policy_agent_here(request))
    }

    fn emit_policy_agent_here(&mut self, request: &PolicyAgentRequest) -> Result<FilesReport, Failure> {
        let name = request.policy.shown();
        // Read once, so that the copy is the text which is compiled.
        let source = self.source(&request.policy)?;
        let text = self.sources.get(source).text.clone();
        let loaded = self.policy_here(&Input::Text { name: name.clone(), text: text.clone() })?;
        let is_json = super::critic::is_json(&name, &text);
        let files = emit_policy_agent(&loaded.compiled.policy, &text, is_json, VERSION, request.lang)?;
        Ok(FilesReport { name, target: request.lang.name(), files, diagnostics: loaded.diagnostics })
    }
}
