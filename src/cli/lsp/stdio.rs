//! The messages of the protocol on standard input and output. `lsp_server` has a transport of its own, which ends at the
//! first message that is not well formed; here it is answered with an error (JSON-RPC 2.0, 5.1), and the next message is
//! read.

use crossbeam_channel::{Receiver, Sender, bounded};
use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::thread::{Builder, JoinHandle};

/// The only header that a message must have, in lower case.
const LENGTH: &str = "content-length:";
/// The most bytes of a header line that are read at once; what follows counts as another line.
const LINE_LIMIT: u64 = 1 << 16;
/// A longer message is refused.
const BODY_LIMIT: usize = 1 << 28;

/// The threads that read and write.
pub(super) struct StdioThreads {
    reader: JoinHandle<Result<(), String>>,
    writer: JoinHandle<()>,
}

impl StdioThreads {
    /// Waits for both threads. The error is about the first text that was no message, if no message was read at all.
    pub(super) fn join(self) -> Result<(), String> {
        let read = self.reader.join().unwrap_or_else(|_| Err("the thread that reads ended early".into()));
        let _ = self.writer.join();
        read
    }
}

/// The connection with the client, and the threads behind it.
pub(super) fn connect() -> io::Result<(Connection, StdioThreads)> {
    let (sender, outgoing) = bounded::<Message>(0);
    let (incoming, receiver) = bounded::<Message>(0);
    let writer = Builder::new().name("lsp-writer".into()).spawn(move || write_all(&outgoing))?;
    let reader = Builder::new().name("lsp-reader".into()).spawn(move || read_all(&incoming))?;
    Ok((Connection { sender, receiver }, StdioThreads { reader, writer }))
}

fn write_all(messages: &Receiver<Message>) {
    for message in messages {
        if message.write(&mut io::stdout().lock()).is_err() {
            return;
        }
    }
}

fn read_all(messages: &Sender<Message>) -> Result<(), String> {
    let mut input = io::stdin().lock();
    let (mut first, mut some) = (None, false);
    loop {
        match read_message(&mut input) {
            Ok(None) | Err(Malformed::Input) => break,
            Ok(Some(message)) => {
                some = true;
                let ends = matches!(&message, Message::Notification(note) if note.method == "exit");
                if messages.send(message).is_err() || ends {
                    break;
                }
            }
            Err(Malformed::Text(code, id, why)) => {
                let error = json!({ "code": code as i32, "message": why });
                let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
                first.get_or_insert(why);
                let mut output = io::stdout().lock();
                if write!(output, "Content-Length: {}\r\n\r\n{answer}", answer.len())
                    .and_then(|()| output.flush())
                    .is_err()
                {
                    break;
                }
            }
        }
    }
    first.filter(|_| !some).map_or(Ok(()), Err)
}

/// Why there is no message.
#[derive(Debug)]
enum Malformed {
    /// What was read is not one: the code of the error, the id of the request if it has one, and what is wrong.
    Text(ErrorCode, Value, String),
    /// Reading failed.
    Input,
}

impl Malformed {
    fn parse(why: impl Into<String>) -> Self {
        Self::Text(ErrorCode::ParseError, Value::Null, why.into())
    }
}

