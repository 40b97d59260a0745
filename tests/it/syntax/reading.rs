//! Parsing: precedence in all dialects, applications, definitions, declarations, LTL.

use tsl_synth_core::diag::{Code, Diagnostics};
use tsl_synth_core::source::{SourceMap, Span};
use tsl_synth_lang::syntax::ast::{
    AlternativeGuard, ExprId, ExprKind, Exprs, Item, Module, SectionKind, SortKind,
};
use tsl_synth_lang::syntax::{parse_tsl, parse_tsl_expression};
use tsl_synth_ltl::ltl::{LtlKind, parse_ltl, print_ltl};
use tsl_synth_ltl::operators::Dialect;

use super::corpus::render;

const OURS: Dialect = Dialect::TslSynth;

/// An expression with every operator in parentheses, however it was written.
fn shape(exprs: &Exprs, id: ExprId) -> String {
    let s = |id| shape(exprs, id);
    match exprs.kind(id) {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Real(t) => t.to_string(),
        ExprKind::Apply { function, arguments, .. } => {
            let arguments: Vec<String> = arguments.iter().map(|a| s(*a)).collect();
            format!("{}<{}>", s(*function), arguments.join(","))
        }
        ExprKind::Index { name, index, .. } => format!("{name}[{}]", s(*index)),
        ExprKind::Update { cell, index: None, value, .. } => format!("[{cell}<-{}]", s(*value)),
        ExprKind::Update { cell, index: Some(index), value, .. } => {
            format!("[{cell}[{}]<-{}]", s(*index), s(*value))
        }
        ExprKind::Unary(op, a) => format!("({} {})", op.spelling(), s(*a)),
        ExprKind::Timed { op, count, body } => {
            format!("({} {} {} {})", op.spelling(), op.time_word().unwrap_or_default(), s(*count), s(*body))
        }
        ExprKind::Every { body, period } => format!("({} every {})", s(*body), s(*period)),
        ExprKind::Bounded { op, low, high, body } => {
            let low = low.map_or_else(String::new, |l| s(l) + ":");
            format!("({}[{low}{}] {})", op.spelling(), s(*high), s(*body))
        }
        ExprKind::Binary(op, a, b) => format!("({} {} {})", s(*a), op.spelling(), s(*b)),
        ExprKind::BoundedBinary { op, low, high, left, right } => {
            format!("({} {}[{}:{}] {})", s(*left), op.spelling(), s(*low), s(*high), s(*right))
        }
        ExprKind::Big { op, binders, body } => format!("({}[{}] {})", op.spelling(), binders.len(), s(*body)),
        ExprKind::Set(elements) => {
            let elements: Vec<String> = elements.iter().map(|e| s(*e)).collect();
            format!("{{{}}}", elements.join(","))
        }
        ExprKind::Progression { first, second, last } => {
            let second = second.map_or_else(String::new, |x| ",".to_owned() + &s(x));
            format!("{}{second}..{}", s(*first), s(*last))
        }
        ExprKind::Group(inner) => s(*inner),
    }
}

fn read(text: &str, dialect: Dialect) -> String {
    let mut map = SourceMap::new();
    let source = map.add("test", text);
    let mut found = Diagnostics::new();
    let span = Span::new(source, 0, text.len());
    match parse_tsl_expression(&map, span, dialect, &mut found) {
        Some(expression) => shape(&expression.exprs, expression.root),
        None => render(&map, &found),
    }
}

fn module(text: &str) -> Module {
    let mut map = SourceMap::new();
    let source = map.add("test", text);
    let mut found = Diagnostics::new();
    parse_tsl(&map, source, OURS, &mut found).unwrap_or_else(|| panic!("{text}\n{}", render(&map, &found)))
}

