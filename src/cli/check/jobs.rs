//! The specifications that a call of `check` has to check, and how several are checked at a time.

use super::CheckedSpec;
use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::flags::{InputArgs, OutputFormat};
use crate::settings;
use crate::targets::{CheckTarget, expand};
use anyhow::{Result, anyhow};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{PoisonError, RwLock};

/// One specification.
#[derive(Debug)]
pub(super) struct CheckJob {
    /// Its files.
    pub(super) input: InputArgs,
    /// Whether it was found in a folder or by a glob.
    pub(super) found: bool,
    /// If the argument names no specification, the reason.
    nothing: Option<String>,
    /// Whether its verdict can be printed before its explanation: it is the only job, and the format is text.
    pub(super) live: bool,
}

/// Completes the flags and returns the specifications to check, at least one.
///
/// # Errors
/// When the call or the project file has an error.
pub(super) fn plan(args: &mut CheckArgs) -> Result<Vec<CheckJob>> {
    super::from_project::complete(args)?;
    if args.write_baseline && args.baseline.is_none() {
        return Err(anyhow!("`--write-baseline` needs the file: `--baseline FILE`"));
    }
    let targets = expand(&args.input.specs, args.input.input_format.is_some());
    args.each |= targets.folder;
    let job = |specs, found, nothing| CheckJob {
        input: InputArgs { specs, ..args.input.clone() },
        found,
        nothing,
        live: false,
    };
    let mut jobs: Vec<CheckJob> = if args.each && !targets.list.is_empty() {
        let alone = |target: &CheckTarget| match target {
            CheckTarget::Named(path) => job(vec![path.clone()], false, None),
            CheckTarget::Found(path) => job(vec![path.clone()], true, None),
            CheckTarget::Nothing(path, why) => job(vec![path.clone()], false, Some(why.clone())),
        };
        targets.list.iter().map(alone).collect()
    } else {
        let mut together = Vec::new();
        for target in targets.list {
            match target {
                CheckTarget::Named(path) | CheckTarget::Found(path) => together.push(path),
                CheckTarget::Nothing(path, why) => {
                    return Err(anyhow!("cannot read `{}`: {why}", path.display()));
                }
            }
        }
        vec![job(together, false, None)]
    };
    if let [only] = jobs.as_mut_slice() {
        only.live = args.format == OutputFormat::Text;
    }
    Ok(jobs)
}

/// Checks the specifications, several at a time, and passes the results to `done` in the order of `jobs` until it
/// breaks.
///
/// Checks that run at the same time share the memory. One that runs out of its share is repeated alone with all of the
/// memory, so that the answer does not depend on the number of jobs.
pub(super) fn in_order(
    jobs: &[CheckJob],
    adapters: &Adapters,
    args: &CheckArgs,
    mut done: impl FnMut(&CheckJob, CheckedSpec) -> ControlFlow<()>,
) {
    let wanted = args.jobs.map_or_else(settings::cores, |jobs| jobs as usize);
    let workers = wanted.min(jobs.len());
    if workers <= 1 {
        for job in jobs {
            if done(job, one(job, adapters, args)).is_break() {
                return;
            }
        }
        return;
    }
    let shared = adapters.shared(u32::try_from(workers).unwrap_or(u32::MAX));
    let silent = adapters.shared(1);
    let running = RwLock::new(());
    let next = AtomicUsize::new(0);
    let work = |job: &CheckJob| {
        let answer = {
            let _one_of_several = running.read().unwrap_or_else(PoisonError::into_inner);
            one(job, &shared, args)
        };
        if !answer.ran_out_of_memory() {
            return answer;
        }
        let _alone = running.write().unwrap_or_else(PoisonError::into_inner);
        one(job, &silent, args)
    };
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { return };
                    if sender.send((at, work(job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut turn = 0;
        while let Ok((at, answer)) = receiver.recv() {
            early.insert(at, answer);
            while let Some(answer) = early.remove(&turn) {
                if done(&jobs[turn], answer).is_break() {
                    next.store(jobs.len(), Ordering::Relaxed);
                    return;
                }
                turn += 1;
            }
        }
    });
}

fn one(job: &CheckJob, adapters: &Adapters, args: &CheckArgs) -> CheckedSpec {
    match &job.nothing {
        Some(why) => CheckedSpec::nothing(job, why),
        None => CheckedSpec::new(job, adapters, args),
    }
}
