// Colors for TSL, TLSF and LTL: words and symbols, one token after the other.

import { StreamLanguage } from "@codemirror/language";

const words = (text) => new Set(text.split(" "));

const TLSF_WORDS = "AND OR NOT IMPLIES EQUIV FORALL EXISTS IN ELEM SIZE SIZEOF MIN MAX SUM PROD CUP CAP SETMINUS";

const LANGUAGES = {
  tsl: {
    keyword: words("initially always assume guarantee after import as otherwise"),
    typeName: words("input output cell predicate function enum Bool noisy saturating wrapping"),
    atom: words("true false"),
    operatorKeyword: words(`X F G Y Z O H U W R M A S T ${TLSF_WORDS}`),
  },
  tlsf: {
    keyword: words(
      "INFO GLOBAL MAIN PARAMETERS DEFINITIONS INPUTS OUTPUTS INITIALLY PRESET REQUIRE REQUIREMENTS ASSERT INVARIANTS ASSUME ASSUMPTIONS GUARANTEE GUARANTEES TITLE DESCRIPTION SEMANTICS TARGET TAGS otherwise",
    ),
    typeName: words("Mealy Moore Strict Finite enum"),
    atom: words("true false"),
    operatorKeyword: words(`X F G U W R ${TLSF_WORDS}`),
  },
  ltl: {
    keyword: words("assume guarantee"),
    typeName: words(""),
    atom: words("true false 0 1"),
    operatorKeyword: words("X F G Y Z O H U R V W M S T and or not xor implies iff"),
  },
};

const WORD = /^[\p{L}_@][\p{L}\p{M}\p{Nd}_@']*(?:\.[\p{L}\p{M}\p{Nd}_@']+)*/u;
const NUMBER = /^[0-9]+(?:\.[0-9]+)?/;
const SYMBOL = /^(?:<->|<=>|->|=>|<-|←|&&|\|\||\/\\|\\\/|!=|<=|>=|==|[-+*/%!=<>&|~^])/;

function token(language, kinds, stream, state) {
  if (state.depth > 0 || stream.match("/*")) {
    if (state.depth === 0) state.depth = 1;
    while (state.depth > 0 && !stream.eol()) {
      if (stream.match("/*")) state.depth += 1;
      else if (stream.match("*/")) state.depth -= 1;
      else stream.next();
    }
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return "string";
  if (language === "tsl" && stream.sol() && stream.match(/^#.*/)) return "meta";
  const word = stream.match(WORD);
  if (word) {
    for (const [kind, set] of Object.entries(kinds)) if (set.has(word[0])) return kind;
    return stream.match(/^\s*\(/, false) ? "variableName.function" : "variableName";
  }
  if (stream.match(NUMBER)) return "number";
  if (stream.match(SYMBOL)) return "operator";
  if (/[[\](){}]/.test(stream.peek())) {
    stream.next();
    return "bracket";
  }
  stream.next();
  return null;
}

/** The language of files with this ending. */
export const language = (ending) =>
  StreamLanguage.define({
    name: ending,
    startState: () => ({ depth: 0 }),
    copyState: (state) => ({ ...state }),
    token: (stream, state) => token(ending, LANGUAGES[ending], stream, state),
    indent: (state, after, context) => {
      const before = context.lineAt(context.pos, -1);
      const base = context.lineIndent(context.pos, -1);
      if (state.depth > 0) return base;
      const opens = /\{[^}]*$/.test(before.text);
      return Math.max(0, base + (opens ? context.unit : 0) - (/^\s*\}/.test(after) && !opens ? context.unit : 0));
    },
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
  });
