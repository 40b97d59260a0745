//! Reads the sections of a TLSF file.

use super::expressions::TlsfReader;
use super::words::{TlsfWord, TlsfWordKind, words};
use super::{
    EnumDefinition, MainSection, Semantics, TlsfDefinition, TlsfId, TlsfModel, TlsfModule, TlsfSignal,
};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::scan::scan;

/// Parses a TLSF file. Findings are added to `diagnostics`; `None` if there are errors.
pub fn parse_tlsf(map: &SourceMap, source: SourceId, diagnostics: &mut Diagnostics) -> Option<TlsfModule> {
    let mut found = Diagnostics::new();
    let module = parse_tlsf_partly(map, source, &mut found);
    let failed = found.has_errors();
    diagnostics.append(found);
    module.filter(|_| !failed)
}

/// Parses a TLSF file as far as possible in spite of errors: parts that cannot be parsed are missing or replaced by
/// `true`. `None` if brackets nest too deep or a comment is not closed.
pub fn parse_tlsf_partly(
    map: &SourceMap,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<TlsfModule> {
    let text = map.get(source).text.as_str();
    scan(text, Span::new(source, 0, text.len()), true, diagnostics)?;
    let mut file = File {
        reader: TlsfReader::new(text, words(text, source)),
        module: TlsfModule {
            source,
            title: None,
            semantics: Semantics::default(),
            target: TlsfModel::Mealy,
            parameters: Vec::new(),
            enums: Vec::new(),
            definitions: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            sections: Vec::new(),
            implied: Vec::new(),
            exprs: super::TlsfExprs::new(),
        },
        target: None,
    };
    file.read();
    let File { reader, mut module, target } = file;
    module.exprs = reader.exprs;
    module.implied = reader.implied;
    module.target = target.unwrap_or(module.semantics.model);
    let mut found = reader.diagnostics;
    found.sort();
    let failed = found.has_errors();
    // If there are errors, warnings about how LTL reads a formula are dropped.
    let wanted = found.into_iter().filter(|d| !failed || d.code != Code::READ_DIFFERENTLY);
    wanted.for_each(|d| diagnostics.push(d));
    Some(module)
}

/// The section of `MAIN` of this name.
fn part(word: &str) -> Option<MainSection> {
    Some(match word {
        "INITIALLY" => MainSection::Initially,
        "PRESET" => MainSection::Preset,
        "REQUIRE" | "REQUIREMENTS" => MainSection::Require,
        "ASSERT" | "INVARIANTS" => MainSection::Assert,
        "ASSUME" | "ASSUMPTIONS" => MainSection::Assume,
        "GUARANTEE" | "GUARANTEES" => MainSection::Guarantee,
        _ => return None,
    })
}

struct File<'a> {
    reader: TlsfReader<'a>,
    module: TlsfModule,
    target: Option<TlsfModel>,
}

impl<'a> File<'a> {
    fn is(&self, text: &str) -> bool {
        let word = self.reader.peek();
        word.text == text && word.sort == TlsfWordKind::Symbol
    }
    fn take(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.reader.at += usize::from(is);
        is
    }
    /// Whether the next word is `text`, which is consumed; an error otherwise.
    fn expect(&mut self, text: &str, hint: &str) -> bool {
        if self.take(text) {
            return true;
        }
        let word = self.reader.peek();
        let message = format!("expected `{text}`, found {}", word.shown());
        self.reader.error(Code::BAD_SECTION, word.span, message, "", hint);
        false
    }
    /// A name, if there is one.
    fn name(&mut self, what: &str) -> Option<Name> {
        let word = self.reader.peek();
        if word.sort != TlsfWordKind::Word {
            let message = format!("expected {what}, found {}", word.shown());
            self.reader.error(Code::SYNTAX, word.span, message, "", "");
            return None;
        }
        self.reader.at += 1;
        let name = self.reader.name(word);
        if let Some(meaning) = reserved(word.text) {
            let message = format!("`{}` is {meaning} and cannot be a name", word.text);
            self.reader.error(Code::RESERVED, word.span, message, "", "");
        }
        Some(name)
    }
    /// Skips to the position after the next `;` of this section, or to the end of the section.
    fn skip(&mut self) {
        let mut depth = 0usize;
        loop {
            let word = self.reader.peek();
            match word.text {
                _ if word.sort == TlsfWordKind::End => return,
                "{" => depth += 1,
                "}" if depth == 0 => return,
                "}" => depth -= 1,
                ";" if depth == 0 => {
                    self.reader.at += 1;
                    return;
                }
                _ => {}
            }
            self.reader.at += 1;
        }
    }
    /// Skips to the position after the `}` of the open section.
    fn leave(&mut self) {
        while !self.take("}") {
            if self.reader.peek().sort == TlsfWordKind::End {
                let word = self.reader.peek();
                let message = "`{` is not closed: expected `}` before the end of the text";
                self.reader.error(Code::NOT_CLOSED, word.span, message, "expected `}`", "");
                return;
            }
            self.skip();
        }
    }

