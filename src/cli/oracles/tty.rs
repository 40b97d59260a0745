//! An oracle that is a person: questions on standard error, answers from standard input.

use super::reading::{lists_choices, read};
use crate::layout::wrapped;
use crate::terminal::{eprint, escape, escape_lines};
use std::fmt::Write;
use std::io::{BufRead, IsTerminal, Read};
use tsl_synth_agents::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};

/// Longer lines are split, and a text ends when it is longer; in bytes.
const LINE: u64 = 1 << 20;
/// How often a person is asked the same question before an invalid answer is an error.
const TRIES: u32 = 20;
/// The largest width of the text in columns, however wide the terminal is.
const WIDTH: usize = 90;

/// A person at the terminal.
pub(super) struct Tty {
    color: bool,
    /// Whether the hint on how to leave was printed.
    reported: bool,
}

/// Styles of a text, as numbers of the escape sequence.
#[derive(Clone, Copy)]
enum TextStyle {
    Title,
    Quoted,
    Key,
    Note,
    Wrong,
}

impl TextStyle {
    fn code(self) -> &'static str {
        match self {
            Self::Title => "1;36",
            Self::Quoted => "36",
            Self::Key => "1;33",
            Self::Note => "2",
            Self::Wrong => "31",
        }
    }
}

impl Tty {
    /// A person at the terminal, who is asked with or without colors.
    pub(super) fn new(color: bool) -> Self {
        Self { color, reported: false }
    }

    fn styled(&self, style: TextStyle, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", style.code())
        } else {
            text.into()
        }
    }

    /// An untrusted text, escaped and wrapped, each line in this style.
    fn lines(&self, style: Option<TextStyle>, text: &str) -> String {
        let width = console::Term::stderr()
            .size_checked()
            .map_or(WIDTH, |(_, columns)| usize::from(columns))
            .clamp(30, WIDTH);
        let mut out = String::new();
        for line in escape_lines(text).trim_matches('\n').lines() {
            let pieces = if line.trim().is_empty() { vec![String::new()] } else { wrapped(line, width - 2) };
            for piece in pieces {
                let piece = style.map_or(piece.clone(), |style| self.styled(style, &piece));
                let _ = writeln!(out, "  {piece}");
            }
        }
        out
    }

    /// The question: its subject, the prompt with the text in question highlighted, and the choices.
    fn question(&self, request: &OracleRequest) -> String {
        let title = match request.kind {
            AnswerKind::Predicate => "Does it hold?",
            AnswerKind::Choose => "Choose one",
            AnswerKind::ChooseMany => "Choose some",
            AnswerKind::Generate => "Write",
            AnswerKind::Score => "Score each",
            AnswerKind::Message => "Your turn",
            AnswerKind::Act => "What happens?",
            AnswerKind::Imagine => "What would happen?",
            AnswerKind::Translate => "Translate",
        };
        let mut text = String::from("\n");
        let _ = writeln!(
            text,
            "{}  {}",
            self.styled(TextStyle::Title, title),
            self.styled(TextStyle::Note, &escape(&request.subject))
        );
        let about = request.about.trim();
        match request.prompt.split_once(about).filter(|_| !about.is_empty()) {
            Some((before, after)) => {
                for (style, part) in [(None, before), (Some(TextStyle::Quoted), about), (None, after)] {
                    text += &self.lines(style, part);
                }
            }
            None => text += &self.lines(None, &request.prompt),
        }
        if !request.choices.is_empty() && !lists_choices(request) {
            let width = request.choices.len().to_string().len();
            for (i, choice) in request.choices.iter().enumerate() {
                let number = self.styled(TextStyle::Key, &format!("{:>width$}", i + 1));
                let _ = writeln!(text, "  {number}  {}", escape(choice));
            }
        }
        text
    }

    fn sign(&mut self, request: &OracleRequest, terminal: bool) -> String {
        let n = request.choices.len();
        let sign = match request.kind {
            AnswerKind::Predicate => "[y/n]".to_string(),
            AnswerKind::Choose => format!("[1-{n}]"),
            AnswerKind::ChooseMany => format!("[numbers 1-{n}]"),
            AnswerKind::Score => format!("[{n} numbers]"),
            AnswerKind::Message => String::new(),
            AnswerKind::Generate | AnswerKind::Act | AnswerKind::Imagine | AnswerKind::Translate => {
                "[an empty line ends the text]".into()
            }
        };
        let mut text = String::new();
        if terminal && !self.reported {
            self.reported = true;
            let _ = writeln!(text, "  {}", self.styled(TextStyle::Note, "(Ctrl-D leaves)"));
        }
        let space = if sign.is_empty() { "" } else { " " };
        let _ = write!(
            text,
            "{}{space}{} ",
            self.styled(TextStyle::Note, &sign),
            self.styled(TextStyle::Key, ">")
        );
        text
    }
}

