//! The JSON of requests, in the forms that OpenAI defined and most servers of models support.

use super::form::{form, question};
use crate::oracles::Api;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use tsl_synth_agents::{AnswerKind, OracleRequest, TextGrammar};

/// The first token limit of an answer from a closed set; models that reason before they answer need more than the number.
const SHORT: u32 = 256;
/// The first token limit of a text.
const LONG: u32 = 2048;
/// The last token limit that answers are cut off at, unless a larger one was given.
const MOST: u32 = 32_768;
/// The factor by which a token limit grows.
const GROWTH: u32 = 4;
/// The largest number of stop strings that servers accept.
const STOPS: usize = 4;

/// The token limits of a run: they grow when answers are cut off.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenLimits {
    /// Of answers from closed sets, and of texts.
    now: [u32; 2],
    most: u32,
}

impl TokenLimits {
    pub(super) fn new(given: Option<u32>) -> Self {
        let now = given.map_or([SHORT, LONG], |given| [given; 2]);
        Self { now, most: MOST.max(given.unwrap_or(0)) }
    }
    pub(super) fn of(&self, kind: AnswerKind) -> u32 {
        self.now[usize::from(kind.is_text())]
    }
    /// Raises a limit; `false` if it is the last one.
    pub(super) fn raise(&mut self, kind: AnswerKind) -> bool {
        let now = &mut self.now[usize::from(kind.is_text())];
        let before = *now;
        *now = now.saturating_mul(GROWTH).min(self.most);
        *now > before
    }
}

/// What requests to an address have in common.
#[derive(Clone, Debug)]
pub(super) struct RequestSettings {
    pub(super) api: Api,
    pub(super) model: String,
    pub(super) seed: u64,
    pub(super) temperature: Option<f64>,
    pub(super) parameters: Vec<(String, Value)>,
    pub(super) stream: bool,
    pub(super) think: bool,
    /// Whether the schema of an answer from a closed set goes with its request.
    pub(super) schemas: bool,
}

/// What the server of an address refused so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    /// The parameters, which are left out.
    pub(super) names: BTreeSet<String>,
    /// Whether `max_tokens` is called `max_completion_tokens`.
    renamed: bool,
}

