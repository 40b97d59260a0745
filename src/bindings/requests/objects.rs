//! The objects that have numbers.

use crate::platform::OpenStore;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tsl_synth_gate::{Gate, McpProxy, Policy};

/// A proxy in front of an MCP server, with its gate.
pub(crate) struct Proxy {
    pub(crate) gate: Arc<Gate>,
    pub(crate) proxy: Mutex<McpProxy>,
}

/// An object with a number. Clones are the same object.
#[derive(Clone)]
pub(crate) enum Object {
    Policy(Policy),
    Store(Arc<OpenStore>),
    Gate(Arc<Gate>),
    Proxy(Arc<Proxy>),
}

/// All objects.
#[derive(Default)]
pub(crate) struct Objects {
    all: Mutex<(u32, BTreeMap<u32, Object>)>,
}

impl Objects {
    /// Nothing can fail while it is locked.
    fn all(&self) -> MutexGuard<'_, (u32, BTreeMap<u32, Object>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Gives an object a number, which no other object had.
    pub(crate) fn add(&self, object: Object) -> Result<u32, String> {
        let mut all = self.all();
        let number = all.0.checked_add(1).ok_or("there are too many objects")?;
        all.0 = number;
        all.1.insert(number, object);
        Ok(number)
    }
    pub(crate) fn free(&self, number: u32) {
        // Dropped after the lock is released.
        let _freed = self.all().1.remove(&number);
    }
    fn get(&self, number: Option<u32>, what: &str) -> Result<Object, String> {
        let number = number.ok_or_else(|| format!("the number of the {what} is missing"))?;
        self.all().1.get(&number).cloned().ok_or_else(|| format!("there is no {what} {number}"))
    }
    pub(crate) fn policy(&self, number: Option<u32>) -> Result<Policy, String> {
        match self.get(number, "policy")? {
            Object::Policy(policy) => Ok(policy),
            _ => Err("it is no policy".into()),
        }
    }
    pub(crate) fn store(&self, number: Option<u32>) -> Result<Arc<OpenStore>, String> {
        match self.get(number, "store")? {
            Object::Store(store) => Ok(store),
            _ => Err("it is no store".into()),
        }
    }
    pub(crate) fn gate(&self, number: Option<u32>) -> Result<Arc<Gate>, String> {
        match self.get(number, "gate")? {
            Object::Gate(gate) => Ok(gate),
            _ => Err("it is no gate".into()),
        }
    }
    pub(crate) fn proxy(&self, number: Option<u32>) -> Result<Arc<Proxy>, String> {
        match self.get(number, "proxy")? {
            Object::Proxy(proxy) => Ok(proxy),
            _ => Err("it is no proxy".into()),
        }
    }
}
