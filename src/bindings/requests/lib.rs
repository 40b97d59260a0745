//! The gate for languages that exchange texts with this workspace: policies, stores, gates and proxies have numbers, and
//! each request is one object in JSON with one answer.
//!
//! ```json
//! {"ask":"policy","name":"shop.toml","text":"policy = 1 .."}
//! {"ask":"store"}
//! {"ask":"gate","policy":1,"store":2,"session":"s1"}
//! {"ask":"propose","gate":3,"tool":"refund","arguments":{"order":7}}
//! {"ask":"commit","gate":3,"ticket":"9f2c..","ok":true,"result":{"done":true}}
//! {"ask":"free","number":3}
//! ```
//!
//! An answer with `error` is no decision: a call that was proposed must then not be made.

#![forbid(unsafe_code)]

mod answer;
mod desk;
mod objects;
mod platform;
mod request;
#[cfg(test)]
mod tests;

pub use desk::{Desk, refusal};
pub use platform::{OpenStore, Platform, StoreFiles};
