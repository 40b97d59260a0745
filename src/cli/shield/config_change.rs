//! Changes of settings while a session runs: one that takes the hooks of the gate out, or changes what they call, is
//! blocked, so that the settings before it stay in force.

use super::own_files::settings_files;
use super::places::read;
use std::path::{Path, PathBuf};
use tsl_synth_seats::hook::settings::{InstalledHook, installed};
use tsl_synth_seats::hook::{HookHost, HookKind, HookPayload, SettingsForm};

/// Why the changed settings must not take effect, if they must not.
pub(crate) fn refusal(payload: &HookPayload) -> Option<String> {
    let host = payload.host;
    if host.place().layout == SettingsForm::Files {
        return None;
    }
    let base = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let base = base.or_else(|| payload.cwd.clone().map(PathBuf::from)).unwrap_or_default();
    let changed = payload.file.as_ref().map(PathBuf::from);
    let mut files: Vec<PathBuf> = settings_files(host).iter().map(|file| base.join(file)).collect();
    files.extend(changed.clone());
    files.sort();
    files.dedup();
    let mut hooks = Vec::new();
    for file in &files {
        let text = match read(file) {
            Ok(Some(text)) => text,
            // What was not readable before this change is not in force.
            Err(error) if changed.as_ref() == Some(file) => {
                return Some(blocked(file, &format!("{error:#}")));
            }
            Ok(None) | Err(_) => continue,
        };
        match (host.is_off(&text), installed(host, &text)) {
            (Ok(true), _) => return Some(blocked(file, "it switches all hooks off")),
            (Ok(false), Ok(own)) => hooks.extend(own),
            (Err(why), _) if changed.as_ref() == Some(file) => return Some(blocked(file, &why)),
            _ => {}
        }
    }
    let own = without_event(&own_arguments());
    let is_missing = |name: &str| !hooks.iter().any(|hook| is_whole(host, hook, name, &own));
    let missing = host.events().iter().find(|event| is_missing(event.name))?;
    let file = changed.unwrap_or_else(|| base.join(host.place().project));
    Some(blocked(&file, &format!("the hook of the gate for `{}` is gone or changed", missing.name)))
}

fn blocked(file: &Path, why: &str) -> String {
    format!(
        "tsl-synth blocks the change of `{}`: {why}. The settings before it stay in force in this session. A person who \
         wants to remove the gate ends the session and runs `tsl-synth policy shield uninstall`.",
        file.display()
    )
}

/// Whether a hook is that of the gate for this event, with all that makes it effective.
fn is_whole(host: HookHost, hook: &InstalledHook, event: &str, own: &[String]) -> bool {
    let Some(args) = &hook.args else { return false };
    let resolved = |path: &Path| path.canonicalize().ok();
    let is_program = crate::started::program().is_ok_and(|program| {
        resolved(&program).is_some() && resolved(&program) == resolved(Path::new(&hook.command))
    });
    let has_event = args.windows(2).any(|two| two == ["--event", event]);
    let is_strict = host.kind(event) != HookKind::Call || hook.blocks_on_failure;
    hook.event == event && is_program && has_event && is_strict && hook.sees_all && without_event(args) == own
}

/// The arguments of this process; those that are not Unicode are in no settings.
fn own_arguments() -> Vec<String> {
    crate::started::arguments().iter().map(|own| own.to_string_lossy().into_owned()).collect()
}

/// Arguments without `--event NAME`.
fn without_event(args: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--event" {
            args.next();
        } else {
            out.push(arg.clone());
        }
    }
    out
}
