//! Requests.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is asked.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ask {
    /// Reads the policy in `text` with a `name`, or in the file with this `path`.
    Policy,
    /// Opens the sessions in a `folder`, those of the `user`, or new ones in memory.
    Store,
    /// The path of the journal of a `session` in a `store`.
    Journal,
    /// Removes the sessions of a `store` that are older than their policies say.
    RemoveOld,
    /// The gate of a `session` with a `policy` and a `store`; its calls begin in a `folder`.
    Gate,
    /// May the call of a `tool` be made?
    Propose,
    /// How the call with a `ticket` ended.
    Commit,
    /// How the call with an `id` ended.
    Result,
    /// The `truths` of propositions.
    Observe,
    /// A message with a `role` and a `text`.
    Message,
    /// Time passed.
    Tick,
    /// May the agent stop?
    End,
    /// The session is over; `remove` says whether it is removed from the store.
    Close,
    /// What is allowed now?
    Options,
    /// A proxy of a `gate` in front of a `server`; `prefix` begins the ids of its calls.
    Proxy,
    /// The `line` is of the client of a `proxy`.
    FromClient,
    /// The `line` is of the server.
    FromServer,
    /// The server has ended.
    ServerGone,
    /// The object with a `number` is not needed any more.
    Free,
}

/// A request; which fields it must have depends on `ask`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of requests")]
pub(crate) struct Request<'a> {
    pub(crate) ask: Ask,
    pub(crate) number: Option<u32>,
    pub(crate) policy: Option<u32>,
    pub(crate) store: Option<u32>,
    pub(crate) gate: Option<u32>,
    pub(crate) proxy: Option<u32>,
    #[serde(borrow, default)]
    pub(crate) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) folder: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(crate) user: bool,
    #[serde(default)]
    pub(crate) durable: bool,
    #[serde(default)]
    pub(crate) shadow: bool,
    #[serde(default)]
    pub(crate) remove: bool,
    #[serde(borrow, default)]
    pub(crate) session: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) server: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) agent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) tool: Option<Cow<'a, str>>,
    /// The arguments of a call as JSON; `arguments_text` has them as a text in JSON that was not read yet.
    #[serde(borrow, default)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "argumentsText")]
    pub(crate) arguments_text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) ticket: Option<Cow<'a, str>>,
    /// Null or missing if the outcome is not known.
    pub(crate) ok: Option<bool>,
    #[serde(borrow, default)]
    pub(crate) result: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) truths: BTreeMap<String, bool>,
    #[serde(borrow, default)]
    pub(crate) role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) prefix: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) line: Option<Cow<'a, str>>,
}

impl Request<'_> {
    /// The arguments of a call in JSON; an object without entries if there are none.
    pub(crate) fn arguments(&self) -> &str {
        let text = self.arguments_text.as_deref();
        text.or_else(|| self.arguments.map(RawValue::get)).unwrap_or("{}")
    }
}

/// A field that the request must have.
pub(crate) fn needed<'t>(field: Option<&'t Cow<'_, str>>, name: &str) -> Result<&'t str, String> {
    field.map(|text| &**text).ok_or_else(|| format!("`{name}` is missing"))
}
