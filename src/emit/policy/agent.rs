//! A scaffold of an agent behind the gate of a policy: a loop of a chat model and tools, with stubs of the tools that
//! the policy names. The gate is that of the package of the language.

use crate::input::{Contents, EmitError, EmittedFile};
use crate::render;
use crate::text::{comment, js_string, python_string};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use tsl_synth_core::model::{Pointer, Scalar, ValueComparison};
use tsl_synth_documents::{PolicyAgentView, PolicyToolView};
use tsl_synth_policy::language::{ActionId, Amount, EventKind, LawAtom, LawRegister, Policy};

/// A tool that the policy names: its arguments with their types, and the actions to which its calls are mapped.
#[derive(Debug, Default)]
struct ToolDescription {
    name: String,
    arguments: Vec<(String, &'static str)>,
    actions: Vec<String>,
}

/// The language of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentLang {
    /// Python, with the package `tsl-synth` of PyPI.
    Python,
    /// JavaScript for Node.js, with the package `tsl-synth` of npm.
    Js,
}

impl AgentLang {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::Python, Self::Js];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Js => "js",
        }
    }
    /// The language with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.name() == name)
    }
    fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::Js => "js",
        }
    }
}

/// Emits the scaffold of an agent behind the gate of a policy with this text; `is_json` says its form. Only tools with
/// literal names have stubs, not patterns of names.
///
/// # Errors
/// A bug in a template.
pub fn emit_policy_agent(
    policy: &Policy,
    text: &str,
    is_json: bool,
    tool_version: &str,
    lang: AgentLang,
) -> Result<Vec<EmittedFile>, EmitError> {
    let js = lang == AgentLang::Js;
    let (tools, ending) = (tools(policy), lang.ending());
    let definitions: Vec<Value> = tools.iter().map(definition).collect();
    let definitions =
        serde_json::to_string_pretty(&definitions).map_err(|e| EmitError::Internal(e.to_string()))?;
    let mut taken = BTreeSet::new();
    let own = if is_json { "policy.json" } else { "policy.toml" };
    let view = PolicyAgentView {
        policy: comment(&policy.name),
        version: comment(tool_version),
        ending: ending.into(),
        file: own.into(),
        install: if js { "npm install" } else { "pip install -r requirements.txt" }.into(),
        command: if js { "node agent.js" } else { "python agent.py" }.into(),
        runtime: if js { "For Node 18 or later." } else { "For Python 3.10 or later." }.into(),
        tools: tools
            .iter()
            .map(|tool| PolicyToolView {
                name: if js { js_string(&tool.name) } else { python_string(&tool.name) },
                function: function(&tool.name, &mut taken),
                doc: comment(&format!("{}.", described(tool))),
            })
            .collect(),
    };
    let file = |path: &str, text: String, main: bool| EmittedFile {
        path: path.into(),
        contents: Contents::Text(text),
        main,
    };
    let code = |name: &str| render::embedded(&format!("policy/agent/{name}.{ending}"), &view);
    let needs = if js {
        let package = json!({
            "private": true, "type": "module", "dependencies": { "tsl-synth": format!("^{tool_version}") }
        });
        file("package.json", format!("{package:#}\n"), false)
    } else {
        file("requirements.txt", format!("tsl-synth>={tool_version}\n"), false)
    };
    Ok(vec![
        file(&format!("agent.{ending}"), code("agent")?, true),
        file(&format!("tools.{ending}"), code("tools")?, false),
        file("tools.json", definitions + "\n", false),
        file(own, text.to_owned(), false),
        file("README.md", render::embedded("policy/agent/README.md", &view)?, false),
        needs,
    ])
}

/// The tools in the order in which the policy names them.
fn tools(policy: &Policy) -> Vec<ToolDescription> {
    let mut tools: Vec<ToolDescription> = Vec::new();
    for table in policy.matches.iter().filter(|table| table.on == EventKind::Call) {
        let action = table.action.map(|action| policy.atoms.actions[action].name.clone());
        let sums = policy.registers.iter().filter_map(|register| match &register.amount {
            Amount::Sum(pointer) if reads(policy, register, table.action?) => {
                argument(pointer).map(|name| (name, "number"))
            }
            _ => None,
        });
        let bound =
            table.bind.iter().filter_map(|(_, pointer)| argument(pointer).map(|name| (name, "string")));
        let asked = table.conditions.iter().filter_map(|condition| {
            argument(&condition.pointer).map(|name| (name, kind(&condition.comparison)))
        });
        let arguments: Vec<(String, &'static str)> = asked.chain(bound).chain(sums).collect();
        for name in table.tools.iter().filter_map(|tool| tool.literal()) {
            let place = tools.iter().position(|tool| tool.name == name).unwrap_or_else(|| {
                tools.push(ToolDescription { name: name.into(), ..ToolDescription::default() });
                tools.len() - 1
            });
            let tool = &mut tools[place];
            tool.actions.extend(action.clone().filter(|own| !tool.actions.contains(own)));
            for (argument, kind) in &arguments {
                if !tool.arguments.iter().any(|(own, _)| own == argument) {
                    tool.arguments.push((argument.clone(), kind));
                }
            }
        }
    }
    tools
}

/// Whether the trigger of a register depends on calls of this action.
fn reads(policy: &Policy, register: &LawRegister, action: ActionId) -> bool {
    let bits = policy.guards.support(register.on);
    bits.into_iter().any(|bit| policy.atoms.atom(bit) == LawAtom::Call(action))
}

/// The name of the argument that a pointer refers to, if it refers to a whole argument.
fn argument(pointer: &Pointer) -> Option<String> {
    let inner = pointer.within("arguments")?;
    match inner.parts() {
        [name] => Some(name.to_string()),
        _ => None,
    }
}

/// The JSON type of a value, inferred from the comparison.
fn kind(comparison: &ValueComparison) -> &'static str {
    let of = |scalar: &Scalar| match scalar {
        Scalar::Number(_) => "number",
        Scalar::Bool(_) => "boolean",
        Scalar::Null | Scalar::Text(_) => "string",
    };
    match comparison {
        ValueComparison::Compare(_, scalar) => of(scalar),
        ValueComparison::In(scalars) => scalars.first().map_or("string", of),
        _ => "string",
    }
}

fn described(tool: &ToolDescription) -> String {
    if tool.actions.is_empty() {
        return "The policy reads its calls".into();
    }
    format!("In the policy: {}", tool.actions.join(", "))
}

/// The description of a tool for a model, in the format of OpenAI's chat completions.
fn definition(tool: &ToolDescription) -> Value {
    let properties: Map<String, Value> =
        tool.arguments.iter().map(|(name, kind)| (name.clone(), json!({ "type": kind }))).collect();
    let required: Vec<&String> = tool.arguments.iter().map(|(name, _)| name).collect();
    let parameters = json!({ "type": "object", "properties": properties, "required": required });
    let function =
        json!({ "name": tool.name, "description": tool.name.replace('_', " "), "parameters": parameters });
    json!({ "type": "function", "function": function })
}

/// A fresh name for the stub of a tool.
fn function(tool: &str, taken: &mut BTreeSet<String>) -> String {
    let plain: String =
        tool.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(60).collect();
    let names =
        std::iter::once(format!("tool_{plain}")).chain((2..).map(|n: u64| format!("tool_{plain}_{n}")));
    let free = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}