    fn read(&mut self) {
        let (mut info, mut main) = (false, false);
        loop {
            let word = self.reader.next();
            match word.text {
                _ if word.sort == TlsfWordKind::End => break,
                "INFO" => {
                    info = true;
                    if self.expect("{", "") {
                        self.info();
                    }
                }
                "GLOBAL" => {
                    if self.expect("{", "") {
                        self.global();
                    }
                }
                "MAIN" => {
                    main = true;
                    if self.expect("{", "") {
                        self.main();
                    }
                }
                _ => {
                    let message = format!("{} stands outside of all sections", word.shown());
                    let hint = "a TLSF file is `INFO { .. } GLOBAL { .. } MAIN { .. }`";
                    self.reader.error(Code::STRAY, word.span, message, "", hint);
                    break;
                }
            }
        }
        for (found, section) in [(info, "INFO"), (main, "MAIN")] {
            if !found && self.reader.diagnostics.is_empty() {
                let at = Span { end: 0, start: 0, ..self.reader.peek().span };
                let message = format!("the section `{section}` is missing");
                let hint = "a TLSF file is `INFO { .. } GLOBAL { .. } MAIN { .. }`";
                self.reader.error(Code::BAD_SECTION, at, message, "", hint);
            }
        }
    }

    /// `TITLE: ".." DESCRIPTION: ".." SEMANTICS: Mealy,Strict TARGET: Mealy TAGS: a, b`
    /// A `;` after an entry is passed over, since some tools write it.
    fn info(&mut self) {
        while !self.take("}") {
            if self.take(";") {
                continue;
            }
            let key = self.reader.next();
            if key.sort == TlsfWordKind::End {
                self.reader.at -= 1;
                return self.leave();
            }
            let known = ["TITLE", "DESCRIPTION", "SEMANTICS", "TARGET", "TAGS"].contains(&key.text);
            if !known || key.sort != TlsfWordKind::Word {
                let message = format!("{} is not known in `INFO`", key.shown());
                let hint = "`INFO` has `TITLE`, `DESCRIPTION`, `SEMANTICS`, `TARGET` and `TAGS`";
                self.reader.error(Code::BAD_SECTION, key.span, message, "", hint);
                return self.leave();
            }
            if !self.expect(":", "") {
                return self.leave();
            }
            let values = self.values();
            match key.text {
                "TITLE" => self.title(&values),
                "SEMANTICS" => self.semantics(&values, key),
                "TARGET" => self.target(&values, key),
                _ => {}
            }
        }
    }

