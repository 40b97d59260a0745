//! The schema of policy files: `schema policy`. It defines the fields and their types; the reader of policies checks
//! how they fit together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A policy: an object, or a list of laws as the authors of LTLCrit write them.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum PolicyFileDocument {
    /// A policy.
    Policy(Box<PolicyDocument>),
    /// A bare list of laws: one action per step, which is chosen before the rest of its letter; the agent may not do
    /// nothing.
    Laws(Vec<BareLawDocument>),
}

/// A law of a bare list.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["law"] }, { "required": ["ltl"] }]))]
pub struct BareLawDocument {
    /// Its name; `law-1` and so on unless given.
    pub law_id: Option<String>,
    /// The same as `law_id`.
    pub id: Option<String>,
    /// A formula in LTL.
    pub law: Option<String>,
    /// The same as `law`.
    pub ltl: Option<String>,
    /// The reason, in words.
    pub explanation: Option<String>,
    /// The same as `explanation`.
    pub why: Option<String>,
    /// Who has to satisfy it; `hard` unless given.
    pub kind: Option<PolicyKind>,
    /// A remark; not read.
    pub note: Option<serde_json::Value>,
    /// A remark; not read.
    pub normalised: Option<serde_json::Value>,
    /// A remark; not read.
    pub normalized: Option<serde_json::Value>,
    /// A remark; not read.
    pub comment: Option<serde_json::Value>,
    /// A remark; not read.
    pub source: Option<serde_json::Value>,
}

/// A policy.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    { "required": ["law"], "properties": { "law": { "minItems": 1 } } },
    { "required": ["rules"], "properties": { "rules": { "minProperties": 1 } } },
]))]
pub struct PolicyDocument {
    /// The version of the format: 1.
    pub policy: PolicyVersion,
    /// Its name; that of the file unless given.
    pub name: Option<String>,
    /// The answer to a call that no table names; `deny` unless given.
    pub unmatched: Option<PolicyAnswer>,
    /// Words of the vocabularies, each of which is an action with its tables: `tsl-synth schema vocabulary` lists them.
    #[serde(rename = "use")]
    pub uses: Option<OneOrMany>,
    /// Tools whose names are actions, without tables of their own. Values that laws ask for with `for_each` and `distinct` are
    /// their arguments of these names.
    pub tools: Option<OneOrMany>,
    /// Propositions that hold in messages of the user that match these regular expressions.
    #[serde(default)]
    pub user_says: BTreeMap<String, String>,
    /// The same for messages of the agent.
    #[serde(default)]
    pub agent_says: BTreeMap<String, String>,
    /// The answer to a command that cannot be read, for tables that say none; `deny` unless given.
    pub opaque: Option<PolicyAnswer>,
    /// Whether the agent may do nothing; it may unless given.
    pub idle: Option<bool>,
    /// Whether runs are finite or infinite words; `finite` unless given.
    pub end: Option<PolicyEnding>,
    /// The meaning of `X` in the last letter of a run; `weak` unless given, for finite runs.
    pub next: Option<PolicyNext>,
    /// How events become letters; `per-event` unless given, `per-action` if the action is chosen first.
    pub trace: Option<PolicyTrace>,
    /// Whether the action of a letter is chosen with knowledge of the rest of the letter; `same` unless given.
    pub timing: Option<PolicyTiming>,
    /// Whether decisions look ahead; they do unless given.
    pub look_ahead: Option<bool>,
    /// The number of consecutive refusals of the end after which the agent may stop; 3 unless given.
    pub end_refusals: Option<u32>,
    /// The number of values of one law that are distinguished; 10,000 unless given.
    pub max_values: Option<usize>,
    /// The answer to calls with further values; `deny` unless given.
    pub on_overflow: Option<PolicyAnswer>,
    /// The laws that are enforced if not all laws can be satisfied: the hard laws.
    pub fallback: Option<PolicyFallback>,
    /// What a running gate does when the file changes.
    pub on_change: Option<PolicyChange>,
    /// What a gate does in a session that continues another one which its host does not name: it denies every call unless
    /// given.
    pub on_fork: Option<PolicyFork>,
    /// For how long after its last event a session is kept, such as `30d`: then it is removed, and an event with its name
    /// begins a new one. Sessions are never removed unless given.
    pub retain: Option<String>,
    /// Whether a gate reads the shell scripts that commands run, and judges their texts; it does not unless given.
    pub read_scripts: Option<bool>,
    /// Truths about the world and the session, by name.
    #[serde(default)]
    pub propositions: BTreeMap<String, PropositionDocument>,
    /// What the agent does. Actions that tables name need no declaration.
    #[serde(default)]
    pub actions: ActionsDocument,
    /// Bounded quantities of the world, by name, for the search of `check`.
    #[serde(default)]
    pub quantities: BTreeMap<String, QuantityDocument>,
    /// Numbers that are computed, each with a proposition.
    #[serde(default)]
    pub count: Vec<CountDocument>,
    /// Results of tools that count as said, for `said_in`.
    #[serde(default)]
    pub source: Vec<SourceDocument>,
    /// Commands that are run when a call is decided.
    #[serde(default)]
    pub probe: Vec<ProbeDocument>,
    /// Tables that turn events into letters.
    #[serde(rename = "match", default)]
    pub matches: Vec<MatchDocument>,
    /// Laws by their names: a rule, or a law without a name.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleDocument>,
    /// The laws; at least one here or in `rules`.
    #[serde(default)]
    pub law: Vec<LawDocument>,
}

