//! Lists of tools.

use tsl_synth_core::base::Id;
use tsl_synth_core::json::{JsonKind, read_json};
use tsl_synth_core::source::SourceId;

/// The text of a response to `tools/list` without the tools that `hides` selects; everything else stays as it is, byte
/// for byte. `None` if no tool is hidden, or if the response is not a list of tools.
pub fn without_tools(text: &str, mut hides: impl FnMut(&str) -> bool) -> Option<String> {
    let json = read_json(text, SourceId::from_index(0)).ok()?;
    let &[root] = &json.roots[..] else { return None };
    let tools = json.field(json.field(root, "result")?, "tools")?;
    let JsonKind::Array(elements) = &json.get(tools).kind else { return None };
    let is_hidden = |&tool: &_| match json.field(tool, "name").map(|name| &json.get(name).kind) {
        Some(JsonKind::Text(name)) => hides(name),
        _ => false,
    };
    let hidden: Vec<bool> = elements.iter().map(is_hidden).collect();
    if !hidden.contains(&true) {
        return None;
    }
    let kept = elements.iter().zip(hidden).filter(|(_, hidden)| !hidden);
    let kept: Vec<&str> = kept.map(|(&tool, _)| &text[json.get(tool).span.range()]).collect();
    let place = json.get(tools).span.range();
    Some(format!("{}[{}]{}", &text[..place.start], kept.join(","), &text[place.end..]))
}