#[test]
fn precedence_in_all_dialects() {
    // text, ours, reactive-systems/tsltools, Barnard-PL-Labs/tsltools
    for (text, ours, tsltools, barnard) in [
        ("a && b -> c && d", "((a && b) -> (c && d))", "((a && b) -> (c && d))", "(((a && b) -> c) && d)"),
        ("a -> b -> c", "(a -> (b -> c))", "(a -> (b -> c))", "((a -> b) -> c)"),
        ("a || b && c", "(a || (b && c))", "(a || (b && c))", "((a || b) && c)"),
        ("a U b && c", "((a U b) && c)", "(a U (b && c))", "((a U b) && c)"),
        ("a U b U c", "(a U (b U c))", "(a U (b U c))", "((a U b) U c)"),
        ("a -> b U c", "(a -> (b U c))", "((a -> b) U c)", "((a -> b) U c)"),
        ("X X a && b", "((X (X a)) && b)", "((X (X a)) && b)", "(X (X (a && b)))"),
        ("! X a && b", "((! (X a)) && b)", "((! (X a)) && b)", "(! (X (a && b)))"),
        ("G F a -> b", "((G (F a)) -> b)", "((G (F a)) -> b)", "(G (F (a -> b)))"),
        ("p && X !p -> q", "((p && (X (! p))) -> q)", "((p && (X (! p))) -> q)", "(p && (X (! (p -> q))))"),
        ("a R b W c", "(a R (b W c))", "(a R (b W c))", "((a R b) W c)"),
        ("a W b U c", "(a W (b U c))", "((a W b) U c)", "((a W b) U c)"),
        ("[on] R x", "", "", ""),
        (
            "x + 2 * y > 3 && p x",
            "(((x + (2 * y)) > 3) && p<x>)",
            "(((x + (2 * y)) > 3) && p<x>)",
            "((((x + 2) * y) > 3) && p<x>)",
        ),
        ("a <-> b -> c", "(a <-> (b -> c))", "(a <-> (b -> c))", "((a <-> b) -> c)"),
        ("!a = b", "(! (a = b))", "(! (a = b))", "(! (a = b))"),
        ("f g(x)", "f<g<x>>", "f<g,x>", "f<g,x>"),
        ("f -1", "(f - 1)", "(f - 1)", "f<-1>"),
    ] {
        if ours.is_empty() {
            continue;
        }
        assert_eq!(read(text, OURS), ours, "{text}");
        assert_eq!(read(text, Dialect::Tsltools), tsltools, "{text}");
        assert_eq!(read(text, Dialect::Barnard), barnard, "{text}");
    }
}

#[test]
fn terms_and_operators() {
    for (text, expected) in [
        ("f x y", "f<x,y>"),
        ("f(x, y)", "f<x,y>"),
        ("f(x)(y)", "f<x><y>"),
        ("f (x) (y)", "f<x,y>"),
        ("f(g x)", "f<g<x>>"),
        ("f(x y)", "f<x<y>>"),
        ("eq (inc a) b", "eq<inc<a>,b>"),
        ("eq x c()", "eq<x,c<>>"),
        ("c ()", "c<>"),
        ("c+1", "(c + 1)"),
        ("c -1", "(c - 1)"),
        ("-1", "-1"),
        ("- x * 2", "((- x) * 2)"),
        ("p x + 1 >= 2.5", "((p<x> + 1) >= 2.5)"),
        ("[x<-y]", "[x<-y]"),
        ("[x ← f(y)]", "[x<-f<y>]"),
        ("[x ֋ y]", "[x<-y]"),
        ("![x <- y]", "(! [x<-y])"),
        ("!!a", "(! (! a))"),
        ("X!a", "(X (! a))"),
        ("X[x <- y]", "(X [x<-y])"),
        ("X G a", "(X (G a))"),
        ("X[3] a", "(X[3] a)"),
        ("F[0:n+1] a", "(F[0:(n + 1)] a)"),
        ("a AND NOT b IMPLIES c OR d", "((a && (! b)) -> (c || d))"),
        ("a EQUIV b", "(a <-> b)"),
        ("x GE 3 && y LEQ 4", "((x > 3) && (y <= 4))"),
        ("x /= 3", "(x != 3)"),
        ("&&[i IN {0,1}, 0 <= j < 3] F p i j && q", "((&&[2] (F p<i,j>)) && q)"),
        ("FORALL[i IN s (-) {u}] a", "(&&[1] a)"),
        ("a && &&[i IN s] b", "(a && (&&[1] b))"),
        ("a && [x <- t]", "(a && [x<-t])"),
        ("+[i IN s] i + 1", "((+[1] i) + 1)"),
        ("|s| > 2", "((SIZE s) > 2)"),
        ("| s (+) t | = |u|", "((SIZE (s (+) t)) = (SIZE u))"),
        ("p {1,3..7}", "p<{1,3..7}>"),
        ("p {} {a}", "p<{},{a}>"),
        ("a A b S c T d M e", "(a A (b S (c T (d M e))))"),
        ("Y a && O b && H[0:2] c", "(((Y a) && (O b)) && (H[0:2] c))"),
        ("xor [b <- true] [b <- false]", "xor<[b<-true],[b<-false]>"),
        ("room.light' && @x", "(room.light' && @x)"),
        ("(a) && ((b))", "(a && b)"),
        ("a // comment\n && /* one /* two */ */ b", "(a && b)"),
        ("inMarket(summary)", "inMarket<summary>"),
    ] {
        assert_eq!(read(text, OURS), expected, "{text}");
    }
    for text in ["", "a b;", "a; b", "a,", "[x <- a", "a)", "{", "a && {b}", "1 2", "a 'b'", "\u{7}"] {
        let found = read(text, OURS);
        assert!(found.contains("error TSL") || text == "a && {b}", "{text}: {found}");
    }
}