/// A proposition.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PropositionDocument {
    /// Whether it holds until it is cleared; else in the letter that sets it.
    pub state: Option<bool>,
    /// Its value at the beginning, with `state = true`.
    pub initial: Option<bool>,
}

/// The actions of a policy.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ActionsDocument {
    /// Groups of names: a call is at most one action of each group.
    #[serde(default)]
    pub groups: Vec<Vec<String>>,
    /// What actions may do to the world, by action. Without it anything may happen.
    #[serde(default)]
    pub effects: BTreeMap<String, EffectsDocument>,
}

/// What an action may do to the world.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EffectsDocument {
    /// Propositions that may become true.
    pub may_set: Option<OneOrMany>,
    /// Propositions that may become false.
    pub may_clear: Option<OneOrMany>,
    /// Propositions that become true.
    pub sets: Option<OneOrMany>,
    /// Propositions that become false.
    pub clears: Option<OneOrMany>,
    /// Quantities and by how much they change.
    #[serde(default)]
    pub changes: BTreeMap<String, i32>,
    /// Minimum values of quantities; if one is not reached, the action changes nothing.
    #[serde(default)]
    pub needs: BTreeMap<String, u32>,
}

/// A bounded quantity.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QuantityDocument {
    /// Its value at the beginning; 0 unless given.
    pub initial: Option<u8>,
    /// The largest value, at which the quantity saturates; 15 unless given.
    pub most: Option<u8>,
    /// Propositions that hold while the quantity is at least this.
    #[serde(default)]
    pub at_least: BTreeMap<String, u8>,
}

/// A number computed from the events, and a proposition that holds while it is above a bound.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["sum"] }, { "required": ["count"] }, { "required": ["distinct"] }]))]
pub struct CountDocument {
    /// The proposition.
    pub name: String,
    /// Counts letters.
    pub count: Option<bool>,
    /// Adds the number at this JSON pointer: `/arguments/eur`.
    pub sum: Option<String>,
    /// Counts the distinct values that tables bind to this name.
    pub distinct: Option<String>,
    /// The names of bound values: each combination of values has a number of its own, which laws with the same `for_each`
    /// can limit.
    pub for_each: Option<OneOrMany>,
    /// The letters that are counted: names or formulas without temporal operators.
    pub on: OneOrMany,
    /// The bound.
    pub above: serde_json::Number,
    /// Letters after which the number is 0 again.
    pub reset_on: Option<OneOrMany>,
    /// Letters in which the amount of a call is taken back, such as `pay.failed`; only for a `sum` of arguments.
    pub returned_on: Option<OneOrMany>,
    /// Only letters that are not older count: `60s`, `5m`, `24h`.
    pub window: Option<String>,
    /// Whether the letters of all sessions of a store are counted, or those of one session, as unless given.
    pub over: Option<CountedSessions>,
}

