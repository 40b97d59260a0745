//! Identifiers. One injective mapper: letters, digits and `_` stay, everything else becomes a word or an
//! escape, reserved words get a trailing `_`, and a name that is taken (ignoring case) gets a number. Equal
//! inputs in equal order give equal outputs.

use rustc_hash::FxHashSet;

/// How the words of a name are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Case {
    /// As written where possible: `inCave_summary`.
    Keep,
    /// `in_cave_summary`
    Snake,
    /// `InCaveSummary`
    Pascal,
    /// `IN_CAVE_SUMMARY`
    Upper,
}

/// The longest identifier that is made, without a number against collisions.
const LONGEST: usize = 40;

/// Hands out identifiers of one scope.
#[derive(Clone, Debug)]
pub(super) struct Names {
    reserved: &'static [&'static [&'static str]],
    taken: FxHashSet<String>,
}

impl Names {
    /// A scope in which these words are not available, compared ignoring case.
    pub(super) fn new(reserved: &'static [&'static [&'static str]]) -> Self {
        Self { reserved, taken: FxHashSet::default() }
    }
    /// Makes a word unavailable.
    pub(super) fn reserve(&mut self, word: &str) {
        self.taken.insert(word.to_ascii_lowercase());
    }
    /// A fresh identifier for a name.
    pub(super) fn fresh(&mut self, name: &str, case: Case) -> String {
        let mut base = convert(name, case);
        let lower = base.to_ascii_lowercase();
        if self.reserved.iter().any(|list| list.iter().any(|word| word.eq_ignore_ascii_case(&lower))) {
            base.push('_');
        }
        let mut candidate = base.clone();
        let mut number = 2;
        while !self.taken.insert(candidate.to_ascii_lowercase()) {
            let separator = if base.ends_with('_') || case == Case::Pascal { "" } else { "_" };
            candidate = format!("{base}{separator}{number}");
            number += 1;
        }
        candidate
    }
}

/// The identifier of a name, before reserved words and collisions. Never empty, never starts with a digit.
pub(super) fn convert(name: &str, case: Case) -> String {
    let words = words(name);
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        match case {
            Case::Keep => {
                if i > 0 {
                    out.push('_');
                }
                out.push_str(word);
            }
            Case::Snake | Case::Upper => {
                for part in
                    humps(word).iter().flat_map(|hump| hump.split('_')).filter(|part| !part.is_empty())
                {
                    if !out.is_empty() {
                        out.push('_');
                    }
                    let lower = part.to_ascii_lowercase();
                    out.push_str(&if case == Case::Snake { lower } else { part.to_ascii_uppercase() });
                }
            }
            Case::Pascal => {
                for part in humps(word).iter().flat_map(|hump| hump.split('_')) {
                    let mut chars = part.chars();
                    if let Some(first) = chars.next() {
                        // Two numbers side by side must not become one.
                        if first.is_ascii_digit() && out.ends_with(|c: char| c.is_ascii_digit()) {
                            out.push('N');
                        }
                        out.push(first.to_ascii_uppercase());
                        out.push_str(&chars.as_str().to_ascii_lowercase());
                    }
                }
            }
        }
        if out.len() > LONGEST {
            break;
        }
    }
    out.truncate(LONGEST);
    let out = if case == Case::Keep { out.as_str() } else { out.trim_matches('_') };
    // Leading underscores mean something in most targets (private, mangled, reserved).
    let kept = out.trim_start_matches('_');
    let prefix = match case {
        _ if kept.len() < out.len() || kept.is_empty() => "x_",
        _ if kept.starts_with(|c: char| c.is_ascii_digit()) => "n_",
        _ => "",
    };
    match case {
        Case::Pascal => format!("{}{kept}", prefix.trim_end_matches('_').to_ascii_uppercase()),
        Case::Upper => format!("{}{kept}", prefix.to_ascii_uppercase()),
        Case::Keep | Case::Snake => format!("{prefix}{kept}"),
    }
}

/// The parts of a name that are valid in every target, with words for operators and escapes for the rest.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let escape = |words: &mut Vec<String>, text: &str| {
        words.push(text.to_owned());
        words.push(String::new());
    };
    for c in name.replace("<-", " gets ").chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => words.last_mut().expect("never empty").push(c),
            '+' => escape(&mut words, "plus"),
            '-' => escape(&mut words, "minus"),
            '*' => escape(&mut words, "times"),
            '/' => escape(&mut words, "over"),
            '%' => escape(&mut words, "mod"),
            '=' => escape(&mut words, "eq"),
            '>' => escape(&mut words, "gt"),
            '<' => escape(&mut words, "lt"),
            '\'' => escape(&mut words, "prime"),
            '@' => escape(&mut words, "at"),
            ' '..='~' => words.push(String::new()),
            _ => escape(&mut words, &format!("u{:04x}", u32::from(c))),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The parts of a word in camel case: `inCave` → `in`, `Cave`; `HTTPServer` → `HTTP`, `Server`.