/// The next message; `None` at the end of the input. After an error the next call goes on behind the text that was
/// read, and finds the next header in what follows.
fn read_message(input: &mut dyn BufRead) -> Result<Option<Message>, Malformed> {
    let Some(length) = read_header(input)? else { return Ok(None) };
    let mut body = Vec::new();
    (&mut *input).take(length as u64).read_to_end(&mut body).map_err(|_| Malformed::Input)?;
    if body.len() < length {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(&body)
        .map_err(|error| Malformed::parse(format!("the message is not JSON: {error}")))?;
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned().unwrap_or_default();
    let has_id = value.get("id").is_some_and(|id| !id.is_null());
    match serde_json::from_value(value) {
        // A request whose id is malformed would be read as a notification.
        Ok(message) if !(has_id && matches!(message, Message::Notification(_))) => Ok(Some(message)),
        _ => {
            let why = "the message is neither a request nor a response nor a notification";
            Err(Malformed::Text(ErrorCode::InvalidRequest, id, why.into()))
        }
    }
}

/// The length of the body after a header; `None` at the end of the input. Lines that are no headers are passed over: if
/// the length of a message was wrong, they are the rest of it, and the next header may be on the last of them.
fn read_header(input: &mut dyn BufRead) -> Result<Option<usize>, Malformed> {
    let (mut length, mut begun) = (None, false);
    loop {
        let mut line = Vec::new();
        if (&mut *input).take(LINE_LIMIT).read_until(b'\n', &mut line).map_err(|_| Malformed::Input)? == 0 {
            let lost = begun.then(|| Malformed::parse("the input ends within a header"));
            return lost.map_or(Ok(None), Err);
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if text.is_empty() {
            match length {
                Some(length) => return Ok(Some(length)),
                None if begun => return Err(Malformed::parse("a header without `Content-Length: N`")),
                None => continue,
            }
        }
        begun = true;
        let Some(at) = text.to_ascii_lowercase().rfind(LENGTH) else { continue };
        let digits = text[at + LENGTH.len()..].trim();
        let number = digits.parse::<usize>().ok().filter(|&number| number <= BODY_LIMIT);
        if number.is_none() {
            let digits = digits.chars().take(40).collect::<String>();
            return Err(Malformed::parse(format!("`Content-Length` is no length of a message: `{digits}`")));
        }
        length = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error for what is not JSON, or has no header.
    const PARSE: &str = "-32700 null";

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// What is read from a text: methods of messages, and codes of errors with ids.
    fn read(text: &[u8]) -> Vec<String> {
        let mut input = text;
        let mut found = Vec::new();
        loop {
            match read_message(&mut input) {
                Ok(None) => return found,
                Ok(Some(Message::Notification(note))) => found.push(note.method),
                Ok(Some(Message::Request(request))) => found.push(request.method),
                Ok(Some(Message::Response(_))) => found.push("response".into()),
                Err(Malformed::Text(code, id, _)) => found.push(format!("{} {id}", code as i32)),
                Err(Malformed::Input) => panic!("a text can be read"),
            }
        }
    }

    #[test]
    fn after_a_malformed_message_the_next_one_is_read() {
        let next = frame("{\"jsonrpc\":\"2.0\",\"method\":\"next\"}");
        assert_eq!(read(next.as_bytes()), ["next"]);
        let cases: Vec<(Vec<u8>, &[&str])> = vec![
            (frame("{bad}").into(), &[PARSE]),
            (frame("").into(), &[PARSE]),
            (b"Content-Length: 2\r\n\r\n\xff\xff".to_vec(), &[PARSE]),
            (frame("[]").into(), &["-32600 null"]),
            (frame("{}").into(), &["-32600 null"]),
            (frame("{\"id\":7}").into(), &["-32600 7"]),
            (frame("{\"id\":\"7\",\"params\":{},\"method\":3}").into(), &["-32600 \"7\""]),
            (frame("{\"id\":[7],\"method\":\"m\"}").into(), &["-32600 null"]),
            (frame("{\"id\":7,\"result\":null}").into(), &["response"]),
            // Headers: no length, no number, too long, another one besides, in small letters, with plain ends of lines.
            (b"Content-Type: x\r\n\r\n".to_vec(), &[PARSE]),
            (b"Content-Length: x\r\n\r\n".to_vec(), &[PARSE]),
            (b"Content-Length: -1\r\n\r\n".to_vec(), &[PARSE]),
            (b"Content-Length: 99999999999999999999\r\n\r\n".to_vec(), &[PARSE]),
            (b"hello\r\n\r\n".to_vec(), &[PARSE]),
            (b"X: y\r\ncontent-length:3\n\n{ }".to_vec(), &["-32600 null"]),
            // A body that is longer than its header says: the rest is passed over.
            (b"Content-Length: 3\r\n\r\n{b}ad\r\n\r\n".to_vec(), &[PARSE, PARSE]),
            (b"\r\n\r\n".to_vec(), &[]),
        ];
        for (text, expected) in cases {
            let shown = String::from_utf8_lossy(&text).into_owned();
            let all = [&text[..], next.as_bytes(), next.as_bytes()].concat();
            let expected = [expected, &["next", "next"]].concat();
            assert_eq!(read(&all), expected, "{shown}");
        }
        // The rest of a body may stand before the next header, on its line.
        let text = format!("Content-Length: 3\r\n\r\n{{b}}ad{next}");
        assert_eq!(read(text.as_bytes()), [PARSE, "next"]);
        for cut in 1..next.len() {
            let found = read(&next.as_bytes()[..cut]);
            assert!(found.iter().all(|found| found == PARSE) && found.len() <= 1, "{cut}: {found:?}");
        }
    }
}
