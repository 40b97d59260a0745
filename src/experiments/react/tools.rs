//! The environment of the agents: the tools Calculator, Search and Lookup (Crouse et al., section 4.1).

use super::calculator::calculate;
use super::text::{ReactState, call_of};
use tsl_synth_agents::wiki::Wiki;
use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};

/// How many sentences a search returns.
const SENTENCES: usize = 5;
/// How many titles are offered where there is no article.
const TITLES: usize = 5;

/// The tools: they read the action and its input from the end of what was written so far.
#[derive(Clone, Debug)]
pub struct Tools<'w> {
    wiki: &'w Wiki,
    /// The article that was searched for last.
    article: Option<usize>,
    /// The words that were looked up last in it, and how many results were returned.
    looked_up: (String, usize),
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
        Self { wiki, article: None, looked_up: (String::new(), 0), calls: 0, null_inputs: 0, unknown: 0 }
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
            "Search" => self.search(input),
            "Lookup" => self.look_up(input),
            _ => calculate(input).unwrap_or_else(|| "Error: this has no value".into()),
        }
    }

    fn search(&mut self, title: &str) -> String {
        let articles = &self.wiki.articles;
        let wanted = title.to_lowercase();
        self.looked_up = (String::new(), 0);
        if let Some(found) = articles.iter().position(|article| article.title.to_lowercase() == wanted) {
            self.article = Some(found);
            let sentences = &articles[found].sentences;
            return sentences[..sentences.len().min(SENTENCES)].join(" ");
        }
        let mut near: Vec<(f64, &str)> = articles
            .iter()
            .map(|article| (strsim::jaro_winkler(&article.title.to_lowercase(), &wanted), &*article.title))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let titles: Vec<&str> = near.iter().take(TITLES).map(|(_, title)| *title).collect();
        format!("There is no article of this title. Similar: {}", titles.join(", "))
    }

    fn look_up(&mut self, words: &str) -> String {
        let Some(article) = self.article else {
            return "Cannot use Lookup without using Search first!".into();
        };
        let wanted = words.to_lowercase();
        if self.looked_up.0 != wanted {
            self.looked_up = (wanted.clone(), 0);
        }
        let sentences = self.wiki.articles[article].sentences.iter();
        let found: Vec<&String> =
            sentences.filter(|sentence| sentence.to_lowercase().contains(&wanted)).collect();
        match found.get(self.looked_up.1) {
            Some(sentence) => {
                self.looked_up.1 += 1;
                format!("(Result {} / {}) {sentence}", self.looked_up.1, found.len())
            }
            None => "No more results.".into(),
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
