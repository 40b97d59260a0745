//! What a gate looks at outside of a session when it decides about a call: scripts that the call runs, and answers of
//! probes. This is the one place where it does.

use crate::probes::{self, ProbeRunner};
use crate::scripts::{self, Beginning, ScriptReader};
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::model::{HostEvent, ProbeAnswer, ReadScripts};
use tsl_synth_policy::{CompiledPolicy, Interpreter};

/// What a gate may look at. Without anything, a shell whose script is in a file may run any command, and probes have no
/// answers, so that the strictest ones count.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Reads the scripts that calls run, where the policy says `read_scripts = true`.
    pub scripts: Option<Arc<dyn ScriptReader>>,
    /// Runs the commands of the policy's probes.
    pub probes: Option<Arc<dyn ProbeRunner>>,
    /// The folder in which calls begin, an absolute path. `None` if it is not known: then scripts with relative paths are
    /// not read, and only probes with a folder of their own are run.
    pub folder: Option<String>,
}

impl Surroundings {
    /// The scripts that a proposed call runs, if they are to be read, and the answers of the probes that tables ask for
    /// about it.
    pub(crate) fn look(
        &self,
        compiled: &CompiledPolicy,
        interpreter: &Interpreter,
        call: &HostEvent<'_>,
        from: Beginning<'_>,
    ) -> (Option<Arc<ReadScripts>>, BTreeMap<String, ProbeAnswer>) {
        let reader = self.scripts.as_deref();
        let scripts = reader.and_then(|reader| scripts::read(compiled, interpreter, call, reader, from));
        (scripts, probes::ask(compiled, interpreter, call, self.probes.as_deref(), from))
    }
}
