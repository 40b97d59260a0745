//! The only hash that occurs in output: ids of machines and of texts.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 in lower-case hexadecimal.
///
/// # Panics
/// Never.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("strings take everything");
        out
    })
}
