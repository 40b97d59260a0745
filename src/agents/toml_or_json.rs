//! Files that are written in TOML or in JSON.

use serde::Deserialize;

/// Reads a text in one of the two.
///
/// # Errors
/// Why it cannot be read, with the line.
pub fn toml_or_json<'t, T: Deserialize<'t>>(text: &'t str, is_json: bool) -> Result<T, String> {
    if is_json {
        serde_json::from_str(text).map_err(|error| error.to_string())
    } else {
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())
    }
}
