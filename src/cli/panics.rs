//! Panics, which are reported once, with their position.

use std::sync::{Mutex, PoisonError};

/// Where the first panic happened; the message alone is of little use in a report.
static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

/// Replaces the panic hook by one that prints nothing and keeps the position: `catch_unwind` reports each panic once.
pub(crate) fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        let mut position = PANICKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
        if position.is_none() {
            *position = info.location().map(ToString::to_string);
        }
    }));
}

/// The message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message");
    message.to_string()
}

/// Where the first panic happened, if there was one.
pub(crate) fn panicked_at() -> Option<String> {
    PANICKED_AT.lock().unwrap_or_else(PoisonError::into_inner).take()
}