/// The body of a request to a model, without what its server refused.
pub(super) fn request_body(
    request: &OracleRequest,
    settings: &RequestSettings,
    tokens: u32,
    refused: &Refused,
) -> Map<String, Value> {
    let form = form(request, settings.think);
    let question = question(request);
    let again = request.attempt.saturating_sub(1);
    let mut body = Map::new();
    body.insert("model".into(), settings.model.clone().into());
    match settings.api {
        Api::Chat => {
            let system = form.map(|form| json!({"role": "system", "content": form}));
            let user = json!({"role": "user", "content": question});
            body.insert("messages".into(), system.into_iter().chain([user]).collect());
        }
        Api::Completions => {
            // A text is continued as it stands.
            let prompt = form.map_or(question.clone(), |form| format!("{question}\n\n{form}\nAnswer: "));
            body.insert("prompt".into(), prompt.into());
        }
        Api::Responses => {
            form.map(|form| body.insert("instructions".into(), form.into()));
            body.insert("input".into(), json!([{"role": "user", "content": question}]));
        }
    }
    // With the same temperature and seed, a repeated question would get the same answer.
    let raised = f64::from(again.min(10)) / 10.0;
    let temperature = settings.temperature.unwrap_or(0.0) + raised;
    let whole = temperature == 0.0;
    body.insert("temperature".into(), if whole { 0.into() } else { temperature.min(2.0).into() });
    if settings.api == Api::Responses {
        body.insert("max_output_tokens".into(), tokens.into());
    } else {
        body.insert("seed".into(), settings.seed.wrapping_add(u64::from(again)).into());
        let name = if refused.renamed { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.into(), tokens.into());
        if !request.stop.is_empty() {
            body.insert("stop".into(), request.stop.iter().take(STOPS).cloned().collect());
        }
    }
    if settings.stream {
        body.insert("stream".into(), true.into());
        if settings.api != Api::Responses {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
    }
    constrain(&mut body, request, settings);
    for (name, value) in &settings.parameters {
        match value {
            Value::Null => body.remove(name),
            value => body.insert(name.clone(), value.clone()),
        };
    }
    body.retain(|name, _| !refused.names.contains(name));
    body
}

/// The parameters that carry grammars: of llama.cpp, of vLLM, of SGLang, and the schemas of OpenAI, which the others take,
/// too.
const GRAMMARS: [&str; 5] = ["grammar", "guided_regex", "regex", "response_format", "text"];

/// Whether a body carries the form of its answer.
pub(super) fn is_constrained(body: &Map<String, Value>) -> bool {
    GRAMMARS.iter().any(|name| body.contains_key(*name))
}

/// Adds the language of the answer, by all names that servers know: one that does not know a name ignores it, or refuses
/// it, and then it is left out from then on.
fn constrain(body: &mut Map<String, Value>, request: &OracleRequest, settings: &RequestSettings) {
    if let Some(TextGrammar { gbnf, regex }) = &request.grammar {
        body.insert("grammar".into(), gbnf.clone().into());
        if !regex.is_empty() {
            body.insert("guided_regex".into(), regex.clone().into());
            body.insert("regex".into(), regex.clone().into());
        }
        return;
    }
    // A model that is to think first cannot begin with JSON.
    let Some(schema) = schema(request).filter(|_| settings.schemas && !settings.think) else { return };
    let (properties, required) = if request.thought && request.kind == AnswerKind::Choose {
        (json!({"thought": {"type": "string"}, "choice": schema}), json!(["thought", "choice"]))
    } else {
        (json!({"answer": schema}), json!(["answer"]))
    };
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if settings.api == Api::Responses {
        let format = json!({"type": "json_schema", "name": "answer", "strict": true, "schema": schema});
        body.insert("text".into(), json!({"format": format}));
    } else {
        let inner = json!({"name": "answer", "strict": true, "schema": schema});
        body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": inner}));
    }
}

/// The schema of an answer from a closed set.
fn schema(request: &OracleRequest) -> Option<Value> {
    let numbers: Vec<usize> = (1..=request.choices.len()).collect();
    Some(match request.kind {
        AnswerKind::Predicate => json!({"enum": [0, 1]}),
        AnswerKind::Choose => json!({"enum": numbers}),
        AnswerKind::ChooseMany => json!({"type": "array", "items": {"enum": numbers}, "minItems": 1}),
        AnswerKind::Score => {
            json!({"type": "array", "items": {"type": "number"}, "minItems": numbers.len(), "maxItems": numbers.len()})
        }
        _ => return None,
    })
}

/// The error message of a server, if its response has one of the usual forms.
pub(super) fn error_message(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    let error = value.get("error").unwrap_or(&value);
    let message = error.as_str().or_else(|| error.get("message")?.as_str());
    // The errors of FastAPI.
    let detail = || value.pointer("/detail/0/msg").or_else(|| value.get("detail"))?.as_str();
    Some(message.or_else(detail)?.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The place of a refused parameter, where the server says it apart from its message.
fn named_parameter(answer: &str) -> Option<String> {
    let value: Value = serde_json::from_str(answer).ok()?;
    let own = value.pointer("/error/param").and_then(Value::as_str);
    let of_fastapi = || value.pointer("/detail/0/loc")?.as_array()?.last()?.as_str();
    own.or_else(of_fastapi).map(str::to_string)
}

/// Remembers a parameter of the body that the server rejects as unsupported; `false` if its message names none.
pub(super) fn adapt(refused: &mut Refused, body: &Map<String, Value>, answer: &str) -> bool {
    let parameter = named_parameter(answer);
    let message = error_message(answer).unwrap_or_default();
    let says = [
        "unsupported",
        "not support",
        "unrecognized",
        "unknown",
        "not permitted",
        "extra inputs",
        "extra fields",
        "not allowed",
        "unexpected",
        "only the default",
        "not available",
    ];
    let refuses = says.iter().any(|word| message.to_lowercase().contains(word));
    let needed = ["model", "messages", "prompt", "input", "instructions", "stream"];
    let mut optional = body.keys().filter(|name| !needed.contains(&name.as_str()));
    let found = optional.find(|name| {
        if let Some(parameter) = &parameter {
            return parameter.split(['.', '[']).next() == Some(name.as_str());
        }
        let mut words = message.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == name.as_str())
    });
    let Some(name) = found.filter(|_| refuses) else { return false };
    if name == "max_tokens" && message.contains("max_completion_tokens") {
        refused.renamed = true;
    } else {
        refused.names.insert(name.clone());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(api: Api) -> RequestSettings {
        RequestSettings {
            api,
            model: "m".into(),
            seed: 7,
            temperature: None,
            parameters: Vec::new(),
            stream: false,
            think: false,
            schemas: false,
        }
    }

    fn names(body: &Map<String, Value>) -> String {
        body.keys().cloned().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_server_refuses_is_left_out() {
        let request = OracleRequest::new(AnswerKind::Predicate, "p", "Is it?").stop(["x"]);
        let settings = settings(Api::Chat);
        let mut refused = Refused::default();
        let body = |refused: &Refused| request_body(&request, &settings, 256, refused);
        for (answer, expected) in [
            (
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#,
                "max_completion_tokens messages model seed stop temperature",
            ),
            (
                r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model","param":"temperature"}}"#,
                "max_completion_tokens messages model seed stop",
            ),
            (
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","stop"],"msg":"Extra inputs are not permitted"}]}"#,
                "max_completion_tokens messages model seed",
            ),
        ] {
            let before = body(&refused);
            assert!(adapt(&mut refused, &before, answer), "{answer}");
            assert_eq!(names(&body(&refused)), expected);
        }
        for answer in [
            r#"{"error":{"message":"temperature does not support 0 with this model"}}"#,
            r#"{"error":{"message":"bad seed"}}"#,
            r#"{"error":{"message":"Unknown model"}}"#,
            r#"{"error":{"message":"unsupported messages","param":"messages"}}"#,
        ] {
            let before = body(&refused);
            assert!(!adapt(&mut refused, &before, answer), "{answer}");
        }
    }

    #[test]
    fn parameters_of_ones_own() {
        let request = OracleRequest::new(AnswerKind::Generate, "s", "Go on.");
        let mut settings = settings(Api::Completions);
        settings.parameters =
            vec![("top_p".into(), json!(0.5)), ("seed".into(), Value::Null), ("user".into(), json!("me"))];
        settings.temperature = Some(0.7);
        let body = request_body(&request, &settings, 10, &Refused::default());
        assert_eq!(
            Value::Object(body),
            json!({"model": "m", "prompt": "Go on.", "temperature": 0.7, "max_tokens": 10, "top_p": 0.5, "user": "me"})
        );
        settings.api = Api::Responses;
        let body = request_body(&request, &settings, 10, &Refused::default());
        assert_eq!(names(&body), "input max_output_tokens model temperature top_p user");
    }

    #[test]
    fn the_form_of_an_answer_goes_with_its_request() {
        let choose = OracleRequest::new(AnswerKind::Choose, "s", "Which?").choices(["a", "b"]);
        let mut settings = settings(Api::Chat);
        let mut refused = Refused::default();
        assert!(!is_constrained(&request_body(&choose, &settings, 9, &refused)));
        settings.schemas = true;
        let body = request_body(&choose, &settings, 9, &refused);
        let allowed = Value::Object(body.clone());
        let allowed = allowed.pointer("/response_format/json_schema/schema/properties/answer/enum");
        assert_eq!(allowed, Some(&json!([1, 2])));
        let error = r#"{"error":{"message":"response_format is not supported"}}"#;
        assert!(adapt(&mut refused, &body, error));
        assert!(!is_constrained(&request_body(&choose, &settings, 9, &refused)));
        let grammar = TextGrammar { gbnf: "root ::= \"a\"".into(), regex: "a".into() };
        let text = OracleRequest::new(AnswerKind::Generate, "s", "Go on.").grammar(grammar);
        let body = request_body(&text, &settings, 9, &refused);
        assert_eq!((&body["guided_regex"], &body["regex"]), (&json!("a"), &json!("a")));
        assert_eq!(body["grammar"], json!("root ::= \"a\""));
    }

    #[test]
    fn token_limits_grow() {
        let mut limits = TokenLimits::new(None);
        let mut seen = vec![limits.of(AnswerKind::Choose)];
        while limits.raise(AnswerKind::Choose) {
            seen.push(limits.of(AnswerKind::Choose));
        }
        assert_eq!(seen, [256, 1024, 4096, 16_384, 32_768]);
        assert_eq!(limits.of(AnswerKind::Generate), 2048);
        assert_eq!(TokenLimits::new(Some(100_000)).of(AnswerKind::Act), 100_000);
    }
}
