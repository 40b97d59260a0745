//! The gate for C: the functions of `tsl_synth.h`, which says what each does.
//!
//! Each function checks its pointers for null, and turns a panic into a failure.

#![allow(unsafe_code, reason = "functions that C calls, with pointers of C")]
#![allow(
    clippy::missing_safety_doc,
    missing_docs,
    reason = "the header says what each does and what callers must keep"
)]

mod objects;

pub use objects::{TslDecision, TslGate, TslPolicy};

use objects::{boxed, fail, freed, guarded, optional, required};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::ptr::null;
use std::sync::Arc;
use tsl_synth_gate::{Call, Gate, GateError, Heard, Policy, Speaker, Store};
use tsl_synth_stores::{FileStore, memory, policy_from_file, surroundings, surroundings_in};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_policy_load(path: *const c_char, error: *mut *mut c_char) -> *mut TslPolicy {
    guarded(error, || {
        let path = unsafe { required(path, "the path") }?;
        policy_from_file(Path::new(path)).map(TslPolicy::boxed).map_err(|error| error.to_string())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_policy_parse(
    name: *const c_char,
    text: *const c_char,
    error: *mut *mut c_char,
) -> *mut TslPolicy {
    guarded(error, || {
        let (name, text) = unsafe { (required(name, "the name")?, required(text, "the text")?) };
        Policy::from_text(name, text).map(TslPolicy::boxed).map_err(|error| error.to_string())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_policy_free(policy: *mut TslPolicy) {
    unsafe { freed(policy) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_open(
    policy: *const TslPolicy,
    session: *const c_char,
    folder: *const c_char,
    shadow: bool,
    error: *mut *mut c_char,
) -> *mut TslGate {
    guarded(error, || {
        let policy = unsafe { policy.as_ref() }.ok_or("the policy is null")?;
        let session = unsafe { required(session, "the session") }?;
        let store: Arc<dyn Store> = match unsafe { optional(folder, "the folder") }? {
            None => Arc::new(memory()),
            Some(folder) => {
                Arc::new(FileStore::new(Path::new(folder), false).map_err(|error| error.to_string())?)
            }
        };
        let made = if shadow {
            Gate::shadow(policy.policy(), session, store)
        } else {
            Gate::new(policy.policy(), session, store)
        };
        let gate = made.map_err(|error| error.to_string())?;
        gate.look_around(surroundings()).map_err(|error| error.to_string())?;
        Ok(TslGate::boxed(gate))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_in_folder(
    gate: *const TslGate,
    folder: *const c_char,
    error: *mut *mut c_char,
) -> bool {
    let done = guarded(error, || {
        let gate = unsafe { gate.as_ref() }.ok_or("the gate is null")?;
        let folder = unsafe { required(folder, "the folder") }?;
        let around = surroundings_in(Path::new(folder)).map_err(|error| error.to_string())?;
        gate.gate().look_around(around).map(boxed).map_err(|error| error.to_string())
    });
    // The pointer only says whether there was an error.
    unsafe { freed(done) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_free(gate: *mut TslGate) {
    unsafe { freed(gate) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_propose(
    gate: *const TslGate,
    tool: *const c_char,
    arguments: *const c_char,
    id: *const c_char,
    error: *mut *mut c_char,
) -> *mut TslDecision {
    guarded(error, || {
        let gate = unsafe { gate.as_ref() }.ok_or("the gate is null")?;
        let (tool, arguments) =
            unsafe { (required(tool, "the tool")?, required(arguments, "the arguments")?) };
        let call = Call { id: unsafe { optional(id, "the id") }?, ..Call::new(tool, arguments) };
        let decided = gate.gate().propose_call(&call).map_err(|error| error.to_string())?;
        TslDecision::boxed(&decided)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_end(gate: *const TslGate, error: *mut *mut c_char) -> *mut TslDecision {
    guarded(error, || {
        let gate = unsafe { gate.as_ref() }.ok_or("the gate is null")?;
        TslDecision::boxed(&gate.gate().end().map_err(|error| error.to_string())?)
    })
}

/// Reports something to a gate; whether that was possible.
unsafe fn told(
    gate: *const TslGate,
    error: *mut *mut c_char,
    tell: impl FnOnce(&Gate) -> Result<Result<Heard, GateError>, String>,
) -> bool {
    let told = guarded(error, || {
        let gate = unsafe { gate.as_ref() }.ok_or("the gate is null")?;
        tell(gate.gate())?.map(|_| boxed(())).map_err(|error| error.to_string())
    });
    // The pointer only says whether there was an error.
    unsafe { freed(told) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_commit(
    gate: *const TslGate,
    ticket: *const c_char,
    outcome: c_int,
    result: *const c_char,
    error: *mut *mut c_char,
) -> bool {
    unsafe {
        told(gate, error, |gate| {
            let ok = match outcome {
                0 => Some(false),
                1 => Some(true),
                2 => None,
                _ => return Err("the outcome is none of `tsl_outcome`".into()),
            };
            Ok(gate.commit(required(ticket, "the ticket")?, ok, optional(result, "the result")?))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_observe(
    gate: *const TslGate,
    proposition: *const c_char,
    holds: bool,
    error: *mut *mut c_char,
) -> bool {
    unsafe {
        told(gate, error, |gate| {
            let name = required(proposition, "the proposition")?.to_owned();
            Ok(gate.observe(&BTreeMap::from([(name, holds)])))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_message(
    gate: *const TslGate,
    is_users: bool,
    text: *const c_char,
    error: *mut *mut c_char,
) -> bool {
    let speaker = if is_users { Speaker::User } else { Speaker::Agent };
    unsafe { told(gate, error, |gate| Ok(gate.message(speaker, required(text, "the text")?))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_tick(gate: *const TslGate, error: *mut *mut c_char) -> bool {
    unsafe { told(gate, error, |gate| Ok(gate.tick())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_close(gate: *const TslGate, error: *mut *mut c_char) -> bool {
    unsafe { told(gate, error, |gate| Ok(gate.close())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_gate_close_and_remove(gate: *const TslGate, error: *mut *mut c_char) -> bool {
    unsafe { told(gate, error, |gate| Ok(gate.close_and_remove())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_store_remove_old(folder: *const c_char, error: *mut *mut c_char) -> bool {
    let removed = guarded(error, || {
        let folder = unsafe { required(folder, "the folder") }?;
        let store = FileStore::new(Path::new(folder), false).map_err(|error| error.to_string())?;
        store.remove_old().map(|_| boxed(())).map_err(|error| error.to_string())
    });
    // The pointer only says whether there was an error.
    unsafe { freed(removed) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_decision_allows(decision: *const TslDecision) -> bool {
    unsafe { decision.as_ref() }.is_some_and(TslDecision::allows)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_decision_verdict(decision: *const TslDecision) -> *const c_char {
    unsafe { decision.as_ref() }.map_or(c"deny".as_ptr(), |decision| decision.verdict().as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_decision_reason(decision: *const TslDecision) -> *const c_char {
    unsafe { decision.as_ref() }.map_or(c"".as_ptr(), |decision| decision.reason().as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_decision_ticket(decision: *const TslDecision) -> *const c_char {
    unsafe { decision.as_ref() }.and_then(TslDecision::ticket).map_or(null(), CStr::as_ptr)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_decision_json(decision: *const TslDecision) -> *const c_char {
    unsafe { decision.as_ref() }.map_or(null(), |decision| decision.json().as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_decision_free(decision: *mut TslDecision) {
    unsafe { freed(decision) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tsl_text_free(text: *mut c_char) {
    unsafe { fail::free(text) };
}
