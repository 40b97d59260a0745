//! An oracle that is a chat model at an HTTP address.

mod address;
mod body;
mod date;
mod form;
mod reply;
mod stream;

use super::Access;
use crate::units::shown;
use address::{Address, ApiKey, ExtraHeader, KEY_VARIABLE};
use anyhow::{Context, Result};
use body::{Refused, RequestSettings, TokenLimits, adapt, error_message, is_constrained, request_body};
use reply::read_reply;
use serde_json::{Map, Value};
use std::time::{Duration, Instant, SystemTime};
use tsl_synth_agents::{Oracle, OracleAnswer, OracleError, OracleRequest, OracleUsage};
use ureq::Agent;
use ureq::http::HeaderMap;

/// The largest size of a response, in bytes.
const BODY: u64 = 8 << 20;
/// How often a request is repeated after temporary failures.
const RETRIES: u32 = 4;
/// The first pause between two tries; each next one is twice as long.
const PAUSE: Duration = Duration::from_millis(250);
/// The environment variable with the name of the model.
const MODEL_VARIABLE: &str = "TSL_SYNTH_MODEL";

/// A model at an address.
pub(super) struct Chat {
    agent: Agent,
    address: Address,
    key: Option<ApiKey>,
    key_variable: String,
    headers: Vec<ExtraHeader>,
    settings: RequestSettings,
    timeout: Duration,
    limits: TokenLimits,
    /// What the server refused so far.
    refused: Refused,
    usage: OracleUsage,
    /// Whether it has answered a request.
    has_answered: bool,
}

/// The parts of a response that are used.
struct Response {
    status: u16,
    retry_after: Option<Duration>,
    location: Option<String>,
    body: String,
}

/// A failed attempt.
enum HttpFailure {
    /// A temporary failure, with the pause that the server asks for, if any.
    Passing(String, Option<Duration>),
    /// A permanent failure.
    Final(OracleError),
}

impl Chat {
    /// The model that the text and the settings name. Nothing is sent yet.
    ///
    /// # Errors
    /// When the address is invalid, no model is named, or there is no valid key in the variable that was named.
    pub(super) fn new(text: &str, access: &Access) -> Result<Self> {
        let address = Address::read(text, access.api)?;
        let key = ApiKey::of_environment(access.key_env.as_deref(), &address)?;
        let own = address.model.clone();
        let named = own.or_else(|| access.model.clone()).or_else(|| std::env::var(MODEL_VARIABLE).ok());
        let model = named.filter(|model| !model.is_empty()).with_context(|| {
            format!("name the model with --model or the environment variable {MODEL_VARIABLE}")
        })?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirection could send the key to another server.
            .max_redirects(0)
            .https_only(address.url.starts_with("https:"))
            .user_agent(concat!("tsl-synth/", env!("CARGO_PKG_VERSION")))
            .build();
        let headers = access.headers.iter().map(|header| ExtraHeader::read(header)).collect::<Result<_>>()?;
        let settings = RequestSettings {
            api: address.api,
            model,
            seed: access.seed,
            temperature: access.temperature,
            parameters: access.parameters.clone(),
            stream: access.stream,
            think: access.think,
            schemas: access.schemas,
        };
        Ok(Self {
            agent: config.into(),
            address,
            key,
            key_variable: access.key_env.clone().unwrap_or_else(|| KEY_VARIABLE.into()),
            headers,
            settings,
            timeout: access.timeout,
            limits: TokenLimits::new(access.max_tokens),
            refused: Refused::default(),
            usage: OracleUsage::default(),
            has_answered: false,
        })
    }

    /// The text without the key and other secrets: a server may repeat what it was sent.
    fn clean(&self, text: &str) -> String {
        let secrets = self.headers.iter().filter_map(|header| header.secret.as_ref());
        let mut text = text.to_string();
        for secret in self.key.iter().chain(secrets) {
            text = secret.removed_from(&text);
        }
        text
    }

    fn late(&self) -> OracleError {
        let limit = shown(self.timeout);
        OracleError::Unavailable(format!("{} gave no answer within {limit}", self.address.shown))
    }

