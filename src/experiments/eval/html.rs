//! The report of an evaluation as one page for the browser: charts as SVG, the tables and all runs. It loads nothing, runs no
//! script, and every text in it is escaped.

use super::report::{EvalTable, cost, shown};
use super::statistics::Interval;
use super::{Arm, RunRow};
use std::fmt::Write;
use tsl_synth_core::base::{escape_markup, is_deceptive};

/// What the page says about the evaluation: titles and texts.
pub type PageFacts = [(&'static str, String)];

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color:#1b1b1b;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%;font-size:.9rem}\
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #ccc;vertical-align:top;overflow-wrap:anywhere}\
td.n,th.n{text-align:right;white-space:nowrap}td.m{white-space:nowrap}dt{font-weight:600;float:left;clear:left;width:9rem}dd{margin-left:9.5rem}\
svg{width:100%;height:auto}.g{fill:#1565c0}.a{fill:#b35900}.w{stroke:#1b1b1b;stroke-width:1.5}.x{stroke:#bbb;stroke-width:1}\
text{font:12px system-ui,sans-serif;fill:#1b1b1b}details{margin:.5rem 0}\
@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}th,td{border-color:#444}text{fill:#e8e8e8}.g{fill:#64b5f6}.a{fill:#ffb066}.w{stroke:#e8e8e8}}";

/// Text in the page: markup is escaped, and deceptive characters but line ends are shown as they are written in Rust.
fn escaped(text: &str) -> String {
    escape_markup(text, |c, out| {
        if c != '\n' && is_deceptive(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    })
}

/// The page of an evaluation. `prices`: of a million tokens in prompts and in answers.
pub fn page(
    title: &str,
    facts: &PageFacts,
    tables: &[EvalTable],
    rows: &[RunRow],
    prices: Option<[f64; 2]>,
) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{0}</h1>\n<dl>\n",
        escaped(title)
    );
    for (name, text) in facts {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(text));
    }
    out.push_str("</dl>\n");
    for table in tables {
        section(&mut out, table, prices);
    }
    runs(&mut out, rows);
    out.push_str("</body>\n</html>\n");
    out
}

fn section(out: &mut String, table: &EvalTable, prices: Option<[f64; 2]>) {
    let _ = writeln!(out, "<h2>{}</h2>", escaped(&table.group));
    chart(out, table);
    out.push_str("<table>\n<tr><th>measure</th><th class=\"n\">guarded</th><th class=\"n\">alone</th><th class=\"n\">difference</th><th>meaning</th></tr>\n");
    for line in &table.lines {
        let cell = |value: Option<Interval>| {
            value.map_or("–".into(), |value| {
                let [mean, low, high] = [value.mean, value.low, value.high].map(|v| shown(line.metric, v));
                format!("{mean} ({low} … {high})")
            })
        };
        let [guarded, alone] = line.arms.map(cell);
        let _ = writeln!(
            out,
            "<tr><td class=\"m\">{}</td><td class=\"n\">{guarded}</td><td class=\"n\">{alone}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            escaped(line.metric.name),
            cell(line.difference),
            escaped(line.metric.about),
        );
    }
    if let Some(prices) = prices {
        let [guarded, alone] = table.tokens.map(|tokens| cost(tokens, prices));
        let _ = writeln!(
            out,
            "<tr><td>cost</td><td class=\"n\">{guarded:.4}</td><td class=\"n\">{alone:.4}</td><td></td><td>of all runs</td></tr>"
        );
    }
    out.push_str("</table>\n");
}

/// The shares of a table as bars with their intervals.
fn chart(out: &mut String, table: &EvalTable) {
    const LEFT: f64 = 130.0;
    const WIDTH: f64 = 560.0;
    const BAR: f64 = 14.0;
    let lines: Vec<_> = table.lines.iter().filter(|line| line.metric.is_share).collect();
    let height = 30.0 + lines.len() as f64 * (2.0 * BAR + 12.0);
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 760 {height:.0}\" role=\"img\" aria-label=\"Shares in percent, guarded above alone, with intervals of 95 percent\">"
    );
    for tick in 0..=4 {
        let x = LEFT + WIDTH * f64::from(tick) / 4.0;
        let _ = writeln!(
            out,
            "<line class=\"x\" x1=\"{x:.1}\" y1=\"18\" x2=\"{x:.1}\" y2=\"{height:.0}\"/><text x=\"{x:.1}\" y=\"12\" text-anchor=\"middle\">{}</text>",
            tick * 25
        );
    }
    for (i, line) in lines.iter().enumerate() {
        let top = 26.0 + i as f64 * (2.0 * BAR + 12.0);
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            top + BAR + 4.0,
            escaped(line.metric.name)
        );
        for (k, (value, class)) in line.arms.iter().zip(["g", "a"]).enumerate() {
            let Some(value) = value else { continue };
            let y = top + k as f64 * BAR;
            let at = |share: f64| LEFT + WIDTH * share.clamp(0.0, 1.0);
            let middle = y + BAR / 2.0 - 1.0;
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{LEFT:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}: {}</title></rect>\
                 <line class=\"w\" x1=\"{:.1}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\"/>",
                at(value.mean) - LEFT,
                BAR - 2.0,
                Arm::ALL[k].name(),
                shown(line.metric, value.mean),
                at(value.low),
                at(value.high),
            );
        }
    }
    out.push_str("</svg>\n<p>Upper bars: guarded; lower bars: alone; lines: intervals of 95 percent.</p>\n");
}

fn runs(out: &mut String, rows: &[RunRow]) {
    let _ = writeln!(out, "<h2>Runs</h2>\n<details><summary>{} runs</summary>\n<table>", rows.len());
    out.push_str("<tr><th>group</th><th>task</th><th class=\"n\">run</th><th>arm</th><th>kept</th><th>done</th><th class=\"n\">steps</th><th>end</th><th>answer</th><th>violated</th></tr>\n");
    let word = |truth: bool| if truth { "yes" } else { "no" };
    for row in rows {
        let answer = row.answer.as_deref().unwrap_or_default();
        let short: String = answer.chars().take(300).collect();
        let right = row.correct.map_or("", |correct| if correct { " (right)" } else { " (wrong)" });
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}{right}</td><td>{}</td></tr>",
            escaped(&row.group),
            escaped(&row.task),
            row.run,
            escaped(&row.arm),
            word(row.kept),
            word(row.done),
            row.steps,
            escaped(&row.end),
            escaped(&short),
            escaped(&row.violated.join("; ")),
        );
    }
    out.push_str("</table>\n</details>\n");
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    #[test]
    fn hostile_texts_are_escaped_and_nothing_is_loaded() {
        let hostile = "<script>alert(1)</script>\"'&\u{1b}[31m\u{202e}";
        let row = RunRow {
            group: hostile.into(),
            task: hostile.into(),
            arm: "guarded".into(),
            end: hostile.into(),
            answer: Some(hostile.into()),
            violated: vec![hostile.into()],
            ..RunRow::default()
        };
        let rows = [row];
        let page = page(
            hostile,
            &[("model", hostile.into())],
            &[table(&rows, Some(hostile), 0)],
            &rows,
            Some([1.0, 2.0]),
        );
        assert!(
            !page.contains("<script") && !page.contains('\u{1b}') && !page.contains('\u{202e}'),
            "{page}"
        );
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\u{1b}[31m"), "{page}");
        for loads in ["http://", "https://", "src=", "href=", "url(", "@import"] {
            assert!(!page.contains(loads), "{loads}");
        }
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }
}
