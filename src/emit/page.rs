//! A page in HTML that draws a machine and simulates it: one file without network access, whose content security policy
//! allows only its own script.

use super::cause::PartDrawing;
use super::input::EmitError;
use super::page_machine::{MachineOnPage, PagePart, page_machine};
use super::render::embedded;
use super::text::plain;
use serde::Serialize;
use tsl_synth_core::base::sha256;
use tsl_synth_documents::{PageDocument, PageRepair, PageWhatIf, SCHEMA_VERSION};

/// The script in the order in which it runs, and the style sheet.
const SCRIPTS: [&str; 6] = [
    tsl_synth_templates::text("view/logic.js"),
    tsl_synth_templates::text("view/play.js"),
    tsl_synth_templates::text("view/stage.js"),
    tsl_synth_templates::text("view/what_if.js"),
    tsl_synth_templates::text("view/marks.js"),
    tsl_synth_templates::text("view/page.js"),
];
pub(super) const STYLE: &str = tsl_synth_templates::text("view/page.css");

/// The contents of a page.
#[derive(Clone, Debug)]
pub struct PageParts<'a> {
    /// The title.
    pub title: String,
    /// The version of this tool.
    pub version: String,
    /// Why there is no controller, in a sentence.
    pub story: Option<String>,
    /// The machines: the one that the page is about, then those of repairs.
    pub machines: Vec<PagePart<'a>>,
    /// The repairs as sentences, each with the index of its machine in `machines`, if it has one.
    pub repairs: Vec<(String, Option<usize>)>,
    /// Notes for the reader of the page.
    pub notes: Vec<String>,
    /// The play that the page shows at first.
    pub play: Option<GivenPlay>,
}

/// The play that a page shows at first.
#[derive(Clone, Debug, Default)]
pub struct GivenPlay {
    /// The name of its file.
    pub name: String,
    /// The play as trace JSON.
    pub trace: serde_json::Value,
    /// The cause of an effect in it, in the format of `explain --format json`.
    pub cause: Option<serde_json::Value>,
    /// The cause in a sentence.
    pub sentence: Option<String>,
    /// The automaton of the cause.
    pub drawing: Option<PartDrawing>,
    /// The runs that the play is compared with. [`emit_page`] fills in the indices of the formulas, those in
    /// [`PagePart::watched`] of the first machine.
    pub what_if: Option<PageWhatIf>,
    /// Remarks about each step, each with a title and a text.
    pub remarks: Vec<Vec<(String, String)>>,
    /// Notes about the play as a whole.
    pub notes: Vec<String>,
}

/// The data of the template, which escapes all texts except the markup that was made here.
#[derive(Serialize)]
struct PageContent {
    title: String,
    version: String,
    about: String,
    happened: Option<String>,
    story: Option<String>,
    has_repairs: bool,
    notes: Vec<String>,
    drawings: Vec<String>,
    cause: Option<Figure>,
    has_what_if: bool,
    style: &'static str,
    style_hash: String,
    script: String,
    script_hash: String,
    data: String,
}

/// A drawing with its caption.
#[derive(Serialize)]
struct Figure {
    svg: String,
    caption: String,
}

/// Makes a page. The same parts make the same bytes.
///
/// # Errors
/// If a template or the machine is wrong: a bug.
pub fn emit_page(parts: &PageParts<'_>) -> Result<String, EmitError> {
    let mut document = PageDocument {
        tool_version: parts.version.clone(),
        trace_version: SCHEMA_VERSION.into(),
        machines: Vec::new(),
        repairs: Vec::new(),
        trace: parts.play.as_ref().map(|play| play.trace.clone()),
        cause: parts.play.as_ref().and_then(|play| play.cause.clone()),
        what_if: parts.play.as_ref().and_then(|play| play.what_if.clone()),
        remarks: parts.play.as_ref().map(|play| play.remarks.clone()).unwrap_or_default(),
    };
    let mut drawings = Vec::new();
    for part in &parts.machines {
        let MachineOnPage { machine, picture, watched } = page_machine(part)?;
        if let Some(what_if) = document.what_if.as_mut().filter(|_| document.machines.is_empty()) {
            for (property, number) in what_if.properties.iter_mut().zip(watched) {
                property.formula = number;
            }
        }
        drawings.push(picture.map_or_else(
            || {
                "<p class=\"quiet\">This machine is too large for a drawing: the table has all of it.</p>\n"
                    .into()
            },
            |picture| picture.part(&plain(&part.about)),
        ));
        document.machines.push(machine);
    }
    for (sentence, machine) in &parts.repairs {
        document.repairs.push(PageRepair { sentence: sentence.clone(), machine: *machine });
    }
    let data = serde_json::to_string(&document)
        .map_err(|error| EmitError::Internal(format!("the data of a page: {error}")))?;
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat());
    embedded(
        "view/page",
        &PageContent {
            title: parts.play.as_ref().map_or_else(|| plain(&parts.title), |play| plain(&play.name)),
            version: document.tool_version.clone(),
            about: parts.machines.first().map(|part| plain(&part.about)).unwrap_or_default(),
            happened: parts.play.as_ref().and_then(|play| play.sentence.as_deref()).map(plain),
            story: parts.story.as_deref().map(plain),
            has_repairs: !parts.repairs.is_empty(),
            notes: parts
                .notes
                .iter()
                .chain(parts.play.iter().flat_map(|play| &play.notes))
                .map(|note| plain(note))
                .collect(),
            drawings,
            cause: parts
                .play
                .as_ref()
                .and_then(|play| play.drawing.as_ref())
                .map(|drawing| Figure { svg: drawing.svg.clone(), caption: plain(&drawing.caption) }),
            has_what_if: document.what_if.is_some(),
            style: STYLE,
            style_hash: hash(STYLE),
            script_hash: hash(&script),
            script,
            data: in_script(&data),
        },
    )
}

/// JSON inside of a `script` element: nothing in it ends the element or begins a comment.
pub(super) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The hash of a text in the syntax of content security policies.
pub(super) fn hash(text: &str) -> String {
    let hex = sha256(text.as_bytes());
    let digit = |i: usize| hex.get(i..i + 2).and_then(|byte| u8::from_str_radix(byte, 16).ok());
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).filter_map(digit).collect();
    format!("sha256-{}", base64(&bytes))
}

/// Bytes in base 64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(char::from(DIGITS[(word >> (18 - 6 * i)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_that_of_the_rfc() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, coded) in cases {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn data_ends_no_script() {
        assert_eq!(in_script("\"</script><!--\u{2028}\""), "\"\\u003c/script\\u003e\\u003c!--\\u2028\"");
    }
}
