//! The gate as a module of WebAssembly: the host writes a request in JSON into its memory and reads the answer there.
//!
//! `room(length)` returns the address at which to write that many bytes of UTF-8, `answer()` answers them and returns the
//! length of the answer in bytes, and `answer_address()` returns its address. The host provides `now()` in the module
//! `host`, the time in milliseconds since 1970. Sessions are in the memory of the module. After a trap the module must not
//! be used any more: all its sessions are lost, and every call has to be refused.

#![allow(unsafe_code, reason = "functions of the host, and functions that it calls")]

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use tsl_synth_gate::{MemoryStore, Policy, PolicyError, Store, Surroundings};
use tsl_synth_requests::{Desk, OpenStore, Platform};

/// A machine without files.
struct Web;

#[cfg(target_family = "wasm")]
fn now() -> Option<i64> {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        safe fn now() -> f64;
    }
    let time = now();
    // Larger numbers are no integers any more.
    (time.is_finite() && time.abs() < 9.0e15).then_some(time as i64)
}

#[cfg(not(target_family = "wasm"))]
fn now() -> Option<i64> {
    None
}

impl Platform for Web {
    fn memory(&self) -> Arc<dyn Store> {
        Arc::new(MemoryStore::new(now))
    }
    fn files(&self, _: Option<&Path>, _: bool) -> Result<OpenStore, String> {
        Err("in WebAssembly there are no files, so sessions are in memory only".into())
    }
    fn policy(&self, file: &Path) -> Result<Policy, PolicyError> {
        Err(PolicyError::Unreadable(format!(
            "cannot read `{}`: in WebAssembly there are no files",
            file.display()
        )))
    }
    fn surroundings(&self, folder: Option<&Path>) -> Result<Surroundings, String> {
        match folder {
            None => Ok(Surroundings::default()),
            Some(_) => Err("in WebAssembly there are no files, so a gate has no folder".into()),
        }
    }
}

thread_local! {
    static DESK: Desk = Desk::new(Box::new(Web));
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the address at which to write a request of this length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request that was written, and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let request = REQUEST.with_borrow_mut(std::mem::take);
    let answer = match std::str::from_utf8(&request) {
        Ok(request) => DESK.with(|desk| desk.answer(request)),
        Err(_) => tsl_synth_requests::refusal("the request is not UTF-8 text"),
    };
    ANSWER.with_borrow_mut(|own| {
        *own = answer;
        own.len()
    })
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_address() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Empty: the host calls the functions above.
fn main() {}
