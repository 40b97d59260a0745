//! The library as a module of WebAssembly: a question in JSON is written into its memory, and the answer read from there.
//!
//! `question(length)` gives the address where so many bytes of UTF-8 are to be written, `answer()` answers them and gives
//! how many bytes the answer has, `answer_address()` where they are. What questions and answers are says
//! [`tsl_synth::service::answer_json`]. A module that trapped is to be made anew.

#![allow(
    unsafe_code,
    reason = "names of functions that a host calls are not mangled; nothing else is unsafe here"
)]

use std::cell::RefCell;
use tsl_synth::service::answer_json;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where to write a question of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(length, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question that was written; how many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let question = QUESTION.with_borrow_mut(std::mem::take);
    let answer = answer_json(&String::from_utf8_lossy(&question));
    ANSWER.with_borrow_mut(|own| {
        *own = answer;
        own.len()
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_address() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Nothing: the module is called.
fn main() {}