/// A line without its end; `None` at the end of the input.
fn line(input: &mut impl BufRead) -> Result<Option<String>, OracleError> {
    let mut line = Vec::new();
    let read = input.by_ref().take(LINE).read_until(b'\n', &mut line);
    match read {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string())),
        Err(error) => Err(OracleError::Unavailable(format!("standard input cannot be read: {error}"))),
    }
}

/// Lines up to an empty one or the end of the input; `None` when there is none. Empty lines before the text do not count.
fn paragraphs(input: &mut impl BufRead) -> Result<Option<String>, OracleError> {
    let mut text: Vec<String> = Vec::new();
    while let Some(line) = line(input)? {
        match line.trim().is_empty() {
            true if text.is_empty() => {}
            true => break,
            false => text.push(line),
        }
        if text.iter().map(String::len).sum::<usize>() as u64 > LINE {
            break;
        }
    }
    Ok(if text.is_empty() { None } else { Some(text.join("\n")) })
}

impl Oracle for Tty {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        let stdin = std::io::stdin();
        let terminal = stdin.is_terminal();
        let mut input = stdin.lock();
        eprint(&self.question(request));
        let mut tries = 0;
        loop {
            eprint(&self.sign(request, terminal));
            let given = match request.kind {
                AnswerKind::Generate | AnswerKind::Act | AnswerKind::Imagine | AnswerKind::Translate => {
                    paragraphs(&mut input)?
                }
                _ => line(&mut input)?,
            };
            if !terminal {
                eprint("\n");
            }
            let Some(given) = given else {
                if terminal {
                    eprint("\n");
                }
                return Err(OracleError::Ended("the person at the terminal left".into()));
            };
            tries += 1;
            let checked = read(request, &given).and_then(|answer| {
                let checked = answer.check(request).map_err(|why| OracleError::invalid(&given, why));
                checked.map(|()| answer)
            });
            match checked {
                Ok(answer) => return Ok(answer),
                Err(error) if terminal && tries < TRIES => {
                    let wrong = self.styled(TextStyle::Wrong, &escape(&error.to_string()));
                    eprint(&format!("  {wrong}\n"));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_at_an_empty_line() {
        let mut input = "\n \na\nb\n\nc".as_bytes();
        assert_eq!(paragraphs(&mut input), Ok(Some("a\nb".into())));
        assert_eq!(paragraphs(&mut input), Ok(Some("c".into())));
        assert_eq!(paragraphs(&mut input), Ok(None));
    }

    #[test]
    fn nothing_deceptive_is_asked() {
        let request =
            OracleRequest::new(AnswerKind::Choose, "s\u{1b}[2J", "Which\u{7}?\u{1b}]0;x\u{7}\n\u{202e}abc")
                .about("\u{1b}]0;x\u{7}")
                .choices(["\u{9b}31mred"]);
        let asked = Tty::new(false).question(&request);
        assert!(asked.chars().all(|c| c == '\n' || !c.is_control()), "{asked:?}");
        assert!(!asked.contains('\u{202e}') && asked.contains("\\u{1b}"), "{asked}");
    }
}
