//! The library as a WebAssembly module: the host writes a question in JSON into its memory and reads the answer there.
//!
//! `question(length)` returns the address at which to write that many bytes of UTF-8, `answer()` answers them and returns
//! the length of the answer in bytes, and `answer_address()` returns its address. Questions and answers are those of
//! [`tsl_synth_service::answer_json`]. After a trap the module must be instantiated again.

#![allow(
    unsafe_code,
    reason = "names of functions that a host calls are not mangled; nothing else is unsafe here"
)]

use std::cell::RefCell;
use tsl_synth_service::answer_json;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the address at which to write a question of this length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(length, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question that was written, and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let question = QUESTION.with_borrow_mut(std::mem::take);
    let answer = answer_json(&String::from_utf8_lossy(&question));
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
