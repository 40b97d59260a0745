//! `emit POLICY`: the monitor of a policy as one file.

use crate::{Failure, FilesReport, Input, Session, VERSION, emitted};
use tsl_synth_core::base::sha256;
use tsl_synth_emit::{Adapter, PolicyEmitOptions, PolicyMeta, PolicyTarget, SqlDialect, emit_policy};

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
    /// Whether only the monitor is emitted even if the target has the whole gate.
    pub monitor: bool,
    /// The SDK whose adapter is emitted in addition to the gate.
    pub adapter: Option<Adapter>,
    /// Whether further files are emitted that make an agent of the gate; then the gate is named `gate`.
    pub agent: bool,
    /// The name of the file that the gate is written to, which an adapter loads; `None`: made of the stem.
    pub file: Option<String>,
}

impl PolicyEmitRequest {
    /// Asks for this target.
    pub fn new(policy: Input, target: PolicyTarget) -> Self {
        let dialect = SqlDialect::default();
        Self {
            policy,
            target,
            stem: None,
            dialect,
            rows: false,
            monitor: false,
            adapter: None,
            agent: false,
            file: None,
        }
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
        let stem = if request.agent { Some("gate") } else { request.stem.as_deref() };
        let stem = emitted::stem(stem, &name, "policy");
        let mut options = PolicyEmitOptions::new(request.target, stem);
        options.dialect = request.dialect;
        options.rows = request.rows;
        options.monitor = request.monitor;
        options.adapter = request.adapter;
        options.agent = request.agent;
        options.file.clone_from(&request.file);
        let files = emit_policy(&loaded.compiled, &meta, &options)?;
        Ok(FilesReport { name, target: request.target.name(), files, diagnostics: loaded.diagnostics })
    }
}