    /// Sends the body once.
    fn send(&self, body: &Map<String, Value>, time: Duration) -> Result<Response, HttpFailure> {
        let text = serde_json::to_string(body).expect("a body has string keys only");
        let mut request = self.agent.post(&self.address.url).content_type("application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.header());
        }
        for ExtraHeader { name, value, .. } in &self.headers {
            request = request.header(name, value);
        }
        let request = request.config().timeout_global(Some(time)).build();
        let mut response = request.send(&text).map_err(|error| self.failure(&error))?;
        let header = |headers: &HeaderMap, name: &str| {
            headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_string)
        };
        let milliseconds =
            header(response.headers(), "retry-after-ms").and_then(|text| text.trim().parse().ok());
        let retry_after = milliseconds
            .map(Duration::from_millis)
            .or_else(|| date::pause(&header(response.headers(), "retry-after")?, SystemTime::now()));
        let location = header(response.headers(), "location");
        let body = response.body_mut().with_config().limit(BODY).lossy_utf8(true).read_to_string();
        let body = body.map_err(|error| self.failure(&error))?;
        Ok(Response { status: response.status().as_u16(), retry_after, location, body })
    }

    /// Classifies an error of the transport.
    fn failure(&self, error: &ureq::Error) -> HttpFailure {
        let place = &self.address.shown;
        match error {
            ureq::Error::Timeout(_) => HttpFailure::Final(self.late()),
            ureq::Error::BodyExceedsLimit(_) => HttpFailure::Final(OracleError::Unavailable(format!(
                "{place} sent a response of more than {BODY} bytes"
            ))),
            ureq::Error::Io(_)
            | ureq::Error::Protocol(_)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::ConnectProxyFailed(_)
            | ureq::Error::BodyStalled => {
                HttpFailure::Passing(self.clean(&format!("{place} cannot be reached: {error}")), None)
            }
            _ => HttpFailure::Final(OracleError::Unusable(
                self.clean(&format!("{place} cannot be used: {error}")),
            )),
        }
    }

    /// Classifies a response with an error status.
    fn refused(&self, response: &Response) -> HttpFailure {
        let Response { status, body, .. } = response;
        let place = &self.address.shown;
        let said = error_message(body).map_or(String::new(), |message| {
            let message = self.clean(&message);
            let short: String = message.chars().take(300).collect();
            format!(": {short}")
        });
        let unusable = |text: String| HttpFailure::Final(OracleError::Unusable(text));
        match status {
            300..=399 => {
                let target = response.location.as_deref().unwrap_or("");
                let target = self.clean(target.split('?').next().unwrap_or(""));
                unusable(format!(
                    "{place} redirects ({status}) to `{target}`, which is not followed: give the address that answers"
                ))
            }
            401 | 403 if self.key.is_none() => unusable(format!(
                "{place} wants a key ({status}){said}; set {}, or name another environment variable with --key-env",
                self.key_variable
            )),
            401 | 403 => unusable(format!(
                "{place} does not accept the key in {} ({status}){said}; another environment variable is named with \
                 --key-env",
                self.key_variable
            )),
            404 => unusable(format!(
                "{place} has no such endpoint, or no model `{}` ({status}){said}",
                self.settings.model
            )),
            408 | 425 | 429 | 500..=599 => HttpFailure::Passing(
                format!("{place} answered with status {status}{said}"),
                response.retry_after,
            ),
            // It answers, but not this request: a filter of contents, or a prompt that is too long.
            400 | 413 | 422 if self.has_answered => HttpFailure::Final(OracleError::Refused(format!(
                "{place} answered with status {status}{said}"
            ))),
            _ => unusable(format!("{place} answered with status {status}{said}")),
        }
    }

    /// The body of a successful response. The request is repeated after temporary failures and without what the server
    /// refuses, until `start` and the timeout.
    fn post(&mut self, request: &OracleRequest, tokens: u32, start: Instant) -> Result<String, OracleError> {
        let mut failures = 0;
        loop {
            let left = self.timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(self.late());
            }
            let body = request_body(request, &self.settings, tokens, &self.refused);
            self.usage.requests += 1;
            let failure = match self.send(&body, left) {
                Ok(response) if (200..300).contains(&response.status) => {
                    match self.collected(response.body) {
                        Ok(body) => {
                            self.has_answered = true;
                            return Ok(body);
                        }
                        Err(why) => HttpFailure::Passing(
                            self.clean(&format!("{} cannot be reached: {why}", self.address.shown)),
                            None,
                        ),
                    }
                }
                // This terminates, because each time the body loses one of its optional parameters.
                Ok(response)
                    if matches!(response.status, 400 | 422)
                        && adapt(&mut self.refused, &body, &response.body) =>
                {
                    continue;
                }
                Ok(response) => self.refused(&response),
                Err(failure) => failure,
            };
            let (why, asked) = match failure {
                HttpFailure::Final(error) => return Err(error),
                HttpFailure::Passing(why, asked) => (why, asked),
            };
            if failures == RETRIES {
                return Err(OracleError::Unavailable(format!("{why} ({} tries)", failures + 1)));
            }
            let pause = asked.unwrap_or(PAUSE * 2_u32.pow(failures));
            failures += 1;
            if pause >= self.timeout.saturating_sub(start.elapsed()) {
                let times = if failures == 1 { "1 try".into() } else { format!("{failures} tries") };
                let limit = shown(self.timeout);
                let wait = asked.map_or(String::new(), |pause| format!("; it asks to wait {}", shown(pause)));
                return Err(OracleError::Unavailable(format!("{why} ({times} within {limit}{wait})")));
            }
            std::thread::sleep(pause);
        }
    }

    /// The response that a body is or, as a stream, comes to.
    fn collected(&self, body: String) -> Result<String, String> {
        if stream::is_stream(&body) { stream::collect(self.settings.api, &body) } else { Ok(body) }
    }

    /// The answer, asked for again with more tokens while it is cut off.
    fn answer(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let start = Instant::now();
        loop {
            let tokens = self.limits.of(request.kind);
            let body = self.post(request, tokens, start)?;
            // A server may repeat the key in its answer, escaped or not.
            let reply = read_reply(self.settings.api, &self.clean(&body))?;
            self.usage += &reply.usage;
            let sent = request_body(request, &self.settings, tokens, &self.refused);
            self.usage.constrained += u64::from(is_constrained(&sent));
            if !reply.is_cut_off {
                return reply.answer(request);
            }
            if !self.limits.raise(request.kind) {
                let why = format!("the answer is cut off after {tokens} tokens (`--max-tokens` allows more)");
                return Err(OracleError::invalid("", why));
            }
        }
    }
}

impl Oracle for Chat {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match self.answer(request) {
            Ok(OracleAnswer::Text(text)) => Ok(OracleAnswer::Text(self.clean(&text))),
            Err(OracleError::Invalid { answer, why }) => {
                Err(OracleError::Invalid { answer: self.clean(&answer), why })
            }
            Err(OracleError::Refused(text)) => Err(OracleError::Refused(self.clean(&text))),
            other => other,
        }
    }

    fn begin(&mut self, seed: u64) {
        self.settings.seed = seed;
    }

    fn usage(&self) -> OracleUsage {
        let mut usage = self.usage.clone();
        usage.refused.clone_from(&self.refused.names);
        usage
    }
}
