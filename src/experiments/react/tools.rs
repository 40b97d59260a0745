//! The environment of the agents: the tools Calculator, Search and Lookup (Crouse et al., section 4.1).

use super::text::{ReactState, call_of};
use tsl_synth_agents::tools::{ArticleReader, calculate};
use tsl_synth_agents::wiki::Wiki;
use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};

/// How many sentences a search returns.
const SENTENCES: usize = 5;

/// The tools: they read the action and its input from the end of what was written so far.
#[derive(Clone, Debug)]
pub struct Tools<'w> {
    wiki: &'w Wiki,
    reader: ArticleReader,
    /// How often they were called.
    pub calls: u32,
    /// The number of these calls with no input, or an empty one.
    pub null_inputs: u32,
    /// The number of these calls without a tool, or with one that does not exist.
    pub unknown: u32,
}

impl<'w> Tools<'w> {
    /// The names of the tools.
    pub const NAMES: [&'static str; 3] = ["Search", "Lookup", "Calculator"];

    /// The tools over this wiki, before the first call.
    pub fn new(wiki: &'w Wiki) -> Self {
        Self { wiki, reader: ArticleReader::default(), calls: 0, null_inputs: 0, unknown: 0 }
    }

    /// Calls a tool and returns its result.
    pub fn call(&mut self, tool: &str, input: &str) -> String {
        self.calls += 1;
        self.null_inputs += u32::from(input.is_empty());
        self.unknown += u32::from(!Self::NAMES.contains(&tool));
        if !Self::NAMES.contains(&tool) || input.is_empty() {
            return "Error in parsing action".into();
        }
        match tool {
            "Search" => self.reader.search(&self.wiki.articles, input, SENTENCES),
            "Lookup" => self.reader.look_up(&self.wiki.articles, input),
            _ => calculate(input).unwrap_or_else(|| "Error: this has no value".into()),
        }
    }
}

impl Oracle for Tools<'_> {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        if request.kind != AnswerKind::Act {
            return Err(OracleError::Unusable("tools only act".into()));
        }
        let written = request.about.strip_suffix(ReactState::Observation.prompt()).unwrap_or(&request.about);
        let (tool, input) = call_of(written);
        let returned = self.call(tool.unwrap_or_default(), input.unwrap_or_default());
        Ok(OracleAnswer::Text(format!(" {returned}\n")))
    }
}
