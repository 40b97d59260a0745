//! Escapes of `$'..'`, as bash reads them.

/// The text of `$'..'`, without its quotes; `None` if it is not UTF-8, or depends on the locale. A NUL ends it.
///
/// `\C-x` and `\M-x` are escapes of zsh, but not of bash.
pub(super) fn decoded(body: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = body.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some((&escape, after)) = rest.split_first() else {
            bytes.push(b'\\');
            break;
        };
        rest = after;
        match escape {
            b'a' => bytes.push(0x07),
            b'b' => bytes.push(0x08),
            b'e' | b'E' => bytes.push(0x1b),
            b'f' => bytes.push(0x0c),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'v' => bytes.push(0x0b),
            b'\\' | b'\'' | b'"' | b'?' => bytes.push(escape),
            b'0'..=b'7' => {
                let (value, length) = number(after, 8, 2);
                // Of larger numbers the last eight bits count.
                let value = u32::from(escape - b'0') << (3 * length) | value;
                bytes.push((value & 0xff) as u8);
                rest = &after[length..];
            }
            b'x' => rest = hexadecimal(after, &mut bytes),
            b'u' | b'U' => {
                let (value, length) = number(after, 16, if escape == b'u' { 4 } else { 8 });
                if length == 0 {
                    bytes.extend([b'\\', escape]);
                } else if value < 0x80 {
                    bytes.push((value & 0x7f) as u8);
                } else {
                    return None;
                }
                rest = &after[length..];
            }
            b'c' => rest = control(after, &mut bytes),
            b'C' | b'M' if after.first() == Some(&b'-') => return None,
            _ => bytes.extend([b'\\', escape]),
        }
    }
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    String::from_utf8(bytes).ok()
}

/// The number at the beginning of a text, with at most so many digits, and how many it has.
fn number(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let digits = text.iter().take(most).map_while(|&byte| char::from(byte).to_digit(base));
    digits.fold((0, 0), |(value, length), digit| (value.wrapping_mul(base).wrapping_add(digit), length + 1))
}

/// `\xHH` and `\x{H..}` after the `x`; returns what follows.
fn hexadecimal<'a>(text: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    let (inner, is_braced) = text.strip_prefix(b"{").map_or((text, false), |inner| (inner, true));
    let (value, length) = number(inner, 16, if is_braced { usize::MAX } else { 2 });
    let after = &inner[length..];
    if is_braced {
        bytes.push((value & 0xff) as u8);
        return after.strip_prefix(b"}").unwrap_or(after);
    }
    if length == 0 {
        bytes.extend(b"\\x");
    } else {
        bytes.push((value & 0xff) as u8);
    }
    after
}

/// `\cX` after the `c`; returns what follows.
fn control<'a>(text: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    let Some((&key, after)) = text.split_first() else {
        bytes.extend(b"\\c");
        return text;
    };
    bytes.push(if key == b'?' { 0x7f } else { key.to_ascii_uppercase() & 0x1f });
    // `\c\\` is one key.
    if key == b'\\' { after.strip_prefix(b"\\").unwrap_or(after) } else { after }
}
