//! Probes: commands of the policy that are run when a call is decided, so that tables can ask about the world.

use crate::scripts::{Beginning, folder};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tsl_synth_core::model::{HostEvent, HostEventKind, ProbeAnswer};
use tsl_synth_policy::{CompiledPolicy, Interpreter};

/// Runs the commands of probes.
pub trait ProbeRunner: fmt::Debug + Send + Sync {
    /// The answer of a program with its arguments in a folder, which is an absolute path. A program that takes longer than
    /// the time is ended.
    fn run(&self, folder: &str, words: &[String], time: Duration) -> ProbeAnswer;
}

/// The answers of the probes that tables ask for about a proposed call, each once.
pub(crate) fn ask(
    compiled: &CompiledPolicy,
    interpreter: &Interpreter,
    event: &HostEvent<'_>,
    runner: Option<&dyn ProbeRunner>,
    from: Beginning<'_>,
) -> BTreeMap<String, ProbeAnswer> {
    let is_of_server = matches!(&event.kind, HostEventKind::Call { server: Some(_), .. });
    // Where a server runs its commands is not known.
    let own = folder(event, from).filter(|_| !is_of_server);
    let failed = |why: &str| ProbeAnswer::Failed(why.to_owned());
    let answer = |wanted: tsl_synth_policy::WantedProbe| {
        let probe = &compiled.policy.probes[wanted.probe];
        let answer = match (wanted.useless, probe.folder.as_deref().or(own.as_deref()), runner) {
            (Some(why), ..) => ProbeAnswer::Failed(why),
            _ if from.is_pending => failed("another call that has not ended may change what it finds"),
            (None, _, None) => failed("no commands are run here"),
            (None, None, _) => failed("the folder of the call is not known"),
            (None, Some(folder), Some(runner)) => {
                runner.run(folder, &probe.run, Duration::from_millis(probe.timeout))
            }
        };
        (probe.name.clone(), answer)
    };
    interpreter.wanted_probes(compiled, event).into_iter().map(answer).collect()
}

/// Sentences about probes without an answer.
pub(crate) fn sentences(event: &HostEvent<'_>) -> Vec<String> {
    let answers = event.outside.iter().flat_map(|outside| &outside.probes);
    let sentence = |(name, answer): (&String, &ProbeAnswer)| match answer {
        ProbeAnswer::Failed(why) => Some(format!("The probe `{name}` has no answer: {why}.")),
        ProbeAnswer::Ended { .. } => None,
    };
    answers.filter_map(sentence).collect()
}