fn humps(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    let mut cuts = vec![0];
    for i in 1..bytes.len() {
        let next_lower = bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase);
        let starts = bytes[i].is_ascii_uppercase()
            && (bytes[i - 1].is_ascii_lowercase()
                || bytes[i - 1].is_ascii_digit()
                || bytes[i - 1].is_ascii_uppercase() && next_lower);
        if starts {
            cuts.push(i);
        }
    }
    cuts.push(bytes.len());
    cuts.windows(2).map(|pair| &word[pair[0]..pair[1]]).collect()
}

/// Reserved in JavaScript and TypeScript, strict mode and module scope included, and what every object
/// inherits.
pub(super) const JS: &[&str] = &[
    "abstract",
    "accessor",
    "any",
    "arguments",
    "as",
    "asserts",
    "assert",
    "async",
    "await",
    "bigint",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "debugger",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "get",
    "global",
    "globalThis",
    "if",
    "implements",
    "import",
    "in",
    "infer",
    "Infinity",
    "instanceof",
    "interface",
    "intrinsic",
    "is",
    "keyof",
    "let",
    "module",
    "namespace",
    "NaN",
    "never",
    "new",
    "null",
    "number",
    "object",
    "of",
    "out",
    "override",
    "package",
    "private",
    "protected",
    "public",
    "readonly",
    "require",
    "return",
    "satisfies",
    "set",
    "static",
    "string",
    "super",
    "switch",
    "symbol",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unique",
    "unknown",
    "using",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "prototype",
    "toString",
    "toLocaleString",
    "valueOf",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "proto",
    "defineGetter",
    "defineSetter",
    "lookupGetter",
    "lookupSetter",
    "then",
    "toJSON",
    "name",
    "length",
    "caller",
    "apply",
    "call",
    "bind",
    "process",
    "window",
    "document",
    "exports",
];

/// Reserved in Python: keywords, soft keywords, the built-in functions and types the code uses, and members
/// of enumerations and data classes.
pub(super) const PYTHON: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "match",
    "case",
    "type",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "self",
    "cls",
    "str",
    "int",
    "float",
    "bool",
    "dict",
    "list",
    "tuple",
    "set",
    "object",
    "name",
    "value",
    "mro",
    "names",
    "values",
    "print",
    "exec",
    "eval",
    "super",
    "property",
    "abc",
    "dataclass",
    "annotations",
    "typing",
    "enum",
    "json",
    "replace",
    "len",
    "range",
    "isinstance",
    "callable",
    "slots",
];

/// Reserved in Rust: strict, reserved and weak keywords of all editions, and names of the prelude.
pub(super) const RUST: &[&str] = &[
    "abstract",
    "as",
    "async",
    "auto",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "macro_rules",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "raw",
    "ref",
    "return",
    "safe",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "union",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    "bool",
    "char",
    "str",
    "i64",
    "f64",
    "u32",
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "Box",
    "Vec",
    "String",
    "Copy",
    "Clone",
    "Debug",
    "Eq",
    "Hash",
    "PartialEq",
    "PartialOrd",
    "Ord",
    "Default",
    "Drop",
    "Send",
    "Sync",
    "Sized",
    "Fn",
    "FnMut",
    "FnOnce",
    "Iterator",
    "From",
    "Into",
    "ToString",
    "ToOwned",
    "AsRef",
    "AsMut",
    "Extend",
    "core",
    "std",
    "alloc",
    "u8",
    "usize",
    "drop",
];

/// Reserved in C and C++, and macros and types of the headers the code includes.
pub(super) const C: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "bool",
    "true",
    "false",
    "asm",
    "typeof",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "catch",
    "class",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
    "unix",
    "linux",
    "errno",
    "NULL",
    "int8_t",
    "int64_t",
    "uint32_t",
    "size_t",
    "offsetof",
    "assert",
    "main",
    "EOF",
    "stdin",
    "stdout",
    "stderr",
    "context",
    "i386",
    "char16_t",
    "char32_t",
    "char8_t",
    "int16_t",
    "int32_t",
    "uint8_t",
    "uint16_t",
    "uint64_t",
    "memset",
    "memcpy",
    "strlen",
    "snprintf",
];

/// Reserved in LTL formulas: operators and constants.
pub(super) const LTL: &[&str] = &[
    "true", "false", "x", "f", "g", "u", "r", "v", "w", "m", "xor", "not", "and", "or", "t", "s", "y", "h",
    "o", "first", "last",
];