    /// Texts and words with commas between them.
    fn values(&mut self) -> Vec<TlsfWord<'a>> {
        let mut values = Vec::new();
        while matches!(
            self.reader.peek().sort,
            TlsfWordKind::String | TlsfWordKind::Word | TlsfWordKind::Number
        ) {
            values.push(self.reader.next());
            if !self.take(",") {
                break;
            }
        }
        values
    }

    fn title(&mut self, values: &[TlsfWord<'a>]) {
        if let [word] = values {
            self.module.title = Some(Name { text: word.text.trim_matches('"').into(), span: word.span });
        }
    }

    fn semantics(&mut self, values: &[TlsfWord<'a>], key: TlsfWord<'a>) {
        let mut semantics = Semantics::default();
        let mut model = None;
        for word in values {
            match word.text {
                "Mealy" if model.is_none() => model = Some(TlsfModel::Mealy),
                "Moore" if model.is_none() => model = Some(TlsfModel::Moore),
                "Strict" | "strict" => semantics.strict = true,
                "Finite" | "finite" => semantics.finite = true,
                _ => {
                    let message = format!("{} is no semantics", word.shown());
                    let hint = "`Mealy` or `Moore`, and `,Strict` or `,Finite` if wanted";
                    self.reader.error(Code::BAD_SECTION, word.span, message, "", hint);
                }
            }
        }
        if let Some(model) = model {
            self.module.semantics = Semantics { model, ..semantics };
        } else {
            let hint = "`SEMANTICS: Mealy` or `SEMANTICS: Moore`";
            self.reader.error(Code::BAD_SECTION, key.span, "the semantics names no model", "", hint);
        }
    }

    fn target(&mut self, values: &[TlsfWord<'a>], key: TlsfWord<'a>) {
        self.target = match values {
            [word] if word.text == "Mealy" => Some(TlsfModel::Mealy),
            [word] if word.text == "Moore" => Some(TlsfModel::Moore),
            _ => {
                let hint = "`TARGET: Mealy` or `TARGET: Moore`";
                self.reader.error(Code::BAD_SECTION, key.span, "the target is no model", "", hint);
                return;
            }
        };
    }

    fn global(&mut self) {
        while !self.take("}") {
            let word = self.reader.next();
            match word.text {
                "PARAMETERS" if self.expect("{", "") => {
                    while !self.ends() {
                        if !self.take(";") {
                            self.parameter();
                        }
                    }
                }
                "DEFINITIONS" if self.expect("{", "") => {
                    while !self.ends() {
                        if !self.take(";") {
                            self.definition();
                        }
                    }
                }
                _ => {
                    let message = format!("{} is not known in `GLOBAL`", word.shown());
                    let hint = "`GLOBAL` has `PARAMETERS { .. }` and `DEFINITIONS { .. }`";
                    self.reader.error(Code::BAD_SECTION, word.span, message, "", hint);
                    self.reader.at -= 1;
                    return self.leave();
                }
            }
        }
    }

    /// Whether the section ends here; its `}` is consumed.
    fn ends(&mut self) -> bool {
        if self.reader.peek().sort == TlsfWordKind::End {
            self.leave();
            return true;
        }
        self.take("}")
    }

    fn parameter(&mut self) {
        let Some(name) = self.name("the name of a parameter") else { return self.skip_some() };
        if !self.expect("=", "a parameter is `name = number;`") {
            return self.skip_some();
        }
        let at = self.reader.peek().span;
        match self.reader.clause() {
            Some(value) => self.module.parameters.push((name, value)),
            None => self.reader.error(Code::EMPTY_FORMULA, at, "a parameter without a value", "", ""),
        }
    }

    /// Skips at least one word, unless the section ends.
    fn skip_some(&mut self) {
        if !self.is("}") {
            let at = self.reader.at;
            self.skip();
            self.reader.at = self.reader.at.max(at + usize::from(!self.is("}")));
        }
    }

    fn definition(&mut self) {
        if self.reader.peek().text == "enum" {
            self.reader.at += 1;
            return self.enumeration();
        }
        let Some(name) = self.name("a definition") else { return self.skip_some() };
        let mut parameters = Vec::new();
        if self.take("(") && !self.take(")") {
            loop {
                let Some(parameter) = self.name("the name of a parameter") else { return self.skip_some() };
                parameters.push(parameter);
                if !self.take(",") {
                    break;
                }
            }
            if !self.expect(")", "") {
                return self.skip_some();
            }
        }
        if !self.expect("=", "a definition is `name(parameters) = expression;`") {
            return self.skip_some();
        }
        let alternatives = self.reader.alternatives();
        self.module.definitions.push(TlsfDefinition { name, parameters, alternatives });
    }

    /// `name = A: 00 B: 01,1*;`
    fn enumeration(&mut self) {
        let Some(name) = self.name("the name of an enumeration") else { return self.skip_some() };
        if !self.expect("=", "an enumeration is `enum name = A: 00 B: 01;`") {
            return self.skip_some();
        }
        let mut values = Vec::new();
        while !self.take(";") {
            if self.is("}") || self.reader.peek().sort == TlsfWordKind::End {
                break;
            }
            let Some(value) = self.name("a value of the enumeration") else { return self.skip_some() };
            if !self.expect(":", "a value is followed by its codes: `A: 00`") {
                return self.skip_some();
            }
            let mut codes = Vec::new();
            loop {
                let Some(code) = self.code() else { return self.skip_some() };
                codes.push(code);
                if !self.take(",") {
                    break;
                }
            }
            values.push((value, codes));
        }
        self.module.enums.push(EnumDefinition { name, values });
    }

    /// A word over `0`, `1` and `*`.
    fn code(&mut self) -> Option<Name> {
        let first = self.reader.peek();
        let mut span: Option<Span> = None;
        loop {
            let word = self.reader.peek();
            let part = !word.text.is_empty() && word.text.bytes().all(|b| matches!(b, b'0' | b'1' | b'*'));
            if !part || span.is_some_and(|s| s.end != word.span.start) {
                break;
            }
            span = Some(span.map_or(word.span, |s| s.to(word.span)));
            self.reader.at += 1;
        }
        let Some(span) = span else {
            let message = format!("expected a code over `0`, `1` and `*`, found {}", first.shown());
            self.reader.error(Code::BAD_DEFINITION, first.span, message, "", "");
            return None;
        };
        Some(Name { text: self.reader.text[span.range()].into(), span })
    }

    fn main(&mut self) {
        while !self.ends() {
            let word = self.reader.next();
            match word.text {
                "INPUTS" | "OUTPUTS" if self.expect("{", "") => {
                    let mut signals = Vec::new();
                    while !self.ends() {
                        // As in the format's tool, nothing stands for no signal.
                        if !self.take(";") {
                            signals.extend(self.signal());
                        }
                    }
                    let all = if word.text == "INPUTS" {
                        &mut self.module.inputs
                    } else {
                        &mut self.module.outputs
                    };
                    all.extend(signals);
                }
                text => match part(text) {
                    Some(part) if self.expect("{", "") => {
                        let mut clauses = Vec::new();
                        while !self.ends() {
                            clauses.extend(self.clause());
                        }
                        self.module.sections.push((part, clauses));
                    }
                    _ => {
                        let message = format!("{} is no section of `MAIN`", word.shown());
                        let hint = "`MAIN` has `INPUTS`, `OUTPUTS`, `INITIALLY`, `PRESET`, `REQUIRE`, `ASSERT`, `ASSUME` and `GUARANTEE`";
                        self.reader.error(Code::BAD_SECTION, word.span, message, "", hint);
                        self.reader.at -= 1;
                        return self.leave();
                    }
                },
            }
        }
    }

    fn clause(&mut self) -> Option<TlsfId> {
        if self.take(";") {
            return None;
        }
        self.reader.clause()
    }

    fn signal(&mut self) -> Option<TlsfSignal> {
        let Some(first) = self.name("the name of a signal") else {
            self.skip_some();
            return None;
        };
        let mut signal = TlsfSignal { name: first, size: None, sort: None };
        if self.reader.peek().sort == TlsfWordKind::Word {
            let name = self.name("the name of a signal")?;
            signal.sort = Some(std::mem::replace(&mut signal.name, name));
        }
        if self.is("[") {
            let open = self.reader.next();
            signal.size = self.reader.size();
            if signal.size.is_none() {
                self.reader.error(Code::EMPTY_FORMULA, open.span, "a bus without a width", "", "");
            }
        }
        if !self.take(";") && !self.is("}") {
            let word = self.reader.peek();
            let error =
                Diagnostic::error(Code::MISSING_SEMICOLON, format!("expected `;` before {}", word.shown()))
                    .at(word.span, "expected `;`")
                    .hint("every signal ends with `;`");
            self.reader.report(error);
            if word.sort != TlsfWordKind::Word {
                self.skip_some();
            }
        }
        Some(signal)
    }
}

/// Whether a word can be the name of a signal.
pub fn is_name(word: &str) -> bool {
    reserved(word).is_none()
}

/// A description of a reserved word of TLSF; `None` for other words.
pub(super) fn reserved(text: &str) -> Option<&'static str> {
    use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};
    Some(match text {
        "true" | "false" => "a constant",
        "otherwise" => "the last guard of a definition",
        "SIZEOF" => "an operator",
        "Y" | "Z" | "O" | "H" | "A" | "S" | "T" | "M" => return None,
        _ if UnaryOp::of_spelling(text).is_some()
            || BinaryOp::of_spelling(text).is_some()
            || BigOp::of_spelling(text).is_some() =>
        {
            "an operator"
        }
        _ if part(text).is_some() => "the name of a section",
        "INFO" | "GLOBAL" | "MAIN" | "INPUTS" | "OUTPUTS" | "PARAMETERS" | "DEFINITIONS" | "enum" => {
            "the name of a section"
        }
        _ => return None,
    })
}
