//! The gate guards its own files: calls that edit the policy, the settings with its hooks or its journals are refused, and
//! so is a change of the settings that takes the hooks out.

use super::args::GateArgs;
use super::places::{SettingsScope, installed_hooks, settings_place, switches};
use std::path::{Component, Path, PathBuf};
use tsl_synth_core::model::HostEventKind;
use tsl_synth_seats::hook::guard::edited_files;
use tsl_synth_seats::hook::{HookHost, HookKind, HookPayload};

/// Why a payload is refused whatever the policy says.
pub(super) fn refusal(args: &GateArgs, payload: &HookPayload) -> Option<String> {
    match payload.kind {
        HookKind::Settings => weakened(payload),
        HookKind::Call => payload.events.iter().find_map(|event| match &event.kind {
            HostEventKind::Call { tool, arguments, .. } => {
                let files = edited_files(tool, arguments.as_str());
                files.iter().find_map(|file| guarded(args, payload, Path::new(file)))
            }
            _ => None,
        }),
        _ => None,
    }
}

fn folder(payload: &HookPayload) -> PathBuf {
    let here = || std::env::current_dir().unwrap_or_default();
    payload.cwd.as_ref().map_or_else(here, PathBuf::from)
}

/// The path without links as far as it exists, and without `.` and `..`.
fn resolved(folder: &Path, path: &Path) -> PathBuf {
    let whole = folder.join(path);
    let mut plain = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    let mut missing = Vec::new();
    let mut known = plain.as_path();
    loop {
        if let Ok(real) = known.canonicalize() {
            return missing.iter().rev().fold(real, |path, part| path.join(part));
        }
        match (known.parent(), known.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name.to_owned());
                known = parent;
            }
            _ => return plain,
        }
    }
}

/// Why a file may not be edited, if it belongs to the gate.
fn guarded(args: &GateArgs, payload: &HookPayload, file: &Path) -> Option<String> {
    let folder = folder(payload);
    let edited = resolved(&folder, file);
    let here = std::env::current_dir().unwrap_or_default();
    let refuse = |what: &str| Some(format!("Denied: {what} is not edited by the agent that it judges."));
    if edited == resolved(&here, &args.policy) {
        return refuse("the policy");
    }
    let places = SettingsScope::ALL.into_iter().filter_map(|scope| settings_place(payload.host, scope).ok());
    let places = places.chain(switches(payload.host).unwrap_or_default());
    if places.map(|place| resolved(&folder, &place)).any(|place| edited.starts_with(place)) {
        return refuse("the file of the hooks");
    }
    let journals = args.store().ok()?;
    if edited.starts_with(resolved(&here, journals.folder())) {
        return refuse("the journal of the session");
    }
    None
}

/// Why changed settings are refused: they switch our hooks off, or none of them has our hooks any more.
fn weakened(payload: &HookPayload) -> Option<String> {
    let host = payload.host;
    let folder = folder(payload);
    let files = switches(host).unwrap_or_default();
    let off = files
        .iter()
        .map(|file| folder.join(file))
        .find(|file| std::fs::read_to_string(file).is_ok_and(|text| host.is_off(&text).unwrap_or(false)));
    if let Some(file) = off {
        return Some(format!("Denied: `{}` switches the hooks of the gate off.", file.display()));
    }
    let is_hooked = |place: &Path| {
        let hooks = installed_hooks(host, place).unwrap_or_default();
        hooks.iter().any(|hook| host.kind(&hook.event) == HookKind::Call)
    };
    let hooked = all_places(host).into_iter().any(|place| is_hooked(&folder.join(place)));
    (!hooked).then(|| "Denied: the changed settings do not have the hooks of the gate any more.".into())
}

/// The places in which our hooks may stand.
fn all_places(host: HookHost) -> Vec<PathBuf> {
    let own = SettingsScope::ALL.into_iter().filter_map(|scope| settings_place(host, scope).ok());
    own.chain(switches(host).unwrap_or_default()).collect()
}
