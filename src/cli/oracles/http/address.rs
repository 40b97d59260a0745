//! The address of a chat model, and the key that is sent there.

use crate::oracles::Api;
use anyhow::{Context, Result, bail, ensure};
use std::fmt;
use ureq::http::Uri;
use ureq::http::header::{self, HeaderName, HeaderValue};

/// The environment variable with the key unless another is named.
pub(super) const KEY_VARIABLE: &str = "OPENAI_API_KEY";

impl Api {
    /// The path of its requests below the base of an address.
    fn endpoint(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Completions => "/completions",
            Self::Responses => "/responses",
        }
    }
    /// The form of requests to this path.
    fn of_path(path: &str) -> Option<Self> {
        [Self::Chat, Self::Completions, Self::Responses]
            .into_iter()
            .find(|api| path.ends_with(api.endpoint()))
    }
}

/// An address that takes requests to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The whole address.
    pub(super) url: String,
    /// The form of requests.
    pub(super) api: Api,
    /// The model that the address names after `#`.
    pub(super) model: Option<String>,
    /// The address without its query, which may hold secrets.
    pub(super) shown: String,
    /// Whether the connection is encrypted or stays on this computer.
    pub(super) is_private: bool,
}

impl Address {
    /// Reads `http:URL` or an address: a host, a base such as `http://localhost:11434/v1`, or a whole address such as that
    /// of chat completions; `#MODEL` may follow.
    ///
    /// # Errors
    /// When the text is not such an address.
    pub(super) fn read(text: &str, api: Option<Api>) -> Result<Self> {
        let (text, model) = text.split_once('#').map_or((text, None), |(text, model)| (text, Some(model)));
        let model = model.filter(|model| !model.is_empty()).map(str::to_string);
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
        let whole = Api::of_path(path);
        let api = api.or(whole).unwrap_or(Api::Chat);
        let path = match path {
            "" => format!("/v1{}", api.endpoint()),
            path if whole.is_some() => path.to_string(),
            path => format!("{path}{}", api.endpoint()),
        };
        let shown = format!("{scheme}://{authority}{path}");
        let url = uri.query().map_or(shown.clone(), |query| format!("{shown}?{query}"));
        let host = authority.host();
        let is_here = host == "localhost" || host == "[::1]" || is_loopback(host);
        Ok(Self { url, api, model, shown, is_private: scheme == "https" || is_here })
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

/// One more header of requests.
#[derive(Clone, Debug)]
pub(super) struct ExtraHeader {
    pub(super) name: HeaderName,
    pub(super) value: HeaderValue,
    /// A value out of the environment, which is shown nowhere.
    pub(super) secret: Option<ApiKey>,
}

impl ExtraHeader {
    /// Reads `NAME: VALUE` or `NAME: env:VARIABLE`.
    ///
    /// # Errors
    /// When the text is no header, or the variable is not set.
    pub(super) fn read(text: &str) -> Result<Self> {
        // The value is not shown: it may be a secret.
        let (name, value) = text.split_once(':').context("a header is given as `NAME: VALUE`")?;
        let (name, value) = (name.trim(), value.trim());
        let name =
            HeaderName::try_from(name).ok().with_context(|| format!("`{name}` is no name of a header"))?;
        let own = [header::HOST, header::CONTENT_LENGTH, header::CONTENT_TYPE, header::TRANSFER_ENCODING];
        ensure!(!own.contains(&name), "the header `{name}` is not set by `--header`");
        let (value, secret) = match value.strip_prefix("env:") {
            Some(variable) => {
                let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
                let value = value
                    .with_context(|| format!("the environment variable {variable} of --header is not set"))?;
                let last = value.split_whitespace().next_back().and_then(ApiKey::new);
                (value, last)
            }
            None => (value.to_string(), None),
        };
        let mut value = HeaderValue::try_from(value)
            .ok()
            .with_context(|| format!("the value of the header `{name}` has special characters"))?;
        value.set_sensitive(secret.is_some());
        Ok(Self { name, value, secret })
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
        let url = |text: &str| Address::read(text, None).map(|address| address.url).unwrap_or_default();
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
        let error = Address::read("https://user:secret@example.org/v1", None).expect_err("a password");
        assert!(!format!("{error:#}").contains("secret"));
        let shown = Address::read("https://example.org/v1?key=secret", None).expect("an address").shown;
        assert_eq!(shown, "https://example.org/v1/chat/completions");
    }

    #[test]
    fn addresses_tell_the_form_and_the_model() {
        let read = |text: &str, api| Address::read(text, api).expect("an address");
        let responses = read("http:https://example.org/v1/responses#small", None);
        assert_eq!((responses.api, responses.model.as_deref()), (Api::Responses, Some("small")));
        assert_eq!(responses.url, "https://example.org/v1/responses");
        assert_eq!(read("http://h/v1/completions", None).api, Api::Completions);
        assert_eq!(read("http://h/v1/chat/completions", None).api, Api::Chat);
        assert_eq!(read("http://h/v1", Some(Api::Completions)).url, "http://h/v1/completions");
        assert_eq!(read("http://h", Some(Api::Responses)).url, "http://h/v1/responses");
    }

    #[test]
    fn keys_stay_between_the_two_ends() {
        let private = |text: &str| Address::read(text, None).expect("an address").is_private;
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
