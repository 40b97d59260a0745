//! Monitors of policies as one query over a table of letters.
//!
//! The class of a letter is computed by a nested `CASE`, and the run of a monitor by a `list_reduce` over the classes,
//! with the transition table as a literal. For a law with `for_each`, letters are also grouped by key. The keys of a
//! session are the combinations of values seen, closed under joining, and the key without values. A copy is stepped by
//! all letters whose values are in its key, including letters before the key was first seen. The result is the state of
//! `Copies` in `control`: there a new key begins in the state of the largest key that it contains, and every earlier
//! letter whose values are in the new key has its values in that largest key, too.

use super::letters::LettersTable;
use super::tables::{PolicyTables, kind_name};
use super::{PolicyEmitOptions, PolicyMeta};
use crate::input::EmitError;
use crate::text::comment;
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::base::is_deceptive;
use tsl_synth_documents::PolicyTestsView;
use tsl_synth_policy::language::{Law, LawId, LawKind};

/// The most tests in the `CASE` expressions of all laws together.
const MOST_TESTS: usize = 1 << 15;

/// The text of the query.
pub(super) fn query(
    tables: &PolicyTables<'_>,
    meta: &PolicyMeta,
    options: &PolicyEmitOptions,
) -> Result<String, EmitError> {
    let laws = &tables.compiled.policy.laws;
    let query = SqlQuery { tables, columns: LettersTable::new(tables.compiled), rows: options.rows };
    let mut text = query.comment(meta);
    text.push_str("WITH RECURSIVE\n");
    let mut left = MOST_TESTS;
    text.push_str("classes AS (\n  SELECT *");
    for id in laws.ids() {
        let class = query.class(&tables.tests(id), &mut left).ok_or_else(|| {
            let message = "which letters the laws tell apart takes too many tests for a query";
            EmitError::Limit(message.into())
        })?;
        let _ = write!(text, ",\n    {class} AS c{}", id.index());
    }
    text.push_str("\n  FROM letters\n),\n");
    text.push_str(&query.plain_laws());
    for (id, law) in laws.enumerate().filter(|(_, law)| !law.for_each.is_empty()) {
        text.push_str(&query.copies(id, law));
    }
    text.push_str(&query.answer());
    Ok(text)
}

/// A part of a `CASE` expression that is still to be written.
enum SqlPiece {
    At(i64),
    Text(&'static str),
}

struct SqlQuery<'a> {
    tables: &'a PolicyTables<'a>,
    columns: LettersTable,
    /// Whether there is an answer for each letter.
    rows: bool,
}

