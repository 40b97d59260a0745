//! The registry of diagnostic codes. A code keeps its meaning for ever; `tsl-synth explain TSL0123` prints
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
    RESERVED = 17: "A reserved word is used as a name. The one-letter operators `A F G H M O R S T U W X Y`, the words in capitals such as `AND` or `MIN`, `true`, `false`, `if`, `otherwise` and the words of section headers cannot be names.";
    STRING = 18: "TSL has no text literals. Name the text with a constant: `[note <- greeting()]`.";
    CONDITIONAL = 19: "TSL has no conditional expression. Write one implication for each case: `(c -> a) && (!c -> b)`.";
    BRACES = 20: "Braces group formulas of a section or elements of a set. Inside of a formula only parentheses group.";
    GLUED_OPERATORS = 21: "`XX a` would be the predicate `XX` applied to `a`. Temporal operators are written apart: `X X a`. A name like `GF` can be used where it is declared or defined.";
    PATTERN = 22: "Pattern matching with `~` is not supported.";
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
    READ_DIFFERENTLY = 40: "Another TSL tool reads this formula differently, because its operators bind differently. Parentheses make it the same everywhere; `--dialect tsltools` or `--dialect barnard` reads a file their way.";
    ACROSS_LINES = 41: "A name is applied to what stands on the next line. Perhaps a `;` is missing.";
    LIKE_A_CONSTANT = 42: "The constants are `true` and `false`, in small letters. Any other spelling is the name of an input.";
    TOO_MANY = 43: "The file has more errors than are shown.";
    BAD_BOUNDS = 44: "Bounds are `X[n]`, `F[n:m]`, `G[n:m]`.";
    BAD_PROPOSITION = 45: "An LTL proposition is a name or a text between double quotes.";
    BAD_HEADER = 46: "The first lines of an LTL file may say `// inputs: a, b` and `// outputs: c`.";
    UNREALIZABLE = 300: "No controller keeps the specification: whatever it does, the environment can keep all assumptions and make some guarantee fail. The places are guarantees that cannot be kept together.";
    UNSATISFIABLE_ASSUMPTIONS = 301: "No environment can keep all assumptions. Then every controller is right, and REALIZABLE says nothing.";
    FALSIFIABLE_ASSUMPTION = 302: "The system can make an assumption false by its own updates, whatever the environment does. Assumptions are about the environment; what the system decides is stated as a guarantee.";
    ONLY_BY_FALSIFYING = 303: "The specification is realizable, but only because the controller may make an assumption false by its own updates; when these assumptions are made guarantees, there is no controller.";
    IMPLIED_GUARANTEE = 304: "A guarantee holds wherever the assumptions and the other guarantees hold. It says nothing new, or something else was meant.";
    NO_ANSWER = 305: "A limit (time, memory, size, bound) was reached before there was a certified answer.";
    UNINTERPRETED_ARITHMETIC = 306: "Arithmetic or comparisons in the specification are not computed but left to the environment, so a controller that relies on them is not found. Declare the cells with a finite range (`cell c: 0..9 = 0;`) to have them followed exactly.";
}

/// All codes with their explanations, in order.
pub fn all_codes() -> impl Iterator<Item = (Code, &'static str)> {
    ALL.iter().copied()
}

/// The explanation of a code, if it exists.
pub fn explanation(code: Code) -> Option<&'static str> {
    ALL.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
