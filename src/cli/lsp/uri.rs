//! Paths and URIs of files.

use lsp_types::Uri;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The file that a URI names.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let (mut bytes, mut at) = (Vec::with_capacity(path.len()), 0);
    let raw = path.as_bytes();
    while let Some(&byte) = raw.get(at) {
        let code = (byte == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        let decoded = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/x` on Windows.
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// The URI of a file.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?.replace('\\', "/");
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    Uri::from_str(&uri).ok()
}

#[cfg(test)]
mod tests {
    use super::{path_of, uri_of};
    use lsp_types::Uri;
    use std::path::Path;
    use std::str::FromStr;

    #[test]
    fn paths_and_uris_are_each_others() {
        for path in ["/a/b.tsl", "/a b/ä%c.tsl", "/x+y/[z].tsl"] {
            let uri = uri_of(Path::new(path)).expect("a URI");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
        let of = |text: &str| path_of(&Uri::from_str(text).expect("a URI"));
        assert_eq!(of("untitled:Untitled-1"), None);
        assert_eq!(of("file://host/a%20b"), Some("/a b".into()));
    }
}
