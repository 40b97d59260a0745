//! A file format for caches: lists of numbers, with a checksum that also covers the key of the cache entry. A file that
//! is damaged or belongs to another key is treated as absent.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `tslpack1` |
//! | 32 | SHA-256 of the length of the key, the key, and everything that follows |
//! | rest | the number of lists; for each list its length and its numbers; all in LEB128 |

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"tslpack1";
const HEADER: usize = 8 + 32;

/// The largest size after the header, in bytes; larger files are neither written nor read.
pub const PACKED_LIMIT: usize = 16 << 20;

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        number |= part << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn checksum(key: &str, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update((key.len() as u64).to_le_bytes());
    hash.update(key.as_bytes());
    hash.update(body);
    hash.finalize().into()
}

/// The content of a file with these lists under a key; `None` if it exceeds [`PACKED_LIMIT`].
pub fn pack(key: &str, lists: &[Vec<u64>]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    put(&mut body, lists.len() as u64);
    for list in lists {
        put(&mut body, list.len() as u64);
        for &number in list {
            put(&mut body, number);
        }
        if body.len() > PACKED_LIMIT {
            return None;
        }
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(checksum(key, &body));
    bytes.extend(body);
    Some(bytes)
}

/// The lists in the content of a file; `None` if it is damaged or belongs to another key.
pub fn unpack(key: &str, bytes: &[u8]) -> Option<Vec<Vec<u64>>> {
    if bytes.len() < HEADER || bytes.len() > PACKED_LIMIT + HEADER || &bytes[..8] != MAGIC {
        return None;
    }
    let mut body = &bytes[HEADER..];
    if bytes[8..HEADER] != checksum(key, body) {
        return None;
    }
    let count = take(&mut body)?;
    let mut lists = Vec::new();
    for _ in 0..count {
        let length = usize::try_from(take(&mut body)?).ok()?;
        // Each number takes at least one byte.
        if length > body.len() {
            return None;
        }
        lists.push((0..length).map(|_| take(&mut body)).collect::<Option<Vec<u64>>>()?);
    }
    body.is_empty().then_some(lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_and_nothing_else() {
        let lists = vec![vec![0, 1, 127, 128, 300, u64::MAX], Vec::new(), vec![7; 1000]];
        let bytes = pack("key", &lists).expect("few bytes");
        assert_eq!(unpack("key", &bytes).as_ref(), Some(&lists));
        assert_eq!(unpack("kez", &bytes), None);
        for cut in 0..bytes.len() {
            assert_eq!(unpack("key", &bytes[..cut]), None);
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            assert_eq!(unpack("key", &other), None, "byte {at}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert_eq!(take(&mut &[0xff; 9][..]), None);
        assert_eq!(take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02][..]), None);
        assert_eq!(pack("", &[vec![u64::MAX; PACKED_LIMIT / 10 + 1]]), None);
    }
}