/// The sessions that a register counts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CountedSessions {
    /// The one of the letter.
    Session,
    /// All sessions of the store of journals.
    Sessions,
}

/// A command that is run when a call is decided; conditions ask for `/probe/NAME/text`, `/probe/NAME/lines` and
/// `/probe/NAME/exit`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeDocument {
    /// Its name.
    pub name: String,
    /// The program and its arguments. It must not change anything.
    pub run: Vec<String>,
    /// The time limit of the command, at most `10s`; `2s` unless given.
    pub timeout: Option<String>,
    /// The absolute path of the folder in which it runs; that of the call unless given.
    pub folder: Option<String>,
    /// The first words of commands that do not change what it finds, such as `git add`.
    pub unchanged_by: Option<OneOrMany>,
}

/// Results of tools that count as said in a session.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SourceDocument {
    /// Its name.
    pub name: String,
    /// Names of tools, as globs.
    pub tool: Option<OneOrMany>,
    /// Names of MCP servers, as globs.
    pub server: Option<OneOrMany>,
    /// The JSON pointer of a part of the result; `/result` unless given.
    pub pointer: Option<String>,
    /// Keys under which texts count, at any depth; all texts unless given.
    pub keys: Option<OneOrMany>,
}

/// A table that turns events into letters.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MatchDocument {
    /// The kind of events.
    pub on: PolicyOn,
    /// Names of tools, as globs; all unless given.
    pub tool: Option<OneOrMany>,
    /// Names of MCP servers, as globs; all unless given.
    pub server: Option<OneOrMany>,
    /// The JSON pointer of a shell command; `/arguments/command` unless given. A table about commands that names no tool
    /// is about the shells of all hosts.
    pub shell: Option<String>,
    /// The words of the command in their order, as globs; `**` stands for any number.
    pub argv: Option<OneOrMany>,
    /// The program of the command, as globs.
    pub program: Option<OneOrMany>,
    /// Its first operands in their order, as globs; options may stand before and between them.
    pub subcommand: Option<OneOrMany>,
    /// Names of an option that is there; of several lists each is one option.
    pub flags: Option<FlagsDocument>,
    /// Names of options that are not there.
    pub without_flags: Option<OneOrMany>,
    /// Globs of which one matches an operand after the subcommand.
    pub operands: Option<OneOrMany>,
    /// Globs of which none matches an operand after the subcommand.
    pub without_operands: Option<OneOrMany>,
    /// Globs of files of which the command writes one, by a redirection or as a program that is known to write.
    pub writes: Option<OneOrMany>,
    /// Globs of files of which the command reads one.
    pub reads: Option<OneOrMany>,
    /// Variables of which one is set for the command: `HUSKY=0`, `HUSKY=*`.
    pub env: Option<OneOrMany>,
    /// Globs of which one matches the text on its standard input: of a here-document, of `<<<`, of `echo` before it.
    pub input: Option<OneOrMany>,
    /// The answer to a command that cannot be read; `deny` unless given.
    pub opaque: Option<PolicyAnswer>,
    /// Whether the result is a success.
    pub ok: Option<bool>,
    /// The speaker of the message.
    pub role: Option<PolicyRole>,
    /// A regular expression that is found in the message.
    pub regex: Option<String>,
    /// Conditions, all of which hold.
    #[serde(rename = "where", default)]
    pub conditions: Vec<ConditionDocument>,
    /// The action that the call performs.
    pub action: Option<String>,
    /// Propositions that the event sets.
    pub proposition: Option<OneOrMany>,
    /// Propositions that the event sets or clears.
    #[serde(default)]
    pub set: BTreeMap<String, bool>,
    /// Names of values that it binds, with their JSON pointers; `/tool` and `/server` are the tool and its server, `/writes`
    /// and `/reads` the file that a command writes or reads.
    #[serde(default)]
    pub bind: BTreeMap<String, String>,
}

/// Names of one option, or lists of names of several.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum FlagsDocument {
    /// A name.
    One(String),
    /// Names, or lists of names.
    Many(Vec<OneOrMany>),
}

