//! Lines and columns as editors count them.

/// The unit in which an editor counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, the default of most editors.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl ColumnUnit {
    fn width(self, c: char) -> u32 {
        match self {
            Self::Utf8 => c.len_utf8() as u32,
            Self::Utf16 => c.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }
}

/// Where the lines of a text begin. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = |&i: &usize| match bytes[i] {
            b'\n' => true,
            b'\r' => bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        Self { starts: std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|i| i + 1)).collect() }
    }
    /// Line and column of a byte, from 0. A position inside a character counts as its beginning, and one past the end
    /// of the text as the end.
    pub fn place(&self, text: &str, offset: usize, unit: ColumnUnit) -> (u32, u32) {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let start = self.starts[line];
        let before = text[start..].char_indices().take_while(|(at, c)| start + at + c.len_utf8() <= offset);
        (line as u32, before.map(|(_, c)| unit.width(c)).sum())
    }
    /// The byte at a line and a column from 0. A column past the end of its line gives the end of that line, before the
    /// line ending; a line past the last one gives the end of the text; a position inside a character gives its
    /// beginning.
    pub fn offset(&self, text: &str, line: u32, column: u32, unit: ColumnUnit) -> usize {
        let Some(&start) = self.starts.get(line as usize) else { return text.len() };
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(text.len());
        let content = text[start..end].trim_end_matches(['\r', '\n']);
        let (mut at, mut counted) = (start, 0u32);
        for c in content.chars() {
            counted = counted.saturating_add(unit.width(c));
            if counted > column {
                break;
            }
            at += c.len_utf8();
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnUnit, Lines};

    #[test]
    fn columns_count_as_the_editor_does() {
        let text = "aä😀b\r\nx\ry\n";
        let lines = Lines::new(text);
        let b = text.find('b').unwrap_or_default();
        for (unit, column) in [(ColumnUnit::Utf8, 7), (ColumnUnit::Utf16, 4), (ColumnUnit::Utf32, 3)] {
            assert_eq!(lines.place(text, b, unit), (0, column));
            assert_eq!(lines.offset(text, 0, column, unit), b);
            assert_eq!(lines.offset(text, 0, 99, unit), b + 1, "the end of the line is before what ends it");
        }
        assert_eq!(lines.place(text, text.find('y').unwrap_or_default(), ColumnUnit::Utf16), (2, 0));
        assert_eq!(lines.place(text, 99, ColumnUnit::Utf16), (3, 0));
        assert_eq!(lines.offset(text, 9, 9, ColumnUnit::Utf16), text.len());
        // Between the two halves of a character.
        assert_eq!(lines.offset(text, 0, 3, ColumnUnit::Utf16), 3);
        assert_eq!(lines.place(text, 5, ColumnUnit::Utf16), (0, 2));
    }

    #[test]
    fn every_place_is_found_again() {
        let text = "always guarantee {\r\n  [ö <- f x]; // 😀\n}\n\n";
        let lines = Lines::new(text);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
            for (at, c) in text.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
                let (line, column) = lines.place(text, at, unit);
                assert_eq!(lines.offset(text, line, column, unit), at, "{c:?}");
            }
        }
    }
}
