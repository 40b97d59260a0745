//! Articles that agents search and look words up in: the tools Search and Lookup of ReACT (Yao et al. 2023; Crouse et al.,
//! section 4.1).

use serde::Deserialize;

/// How many titles are offered where there is no article.
const TITLES: usize = 5;

/// An article.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Article {
    /// Its title, by which it is found in a search.
    pub title: String,
    /// Its sentences in order.
    pub sentences: Vec<String>,
}

impl Article {
    /// The article of a text file: a first line that begins with `#` is its title, else the name of the file is, without its
    /// ending. Sentences end with `.`, `!` or `?` before white space, and with empty lines.
    pub fn of_text(name: &str, text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim();
        let (title, body) = match text.strip_prefix('#') {
            Some(rest) => {
                let (title, body) = rest.split_once('\n').unwrap_or((rest, ""));
                (title.trim_start_matches('#').trim().to_owned(), body)
            }
            None => (name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace('_', " "), text),
        };
        let mut sentences = Vec::new();
        for paragraph in body.split("\n\n") {
            let words: Vec<&str> = paragraph.split_whitespace().collect();
            let mut sentence = String::new();
            for word in words {
                if !sentence.is_empty() {
                    sentence.push(' ');
                }
                sentence.push_str(word);
                if word.ends_with(['.', '!', '?']) {
                    sentences.push(std::mem::take(&mut sentence));
                }
            }
            if !sentence.is_empty() {
                sentences.push(sentence);
            }
        }
        Self { title, sentences }
    }
}

/// The state of a reader: the article that was searched for last, and how far words were looked up in it.
#[derive(Clone, Debug, Default)]
pub struct ArticleReader {
    article: Option<usize>,
    looked_up: (String, usize),
}

impl ArticleReader {
    /// The first `most` sentences of the article of this title, or similar titles.
    pub fn search(&mut self, articles: &[Article], title: &str, most: usize) -> String {
        let wanted = title.to_lowercase();
        self.looked_up = (String::new(), 0);
        if let Some(found) = articles.iter().position(|article| article.title.to_lowercase() == wanted) {
            self.article = Some(found);
            let sentences = &articles[found].sentences;
            return sentences[..sentences.len().min(most)].join(" ");
        }
        let mut near: Vec<(f64, &str)> = articles
            .iter()
            .map(|article| (strsim::jaro_winkler(&article.title.to_lowercase(), &wanted), &*article.title))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let titles: Vec<&str> = near.iter().take(TITLES).map(|(_, title)| *title).collect();
        format!("There is no article of this title. Similar: {}", titles.join(", "))
    }

    /// The next sentence with these words in the article that was searched for last.
    pub fn look_up(&mut self, articles: &[Article], words: &str) -> String {
        let Some(article) = self.article.and_then(|at| articles.get(at)) else {
            return "Cannot use Lookup without using Search first!".into();
        };
        let wanted = words.to_lowercase();
        if self.looked_up.0 != wanted {
            self.looked_up = (wanted.clone(), 0);
        }
        let sentences = article.sentences.iter();
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