/// A condition: one JSON pointer and one comparison.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 2, "maxProperties" = 2))]
pub struct ConditionDocument {
    /// Which value: a JSON pointer such as `/arguments/path` or `/result/valid`.
    pub pointer: String,
    /// Equal.
    #[serde(rename = "=")]
    pub equal: Option<ScalarDocument>,
    /// Not equal.
    #[serde(rename = "!=")]
    pub not_equal: Option<ScalarDocument>,
    /// Less.
    #[serde(rename = "<")]
    pub less: Option<ScalarDocument>,
    /// At most.
    #[serde(rename = "<=")]
    pub at_most: Option<ScalarDocument>,
    /// Greater.
    #[serde(rename = ">")]
    pub greater: Option<ScalarDocument>,
    /// At least.
    #[serde(rename = ">=")]
    pub at_least: Option<ScalarDocument>,
    /// One of these.
    #[serde(rename = "in")]
    pub one_of: Option<Vec<ScalarDocument>>,
    /// A text that one of these globs matches.
    pub glob: Option<OneOrMany>,
    /// A text in which this regular expression is found.
    pub regex: Option<String>,
    /// Whether there is such a value.
    pub exists: Option<bool>,
    /// A text with this part, or a list with this element.
    pub contains: Option<ScalarDocument>,
    /// An argument of a call that occurs in what one of these sources said: `user`, or names of `[[source]]`.
    pub said_in: Option<OneOrMany>,
    /// An argument of a call that occurs in nothing that these sources said.
    pub not_said_in: Option<OneOrMany>,
    /// How many characters or elements.
    pub length: Option<LengthDocument>,
}

/// Comparisons of a length.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct LengthDocument {
    /// Equal.
    #[serde(rename = "=")]
    pub equal: Option<u64>,
    /// Not equal.
    #[serde(rename = "!=")]
    pub not_equal: Option<u64>,
    /// Less.
    #[serde(rename = "<")]
    pub less: Option<u64>,
    /// At most.
    #[serde(rename = "<=")]
    pub at_most: Option<u64>,
    /// Greater.
    #[serde(rename = ">")]
    pub greater: Option<u64>,
    /// At least.
    #[serde(rename = ">=")]
    pub at_least: Option<u64>,
}

/// A law of `rules`, named by its key.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum RuleDocument {
    /// A named pattern: `tsl-synth schema pattern` has the table.
    Rule(String),
    /// A law.
    Law(Box<UnnamedLawDocument>),
}

/// A law without a name.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["rule"] }, { "required": ["ltl"] }, { "required": ["law"] }]))]
pub struct UnnamedLawDocument {
    /// Who has to satisfy it; `hard` unless given.
    pub kind: Option<PolicyKind>,
    /// Bound values of which each has its own copy of the law.
    pub for_each: Option<OneOrMany>,
    /// A named pattern: `tsl-synth schema pattern` has the table.
    pub rule: Option<String>,
    /// A formula in LTL with past operators.
    pub ltl: Option<String>,
    /// The same as `ltl`.
    pub law: Option<String>,
    /// The reason, in words that the agent is told.
    pub why: Option<String>,
    /// The same as `why`.
    pub explanation: Option<String>,
    /// What happens to a call that violates it; `deny` unless given.
    pub on_violation: Option<PolicyViolationAnswer>,
}

/// A law.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("allOf" = [{ "oneOf": [{ "required": ["rule"] }, { "required": ["ltl"] }, { "required": ["law"] }] }, { "anyOf": [{ "required": ["id"] }, { "required": ["law_id"] }] }]))]
pub struct LawDocument {
    /// Its name.
    pub id: Option<String>,
    /// The same as `id`.
    pub law_id: Option<String>,
    /// Who has to satisfy it; `hard` unless given.
    pub kind: Option<PolicyKind>,
    /// Bound values of which each has its own copy of the law.
    pub for_each: Option<OneOrMany>,
    /// A named pattern: `tsl-synth schema pattern` has the table.
    pub rule: Option<String>,
    /// A formula in LTL with past operators.
    pub ltl: Option<String>,
    /// The same as `ltl`.
    pub law: Option<String>,
    /// The reason, in words that the agent is told.
    pub why: Option<String>,
    /// The same as `why`.
    pub explanation: Option<String>,
    /// What happens to a call that violates it; `deny` unless given.
    pub on_violation: Option<PolicyViolationAnswer>,
}

