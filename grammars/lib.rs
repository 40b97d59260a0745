//! The pest grammars of the input languages, one module each, with the parsers that are derived from them.

#![forbid(unsafe_code)]

/// The grammar `agent.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod agent {
    #[derive(pest_derive::Parser)]
    #[grammar = "agent.pest"]
    pub struct AgentGrammar;
}

/// The grammar `cfg.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod cfg {
    #[derive(pest_derive::Parser)]
    #[grammar = "cfg.pest"]
    pub struct PlanSyntax;
}

/// The grammar `ltl.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod ltl {
    #[derive(pest_derive::Parser)]
    #[grammar = "ltl.pest"]
    pub struct LtlGrammar;
}

/// The grammar `tlsf.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod tlsf {
    #[derive(pest_derive::Parser)]
    #[grammar = "tlsf.pest"]
    pub struct TlsfGrammar;
}

/// The grammar `tsl.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod tsl {
    #[derive(pest_derive::Parser)]
    #[grammar = "tsl.pest"]
    pub struct TslGrammar;
}

/// The grammar `issy.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod issy {
    #[derive(pest_derive::Parser)]
    #[grammar = "issy.pest"]
    pub struct IssyGrammar;
}

/// The grammar `rpg.pest`.
// The derive writes public items without docs.
#[allow(missing_docs, clippy::pedantic)]
pub mod rpg {
    #[derive(pest_derive::Parser)]
    #[grammar = "rpg.pest"]
    pub struct RpgGrammar;
}