impl SqlQuery<'_> {
    fn comment(&self, meta: &PolicyMeta) -> String {
        let policy = &self.tables.compiled.policy;
        let mut lines = vec![
            format!(
                "The monitor of the policy {}, made by tsl-synth {}, for DuckDB.",
                policy.name, meta.tool_version
            ),
            format!("Policy sha256: {}", meta.sha256),
            format!(
                "Machine: {}. Not certified: deterministic automata, one for each law.",
                self.tables.machine_id()
            ),
        ];
        lines.extend(self.tables.doc());
        lines.push(String::new());
        lines.push(
            "It reads the table `letters` that `monitor --letters` writes, one row for each letter:".into(),
        );
        let types = self.columns.columns().map(|column| match column {
            "position" => format!("'{column}': 'BIGINT'"),
            column if column.starts_with("a_") => format!("'{column}': 'UTINYINT'"),
            column => format!("'{column}': 'VARCHAR'"),
        });
        let types = types.collect::<Vec<_>>().join(", ");
        lines.push(
            "  CREATE TABLE letters AS SELECT * FROM read_csv('letters.csv', header = true, delim = ',',"
                .into(),
        );
        lines.push(format!("    quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, columns = {{{types}}});"));
        let name = |bit| self.tables.compiled.policy.atoms.bit_name(bit);
        for (bit, column) in &self.columns.atoms {
            lines.push(format!("  {column}: 1 if {} is true; NULL is false", name(*bit)));
        }
        for (value, column) in &self.columns.values {
            lines.push(format!("  {column}: the value of {value}; NULL if the letter is not bound to one"));
        }
        lines.extend([
            "`session` and `position` are not NULL. Letters of one session with one position are taken in the order of".into(),
            "their classes. Propositions that registers compute are columns: `monitor` computes them.".into(),
            format!("A law with more than {} values keeps telling them apart, and says `overflowed`.", policy.max_values),
            String::new(),
        ]);
        let each = if self.rows { "letter (session, position)" } else { "session" };
        lines.push(format!(
            "The answer: for each {each} and law, and for all hard laws together (law NULL), how it stands."
        ));
        lines.iter().fold(String::new(), |mut text, line| {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            let line = format!("-- {}{}", " ".repeat(blanks), comment(line));
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
    }

    /// The expression for the class of a letter; `None` if it takes too many tests.
    fn class(&self, tests: &PolicyTestsView, left: &mut usize) -> Option<String> {
        let own = |atom: usize| {
            let bit = self.tables.atoms[atom].bit;
            self.columns.atoms.iter().find(|(own, _)| *own == bit).map(|(_, column)| column)
        };
        let mut text = String::new();
        let mut stack = vec![SqlPiece::At(tests.root)];
        while let Some(piece) = stack.pop() {
            match piece {
                SqlPiece::Text(piece) => text.push_str(piece),
                SqlPiece::At(at) => match usize::try_from(at) {
                    Err(_) => {
                        let _ = write!(text, "{}", -1 - at);
                    }
                    Ok(place) => {
                        *left = left.checked_sub(1)?;
                        let test = &tests.tests[place];
                        let _ = write!(text, "CASE WHEN {} = 1 THEN ", own(test.atom)?);
                        stack.extend([
                            SqlPiece::Text(" END"),
                            SqlPiece::At(test.low),
                            SqlPiece::Text(" ELSE "),
                            SqlPiece::At(test.high),
                        ]);
                    }
                },
            }
        }
        Some(text)
    }

    /// The run of a monitor on a list of classes: its last state, or with `rows` the state after each letter. With
    /// `stays` there is one more class, which does not change the state.
    fn fold(&self, id: LawId, list: &str, stays: bool) -> String {
        let rows = self.tables.rows(id);
        let width = rows[0].len() + usize::from(stays);
        let table: Vec<String> = rows
            .iter()
            .enumerate()
            .flat_map(|(state, row)| row.iter().copied().chain(stays.then_some(state as u32)))
            .map(|state| state.to_string())
            .collect();
        let table = table.join(", ");
        if self.rows {
            format!(
                "list_reduce({list}, lambda s, l: list_append(s, ([{table}])[s[-1] * {width} + l + 1]), [0])[2:]"
            )
        } else {
            format!("list_reduce({list}, lambda s, l: ([{table}])[s * {width} + l + 1], 0)")
        }
    }

    /// The number of the verdict in a state.
    fn verdict(&self, id: LawId, state: &str) -> String {
        let verdicts: Vec<String> = self.tables.verdicts(id).iter().map(u8::to_string).collect();
        format!("([{}])[{state} + 1]", verdicts.join(", "))
    }

    /// The states of all laws without `for_each`.
    fn plain_laws(&self) -> String {
        let laws = self.tables.compiled.policy.laws.enumerate().filter(|(_, law)| law.for_each.is_empty());
        let mut text = String::new();
        let mut folds = String::new();
        for (id, _) in laws {
            let n = id.index();
            let list = format!("list(c{n} ORDER BY position, c{n})");
            let _ = write!(folds, ",\n    {} AS s{n}", self.fold(id, &list, false));
        }
        let positions = if self.rows { ", list(position ORDER BY position) AS position" } else { "" };
        let _ = write!(
            text,
            "plain AS MATERIALIZED (\n  SELECT session{positions}{folds}\n  FROM classes GROUP BY session\n)"
        );
        text
    }

    /// The keys of a law with `for_each`, and the states of its copies.
    fn copies(&self, id: LawId, law: &Law) -> String {
        let n = id.index();
        let column = |name: &String| {
            let own = self.columns.values.iter().find(|(own, _)| own == name);
            own.map_or("NULL", |(_, column)| column.as_str())
        };
        let columns: Vec<&str> = law.for_each.iter().map(column).collect();
        let all = |each: &dyn Fn(&str) -> String, between: &str| {
            columns.iter().map(|column| each(column)).collect::<Vec<_>>().join(between)
        };
        let none = all(&|c| format!("NULL::VARCHAR AS {c}"), ", ");
        let own = all(&str::to_string, ", ");
        let mut text = String::new();
        let step = if columns.len() == 1 {
            format!("SELECT session, {own} FROM letters")
        } else {
            // Compatible combinations of values are joined until there are no new ones.
            format!(
                "SELECT k.session, {} FROM keys{n} AS k JOIN bound{n} AS b ON b.session = k.session AND {}",
                all(&|c| format!("coalesce(k.{c}, b.{c}) AS {c}"), ", "),
                all(&|c| format!("(k.{c} IS NULL OR b.{c} IS NULL OR k.{c} = b.{c})"), " AND ")
            )
        };
        let _ = write!(text, ",\nbound{n} AS (SELECT DISTINCT session, {own} FROM letters)");
        let _ = write!(
            text,
            ",\nkeys{n} AS (\n  SELECT DISTINCT session, {none} FROM letters\n  UNION\n  {step}\n)"
        );
        let reaches = all(&|c| format!("(l.{c} IS NULL OR l.{c} = k.{c})"), " AND ");
        let group = all(&|c| format!("k.{c}"), ", ");
        let classes = self.tables.compiled.decisions[id].classes();
        if self.rows {
            let list = format!(
                "list(CASE WHEN {reaches} THEN l.c{n} ELSE {classes} END ORDER BY l.position, l.c{n})"
            );
            let fold = self.fold(id, &list, true);
            let _ = write!(
                text,
                ",\ncopies{n} AS (\n  SELECT k.session, list(l.position ORDER BY l.position) AS position,\n    {fold} AS s\n  \
                 FROM keys{n} AS k JOIN classes AS l ON l.session = k.session\n  GROUP BY k.session, {group}\n)"
            );
        } else {
            let list =
                format!("coalesce(list(l.c{n} ORDER BY l.position, l.c{n}) FILTER (l.c{n} IS NOT NULL), [])");
            let fold = self.fold(id, &list, false);
            let _ = write!(
                text,
                ",\ncopies{n} AS (\n  SELECT k.session,\n    {fold} AS s\n  \
                 FROM keys{n} AS k LEFT JOIN classes AS l ON l.session = k.session AND {reaches}\n  \
                 GROUP BY k.session, {group}\n)"
            );
        }
        text
    }

    /// The final query: the verdict of each law, and the worst one of all hard laws.
    fn answer(&self) -> String {
        let policy = &self.tables.compiled.policy;
        let mut parts: Vec<String> = Vec::new();
        let at = if self.rows { "session, position" } else { "session" };
        for (id, law) in policy.laws.enumerate() {
            let n = id.index();
            let unnested = |state: &str| format!("unnest(position) AS position, unnest({state}) AS s");
            parts.push(match (law.for_each.is_empty(), self.rows) {
                (true, false) => format!(
                    "SELECT session, {n} AS n, {} AS worst, false AS overflowed FROM plain",
                    self.verdict(id, &format!("s{n}"))
                ),
                (true, true) => format!(
                    "SELECT session, position, {n} AS n, {} AS worst, false AS overflowed\n  FROM (SELECT session, {} FROM plain)",
                    self.verdict(id, "s"),
                    unnested(&format!("s{n}"))
                ),
                (false, rows) => {
                    let from = if rows {
                        format!("(SELECT session, {} FROM copies{n})", unnested("s"))
                    } else {
                        format!("copies{n}")
                    };
                    format!(
                        "SELECT {at}, {n} AS n, min({}) AS worst, count(*) > {} AS overflowed\n  FROM {from} GROUP BY {at}",
                        self.verdict(id, "s"),
                        policy.max_values.saturating_add(1)
                    )
                }
            });
        }
        let hard: Vec<String> = policy
            .laws
            .enumerate()
            .filter(|(_, law)| law.kind == LawKind::Hard)
            .map(|(id, _)| id.index().to_string())
            .collect();
        let count = policy.laws.len();
        let worst = if hard.is_empty() {
            "3".into()
        } else {
            format!("min(worst) FILTER (n IN ({}))", hard.join(", "))
        };
        let mut names = String::new();
        for (id, law) in policy.laws.enumerate() {
            let _ = write!(names, "({}, {}, '{}'), ", id.index(), literal(&law.id), kind_name(law.kind));
        }
        let _ = write!(names, "({count}, NULL, NULL)");
        format!(
            ",\nworsts AS MATERIALIZED (\n  {}\n),\nanswers AS (\n  SELECT * FROM worsts\n  UNION ALL\n  \
             SELECT {at}, {count}, {worst}, bool_or(overflowed) FROM worsts GROUP BY {at}\n),\n\
             laws(n, law, kind) AS (VALUES {names})\n\
             SELECT {at}, law, kind,\n  \
             (['violated', 'currently-violated', 'currently-satisfied', 'satisfied'])[worst + 1] AS standing, overflowed\n\
             FROM answers JOIN laws USING (n)\nORDER BY {at}, n;\n",
            parts.join("\n  UNION ALL\n  ")
        )
    }
}

/// A string literal of SQL. Characters that could deceive a reader are written as their codes.
fn literal(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("''"),
            c if is_deceptive(c) => {
                let _ = write!(out, "' || chr({}) || '", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    if out.contains("||") { format!("({out})") } else { out }
}
