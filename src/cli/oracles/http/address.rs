//! The address of a chat model, and the key that is sent there.

use anyhow::{Context, Result, bail, ensure};
use std::fmt;
use ureq::http::Uri;

/// The environment variable with the key unless another is named.
pub(super) const KEY_VARIABLE: &str = "OPENAI_API_KEY";
/// The path of chat completions below the base of an address.
const ENDPOINT: &str = "/chat/completions";

/// An address that takes chat completions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The whole address.
    pub(super) url: String,
    /// The address without its query, which may hold secrets.
    pub(super) shown: String,
    /// Whether the connection is encrypted or stays on this computer.
    pub(super) is_private: bool,
}

impl Address {
    /// Reads `http:URL` or an address: a host, a base such as `http://localhost:11434/v1`, or the whole address of chat
    /// completions.
    ///
    /// # Errors
    /// When the text is not such an address.
    pub(super) fn read(text: &str) -> Result<Self> {
        let address = match text.strip_prefix("http:") {
            Some(rest) if rest.starts_with("http://") || rest.starts_with("https://") => rest,
            _ => text,
        };
        // The address itself is not shown: it may hold a password.
        let uri: Uri =
            address.parse().ok().with_context(|| "this is no address of a chat model".to_string())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            bail!("an address such as http://localhost:11434/v1 is expected after `http:`");
        };
        ensure!(matches!(scheme, "http" | "https"), "an address begins with http:// or https://");
        ensure!(
            !authority.as_str().contains('@'),
            "an address with a password in it can be read in lists of processes: name the environment variable \
             that holds the key with --key-env"
        );
        ensure!(!authority.host().is_empty(), "the address names no host");
        let path = uri.path().trim_end_matches('/');
        let path = match path {
            "" => format!("/v1{ENDPOINT}"),
            path if path.ends_with(ENDPOINT) => path.to_string(),
            path => format!("{path}{ENDPOINT}"),
        };
        let shown = format!("{scheme}://{authority}{path}");
        let url = uri.query().map_or(shown.clone(), |query| format!("{shown}?{query}"));
        let host = authority.host();
        let is_here = host == "localhost" || host == "[::1]" || is_loopback(host);
        Ok(Self { url, shown, is_private: scheme == "https" || is_here })
    }
}

fn is_loopback(host: &str) -> bool {
    host.parse().is_ok_and(|address: std::net::Ipv4Addr| address.is_loopback())
}

/// A key. It is written into one header and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl ApiKey {
    /// The key for an address. A variable that was named must be set; the default variable may be unset, and is used
    /// only for private addresses.
    ///
    /// # Errors
    /// When the variable that was named is not set, or a value is not a valid key.
    pub(super) fn of_environment(named: Option<&str>, address: &Address) -> Result<Option<Self>> {
        let variable = named.unwrap_or(KEY_VARIABLE);
        let value = std::env::var_os(variable).filter(|value| !value.is_empty());
        let Some(value) = value else {
            ensure!(named.is_none(), "the environment variable {variable} of --key-env is not set");
            return Ok(None);
        };
        if named.is_none() && !address.is_private {
            return Ok(None);
        }
        Self::new(&value.to_string_lossy()).map(Some).with_context(|| {
            format!("what is in {variable} cannot be a key: it has spaces or special characters")
        })
    }
    /// A key of visible ASCII characters; `None` for other texts.
    fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let good = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
        good.then(|| Self(text.to_string()))
    }
    /// The value of the header `Authorization`.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
    /// The text with `***` in place of the key.
    pub(super) fn removed_from(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let url = |text: &str| Address::read(text).map(|address| address.url).unwrap_or_default();
        for (text, expected) in [
            ("http:http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
            ("https://example.org/a/chat/completions", "https://example.org/a/chat/completions"),
            (
                "http:https://example.org/v1?api-version=2",
                "https://example.org/v1/chat/completions?api-version=2",
            ),
            ("https://user:secret@example.org/v1", ""),
            ("http:localhost", ""),
            ("http:", ""),
            ("http://", ""),
            ("https:///v1", ""),
        ] {
            assert_eq!(url(text), expected, "{text}");
        }
        let error = Address::read("https://user:secret@example.org/v1").expect_err("a password");
        assert!(!format!("{error:#}").contains("secret"));
        let shown = Address::read("https://example.org/v1?key=secret").expect("an address").shown;
        assert_eq!(shown, "https://example.org/v1/chat/completions");
    }

    #[test]
    fn keys_stay_between_the_two_ends() {
        let private = |text: &str| Address::read(text).expect("an address").is_private;
        assert!(private("https://example.org"));
        assert!(private("http://localhost:1"));
        assert!(private("http://127.0.0.1:1"));
        assert!(private("http://[::1]:1"));
        assert!(!private("http://example.org"));
        assert!(!private("http://localhost.example.org"));
        let key = ApiKey::new(" secret\n").expect("a key");
        assert_eq!(format!("{key:?}"), "Key(..)");
        assert_eq!(key.removed_from("a secret, secret"), "a ***, ***");
        assert_eq!(ApiKey::new("two words"), None);
        assert_eq!(ApiKey::new("a\u{7f}"), None);
    }
}
