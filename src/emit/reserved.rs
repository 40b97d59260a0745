//! Words that are not available as identifiers, per target.

pub(super) use lists::{C, CSHARP, GO, JS, LTL, LUA, PYTHON, RUST, VERILOG};

#[rustfmt::skip]
mod lists {
    /// Reserved in JavaScript and TypeScript, strict mode and module scope included, and members that every object
    /// inherits.
    pub(crate) const JS: &[&str] = &[
        "abstract", "accessor", "any", "arguments", "as", "asserts", "assert", "async", "await", "bigint",
        "boolean", "break", "case", "catch", "class", "const", "constructor", "continue", "debugger",
        "declare", "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false",
        "finally", "for", "from", "function", "get", "global", "globalThis", "if", "implements", "import",
        "in", "infer", "Infinity", "instanceof", "interface", "intrinsic", "is", "keyof", "let", "module",
        "namespace", "NaN", "never", "new", "null", "number", "object", "of", "out", "override", "package",
        "private", "protected", "public", "readonly", "require", "return", "satisfies", "set", "static",
        "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof",
        "undefined", "unique", "unknown", "using", "var", "void", "while", "with", "yield", "prototype",
        "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
        "proto", "defineGetter", "defineSetter", "lookupGetter", "lookupSetter", "then", "toJSON", "name",
        "length", "caller", "apply", "call", "bind", "process", "window", "document", "exports",
    ];