#[test]
fn items() {
    let text = "#LIA\nimport \"a/b.tsl\" as Mod;\nimport \"c.tsl\" as C // the other\n\
        input a, b: Text, d; output o; saturating cell c: -1..N+0 = 0;\n"
        .replace("N+0", "N");
    let text = text
        + "cell light: enum {red, green} = red; cell heat: Real in -0.5..9; noisy predicate p: A -> 0..3 -> Bool;\n\
        f x y = x && y; g(x, y) = x;\n\
        h n = n == 0 : a\n  n == 1 : b\n  otherwise : c;\n\
        k n = n > 0 : h (n - 1) otherwise : b;\n\
        initially assume { a } always assume after 2 { b; } guarantee after N { c; d }\n\
        always guarantee { }";
    let module = module(&text);
    assert!(module.theory.is_some());
    let imports: Vec<_> = module
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Import(i) => Some(format!("{} {}", i.path.text, i.module.as_ref()?.text)),
            _ => None,
        })
        .collect();
    assert_eq!(imports, ["a/b.tsl Mod", "c.tsl C"]);
    let mut declared = Vec::new();
    for item in &module.items {
        if let Item::Declaration(d) = item {
            let names: Vec<&str> = d.names.iter().map(|n| &*n.text).collect();
            let sort = d.signature.as_ref().map_or(String::new(), |s| {
                let result = match &s.result.kind {
                    SortKind::Bool => "Bool".to_owned(),
                    SortKind::Range { low, high } => {
                        format!("{}..{}", shape(&module.exprs, *low), shape(&module.exprs, *high))
                    }
                    SortKind::Bounded { name, low, high } => {
                        let (low, high) = (shape(&module.exprs, *low), shape(&module.exprs, *high));
                        format!("{} in {low}..{high}", name.text)
                    }
                    SortKind::Enum(values) => format!("enum of {}", values.len()),
                    SortKind::Named(name) => name.to_string(),
                };
                format!("{} -> {result}", s.arguments.len())
            });
            declared.push(format!("{:?} {} {sort} {}", d.kind, names.join(","), d.modifiers.len()));
        }
    }
    let expected = [
        "Input a,b 0 -> Text 0",
        "Input d  0",
        "Output o  0",
        "Cell c 0 -> -1..N 1",
        "Cell light 0 -> enum of 2 0",
        "Cell heat 0 -> Real in -0.5..9 0",
        "Predicate p 2 -> Bool 1",
    ];
    assert_eq!(declared, expected);
    let definitions: Vec<_> = module
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Definition(d) => Some(format!(
                "{} {} {}",
                d.name.text,
                d.parameters.len(),
                d.alternatives
                    .iter()
                    .map(|a| match a.guard {
                        AlternativeGuard::None => shape(&module.exprs, a.body),
                        AlternativeGuard::When(g) => {
                            format!("{}:{} ", shape(&module.exprs, g), shape(&module.exprs, a.body))
                        }
                        AlternativeGuard::Otherwise(_) =>
                            format!("otherwise:{}", shape(&module.exprs, a.body)),
                    })
                    .collect::<String>()
            )),
            _ => None,
        })
        .collect();
    let expected = [
        "f 2 (x && y)",
        "g 2 x",
        "h 1 (n = 0):a (n = 1):b otherwise:c",
        "k 1 (n > 0):h<(n - 1)> otherwise:b",
    ];
    assert_eq!(definitions, expected);
    let sections: Vec<_> = module
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Section(s) => {
                Some((s.mode, s.kind == SectionKind::Assume, s.after.is_some(), s.clauses.len()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(sections.len(), 4);
    assert!(sections[0].1 && sections[1].2 && sections[2].2 && sections[2].3 == 2 && sections[3].3 == 0);
}

#[test]
fn other_readings_are_told_once_per_place() {
    let count = |text: &str| {
        let mut map = SourceMap::new();
        let source = map.add("test", text);
        let mut found = Diagnostics::new();
        assert!(parse_tsl(&map, source, OURS, &mut found).is_some(), "{text}");
        found.iter().filter(|d| d.code == Code::READ_DIFFERENTLY).count()
    };
    // Only of a text that bears a sign of another tool, here the arrow of old files.
    let section = |f: &str| format!("guarantee {{ [x ֋ x]; {f}; }}");
    for (formula, expected) in [
        ("a && b && c || d", 0),
        ("a && b -> c", 0),
        ("a -> (b U c)", 0),
        ("a <-> b <-> c", 0),
        ("a -> b U c", 1),
        ("a -> b -> c", 1),
        ("(a -> b U c) && (a || b && c)", 2),
        ("X X a", 0),
        ("G F a", 0),
        ("G (a -> F b)", 0),
        ("G F a && b", 1),
        ("[x <- x + 1] -> F a", 0),
        ("[x <- x + 1 * 2]", 1),
        ("f g(x)", 1),
        ("p (f -1)", 1),
        ("a && !b -> X c", 0),
    ] {
        assert_eq!(count(&section(formula)), expected, "{formula}");
        let headed = formula.starts_with("G ") && formula.contains("->");
        let plain = format!("guarantee {{ {formula}; }}");
        assert!(headed || count(&plain) == 0, "{plain}");
    }
    for sign in ["#LIA\n", "always assume { a AND b; }", "s = {a} (+) {b};", "assume { a A b; }"] {
        assert_eq!(count(&format!("{sign} guarantee {{ a -> b U c; }}")), 1, "{sign}");
    }
    // Barnard-PL-Labs/tsltools does not parse definitions, so that only the other tool is compared.
    assert_eq!(count("d = a;\nguarantee { G F a -> b; a -> b U c; }"), 1);
}

#[test]
fn ltl_is_read_as_spot_reads_it() {
    for (text, expected) in [
        ("GFa -> b U c & d", "G F a -> b U c & d"),
        ("[]<>a && !()b", "G F a & !X b"),
        ("a U b U c", "a U b U c"),
        ("(a U b) U c", "(a U b) U c"),
        ("a & b | c ^ d", "a & b | c ^ d"),
        ("a ^ b & c", "a ^ b & c"),
        ("(a ^ b) & c", "(a ^ b) & c"),
        ("a -> b <-> c", "a -> b <-> c"),
        ("(a -> b) <-> c", "(a -> b) <-> c"),
        ("a V b W c M d", "a R b W c M d"),
        ("1 & true | 0", "1 & 1 | 0"),
        ("not a xor b", "!a ^ b"),
        ("X[3] F[1:2] G[0..4] a", "X[3] F[1:2] G[0:4] a"),
        ("\"a b\" /\\ \"F\" \\/ X1", "\"a b\" & \"F\" | X1"),
        ("~a => b <=> c", "!a -> b <-> c"),
        ("F[2:$] a", "F[2:$] a"),
        ("Y Z O H a", "Y Z O H a"),
        ("a S b T c U d", "a S b T c U d"),
        ("(a S b) T !O c & d", "(a S b) T !O c & d"),
        ("Y[2] O[1:3] H[0..4] Z[1] O[1:$] a", "Y[2] O[1:3] H[0:4] Z[1] O[1:$] a"),
        // Letters of past operators are propositions where they cannot be operators.
        ("S & (T -> O) S G H", "\"S\" & (\"T\" -> \"O\") S G \"H\""),
        ("Ya & GO & OOa & !Z", "Ya & G \"O\" & OOa & !\"Z\""),
        ("O O U Y", "O \"O\" U \"Y\""),
        ("\"S\" S \"T\"", "\"S\" S \"T\""),
    ] {
        let mut map = SourceMap::new();
        let source = map.add("test", text);
        let mut found = Diagnostics::new();
        let Some(module) = parse_ltl(&map, source, &|_| false, &mut found) else {
            panic!("{text}\n{}", render(&map, &found));
        };
        assert_eq!(module.formulas.len(), 1, "{text}");
        assert_eq!(print_ltl(&module.exprs, module.formulas[0]), expected, "{text}");
    }
    let text = "// inputs: req, Go\n// outputs: grant, \"a b\"\nG (req\n  -> F grant)\nGo U grant; F \"a b\"\n\n(Go)\n";
    let mut map = SourceMap::new();
    let source = map.add("test", text);
    let module =
        parse_ltl(&map, source, &|name| name == "Xtra", &mut Diagnostics::new()).expect("it is well-formed");
    assert_eq!(module.formulas.len(), 4);
    let names = |n: &Option<Vec<tsl_synth_core::source::Name>>| -> Vec<String> {
        n.iter().flatten().map(|n| n.text.to_string()).collect()
    };
    assert_eq!(names(&module.inputs), ["req", "Go"]);
    assert_eq!(names(&module.outputs), ["grant", "a b"]);
    let LtlKind::Binary(_, left, _) = module.exprs.kind(module.formulas[1]) else { panic!("an until") };
    assert_eq!(*module.exprs.kind(*left), LtlKind::Proposition("Go".into()));
}

/// Formulas in spellings of other tools, and what they are here.
#[test]
fn other_spellings_of_ltl_are_read() {
    let read = |text: &str, names: &[&str]| {
        let mut map = SourceMap::new();
        let source = map.add("test", text);
        let mut found = Diagnostics::new();
        let module = parse_ltl(&map, source, &|name| names.contains(&name), &mut found);
        module
            .map(|module| {
                let formulas = module.formulas.iter().map(|&f| print_ltl(&module.exprs, f));
                formulas.collect::<Vec<_>>().join("; ")
            })
            .ok_or_else(|| render(&map, &found))
    };
    for (text, expected) in [
        // An operator that is glued to the formula before it, or to what follows it.
        ("(a)Ub", "a U b"),
        ("(Ga)RXb & (a)Vb", "G a R X b & a R b"),
        ("p=0Uq=1", "!p U q"),
        ("((p=1Rq=1)+p=0)UXq=0", "(p R q | !p) U X !q"),
        ("(Gq=1*Fp=0)UXq=0", "(G q & F !p) U X !q"),
        ("((p=1Mq=1)Wx+p=0)RXq=0", "((p M q) W x | !p) R X !q"),
        ("((Xp1=0)UFALSE)", "X !p1 U 0"),
        ("\"a b\"U\"c\"", "\"a b\" U c"),
        ("Ga Rb", "G a R b"),
        ("1U a | 0 R a", "1 U a | 0 R a"),
        ("door & (a Mdoor)", "door & a M door"),
        // Words in capitals, values that are words, long arrows.
        ("a AND NOT b OR c IMPLIES d", "a & !b | c -> d"),
        ("a XOR b EQUIV c", "a ^ b <-> c"),
        ("a = TRUE & b=false & c == 0 & d==1", "a & !b & !c & d"),
        ("a ==> b <==> c", "a -> b <-> c"),
        // A name on a line of its own begins a formula.
        ("(a)\nUb", "a; Ub"),
        ("a\nAND", "a; AND"),
    ] {
        assert_eq!(read(text, &[]), Ok(expected.to_string()), "{text}");
    }
    assert_eq!(read("(a)Ub", &["Ub"]).map_err(|error| error.contains("TSL0015")), Err(true));
    assert_eq!(read("NOT & always", &[]), Ok("NOT & always".to_string()));
    for (text, code, hint) in [
        ("a Ready", "TSL0015", ""),
        ("always (a)", "TSL0049", "write `G`"),
        ("a until b", "TSL0049", "write `U`"),
        ("AG a", "TSL0049", "write `G`"),
        ("a == b", "TSL0049", "<->"),
        ("| F a G b", "TSL0049", "`F a | G b`"),
        ("G i p0 F p1\n& a b", "TSL0049", "`G (p0 -> F p1)`"),
        ("ltl p { [] a }", "TSL0049", "[] (a -> <> b)"),
        ("LTLSPEC G a", "TSL0049", "formula alone"),
        ("never { true }", "TSL0049", "was made from"),
        ("{a;b}|->c", "TSL0049", "with `X`"),
        ("# x\na", "TSL0049", "begins with `//`"),
        ("-- x\na", "TSL0049", "begins with `//`"),
        ("assume G F a;\nG b", "TSL0049", "assume { G F a }"),
        ("[spec_unit u0]\nG a", "TSL0049", "leave these lines out"),
        ("{\"inputs\": []}", "TSL0049", "one on each line"),
        ("a ? b : c", "TSL0049", "one implication for each case"),
        ("G[<=3] a", "TSL0049", "`G[0:3]`"),
        ("F_[0,3] a", "TSL0049", "`G[0:3]`"),
        ("F{<3} a", "TSL0049", "`G[0:3]`"),
        ("3214 | b", "TSL0034", "between double quotes"),
    ] {
        let error = read(text, &[]).expect_err(text);
        assert!(error.contains(code) && error.contains(hint), "{text}: {error}");
        let wanted = usize::from(code == "TSL0049");
        assert!(wanted == 0 || error.matches("error").count() == 1, "{text}: {error}");
    }
}
