//! Messages of an environment to an agent.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// An action that may be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// The calls of tools that it consists of, in order.
    pub calls: Vec<ToolCall>,
}

impl Offer {
    /// An action that is one call of the tool of the same name, without arguments.
    pub fn plain(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { calls: vec![ToolCall { tool: name.clone(), arguments: json!({}) }], name }
    }
}

/// The message of an environment after an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldMessage {
    /// The message in words.
    pub text: String,
    /// Whether the last action succeeded.
    pub ok: bool,
    /// The propositions that hold; `None` if the environment does not report them.
    pub truths: Option<BTreeSet<String>>,
    /// Calls that happened without a choice of the agent.
    pub happened: Vec<ToolCall>,
    /// The actions that may be tried, whether they succeed or not; empty means those of the policy.
    pub actions: Vec<Offer>,
    /// The sub-goals that were reached so far, in order.
    pub goals: Vec<String>,
    /// Whether the goal is reached.
    pub reached: bool,
    /// Whether the agent itself declares the end of the run; otherwise the run ends when the goal is reached.
    pub ends: bool,
}

const FIELDS: [&str; 8] = ["text", "ok", "true", "happened", "actions", "goals", "reached", "ends"];

impl WorldMessage {
    /// The message as one JSON object.
    pub fn json(&self) -> String {
        let calls = |calls: &[ToolCall]| -> Value {
            calls.iter().map(|call| json!({ "tool": call.tool, "arguments": call.arguments })).collect()
        };
        let action = |offer: &Offer| -> Value {
            if *offer == Offer::plain(offer.name.as_str()) {
                return offer.name.as_str().into();
            }
            json!({ "name": offer.name, "calls": calls(&offer.calls) })
        };
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| {
            fields.insert(name.to_string(), value);
        };
        add("text", self.text.as_str().into());
        add("ok", self.ok.into());
        if let Some(truths) = &self.truths {
            add("true", truths.iter().map(String::as_str).collect());
        }
        if !self.happened.is_empty() {
            add("happened", calls(&self.happened));
        }
        if !self.actions.is_empty() {
            add("actions", self.actions.iter().map(action).collect());
        }
        if !self.goals.is_empty() {
            add("goals", self.goals.iter().map(String::as_str).collect());
        }
        if self.reached {
            add("reached", true.into());
        }
        if self.ends {
            add("ends", true.into());
        }
        Value::Object(fields).to_string()
    }

    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong with the text, as a sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("the environment told no JSON: {error}"))?;
        let Value::Object(fields) = value else { return Err("the environment told no JSON object".into()) };
        if let Some(name) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(format!("the environment told `{name}`, which is none of {}", FIELDS.join(", ")));
        }
        let wrong = |name: &str, what: &str| format!("what the environment told as `{name}` is not {what}");
        let truth = |name: &str, usual: bool| match fields.get(name) {
            None => Ok(usual),
            Some(value) => value.as_bool().ok_or_else(|| wrong(name, "true or false")),
        };
        let list = |name: &str| match fields.get(name) {
            None => Ok(None),
            Some(value) => value.as_array().map(Some).ok_or_else(|| wrong(name, "a list")),
        };
        let texts = |name: &str| -> Result<Option<Vec<String>>, String> {
            let Some(values) = list(name)? else { return Ok(None) };
            let text = |value: &Value| {
                value.as_str().map(str::to_string).ok_or_else(|| wrong(name, "a list of texts"))
            };
            values.iter().map(text).collect::<Result<_, _>>().map(Some)
        };
        let call = |name: &str, value: &Value| -> Result<ToolCall, String> {
            let tool = value.get("tool").and_then(Value::as_str);
            let tool = tool.ok_or_else(|| wrong(name, "calls with the name of a `tool`"))?.to_string();
            Ok(ToolCall { tool, arguments: value.get("arguments").cloned().unwrap_or_else(|| json!({})) })
        };
        let offer = |value: &Value| -> Result<Offer, String> {
            if let Some(name) = value.as_str() {
                return Ok(Offer::plain(name));
            }
            let own = || wrong("actions", "a list of names, or of objects with `name` and `calls`");
            let name = value.get("name").and_then(Value::as_str).ok_or_else(own)?;
            let Some(calls) = value.get("calls") else { return Ok(Offer::plain(name)) };
            let calls = calls.as_array().filter(|calls| !calls.is_empty()).ok_or_else(own)?;
            let calls = calls.iter().map(|value| call("actions", value)).collect::<Result<_, _>>()?;
            Ok(Offer { name: name.to_string(), calls })
        };
        let happened = list("happened")?.into_iter().flatten();
        let actions: Vec<Offer> =
            list("actions")?.into_iter().flatten().map(offer).collect::<Result<_, _>>()?;
        if let Some(twice) =
            actions.iter().enumerate().find(|(i, one)| actions[..*i].iter().any(|own| own.name == one.name))
        {
            return Err(format!("the environment offers the action `{}` twice", twice.1.name));
        }
        Ok(Self {
            text: fields
                .get("text")
                .map_or(Ok(""), |value| value.as_str().ok_or_else(|| wrong("text", "a text")))?
                .to_string(),
            ok: truth("ok", true)?,
            truths: texts("true")?.map(|names| names.into_iter().collect()),
            happened: happened.map(|value| call("happened", value)).collect::<Result<_, _>>()?,
            actions,
            goals: texts("goals")?.unwrap_or_default(),
            reached: truth("reached", false)?,
            ends: truth("ends", false)?,
        })
    }
}
