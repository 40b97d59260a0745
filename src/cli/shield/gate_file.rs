//! The gate of a policy file, which is reloaded when the file changes.

use super::args::{GateArgs, OnChange};
use super::journal::Journals;
use crate::adapters::{Adapters, WithSources};
use crate::files::plain;
use crate::flags::{EngineArgs, OutputArgs, ProgressChoice};
use std::path::PathBuf;
use std::time::SystemTime;
use tsl_synth_core::base::sha256;
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::model::HostEvent;
use tsl_synth_seats::hook::HookPayload;
use tsl_synth_service::{
    Cache, GateAnswer, GateService, Input, LoadedPolicy, MemoryJournal, WITHOUT_LOOK_AHEAD,
};
use tsl_synth_stores::{Compiled, DiskJournals, JournalStore, surroundings};

/// A gate and the file of its policy.
pub(crate) struct GateFile {
    path: PathBuf,
    on_change: OnChange,
    is_shadow: bool,
    stamp: Option<(SystemTime, u64)>,
    shield: Option<GateService<Journals>>,
    /// The reason to deny everything, if there is one.
    broken: Option<String>,
    /// The journals while there is no shield.
    spare: Option<Journals>,
    /// The store that keeps solved games beside the journals; `None` if games are solved anew.
    store: Option<JournalStore>,
}

impl GateFile {
    /// Opens the policy. An error in it is kept as the reason to deny everything.
    ///
    /// # Errors
    /// When the folder of journals cannot be determined.
    pub(crate) fn new(args: &GateArgs, host: &str, on_disk: bool) -> anyhow::Result<Self> {
        let store = if on_disk || args.journal.is_some() { Some(args.store()?) } else { None };
        let journals = match &store {
            Some(store) => Journals::Disk(DiskJournals::new(store.clone(), host)),
            None => Journals::Memory(MemoryJournal::default()),
        };
        let path = args.policy.clone();
        let mut keeper = Self {
            path,
            on_change: args.on_change,
            is_shadow: args.shadow,
            stamp: None,
            shield: None,
            broken: None,
            spare: Some(journals),
            store: store.filter(|_| !args.no_cache),
        };
        keeper.load();
        Ok(keeper)
    }
    /// The reason to deny everything, if there is one.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }
    /// Whether calls are allowed whatever the decision is.
    pub(crate) fn is_shadow(&self) -> bool {
        self.is_shadow
    }
    fn stamp(&self) -> Option<(SystemTime, u64)> {
        let metadata = std::fs::metadata(&self.path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }
    fn load(&mut self) {
        self.stamp = self.stamp();
        let result = std::fs::read(&self.path).map_err(|error| plain(&error)).and_then(|bytes| {
            match &self.shield {
                // The file was touched, but its text is the same.
                Some(shield) if shield.policy() == sha256(&bytes) => Ok(None),
                Some(shield) if shield.denies_changes() => {
                    Err("it was edited while the gate runs, and `--on-change deny` or `on_change = \"deny\"` holds"
                        .into())
                }
                _ => read_policy(&self.path).map(Some),
            }
        });
        match result {
            // The file may have been unreadable in the meantime.
            Ok(None) => self.broken = None,
            Ok(Some(loaded)) => {
                let Some(journals) = self.take_journals() else {
                    self.broken = Some("the journals are not there any more".into());
                    return;
                };
                // The file may have changed since the comparison, so the hash is that of the compiled text.
                let hash = loaded.sha256.clone();
                let file = self.path.to_string_lossy().into_owned();
                let cache = self.store.as_ref().map(|store| {
                    let cache: Box<dyn Cache + Send> = Box::new(Compiled::new(store, &hash));
                    cache
                });
                match GateService::with_cache(loaded, &hash, &file, journals, self.is_shadow, cache) {
                    Ok(mut shield) => {
                        if self.on_change == OnChange::Deny {
                            shield.deny_changes();
                        }
                        shield.look_around(surroundings());
                        (self.shield, self.broken) = (Some(shield), None);
                    }
                    Err((limit, journals)) => {
                        self.broken = Some(format!("{limit}; {WITHOUT_LOOK_AHEAD}"));
                        self.spare = Some(journals);
                    }
                }
            }
            Err(why) => {
                self.broken = Some(format!("the policy `{}`: {why}", self.path.display()));
            }
        }
    }
    /// The journals; `None` if making a gate over them failed with a panic.
    fn take_journals(&mut self) -> Option<Journals> {
        self.shield.take().map(GateService::into_journal).or_else(|| self.spare.take())
    }
    /// The gate, with the policy reloaded if its file changed.
    ///
    /// # Errors
    /// The reason to deny everything.
    pub(crate) fn shield(&mut self) -> Result<&mut GateService<Journals>, String> {
        if self.stamp() != self.stamp {
            self.load();
        }
        if let Some(why) = &self.broken {
            return Err(why.clone());
        }
        self.shield.as_mut().ok_or_else(|| "there is no policy".into())
    }
    /// Reads an event. A call without an id gets one that is new in the session, so that its ticket can be used.
    ///
    /// # Errors
    /// The reason why the event cannot be judged; a call is then to be denied.
    pub(crate) fn event(&mut self, event: &HostEvent<'_>) -> Result<GateAnswer, String> {
        self.shield()?.unnamed_event(event, None, false)
    }
    /// Reads all that a payload of a hook reports, and returns its events with the answers: see
    /// [`GateService::payload`].
    ///
    /// # Errors
    /// As [`GateFile::event`].
    pub(crate) fn payload(
        &mut self,
        payload: &HookPayload,
        time: Option<i64>,
    ) -> Result<Vec<(HostEvent<'static>, GateAnswer)>, String> {
        self.shield()?.payload(payload, time)
    }
}

/// Reads and compiles a policy; the error is the text of its diagnostics.
pub(crate) fn read_policy(path: &std::path::Path) -> Result<LoadedPolicy, String> {
    let quiet = OutputArgs { quiet: true, progress: ProgressChoice::Never, ..OutputArgs::default() };
    let adapters = Adapters::new(&EngineArgs::default(), &quiet, None);
    let input = Input::File(path.to_path_buf());
    let WithSources { answer, sources } = adapters
        .ask(move |session| session.policy(&input))
        .or_exit()
        .map_err(|exit| format!("it could not be read (exit code {})", exit.code()))?;
    answer.map_err(|failure| {
        let errors: Vec<&Diagnostic> =
            failure.diagnostics.iter().filter(|one| one.severity == Severity::Error).collect();
        let text = crate::text::render(errors, &sources, false);
        if text.trim().is_empty() { failure.reason() } else { text.trim_end().to_owned() }
    })
}
