//! Tools for agents, from a tools file: a calculator, search and look-up in a folder of texts, programs.
//!
//! A behavior names a tool and its input in its text, after prompts such as `Action:` and `Action Input:`; an actor under a
//! policy chooses among the actions of the file, each of which is a call with a fixed input.

mod articles;
mod calculator;
#[cfg(test)]
mod tests;

pub use articles::{Article, ArticleReader};
pub use calculator::calculate;

use crate::toml_or_json::toml_or_json;
use crate::world::{BEGIN, Offer, ToolCall, WorldMessage};
use crate::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many sentences a search returns, if the file does not say it.
const SENTENCES: usize = 5;
/// The answer to a text that names no tool.
const NOT_READ: &str = "Error in parsing action";

/// A tools file: the tools that a behavior or an actor can call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolsFile {
    /// The version of the format: 1.
    tools: u32,
    /// The prompts around calls in the text of a behavior.
    #[serde(default)]
    prompts: Prompts,
    /// The tools, by name.
    #[serde(default)]
    tool: BTreeMap<String, ToolEntry>,
    /// The actions of an actor under a policy.
    #[serde(default, rename = "action")]
    actions: Vec<ToolAction>,
}

/// The prompts before the name of a tool, its input and its result in the text of a behavior.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Prompts {
    /// Before the name of a tool.
    action: String,
    /// Before its input.
    input: String,
    /// Before its result.
    observation: String,
}

impl Default for Prompts {
    fn default() -> Self {
        Self { action: "Action:".into(), input: "Action Input:".into(), observation: "Observation:".into() }
    }
}

/// The answer of the calculator to what it cannot compute, for a model.
const NO_VALUE: &str = "Error: this has no value; the calculator knows numbers, + - * / % ^, parentheses, sqrt(..) and 15% of 80";

/// A tool: exactly one of `calculator`, `search`, `lookup` and `cmd` is given.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ToolEntry {
    /// It computes an expression.
    calculator: bool,
    /// It finds the beginning of the text of this title in this folder.
    search: Option<String>,
    /// It finds the next sentence with a word in the text that the last search of this folder found.
    lookup: Option<String>,
    /// A program that gets the input on its standard input, and prints the result.
    cmd: Option<String>,
    /// How many sentences a search returns; 5, if not given.
    sentences: Option<usize>,
}

/// An action of an actor: a call with a fixed input.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolAction {
    /// Its name, as the policy has it.
    name: String,
    /// The tool that it calls.
    tool: String,
    /// The input of the call.
    #[serde(default)]
    input: String,
}

/// The schema of tools files.
pub fn tools_schema() -> schemars::Schema {
    schemars::schema_for!(ToolsFile)
}

#[derive(Clone, Debug)]
enum ToolKind {
    Calculator,
    /// In the articles of this index, so many sentences.
    Search(usize, usize),
    Lookup(usize),
    Program(String),
}

/// What tools need from outside: texts of folders, and programs.
pub trait ToolPort {
    /// The texts of a folder, with the names of their files, in the order of the names.
    ///
    /// # Errors
    /// Why they cannot be read.
    fn texts(&mut self, folder: &str) -> Result<Vec<(String, String)>, String>;
    /// What a program prints that gets this text as its input.
    ///
    /// # Errors
    /// Why it does not answer.
    fn run(&mut self, command: &str, input: &str) -> Result<String, String>;
}

/// The tools of a file as the world of an agent.
pub struct ToolBox {
    port: Box<dyn ToolPort>,
    prompts: Prompts,
    tools: BTreeMap<String, ToolKind>,
    folders: Vec<(Vec<Article>, ArticleReader)>,
    actions: Vec<ToolAction>,
    last: Option<Result<String, String>>,
}

