//! The JSON of an export. Fields depend on FRET's version, so that every one but the name of a requirement may be missing.

use serde_json::Value;
use std::collections::BTreeMap;

/// Who determines the values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The environment.
    Input,
    /// The system.
    Output,
    /// This expression, in the syntax of Lustre; of a mode, the condition under which it holds.
    Defined(String),
    /// A function that is not known.
    Function,
    /// The export does not say.
    Unknown,
}

/// The values of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// True and false.
    Boolean,
    /// The integers, or those from 0 on.
    Integer {
        /// Whether it is never negative.
        unsigned: bool,
    },
    /// The rational numbers: for analysis, floating-point numbers are taken to be exact.
    Real,
}

/// A variable of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Who determines its values.
    pub owner: Owner,
    /// Its values, if the export says.
    pub sort: Option<Sort>,
}

/// A requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its name.
    pub id: String,
    /// The sentence that was written.
    pub sentence: String,
    /// The formula about the past, which holds in every step; if there is one.
    pub past: Option<String>,
    /// The formula about infinite runs, if there is one.
    pub future: Option<String>,
}

impl Requirement {
    /// Whether it is about the environment: FRET's convention is that the name says so.
    pub fn is_assumption(&self) -> bool {
        self.id.to_ascii_lowercase().contains("assumption")
    }
}

/// A component of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The project.
    pub project: String,
    /// Its name.
    pub name: String,
    /// Its requirements, in the order of the export.
    pub requirements: Vec<Requirement>,
    /// Its variables by their names.
    pub variables: BTreeMap<String, Variable>,
}

/// An export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The components, in the order of their first requirements.
    pub components: Vec<Component>,
}

/// Why a text is not an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportError {
    /// What is wrong.
    pub message: String,
    /// Where: line and column, from 1.
    pub place: Option<(usize, usize)>,
}

fn wrong(message: impl Into<String>) -> ExportError {
    ExportError { message: message.into(), place: None }
}

/// Whether a text is meant as an export: JSON with a list of requirements.
pub fn is_export(text: &str) -> bool {
    // Large files of other kinds are not parsed: the words have to occur.
    text.contains("\"reqid\"")
        && serde_json::from_str::<Value>(text).is_ok_and(|json| requirements(&json).is_some())
}

/// The list of requirements: the export itself, or its field `requirements`.
fn requirements(json: &Value) -> Option<&Vec<Value>> {
    let list = json.get("requirements").unwrap_or(json).as_array()?;
    list.iter().any(|one| one.get("reqid").is_some()).then_some(list)
}

/// Reads an export. Linear in the text.
///
/// # Errors
/// It is not JSON, or has no requirements.
pub fn read_export(text: &str) -> Result<Export, ExportError> {
    let json: Value = serde_json::from_str(text).map_err(|error| ExportError {
        message: format!("not JSON: {error}"),
        place: Some((error.line(), error.column())),
    })?;
    let list = requirements(&json)
        .ok_or_else(|| wrong("there is no list `requirements` whose elements have a `reqid`"))?;
    let mut components: Vec<Component> = Vec::new();
    for one in list {
        let Some(id) = string(one, "reqid") else { continue };
        let semantics = &one["semantics"];
        let project = string(one, "project").unwrap_or_default();
        let name = string(semantics, "component_name").or_else(|| string(semantics, "component"));
        let name = name.as_deref().map(without_tags).unwrap_or_default();
        let understood = semantics["type"].as_str() == Some("nasa");
        let formula = |field: &str| {
            let text = string(semantics, field).filter(|_| understood)?;
            Some(without_tags(&text))
        };
        let past = formula("ptExpanded").or_else(|| formula("pt"));
        // Older exports have only the formula for finite runs.
        let finite = || formula("ftExpanded").or_else(|| formula("ft")).filter(|_| past.is_none());
        let requirement = Requirement {
            id,
            sentence: string(one, "fulltext").unwrap_or_default(),
            future: formula("ftInfAUExpanded").or_else(|| finite().map(|text| on_endless_runs(&text))),
            past,
        };
        match components.iter_mut().find(|known| known.project == project && known.name == name) {
            Some(known) => known.requirements.push(requirement),
            None => components.push(Component {
                project,
                name,
                requirements: vec![requirement],
                variables: BTreeMap::new(),
            }),
        }
    }
    for one in json.get("variables").and_then(Value::as_array).into_iter().flatten() {
        // A signal of an imported model is no variable of requirements.
        if one["modeldoc"].as_bool() == Some(true) {
            continue;
        }
        let Some(name) = string(one, "variable_name") else { continue };
        let of =
            (string(one, "project").unwrap_or_default(), string(one, "component_name").unwrap_or_default());
        let place = components.iter_mut().find(|known| known.project == of.0 && known.name == of.1);
        if let Some(component) = place {
            component.variables.insert(name, variable(one));
        }
    }
    Ok(Export { components })
}

/// A formula about finite runs on infinite ones, where no step is the last one: `LAST V p` is `G p`.
fn on_endless_runs(text: &str) -> String {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut result = String::with_capacity(text.len());
    for part in text.split_inclusive(|c: char| !is_in_word(c)) {
        let word = part.trim_end_matches(|c: char| !is_in_word(c));
        result.push_str(if word == "LAST" { "FALSE" } else { word });
        result.push_str(&part[word.len()..]);
    }
    result
}

/// A text without the tags with which FRET shows parts of it in bold and italics.
fn without_tags(text: &str) -> String {
    ["<b>", "</b>", "<i>", "</i>"].iter().fold(text.to_string(), |text, tag| text.replace(tag, ""))
}

fn variable(json: &Value) -> Variable {
    let defined = |field| string(json, field).map_or(Owner::Unknown, Owner::Defined);
    let owner = match json["idType"].as_str().unwrap_or_default() {
        "Input" => Owner::Input,
        "Output" => Owner::Output,
        "Internal" => defined("assignment"),
        "Mode" => defined("modeRequirement"),
        "Function" => Owner::Function,
        _ => Owner::Unknown,
    };
    let sort = match json["dataType"].as_str().unwrap_or_default() {
        "boolean" => Some(Sort::Boolean),
        "double" | "single" | "real" | "float" => Some(Sort::Real),
        kind if kind.starts_with("uint") || kind.contains("unsigned") => {
            Some(Sort::Integer { unsigned: true })
        }
        kind if kind.starts_with("int") => Some(Sort::Integer { unsigned: false }),
        // The condition of a mode is a truth value.
        _ if json["idType"] == "Mode" => Some(Sort::Boolean),
        _ => None,
    };
    Variable { owner, sort }
}

/// A field that is a text other than an empty one.
fn string(json: &Value, field: &str) -> Option<String> {
    json.get(field)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(String::from)
}
