//! Objects that C holds pointers to, texts of C, and failures.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use tsl_synth_gate::{Decision, Gate, Policy};

/// A policy.
pub struct TslPolicy(Policy);

/// The gate of a session.
pub struct TslGate(Gate);

/// A decision, with its texts as C reads them.
pub struct TslDecision {
    allows: bool,
    verdict: CString,
    reason: CString,
    ticket: Option<CString>,
    json: CString,
}

/// A pointer for C to something that [`freed`] frees.
pub(crate) fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Frees what [`boxed`] returned; whether there was something.
///
/// # Safety
/// The pointer is null, or was returned by [`boxed`] and is not used any more.
pub(crate) unsafe fn freed<T>(pointer: *mut T) -> bool {
    if pointer.is_null() {
        return false;
    }
    // SAFETY: see above.
    drop(unsafe { Box::from_raw(pointer) });
    true
}

impl TslPolicy {
    pub(crate) fn boxed(policy: Policy) -> *mut Self {
        boxed(Self(policy))
    }
    pub(crate) fn policy(&self) -> &Policy {
        &self.0
    }
}

impl TslGate {
    pub(crate) fn boxed(gate: Gate) -> *mut Self {
        boxed(Self(gate))
    }
    pub(crate) fn gate(&self) -> &Gate {
        &self.0
    }
}

impl TslDecision {
    /// # Errors
    /// A bug: the document is always JSON.
    pub(crate) fn boxed(decision: &Decision) -> Result<*mut Self, String> {
        let json = serde_json::to_string(&decision.document).map_err(|error| error.to_string())?;
        Ok(boxed(Self {
            allows: decision.is_allowed(),
            verdict: text(decision.verdict.name()),
            reason: text(&decision.reason),
            ticket: decision.ticket.as_deref().map(text),
            json: text(&json),
        }))
    }
    pub(crate) fn allows(&self) -> bool {
        self.allows
    }
    pub(crate) fn verdict(&self) -> &CStr {
        &self.verdict
    }
    pub(crate) fn reason(&self) -> &CStr {
        &self.reason
    }
    pub(crate) fn ticket(&self) -> Option<&CStr> {
        self.ticket.as_deref()
    }
    pub(crate) fn json(&self) -> &CStr {
        &self.json
    }
}

/// A text for C. A zero within it, which would end it there, is replaced.
fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// A text of C that must be there.
///
/// # Safety
/// The pointer is null, or points to a text that ends with a zero and lives as long as the result is used.
pub(crate) unsafe fn required<'t>(pointer: *const c_char, what: &str) -> Result<&'t str, String> {
    // SAFETY: see above.
    unsafe { optional(pointer, what) }?.ok_or_else(|| format!("{what} is null"))
}

/// A text of C, or null.
///
/// # Safety
/// As for [`required`].
pub(crate) unsafe fn optional<'t>(pointer: *const c_char, what: &str) -> Result<Option<&'t str>, String> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: see above.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| format!("{what} is not UTF-8 text"))
}

/// The result of `act`, or null with a message in `*error`.
pub(crate) fn guarded<T>(error: *mut *mut c_char, act: impl FnOnce() -> Result<*mut T, String>) -> *mut T {
    let done = catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|_| Err("it failed, and nothing was decided".into()));
    let (result, message) = match done {
        Ok(result) => (result, null_mut()),
        Err(message) => (null_mut(), text(&message).into_raw()),
    };
    fail::store(error, message);
    result
}

/// Messages about failures.
pub(crate) mod fail {
    use super::{CString, c_char};

    /// Hands a message to the caller, if it wants one.
    pub(crate) fn store(error: *mut *mut c_char, message: *mut c_char) {
        if error.is_null() {
            // SAFETY: the message was made by `CString::into_raw`, or is null.
            unsafe { free(message) };
        } else {
            // SAFETY: a pointer to an error that is not null points to a place for one.
            unsafe { *error = message };
        }
    }

    /// Frees a message.
    ///
    /// # Safety
    /// The pointer is null, or was made by `CString::into_raw` and is not used any more.
    pub(crate) unsafe fn free(message: *mut c_char) {
        if !message.is_null() {
            // SAFETY: see above.
            drop(unsafe { CString::from_raw(message) });
        }
    }
}
