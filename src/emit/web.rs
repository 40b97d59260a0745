//! A folder with a page that runs an emitted controller: the drawing and the styles of the pages of `view`, and the
//! controller as a script, since browsers load no modules from files.

use super::input::{Contents, EmitError, EmittedFile};
use super::page::{STYLE, hash, in_script};
use super::page_machine::{MachineOnPage, PagePart, page_machine};
use super::render::embedded;
use super::text::plain;
use super::view::{CodeRequest, counted};
use serde::Serialize;
use tsl_synth_documents::view::View;

/// The code of the page in the order in which it runs.
const SCRIPTS: [&str; 5] = [
    tsl_synth_templates::text("view/logic.js"),
    tsl_synth_templates::text("view/play.js"),
    tsl_synth_templates::text("view/stage.js"),
    tsl_synth_templates::text("view/marks.js"),
    tsl_synth_templates::text("view/live.js"),
];

/// The data of the templates: those of the controller, and those of the page.
#[derive(Serialize)]
struct WebView<'a> {
    #[serde(flatten)]
    controller: &'a View,
    about: String,
    spec_file: String,
    /// Markup.
    drawing: String,
    /// The table of the machine in JSON, `null` for a circuit.
    data: String,
    style: &'static str,
    style_hash: String,
    script: String,
}

/// The files of the page.
pub(super) fn files(request: &CodeRequest<'_>, view: &View) -> Result<Vec<EmittedFile>, EmitError> {
    let about = match &view.circuit {
        Some(circuit) => format!("a controller with {} of state", counted(circuit.bits, "bit")),
        None => format!("a controller with {}", counted(view.states.len(), "state")),
    };
    let on_page = request.machine().map(|input| {
        page_machine(&PagePart {
            input,
            about: about.clone(),
            names: Vec::new(),
            clauses: Vec::new(),
            registers: Vec::new(),
            is_machine: false,
            watched: Vec::new(),
        })
    });
    let (table, picture) = match on_page.transpose()? {
        Some(MachineOnPage { machine, picture, .. }) => (Some(machine), picture),
        None => (None, None),
    };
    let data = serde_json::to_string(&table)
        .map_err(|error| EmitError::Internal(format!("the data of a page: {error}")))?;
    let web = WebView {
        controller: view,
        spec_file: table.as_ref().map_or_else(|| view.spec_name.clone(), |machine| plain(&machine.file)),
        drawing: picture.map_or_else(
            || "<p class=\"quiet\">This machine is too large for a drawing.</p>\n".into(),
            |picture| picture.part(&about),
        ),
        about,
        data: in_script(&data),
        style: STYLE,
        style_hash: hash(STYLE),
        script: SCRIPTS.concat(),
    };
    let controller = format!("{}.js", view.stem);
    let mut files = vec![("js/web/controller", controller), ("js/web/page", "page.js".into())];
    if !view.methods.is_empty() {
        files.push(("js/web/environment", "environment.js".into()));
    }
    files.push(("js/web/index", "index.html".into()));
    let file = |(template, path): (&str, String)| {
        let contents = Contents::Text(embedded(template, &web)?);
        Ok(EmittedFile { path, contents, main: template == "js/web/controller" })
    };
    files.into_iter().map(file).collect()
}