/// Who has to satisfy a law.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyKind {
    /// An assumption: the world satisfies it.
    Assume,
    /// The agent satisfies it.
    Hard,
    /// The agent satisfies it if it can.
    Soft,
}

/// The answer to a call.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyAnswer {
    /// It is refused.
    Deny,
    /// A person is asked.
    Ask,
    /// It passes.
    Allow,
    /// It passes, and is reported.
    Warn,
}

/// What happens to a call that violates a law.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyViolationAnswer {
    /// It is refused.
    Deny,
    /// A person is asked.
    Ask,
    /// It passes with a warning.
    Warn,
    /// It passes, and is recorded.
    Log,
}

/// How runs end.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyEnding {
    /// Runs are finite words.
    Finite,
    /// Runs are infinite words.
    Infinite,
}

/// The meaning of `X` in the last letter.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyNext {
    /// It holds.
    Weak,
    /// It does not hold.
    Strong,
}

/// How events become letters.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyTrace {
    /// Each event forms its own letters.
    PerEvent,
    /// All truths since the last action join one letter with the action.
    PerAction,
    /// A letter is formed only when some proposition changes.
    StateChange,
}

/// When the action of a letter is chosen.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyTiming {
    /// Knowing the rest of the letter.
    Same,
    /// Before the rest of the letter.
    Next,
}

/// The laws that are enforced if not all laws can be satisfied.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyFallback {
    /// The hard laws.
    Hard,
}

/// What a running gate does when the file changes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyChange {
    /// It replays the journal.
    Replay,
    /// It refuses.
    Deny,
}

/// What a gate does in a session that continues another one which its host does not name.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyFork {
    /// It denies every call.
    Deny,
    /// It reads the history of the other session if it can be found, else it denies every call.
    Inherit,
    /// It begins without history.
    Blind,
}

/// The kind of events that a table matches.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyOn {
    /// The session begins.
    Start,
    /// A message.
    Message,
    /// A call of a tool.
    Call,
    /// The result of a call.
    Result,
    /// Truths about the world.
    Observe,
    /// Time passed.
    Tick,
    /// The agent wants to stop.
    End,
}

/// The speaker of a message.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyRole {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// The agent.
    Assistant,
}

/// A text, or several.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// A scalar value.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum ScalarDocument {
    /// True or false.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
    /// `null`; JSON only.
    Null(()),
}

/// The version of the format.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct PolicyVersion;

impl TryFrom<u32> for PolicyVersion {
    type Error = String;
    fn try_from(version: u32) -> Result<Self, String> {
        if version == 1 { Ok(Self) } else { Err(format!("the version of the format is 1, not {version}")) }
    }
}

impl From<PolicyVersion> for u32 {
    fn from(_: PolicyVersion) -> Self {
        1
    }
}

impl JsonSchema for PolicyVersion {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PolicyVersion".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "const": 1 })
    }
}

/// The schema of policy files. Optional fields may be missing; unlike in the derived schema, they may not be `null`.
pub fn policy_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(PolicyFileDocument).to_value();
    without_null(&mut schema);
    schema
}

/// Removes `null` from the types of fields, in all objects.
fn without_null(schema: &mut serde_json::Value) {
    use serde_json::Value;
    match schema {
        Value::Array(list) => list.iter_mut().for_each(without_null),
        Value::Object(object) => {
            if let Some(Value::Object(fields)) = object.get_mut("properties") {
                fields.values_mut().filter_map(Value::as_object_mut).for_each(never_null);
            }
            object.values_mut().for_each(without_null);
        }
        _ => {}
    }
}

fn never_null(field: &mut serde_json::Map<String, serde_json::Value>) {
    use serde_json::Value;
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            field.insert("type".into(), only);
        }
    }
    let is_null = |one: &Value| one.get("type").is_some_and(|kind| kind == "null");
    if let Some(Value::Array(kinds)) = field.get_mut("anyOf") {
        kinds.retain(|one| !is_null(one));
        if let [Value::Object(only)] = kinds.as_slice() {
            let only = only.clone();
            field.remove("anyOf");
            field.extend(only);
        }
    }
}