impl ToolBox {
    /// Reads a tools file in TOML or JSON.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn read(text: &str, is_json: bool, mut port: Box<dyn ToolPort>) -> Result<Self, String> {
        let file: ToolsFile = toml_or_json(text, is_json)?;
        if file.tools != 1 {
            return Err(format!("`tools = {}`: this version of the program reads `tools = 1`", file.tools));
        }
        if file.tool.is_empty() {
            return Err("there is no tool: each has a table such as `[tool.Search]`".into());
        }
        let mut folders: Vec<(String, Vec<Article>)> = Vec::new();
        let mut tools = BTreeMap::new();
        for (name, entry) in &file.tool {
            let in_tool = |why: String| format!("tool.{name}: {why}");
            let mut articles = |folder: &String| -> Result<usize, String> {
                if let Some(known) = folders.iter().position(|(own, _)| own == folder) {
                    return Ok(known);
                }
                let texts = port.texts(folder).map_err(in_tool)?;
                let read: Vec<Article> =
                    texts.iter().map(|(name, text)| Article::of_text(name, text)).collect();
                if read.is_empty() {
                    return Err(in_tool(format!("the folder `{folder}` has no texts (.txt, .md)")));
                }
                folders.push((folder.clone(), read));
                Ok(folders.len() - 1)
            };
            let kind = match (entry.calculator, &entry.search, &entry.lookup, &entry.cmd) {
                (true, None, None, None) => ToolKind::Calculator,
                (false, Some(folder), None, None) => {
                    ToolKind::Search(articles(folder)?, entry.sentences.unwrap_or(SENTENCES))
                }
                (false, None, Some(folder), None) => ToolKind::Lookup(articles(folder)?),
                (false, None, None, Some(command)) => ToolKind::Program(command.clone()),
                _ => {
                    return Err(in_tool(
                        "one of `calculator = true`, `search = FOLDER`, `lookup = FOLDER`, `cmd = COMMAND` is expected"
                            .into(),
                    ));
                }
            };
            tools.insert(name.clone(), kind);
        }
        for (at, action) in file.actions.iter().enumerate() {
            if !tools.contains_key(&action.tool) {
                return Err(format!("action `{}`: there is no tool `{}`", action.name, action.tool));
            }
            if file.actions[..at].iter().any(|own| own.name == action.name) {
                return Err(format!("there are two actions `{}`", action.name));
            }
        }
        let folders = folders.into_iter().map(|(_, articles)| (articles, ArticleReader::default())).collect();
        Ok(Self { port, prompts: file.prompts, tools, folders, actions: file.actions, last: None })
    }

    /// The result of a call. The name of a tool is read in any case.
    ///
    /// # Errors
    /// The error message for the agent.
    pub fn call(&mut self, tool: &str, input: &str) -> Result<String, String> {
        let named = self.tools.iter().find(|(name, _)| name.eq_ignore_ascii_case(tool));
        let Some((_, kind)) = named else { return Err(NOT_READ.into()) };
        if input.is_empty() && !matches!(kind, ToolKind::Program(_)) {
            return Err(NOT_READ.into());
        }
        match kind.clone() {
            ToolKind::Calculator => calculate(input).ok_or_else(|| NO_VALUE.into()),
            ToolKind::Search(folder, most) => {
                let (articles, reader) = &mut self.folders[folder];
                Ok(reader.search(articles, input, most))
            }
            ToolKind::Lookup(folder) => {
                let (articles, reader) = &mut self.folders[folder];
                Ok(reader.look_up(articles, input))
            }
            ToolKind::Program(command) => {
                self.port.run(&command, input).map_err(|why| format!("Error: {why}"))
            }
        }
    }

    /// The tool and the input that the end of a text names: after the prompts, or as `Tool[input]`.
    fn named_in<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let text = text.trim_end().strip_suffix(self.prompts.observation.as_str()).unwrap_or(text);
        let line = |text: &'t str| text.trim_start().lines().next().unwrap_or_default().trim();
        // The prompt of inputs may begin with that of actions.
        let (before, input) = match text.rsplit_once(self.prompts.input.as_str()) {
            Some((before, input)) => (before, Some(line(input))),
            None => (text, None),
        };
        let (_, action) = before.rsplit_once(self.prompts.action.as_str())?;
        let action = line(action);
        match (input, action.split_once('[')) {
            (Some(input), _) => Some((action, input)),
            (None, Some((tool, input))) => Some((tool.trim(), input.strip_suffix(']')?.trim())),
            (None, None) => Some((action, "")),
        }
    }

    fn message(&self) -> WorldMessage {
        let mut text = match &self.last {
            None => String::new(),
            Some(Ok(result)) => format!("Result: {result}\n"),
            Some(Err(why)) => format!("Error: {}\n", why.trim_start_matches("Error: ")),
        };
        let names: Vec<&str> = self.actions.iter().map(|action| action.name.as_str()).collect();
        let _ = write!(text, "Actions: {}.", names.join(", "));
        let offer = |action: &ToolAction| {
            let arguments = serde_json::json!({ "input": action.input });
            let calls = vec![ToolCall { tool: action.tool.clone(), arguments }];
            Offer { name: action.name.clone(), calls }
        };
        WorldMessage {
            text,
            ok: !matches!(self.last, Some(Err(_))),
            actions: self.actions.iter().map(offer).collect(),
            ends: true,
            ..WorldMessage::default()
        }
    }
}

impl Oracle for ToolBox {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if request.kind != AnswerKind::Act {
            return Err(OracleError::Unusable(format!(
                "tools do not answer requests of kind `{}`",
                request.kind
            )));
        }
        // A behavior asks about its text, an actor for an action.
        if !request.about.is_empty() {
            let result = match self.named_in(&request.about) {
                Some((tool, input)) => {
                    let (tool, input) = (tool.to_owned(), input.to_owned());
                    self.call(&tool, &input).unwrap_or_else(|why| why)
                }
                None => NOT_READ.into(),
            };
            return Ok(OracleAnswer::Text(format!(" {}\n", result.trim_end())));
        }
        if self.actions.is_empty() {
            let why = "the tools file has no `[[action]]`, among which an actor chooses";
            return Err(OracleError::Unusable(why.into()));
        }
        if request.subject != BEGIN {
            let action = self.actions.iter().find(|action| action.name == request.subject).cloned();
            self.last = Some(match action {
                Some(action) => self.call(&action.tool, &action.input),
                None => Err("there is no such action".into()),
            });
        }
        Ok(OracleAnswer::Text(self.message().json()))
    }
}
