//! Text in lines of a given width: paragraphs and tables.

use std::fmt::Write;

/// The width of lines that do not go to a terminal, in columns.
const WIDTH: usize = 100;
/// No line is made narrower than this.
const NARROWEST: usize = 40;
/// No column of a table is made narrower than this.
const NARROWEST_COLUMN: usize = 12;

/// The width of standard output in columns: that of the terminal, else [`WIDTH`].
pub(crate) fn width() -> usize {
    let terminal = console::Term::stdout();
    let columns = terminal.is_term().then(|| terminal.size_checked()).flatten();
    columns.map_or(WIDTH, |(_, columns)| usize::from(columns)).max(NARROWEST)
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The words of a line in lines of at most this width. Words that are longer are broken.
pub(crate) fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split(' ') {
        let mut word = word;
        if !current.is_empty() && length(&current) + 1 + length(word) > width {
            lines.push(std::mem::take(&mut current));
        } else if !current.is_empty() {
            current.push(' ');
        }
        while length(&current) + length(word) > width {
            let room = width - length(&current);
            let cut = word.char_indices().nth(room).map_or(word.len(), |(at, _)| at);
            let (head, tail) = word.split_at(cut);
            current.push_str(head);
            lines.push(std::mem::take(&mut current));
            word = tail;
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

/// A paragraph of one line or more; all but the first begin with `indent` blanks more than the first has.
pub(crate) fn paragraph(text: &str, indent: usize, width: usize) -> String {
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let inner = width.saturating_sub(blanks + indent).max(NARROWEST / 2);
    let mut out = String::new();
    for (i, line) in wrapped(text.trim_start_matches(' '), inner).iter().enumerate() {
        let begin = if i == 0 { blanks } else { blanks + indent };
        let _ = writeln!(out, "{:begin$}{line}", "");
    }
    out
}

/// Rows with aligned columns, indented by two; cells that do not fit go on in the next line.
pub(crate) fn table(rows: &[Vec<String>], width: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let natural = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| length(cell)).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(natural).collect();
    let room = width.saturating_sub(2 * columns);
    // The widest columns are narrowed first.
    while widths.iter().sum::<usize>() > room {
        let widest = *widths.iter().max().unwrap_or(&0);
        let over = widths.iter().sum::<usize>() - room;
        let next = widths.iter().copied().filter(|&w| w < widest).max().unwrap_or(0);
        let least = next.max(NARROWEST_COLUMN).min(widest);
        let count = widths.iter().filter(|&&w| w == widest).count();
        let less = over.div_ceil(count).min((widest - least).max(usize::from(widest > NARROWEST_COLUMN)));
        if less == 0 {
            break;
        }
        widths.iter_mut().filter(|w| **w == widest).for_each(|w| *w -= less);
    }
    let mut out = String::new();
    for row in rows {
        let cells: Vec<Vec<String>> =
            row.iter().zip(&widths).map(|(cell, &width)| wrapped(cell, width.max(1))).collect();
        for i in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(line, "  {:<width$}", cell.get(i).map_or("", String::as_str));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked() {
        let long = "a bb ccc dddd eeeee ".repeat(20) + &"x".repeat(150);
        for width in [40, 60, 100] {
            let text = paragraph(&long, 4, width);
            assert!(text.lines().all(|line| length(line) <= width), "{text}");
            let words = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(words(&text), words(&long));
            let rows = vec![vec!["step".into(), long.clone(), long.clone()], vec!["0".into(), "a".into()]];
            let text = table(&rows, width);
            assert!(text.lines().all(|line| length(line) <= width), "{width}\n{text}");
        }
        assert_eq!(paragraph("  one two", 2, 100), "  one two\n");
        assert_eq!(
            table(&[vec!["a".into(), "b".into()], vec!["cc".into(), "d".into()]], 80),
            "  a   b\n  cc  d\n"
        );
    }
}