    /// Reserved in Python: keywords, soft keywords, the built-in functions and types the code uses, and members
    /// of enumerations and data classes.
    pub(crate) const PYTHON: &[&str] = &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
        "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "match", "case", "type", "nonlocal", "not", "or", "pass", "raise", "return", "try",
        "while", "with", "yield", "self", "cls", "str", "int", "float", "bool", "dict", "list", "tuple",
        "set", "object", "name", "value", "mro", "names", "values", "print", "exec", "eval", "super",
        "property", "abc", "dataclass", "annotations", "typing", "enum", "json", "replace", "len", "range",
        "isinstance", "callable", "slots",
    ];

    /// Reserved in Rust: strict, reserved and weak keywords of all editions, and names of the prelude.
    pub(crate) const RUST: &[&str] = &[
        "abstract", "as", "async", "auto", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in",
        "let", "loop", "macro", "macro_rules", "match", "mod", "move", "mut", "override", "priv", "pub",
        "raw", "ref", "return", "safe", "self", "static", "struct", "super", "trait", "true", "try", "type",
        "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "bool", "char",
        "str", "i64", "f64", "u32", "Option", "Some", "None", "Result", "Ok", "Err", "Box", "Vec", "String",
        "Copy", "Clone", "Debug", "Eq", "Hash", "PartialEq", "PartialOrd", "Ord", "Default", "Drop", "Send",
        "Sync", "Sized", "Fn", "FnMut", "FnOnce", "Iterator", "From", "Into", "ToString", "ToOwned",
        "AsRef", "AsMut", "Extend", "core", "std", "alloc", "u8", "usize", "drop",
    ];

    /// Reserved in C and C++, and macros and types of the headers the code includes.
    pub(crate) const C: &[&str] = &[
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
        "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
        "volatile", "while", "bool", "true", "false", "asm", "typeof", "alignas", "alignof", "and",
        "and_eq", "bitand", "bitor", "catch", "class", "compl", "concept", "const_cast", "consteval",
        "constexpr", "constinit", "co_await", "co_return", "co_yield", "decltype", "delete", "dynamic_cast",
        "explicit", "export", "friend", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
        "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast",
        "requires", "static_assert", "static_cast", "template", "this", "thread_local", "throw", "try",
        "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq", "unix", "linux", "errno",
        "NULL", "int8_t", "int64_t", "uint32_t", "size_t", "offsetof", "assert", "main", "EOF", "stdin",
        "stdout", "stderr", "context", "i386", "char16_t", "char32_t", "char8_t", "int16_t", "int32_t",
        "uint8_t", "uint16_t", "uint64_t", "memset", "memcpy", "strlen", "snprintf",
    ];

    /// Reserved in Lua.
    pub(crate) const LUA: &[&str] = &[
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "global", "goto", "if", "in",
        "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "self",
    ];

    /// Reserved in Go: keywords, predeclared types and values, and names of packages. Other names begin in upper case.
    pub(crate) const GO: &[&str] = &[
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for",
        "func", "go", "goto", "if", "import", "interface", "map", "package", "range", "return",
        "select", "struct", "switch", "type", "var", "any", "bool", "byte", "comparable", "complex64",
        "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64", "rune",
        "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "true", "false", "iota",
        "nil", "main", "init", "errors", "fmt", "math", "strings", "testing", "internal", "vendor",
    ];

    /// Reserved in C#: keywords, and members of every object and of classes of the code. Words that are keywords only in places
    /// may be names there, which begin in upper case.
    pub(crate) const CSHARP: &[&str] = &[
        "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class",
        "const", "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event",
        "explicit", "extern", "false", "finally", "fixed", "float", "for", "foreach", "goto", "if",
        "implicit", "in", "int", "interface", "internal", "is", "lock", "long", "namespace", "new",
        "null", "object", "operator", "out", "override", "params", "private", "protected", "public",
        "readonly", "ref", "return", "sbyte", "sealed", "short", "sizeof", "stackalloc", "static",
        "string", "struct", "switch", "this", "throw", "true", "try", "typeof", "uint", "ulong",
        "unchecked", "unsafe", "ushort", "using", "virtual", "void", "volatile", "while", "async",
        "await", "dynamic", "equals", "global", "partial", "record", "var", "yield", "GetHashCode",
        "GetType", "ToString", "MemberwiseClone", "ReferenceEquals", "Finalize", "Inputs", "Cells",
        "Predicates", "Updates", "Environment", "Controller", "Machine", "Copy", "System", "Dispose",
    ];

    /// Reserved in Verilog and SystemVerilog.
    pub(crate) const VERILOG: &[&str] = &[
        "accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert", "assign",
        "assume", "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break", "buf", "bufif0",
        "bufif1", "byte", "case", "casex", "casez", "cell", "chandle", "checker", "class", "clocking", "cmos",
        "config", "const", "constraint", "context", "continue", "cover", "covergroup", "coverpoint", "cross",
        "deassign", "default", "defparam", "design", "disable", "dist", "do", "edge", "else", "end", "endcase",
        "endchecker", "endclass", "endclocking", "endconfig", "endfunction", "endgenerate", "endgroup",
        "endinterface", "endmodule", "endpackage", "endprimitive", "endprogram", "endproperty", "endspecify",
        "endsequence", "endtable", "endtask", "enum", "event", "eventually", "expect", "export", "extends",
        "extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin", "function",
        "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins",
        "illegal_bins", "implements", "implies", "import", "incdir", "include", "initial", "inout", "input",
        "inside", "instance", "int", "integer", "interconnect", "interface", "intersect", "join", "join_any",
        "join_none", "large", "let", "liblist", "library", "local", "localparam", "logic", "longint",
        "macromodule", "matches", "medium", "modport", "module", "nand", "negedge", "nettype", "new",
        "nexttime", "nmos", "nor", "noshowcancelled", "not", "notif0", "notif1", "null", "or", "output",
        "package", "packed", "parameter", "pmos", "posedge", "primitive", "priority", "program", "property",
        "protected", "pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent",
        "pure", "rand", "randc", "randcase", "randsequence", "rcmos", "real", "realtime", "ref", "reg",
        "reject_on", "release", "repeat", "restrict", "return", "rnmos", "rpmos", "rtran", "rtranif0",
        "rtranif1", "s_always", "s_eventually", "s_nexttime", "s_until", "s_until_with", "scalared",
        "sequence", "shortint", "shortreal", "showcancelled", "signed", "small", "soft", "solve", "specify",
        "specparam", "static", "string", "strong", "strong0", "strong1", "struct", "super", "supply0",
        "supply1", "sync_accept_on", "sync_reject_on", "table", "tagged", "task", "this", "throughout",
        "time", "timeprecision", "timeunit", "tran", "tranif0", "tranif1", "tri", "tri0", "tri1", "triand",
        "trior", "trireg", "type", "typedef", "union", "unique", "unique0", "unsigned", "until",
        "until_with", "untyped", "use", "uwire", "var", "vectored", "virtual", "void", "wait", "wait_order",
        "wand", "weak", "weak0", "weak1", "while", "wildcard", "wire", "with", "within", "wor", "xnor", "xor",
    ];

    /// Reserved in LTL formulas: operators and constants.
    pub(crate) const LTL: &[&str] = &[
        "true", "false", "x", "f", "g", "u", "r", "v", "w", "m", "xor", "not", "and", "or", "t", "s", "y",
        "h", "o", "first", "last",
    ];
}
