//! The registry of diagnostic codes. A code keeps its meaning forever; `tsl-synth explain TSL0123` prints
//! its explanation.

/// A stable diagnostic code, shown as `TSLnnnn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TSL{:04}", self.0)
    }
}

/// Declares the codes once: constant, number, explanation.
macro_rules! codes {
    ($($name:ident = $number:literal: $text:literal;)+) => {
        impl Code {
            $(#[doc = $text] pub const $name: Self = Self($number);)+
        }
        const ALL: &[(Code, &str)] = &[$((Code::$name, $text)),+];
    };
}

codes! {
    SYNTAX = 1: "The text does not follow the grammar at this place.";
    TOO_DEEP = 2: "The input is nested deeper than the documented limit.";
    NOT_TEXT = 3: "The input is not UTF-8 text.";
    CANNOT_READ = 4: "The file cannot be read.";
    NOT_CLOSED = 10: "A bracket is opened and not closed before the formula, section or file ends. The place is where the closing bracket was expected; the opening one is shown too.";
    NOT_OPENED = 11: "A closing bracket without an opening one, or one that closes a bracket of another kind.";
    MISSING_SEMICOLON = 12: "Two formulas follow each other without `;`. Every formula, definition and declaration ends with `;`; only the last formula of a section may go without.";
    EMPTY_FORMULA = 13: "There is nothing where a formula or term was expected: `;;`, `()`, `f(a, )`.";
    MISSING_OPERAND = 14: "An operator lacks the formula or term it applies to.";
    MISSING_OPERATOR = 15: "Two formulas stand side by side without an operator. Only names can be applied: `f x`.";
    WRONG_OPERATOR = 16: "An operator of another language. TSL writes `!  &&  ||  ->  <->  X F G U W R  =  !=`.";
    RESERVED = 17: "A reserved word is used as a name. The one-letter operators `A F G H M O R S T U W X Y Z`, the words in capitals such as `AND` or `MIN`, `true`, `false`, `if`, `otherwise` and the words of section headers cannot be names.";
    STRING = 18: "TSL has no text literals. Name the text with a constant: `[note <- greeting()]`.";
    CONDITIONAL = 19: "TSL has no conditional expression. Write one implication for each case: `(c -> a) && (!c -> b)`.";
    BRACES = 20: "Braces group formulas of a section or elements of a set. Inside of a formula only parentheses group.";
    GLUED_OPERATORS = 21: "`XX a` would be the predicate `XX` applied to `a`. Temporal operators are written apart: `X X a`. A name like `GF` can be used where it is declared or defined.";
    PATTERN = 22: "TSL has no pattern matching with `~`. In TLSF a pattern is made of `_`, constants, operators of formulas and names that are declared nowhere; each of these names stands for any formula.";
    BAD_UPDATE = 23: "An update is written `[cell <- term]`: square brackets, one cell, one arrow, one term.";
    UPDATE_VALUE = 24: "The value of an update is a term, not a formula: `&&`, `!`, `X` and the like cannot stand in it. Say when with a formula, and what with the update: `a -> [x <- t]`.";
    BAD_BRACKETS = 25: "Square brackets hold an update `[x <- t]`, bounds `F[0:3] a`, or the binders of a big operator `&&[i IN s] a`.";
    STRAY = 26: "Text outside of sections, definitions, declarations and imports. Nothing is skipped silently.";
    BAD_SECTION = 27: "A section is `[initially|always] (assume|guarantee) [after n] { formula; ... }`.";
    BAD_IMPORT = 28: "An import is `import \"rel/path.tsl\" as Mod`, and `Mod` begins with a capital letter.";
    BAD_DECLARATION = 29: "A declaration is `input a, b: Sort;`, `output o;`, `cell c: 0..3 = 0;`, `predicate p: A -> Bool;` or `function f: A -> B;`, with `saturating`, `wrapping` or `noisy` in front if wanted.";
    BAD_DEFINITION = 30: "A definition is `name parameters = expression;` or has guards: `name n = n == 0 : a otherwise : b;`.";
    BAD_NUMBER = 31: "A number is decimal digits, with a fraction for reals (`3.14`), and fits 64 bits.";
    BAD_THEORY = 32: "The first line may be `#LIA`, `#UF` or `#EUF`. Comments begin with `//`.";
    OPEN_COMMENT = 33: "A block comment is never closed. Block comments nest.";
    CHARACTER = 34: "A character that is not part of the language.";
    CHAINED_COMPARISON = 35: "Comparisons do not chain: write `a < b && b < c`.";
    BAD_SET = 36: "A set is `{a, b}`, `{first..last}` or `{first, second..last}`.";
    BAD_BINDER = 37: "A binder of a big operator is `name IN set` or `low <= name < high`.";
    BAD_COMMA = 38: "Commas separate arguments of a call `f(x, y)` (the parenthesis glued to the name), elements of sets and binders.";
    NOTHING_STATED = 39: "The file is empty: it has no section, definition, declaration or import.";
    READ_DIFFERENTLY = 40: "Another TSL tool, or for TLSF a reader of LTL, reads this formula differently, because operators bind differently there: `U`, `W` and `R` of TLSF bind looser than `->`, `&&` and `||`. Parentheses make it the same everywhere; in TSL, `--dialect tsltools` or `--dialect barnard` reads a file their way.";
    ACROSS_LINES = 41: "A name is applied to what stands on the next line. Perhaps a `;` is missing.";
    LIKE_A_CONSTANT = 42: "The constants are `true` and `false`, in small letters. Any other spelling is the name of a signal.";
    TOO_MANY = 43: "The file has more errors than are shown.";
    BAD_BOUNDS = 44: "Bounds are `X[n]`, `F[n:m]`, `G[n:m]`, and `Y[n]`, `Z[n]`, `O[n:m]`, `H[n:m]` of the past; in TSL also `F within n`, `G for n`.";
    BAD_PROPOSITION = 45: "An LTL proposition is a name or a text between double quotes.";
    BAD_HEADER = 46: "The first lines of an LTL file may say `// inputs: a, b` and `// outputs: c`. Names in these lists, and in `--ins` and `--outs`, are separated by commas.";
    NAME_WITHOUT_USE = 47: "A list of inputs or outputs has a name, or a regular expression, that occurs in no formula. It may be misspelt; propositions that are in no list belong to the other player.";
    GLUED_NAME = 48: "In LTL a word that begins with `F`, `G` or `X` is this operator and a name: `Green` is `G reen`. Names that are listed as inputs or outputs, and those between double quotes, are not taken apart.";
    NOTATION = 49: "Operators or a whole text in the notation of another tool. `tsl-synth help ltl` lists the operators of LTL as they are written here: `! X F G U R W M & | ^ -> <->`.";
    PROSE = 50: "A word of an English sentence is read as a name. `p -> q` says that `q` holds whenever `p` does; a comment begins with `//`.";
    IMPORT = 100: "Imports are nested too deeply, or there are too many files.";
    IMPORT_CYCLE = 101: "A file imports itself, directly or through others.";
    IMPORT_NOT_FOUND = 102: "An imported file does not exist. Paths are relative to the importing file.";
    IMPORT_OUTSIDE_ROOT = 103: "An imported file is outside the root of imports: --import-root, else the nearest folder with tsl-synth.toml or .git, else the folder of the main file.";
    REDEFINITION = 104: "A name is defined or declared twice.";
    CIRCULAR_DEFINITION = 105: "A definition needs its own value. Definitions are macros and cannot be recursive.";
    NO_ALTERNATIVE = 106: "No guard of a definition is true for these arguments, and there is no otherwise.";
    WRONG_KIND = 107: "A formula, term, number, set or name of a cell was expected, and something else is there.";
    NOT_A_FUNCTION = 108: "Something is applied to arguments that is no function, predicate or definition.";
    EMPTY_SET = 109: "The least or greatest element, the intersection, or a sequence is not defined.";
    OVERFLOW = 110: "A number does not fit 64 bits.";
    DIVISION_BY_ZERO = 111: "Division by zero.";
    NEGATIVE_BOUND = 112: "A bound of a temporal operator or of `after` is negative, `G for n` is about no step, or the period of `every` is not positive.";
    IDLE_DECLARATION = 113: "A declaration says something that its kind cannot have.";
    EMPTY_RANGE = 114: "The lower end of a range is above its upper end.";
    SORT_CLASH = 120: "A value is used with two different sorts.";
    ARITY_CLASH = 121: "A function or predicate is used with different numbers of arguments.";
    NAME_CLASH = 122: "A name is used both as a signal and as a function, or otherwise than declared.";
    INPUT_UPDATED = 123: "A name that is declared as an input is updated.";
    UNDECLARED = 124: "A name is not declared and `--strict` asks for it, or a question is about a name or a term that the specification does not have.";
    NOT_CONSTANT = 125: "The initial value of a cell is not a constant of its sort.";
    PAST_OVER_FUTURE = 126: "A past operator is applied to a formula about the future.";
    FREE_VALUE = 127: "The value of an update is not known to be in the range of its cell.";
    UNKNOWN_PROPOSITION = 130: "An atomic proposition of an LTL formula is neither an input nor an output, or both.";
    BAD_REGEX = 131: "A regular expression for names of inputs or outputs is malformed.";
    UNKNOWN_NAME = 132: "A name is neither a signal, a parameter, a definition nor a value of an enumeration.";
    UNKNOWN_PARAMETER = 133: "`--param` gives a value to a parameter that the specification does not have.";
    OUTSIDE_OF_BUS = 134: "The index of a signal is negative, or not below the width of its bus.";
    END_MARKER = 135: "With `Finite` semantics of TLSF an output ends the word. It is `done`, and `done_` in a file that has a signal `done` of its own.";
    MISSPELT = 150: "A name is used once and is one edit away from another name.";
    MAYBE_CONSTANT = 151: "A name is never anything but a value that is copied: is it a constant?";
    GLOBALLY_IMPLIES = 152: "`G B -> X C` constrains C only if B always holds; `G (B -> X C)` is what is usually meant. In laws of policies `F B -> C` constrains C in the first letter only.";
    CONSTANT_CLAUSE = 154: "A clause is true or false whatever happens.";
    THEORY_TAG = 156: "Functions such as `add` and `eq`, and names without a declaration, are computed only in a file with the ending `.tslmt`. In a file with the ending `.tsl` operators on declared numbers are.";
    NO_GUARANTEE = 157: "A specification without guarantees is realized by everything.";
    NEVER_SET = 158: "No update sets an output, so its value is chosen by the environment; or no update changes a cell, so it keeps its first value; or none gives it a value that a guarantee asks for. `[x <- t]` sets it.";
    NOT_A_VALUE = 159: "A name is compared with a signal of an enumeration and is none of its values, or a constant `v()` has the name of a value `v`. It is read as something else than the value.";
    LARGE_RANGE = 160: "The range of a signal has more values than are followed, and the specification compares them or computes with them.";
    FIRST_STEP_ONLY = 161: "A guarantee in a section without `always` is about the first step; what it says about an input there, it does not say of later steps. `initially` shows that this is meant.";
    NEXT_VALUE = 162: "`n'` and `next(n)` are the next value of `n` in other languages, and names of their own here. An update gives a cell its next value: `[n <- n + 1]`; a formula about the next step is `X f`.";
    CHOSEN_OUTPUT = 163: "A declared Boolean output that no update sets is chosen by the system in each step: `gnt` means `[gnt <- true]`, and `!gnt` means `[gnt <- false]`. It has no value to be read, so it is no term, argument or side of a comparison.";
    BAD_JSON = 200: "The text is not JSON, nests deeper than the documented limit, or names a key of an object twice.";
    BAD_TRACE = 201: "The text is not a trace: our trace JSON, ITF, JSON lines with one letter each, or a word `a & b; !a; cycle{a; b}`.";
    UNKNOWN_TERM = 202: "A letter names something that is neither a predicate term, a proposition nor a cell of the specification or machine.";
    UNKNOWN_VALUE = 203: "A letter gives a cell an update, or an atom a value, that it cannot have.";
    CONTRADICTION = 204: "A letter says of an atom both that it holds and that it does not, or gives a cell two updates.";
    MISSING_INPUT = 205: "A letter does not say whether an input holds. In traces every letter names every input; outputs may be left out.";
    BAD_MACHINE = 206: "A machine (HOA, machine JSON) cannot be read, is not deterministic or not complete, or does not match its id.";
    NO_RUN = 207: "On the inputs of the trace the outputs of the machine differ from those of the trace.";
    NAMES_MATCHED = 208: "The names of a machine differ from those of the specification in letter case, or write the index of a bus otherwise. They are taken for these names, as long as only one signal can be meant.";
    NAMES_EXTRA = 209: "A machine has signals that the specification does not have. It is checked with these inputs as the environment likes; what these outputs are does not matter.";
    UNREALIZABLE = 300: "No controller keeps the specification: whatever it does, the environment can keep all assumptions and make some guarantee fail. The places are guarantees that cannot be kept together.";
    UNSATISFIABLE_ASSUMPTIONS = 301: "The assumptions are unsatisfiable. Then the guarantees constrain no controller, and REALIZABLE does not mean that they hold.";
    FALSIFIABLE_ASSUMPTION = 302: "The system can make an assumption false by its own updates, whatever the environment does. Assumptions are about the environment; what the system decides is stated as a guarantee.";
    ONLY_BY_FALSIFYING = 303: "The specification is realizable, but no controller of it leaves the assumptions to the environment: each has a play in which the environment gives only inputs that the assumptions allow, and after which they cannot be kept whatever inputs follow. What the system should achieve belongs in a guarantee.";
    IMPLIED_GUARANTEE = 304: "The assumptions and the other guarantees imply a guarantee. It is redundant, or something else was meant.";
    NO_ANSWER = 305: "A limit (time, memory, size, bound) was reached before there was a certified answer.";
    UNINTERPRETED_ARITHMETIC = 306: "Arithmetic or comparisons in the specification are not computed but left to the environment, so a controller that relies on them is not found. Declare the cells with a finite range (`cell c: 0..9 = 0;`) to have them followed exactly.";
    REDUNDANT_ASSUMPTION = 307: "An assumption holds wherever the other assumptions hold. It says nothing new, or something else was meant.";
    IDLE_GUARANTEE = 308: "A guarantee holds wherever the assumptions hold, whatever the system does: it never constrains anything. Perhaps its trigger can never happen.";
    CONSTANT_OUTPUT = 309: "The controller that was found gives an output the same value for ever, or a cell always the same update. Another controller may not; if it should change, a guarantee has to require it.";
    NEVER_EXERCISED = 310: "In no play of the controller that was found, as long as the assumptions hold, does the trigger of a guarantee happen. Another controller may be different.";
    MAY_FALSIFY = 311: "The controller that was found makes the assumptions false in some play, or may do so, and within the limits no controller was found that does not, nor that there is none. Of a machine that is verified: it makes them false in some play.";
    UNREAD_INPUT = 312: "The controller that was found never reads an input that a guarantee mentions: whatever its value, the controller does the same. Something that it should decide may be missing, or happens anyway.";
    CACHE_NOT_USED = 320: "What `--cache` has on a specification is damaged, or its strategy fails the certificate check. The specification was solved, and the entry is replaced.";
    NOT_CERTIFIED = 321: "Certificates were turned off, so the verdict was not checked independently.";
    NOT_READ_BACK = 322: "The text of a machine was read back after it was written, and a limit was reached before what was read was certified. The machine that was written is certified.";
    NOT_COMPARABLE = 340: "Two machines or specifications cannot be compared: one is a machine and the other a specification, they are strategies of different players, or a name is an input of the one and an output of the other, or an output of only one of them.";
    NOT_EXPRESSIBLE = 341: "The target of `convert` cannot express the input, or it is a format that is only written. The message says which part, and what can be done instead.";
    LOST = 342: "What `convert` writes leaves out some of the input. The meaning of the rest is unchanged.";
    AGENT_FORM = 400: "An `.agent` file is one `(define NAME (:states ...) (:behavior FORMULA))`, with `(:max-loops N)` if wanted.";
    AGENT_STATE = 401: "A state of an agent is `(NAME (:text \"prompt\"))`, with `(:flags :env-input :initial :final)` and `(:one-of \"a\" \"b\")` if wanted.";
    AGENT_TEXT = 402: "A text stands between double quotes, with the escapes `\\n`, `\\t`, `\\r`, `\\\"` and `\\\\`.";
    AGENT_OPERATOR = 403: "A behavior is a state, `(next F G ...)`: one after the other, `(until BODY EXIT)`: the body any number of times and then the exit, `(or F G ...)`: one of them, or `(always F)`: again and again without end.";
    AGENT_TWICE = 404: "A part, a state or a flag is there twice.";
    AGENT_BOUND = 405: "`(:max-loops N)` bounds how often the body of an `until` may be run: of all loops as a part of the agent, of one loop after its exit.";
    AGENT_UNKNOWN_STATE = 406: "A behavior names a state that is not declared.";
    AGENT_PROMPT = 407: "A prompt is empty. The prompt is how a state is recognized in the text of a model.";
    AGENT_TOO_LARGE = 408: "The automaton of a behavior has more than 10,000 states. Bounds of loops inside of loops multiply.";
    PROMPT_OVERLAP = 410: "The prompt of one state stands inside of the prompt of another. The longest match counts, so that both are recognized; a program that looks for the shorter one only reads the longer one wrong.";
    SAME_PROMPT = 411: "Two states have the same prompt. Where both may come next, nobody can tell which one is meant, and the behavior is invalid.";
    UNUSED_STATE = 412: "A state is declared and its behavior does not name it. Its prompt is recognized, and removed wherever a model writes it.";
    UNREACHABLE_STATE = 413: "A behavior names a state that no run reaches: it stands behind `always`, in a loop with the bound 0, or before the initial state.";
    DEAD_END = 414: "A run can get to a state after which nothing may follow and where it must not end. Such a behavior is invalid.";
    NO_BEGINNING = 415: "No run of the behavior begins in an initial state. Such a behavior is invalid.";
    BAD_CONTENT = 416: "A text of `:one-of` cannot stand in its state: it is empty, begins or ends with white space, or a prompt would be recognized in it.";
    TRANSCRIPT = 420: "A transcript is no run of the behavior: at the place some state begins that may not come there, or the text of a state is none of its `:one-of`.";
    TRANSCRIPT_ENDS = 421: "A transcript ends where a run may not end.";
    CFG_SYNTAX = 430: "A line of a `.cfg` file is a production `A -> x B | ε`, a row `(q, x, Z) -> (r, A Z)` of a pushdown table, or a directive `%limit x 1`.";
    CFG_DIRECTIVE = 431: "A directive of a `.cfg` file is unknown, or its arguments are not what it takes. `tsl-synth help plan` lists them.";
    CFG_UNDEFINED = 432: "A symbol of a grammar has no production, so it is a terminal, a step of the plan; but it looks like a nonterminal, or `%terminals` does not list it.";
    CFG_UNPRODUCTIVE = 433: "No plan comes from this nonterminal: each of its productions needs a nonterminal from which none comes.";
    CFG_UNREACHABLE = 434: "A nonterminal is unreachable from the start: the start symbol does not lead to it.";
    CFG_EMPTY = 435: "The grammar has no plan at all: each production of its start needs a nonterminal from which no plan comes.";
    CFG_TWICE = 436: "The same production or row stands twice. The second says nothing new, and is ignored.";
    CFG_UNKNOWN = 437: "A directive of a `.cfg` file, or a law that plans have to keep, names a symbol that the grammar does not have.";
    CFG_TABLE = 438: "A pushdown table lacks its start `%start STATE STACK`, or names a state that no row leads to.";
    CFG_LAW = 439: "A law for plans is a formula over their steps: LTL, or clauses of TSL without updates, functions and definitions. Each step is one letter; the word ends with the plan.";
    BAD_PROMPTS = 460: "A table of prompts (`NAME.prompts.toml`) cannot be read: it is not TOML, or an entry has a form that is not expected there.";
    UNKNOWN_PROMPT = 461: "A table of prompts has an entry for a name that the specification does not have, so that it would never be used.";
    BAD_RECORD = 462: "A record of an agent, or a log, cannot be read, or is not of this specification.";
    POLICY_SYNTAX = 500: "A policy is TOML, JSON of the same shape, or a JSON list of laws `[{law_id, law, explanation}]`.";
    POLICY_FIELD = 501: "A field of a policy is unknown, is missing, or has a value of another kind. `tsl-synth schema policy` has all fields.";
    POLICY_NAME = 502: "A name of a proposition or action has characters that names cannot have.";
    POLICY_TWICE = 503: "A name of a policy is given twice: two propositions, actions or laws, or an action and a proposition.";
    POLICY_UNKNOWN = 504: "A law, a table or an effect names a proposition, action or quantity that the policy does not have. A law about it would never fire.";
    POLICY_LAW = 505: "A law of a policy is a formula over its propositions and actions, within the limits of size.";
    POLICY_MATCH = 506: "A `[[match]]` table says which events it is about (`on`, `tool`, `where`, ...) and what they mean: an `action` or a `proposition`.";
    POLICY_COUNT = 507: "A register of a policy can never count: no letter that it counts can occur, or none that has an amount. A law about it would never fire.";
    OVER_CONSTRAINED = 510: "The laws of a policy lead into a state in which every action violates some of them at once. The laws named leave no action together; without any one of them some action is left.";
    LAW_CONFLICT = 511: "Two laws of a policy exclude each other: there is a state in which each alone leaves an action, and both together none. It counts all states that the `assume` laws allow; declared effects of actions may rule it out.";
    LAW_VACUOUS = 512: "Every word satisfies a law: the law is vacuous.";
    LAW_IMPOSSIBLE = 513: "A law can never hold, whatever happens.";
    LAW_NEVER_FIRES = 514: "A law can never be violated, because a condition in it never holds: no letter has two actions of one group, and the `assume` laws exclude letters.";
    LAW_REDUNDANT = 515: "Another law of the policy implies this one. Only pairs of laws are compared.";
    UNUSED_PROPOSITION = 516: "No law and no register of a policy depends on a proposition.";
    NEVER_MATCHES = 517: "No event can match a table: its conditions contradict each other, or no command has the words that it asks for.";
    TWO_ACTIONS = 518: "A call that one table matches is matched by another one too, and they name two actions of one group. Such a call is an error.";
    NOT_GROUNDED = 519: "What a law is about does not occur in the sessions that the policy was held to.";
    SESSION_VIOLATES = 520: "A session that the policy was held to violates a law, or ends while the law is owed.";
    CHECK_CUT = 521: "A part of the check of a policy was too large and is not decided.";
    GATE_LIMIT = 522: "The game that a gate decides by is too large for a policy: `shield` denies every call under it, and `shield install` refuses it. `look_ahead = false` in the policy judges each call by itself, without the game.";
    POLICY_UNREALIZABLE = 523: "No agent can keep the hard laws of a policy: whatever it does, the world can make it impossible to keep the laws named and to stop. An `assume` law may say that the world does not.";
    TRAP = 524: "A step of the agent that violates no law at once, and after which the world can make it impossible to keep the laws named. A gate with look-ahead refuses it; one that judges each call by itself does not.";
    NEVER_SEEN = 525: "An action or a proposition of a policy does not occur in the sessions that the policy was held to. Its tables may name other tools than the log has.";
    CALL_UNMATCHED = 526: "The sessions that a policy was held to have calls that no table matches, or observations of names that the policy does not have. Laws do not see them.";
    SPELLING_PASSES = 527: "No table with the same names matches an equivalent spelling of a command that a table matches, so that the laws about it do not apply. `policy check --spellings` lists the spellings that were tried.";
    LAW_EMPTIED = 528: "A table matches every call, and what it says is what a law asks for: as soon as any call has succeeded, the law forbids nothing.";
    NEVER_TOGETHER = 529: "A condition in a law never holds: a step has at most one action of a group, and a call one tool. What a law says about both of two actions is written for one after the other.";
    NEVER_CALLED = 530: "Rules make actions wait for each other: each may be called only after another of them has succeeded, so that no session can ever have one of them.";
    POINTER_ELSEWHERE = 531: "A table for calls has a pointer to a value that no call has. Arguments are below `/arguments`, results below `/result`, answers of probes below `/probe`; the others are `/tool` and `/server`. A call whose table cannot be judged is refused.";
    REDIRECTIONS = 532: "A policy permits listed commands only, by their words, and no table of it is about the files that commands write. `> FILE` is no word of a command, so that each of them may write any file that way.";
    COUNT_BOTH_WAYS = 533: "The proposition of a `[[count]]` permits calls in one law and forbids calls in another. An amount that cannot be read, or a value that is missing, counts as more than the limit, so that the law which permits may permit too much. With two `[[count]]` tables each law has the stricter answer.";
    COUNT_OVER_ALL = 534: "A law with `for_each` reads a count. Such a `[[count]]` without `for_each` is one for all values together, so that the law is stricter than a limit for each value.";
    UNBOUND_PROPOSITION = 536: "A law with `for_each` reads a proposition that only calls and results without a value set. What one of them says holds for all values: the approval of one request is that of all.";
    COUNT_FOR_EACH = 535: "A `[[count]]` with `for_each` has a number for each value. Only a law with the same `for_each` can read it, and only as a limit: `G !name`, or `G (call -> !name)` for calls that are counted.";
    RULE_FORM = 550: "A rule of a policy is no named pattern. `tsl-synth schema pattern` lists them with the LTL that each means; other laws are written in LTL.";
    RULE_NAME = 551: "A rule names an action or a proposition that the policy does not have, or an outcome other than `ok`, `failed` and `unknown`.";
    RULE_KIND = 552: "A name has no meaning at its place in a pattern: `never A while P` needs a P that keeps its value (`state = true`), and what is owed has to be something that happens.";
    SENTENCE_FORM = 553: "A sentence is read neither by the built-in patterns nor as a sentence that `explain` prints. `--oracle` asks a model to translate it.";
    SENTENCE_NAME = 554: "A sentence speaks of something that is none of the actions and propositions of the policy.";
    TEXT_AND_FORMULA = 555: "The explanation of a law says something else than its formula. The agent is told the explanation, and the formula is enforced.";
    TRANSLATION = 556: "The translation of a sentence by a model could not be used: it names what the policy does not have, or is no LTL.";
    LAW_TOO_DEEP = 557: "A law is nested deeper than 200 operators, or grows past the limit when its bounds are written out.";
    LOG_NOT_READ = 560: "A log of an agent is not of the format that it is read in: no line of it is JSON, or it is no archive of that format.";
    LOG_BROKEN_LINE = 561: "A line of a log is not JSON. It is passed over; what it told is missing.";
    LOG_TORN = 562: "The last line of a log ends in the middle, as when whoever writes it is still writing or was killed. It is passed over.";
    LOG_UNTOLD = 563: "A log does not tell everything that laws may ask for: outcomes, arguments, results, words. Laws over these are judged by what is there.";
    LOG_PASSED_OVER = 564: "A log has records that are passed over: of a kind that is not known, told twice, or not of the agent.";
    LOG_UNREAD = 565: "Files of a folder of logs, or parts of an archive, are not read: they are damaged, of no known format, compressed in an unknown way, or larger than the limit.";
    LOG_CHANGED = 566: "A record of a journal does not follow the record before it: by its number or its checksum, records were removed, changed or exchanged.";
}

/// All codes with their explanations, in order.
pub fn all_codes() -> impl Iterator<Item = (Code, &'static str)> {
    ALL.iter().copied()
}

/// The explanation of a code, if it exists.
pub fn explanation(code: Code) -> Option<&'static str> {
    ALL.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
