//! The extensions with which editors start the server.

use crate::exit::Exit;
use crate::{output, terminal};
use anyhow::Result;
use std::path::Path;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, tsl_synth_templates::text(concat!("editor/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = files!(
    "vscode/package.json",
    "vscode/language-configuration.json",
    "vscode/extension.js",
    "vscode/README.md",
    "vscode/.vscodeignore",
    "vscode/syntaxes/tsl.tmLanguage.json",
    "vscode/syntaxes/tlsf.tmLanguage.json",
    "vscode/syntaxes/ltl.tmLanguage.json",
    "nvim/tsl-synth.lua",
);

/// Writes all files below a folder; existing ones are replaced.
pub(super) fn write(folder: &Path) -> Exit {
    let shown = terminal::escape(&folder.display().to_string());
    let text = format!(
        "wrote an extension for VS Code and a plugin for Neovim into `{shown}`; \
         `tsl-synth help editor` says how to install them\n"
    );
    match write_all(folder).and_then(|()| output::deliver(None, &text)) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

fn write_all(folder: &Path) -> Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        crate::files::make_folder(parent)?;
        output::write_file(&path, text.as_bytes())?;
    }
    Ok(())
}
