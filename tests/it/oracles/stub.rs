//! A server of chat completions with given replies.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A completion with this text.
    Says(String),
    /// A status, further headers, each ending in a line break, and a body.
    Raw(u16, String, String),
    /// Promises more bytes than it sends.
    Truncated,
    /// Sends a body of this many bytes.
    Long(usize),
    /// Sends nothing and keeps the connection.
    Hangs,
    /// Repeats the headers and the body of the request as the text of a completion.
    Repeats,
}

impl Reply {
    pub(crate) fn says(text: &str) -> Self {
        Self::Says(text.into())
    }
    /// A status with an error in the usual form.
    pub(crate) fn error(status: u16, headers: &str, message: &str) -> Self {
        Self::Raw(status, headers.into(), json!({"error": {"message": message}}).to_string())
    }
    /// Status 200 with this body.
    pub(crate) fn body(body: &str) -> Self {
        Self::Raw(200, String::new(), body.into())
    }
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Arrived {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// What is replied to a body.
type ReplyTo = Arc<dyn Fn(&Value) -> Reply + Send + Sync>;

/// The server: a thread of its own until the test ends.
pub(crate) struct Stub {
    pub(crate) port: u16,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Stub {
    /// A server with these replies in turn; the last one is repeated.
    pub(crate) fn new(replies: Vec<Reply>) -> Self {
        Self::serving(move |next| {
            let reply = replies[next.min(replies.len() - 1)].clone();
            Arc::new(move |_: &Value| reply.clone())
        })
    }
    /// A server that replies to each body by this function.
    pub(crate) fn answering(reply: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Self {
        let reply: ReplyTo = Arc::new(reply);
        Self::serving(move |_| Arc::clone(&reply))
    }
    fn serving(of: impl Fn(usize) -> ReplyTo + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let arrived = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&arrived);
        std::thread::spawn(move || {
            for (next, stream) in listener.incoming().enumerate() {
                let Ok(stream) = stream else { return };
                let (reply, seen) = (of(next), Arc::clone(&seen));
                std::thread::spawn(move || serve(stream, &reply, &seen));
            }
        });
        Self { port, arrived }
    }
    /// The address of the server, as an oracle.
    pub(crate) fn oracle(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
    /// What arrived so far.
    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().expect("no test panics here").clone()
    }
}

fn completion(text: &str) -> String {
    json!({
        "id": "x", "object": "chat.completion", "created": 1, "extra": {"unknown": [1]},
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
    })
    .to_string()
}

/// Reads a request and replies; every connection is for one request.
fn serve(mut stream: TcpStream, reply: &ReplyTo, seen: &Mutex<Vec<Arrived>>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end().to_string();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
    let mut body = vec![0; length.and_then(Result::ok).unwrap_or(0)];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let repeated = format!("{} {}", lines.join(" "), String::from_utf8_lossy(&body));
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let reply = reply(&body);
    seen.lock().expect("no test panics here").push(Arrived { line: lines[0].clone(), headers, body });
    let mut send = |status: u16, headers: &str, length: usize, body: &str| {
        let head = format!(
            "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
        );
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    };
    match reply {
        Reply::Says(text) => {
            let body = completion(&text);
            send(200, "", body.len(), &body);
        }
        Reply::Repeats => {
            let body = completion(&repeated);
            send(200, "", body.len(), &body);
        }
        Reply::Raw(status, headers, body) => send(status, &headers, body.len(), &body),
        Reply::Truncated => {
            let body = completion("1");
            send(200, "", body.len(), &body[..body.len() / 2]);
        }
        Reply::Long(bytes) => {
            send(200, "", bytes, "");
            let piece = vec![b' '; 1 << 16];
            for _ in 0..bytes / piece.len() {
                if stream.write_all(&piece).is_err() {
                    return;
                }
            }
        }
        Reply::Hangs => {
            // The client closes the connection first.
            let _ = stream.read(&mut [0; 1]);
        }
    }
}
