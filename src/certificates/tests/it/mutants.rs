//! Mutants of certificates: what is accepted is right all the same.

use crate::count;
use crate::random::{Random, certified, is_right_of, judged, subject};
use std::collections::BTreeMap;
use tsl_check::certificate::{Certificate, Claim, Row};
use tsl_check::check::{check, conjuncts, needed};
use tsl_check::contract::Role;
use tsl_check::formula::Arena;
use tsl_check::tableau::expand;
use tsl_synth_certificates::Subject;

/// The kinds of changes.
const CHANGES: [&str; 13] = [
    "target",
    "output",
    "start",
    "edge dropped",
    "rank",
    "row dropped",
    "formula removed",
    "formula added",
    "state",
    "claim dropped",
    "clause negated",
    "clause added",
    "node",
];

/// The lines that begin with some word.
fn lines_of(lines: &[String], is: impl Fn(&str) -> bool) -> Vec<usize> {
    (0..lines.len()).filter(|&i| is(&lines[i])).collect()
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_string).collect()
}

/// Changes one thing of a certificate. `None` if there is no such thing.
fn mutant(random: &mut Random, text: &str, change: &str) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let wanted = |line: &str| match change {
        "target" | "output" | "edge dropped" => line.starts_with('['),
        "start" => line.starts_with("Start:"),
        "claim dropped" => line.starts_with("claim"),
        "clause negated" | "clause added" => {
            ["fact ", "restriction ", "assumption ", "guarantee "].iter().any(|role| line.starts_with(role))
        }
        "node" => line.starts_with("node"),
        _ => line.starts_with("row"),
    };
    let found = lines_of(&lines, wanted);
    if found.is_empty() {
        return None;
    }
    let at = *random.pick(&found);
    let line = lines[at].clone();
    let nodes = lines_of(&lines, |line| line.starts_with("node")).len();
    match change {
        "target" => {
            let (label, _) = line.rsplit_once(' ')?;
            lines[at] = format!("{label} {}", random.below(3));
        }
        "output" => {
            let (label, next) = line.strip_prefix('[')?.split_once(']')?;
            let mut literals: Vec<String> = label.split('&').map(str::to_string).collect();
            let i = random.below(literals.len());
            let plain = literals[i].strip_prefix('!').map(str::to_string);
            literals[i] = plain.unwrap_or_else(|| format!("!{}", literals[i]));
            lines[at] = format!("[{}]{next}", literals.join("&"));
        }
        "start" => lines[at] = format!("Start: {}", random.below(3)),
        "edge dropped" | "row dropped" => {
            lines.remove(at);
        }
        "rank" => {
            let mut parts = words(&line);
            let rank: u64 = parts[2].parse().ok()?;
            parts[2] = if random.below(2) == 0 { rank + 1 } else { rank.saturating_sub(1) }.to_string();
            lines[at] = parts.join(" ");
        }
        "state" => {
            let mut parts = words(&line);
            parts[1] = random.below(3).to_string();
            lines[at] = parts.join(" ");
        }
        "formula removed" => {
            let mut parts = words(&line);
            if parts.len() < 4 {
                return None;
            }
            parts.remove(3 + random.below(parts.len() - 3));
            lines[at] = parts.join(" ");
        }
        "formula added" => lines[at] = format!("{line} {}", random.below(nodes.max(1))),
        "claim dropped" => {
            let end = (at + 1..lines.len()).find(|&i| lines[i].starts_with("claim")).unwrap_or(lines.len());
            lines.drain(at..end);
        }
        "clause negated" => {
            let (role, formula) = line.split_once(' ')?;
            lines[at] = format!("{role} !({formula})");
        }
        "clause added" => {
            let role = *random.pick(&["fact", "restriction", "assumption", "guarantee"]);
            let formula =
                *random.pick(&["F \"x\"", "G !\"a\"", "X \"a\" U \"x\"", "1", "0", "\"a\" -> F \"x\""]);
            lines.insert(at + 1, format!("{role} {formula}"));
        }
        "node" => {
            let mut parts = words(&line);
            let swap = [
                ("until", "weak"),
                ("weak", "until"),
                ("release", "strong"),
                ("strong", "release"),
                ("and", "or"),
                ("or", "and"),
                ("yes", "no"),
                ("no", "yes"),
                ("true", "false"),
                ("false", "true"),
                ("next", "or"),
            ];
            let other = swap.iter().find(|pair| pair.0 == parts[2])?;
            parts[2] = other.1.to_string();
            lines[at] = parts.join(" ");
        }
        other => panic!("no change {other:?}"),
    }
    let mutant = lines.join("\n") + "\n";
    (mutant != text).then_some(mutant)
}

/// Judges so many mutants of each kind.
fn judge_mutants(each: usize, first_seed: u64) -> BTreeMap<&'static str, [usize; 4]> {
    // Unreadable, refused and wrong, refused although right, accepted.
    let mut tally: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for change in CHANGES {
        let mut random = Random(first_seed ^ change.len() as u64);
        let mut done = 0;
        while done < each {
            let (text, _) = certified(&mut random);
            let Some(mutant) = mutant(&mut random, &text, change) else { continue };
            done += 1;
            let mut arena = Arena::new();
            let row = tally.entry(change).or_default();
            let Some((certificate, accepted)) = judged(&mutant, &mut arena) else {
                row[0] += 1;
                continue;
            };
            let is_right = is_right_of(&certificate, &mut arena);
            assert!(is_right || !accepted, "change {change:?}: a wrong verdict is accepted\n{mutant}");
            row[if accepted { 3 } else { 1 + usize::from(is_right) }] += 1;
        }
    }
    tally
}

fn report(tally: &BTreeMap<&str, [usize; 4]>) {
    for (change, [unread, wrong, right, accepted]) in tally {
        println!(
            "{change:<16} unreadable {unread:>5}, refused: wrong {wrong:>5}, unproved {right:>5}; accepted and right \
             {accepted:>5}"
        );
    }
}

#[test]
fn no_mutant_with_a_wrong_verdict_is_accepted() {
    let tally = judge_mutants(40, 1);
    report(&tally);
    let wrong: usize = tally.values().map(|row| row[1]).sum();
    let accepted: usize = tally.values().map(|row| row[3]).sum();
    assert!(wrong > 60 && accepted > 40, "{wrong} wrong, {accepted} accepted");
    for change in ["output", "edge dropped", "clause negated"] {
        assert!(tally[change][1] > 3, "{change}: mutants with a wrong verdict");
    }
    for change in ["row dropped", "claim dropped", "edge dropped"] {
        assert!(tally[change][3] < 40, "{change}: something is refused");
    }
}

/// Certificates of wrong verdicts: the pairs of the product of each claim, some of them with fewer formulas, with ranks that
/// do not rise as far as possible, or any.
fn forged(random: &mut Random, subject: &Subject, arena: &mut Arena) -> Certificate {
    let Subject { contract, machine, is_realizable, .. } = subject;
    let mut claims = Vec::new();
    for goal in needed(contract, *is_realizable) {
        let given: Vec<(Role, usize)> = contract
            .clauses
            .iter()
            .enumerate()
            .map(|(i, clause)| (clause.0, contract.clauses[..i].iter().filter(|c| c.0 == clause.0).count()))
            .filter(|&one| conjuncts(arena, contract, *is_realizable, goal, &[one]).is_ok())
            .collect();
        let start = conjuncts(arena, contract, *is_realizable, goal, &given).expect("these may be given");
        let mut pairs = vec![(machine.start, start)];
        let mut at = 0;
        while let Some((state, formulas)) = pairs.get(at).cloned() {
            for (cube, next) in &machine.edges[state] {
                for branch in expand(arena, &formulas, cube, &mut 1_000_000).expect("it is small") {
                    let mut formulas = branch.next;
                    if !formulas.is_empty() && random.below(30) == 0 {
                        formulas.remove(random.below(formulas.len()));
                    }
                    if !pairs.contains(&(*next, formulas.clone())) {
                        pairs.push((*next, formulas));
                    }
                }
            }
            at += 1;
        }
        let mode = random.below(3);
        let count = pairs.len() as u64;
        let rank = |random: &mut Random, i: usize| match mode {
            0 => 0,
            1 => count - i as u64,
            _ => random.next() % 3,
        };
        let rows = pairs.into_iter().enumerate();
        let rows = rows.map(|(i, (state, formulas))| Row { state, rank: rank(random, i), formulas, line: i });
        claims.push(Claim { goal, given, rows: rows.collect(), line: 0 });
    }
    let Subject { kind, signals, .. } = subject;
    Certificate {
        is_realizable: *is_realizable,
        kind: *kind,
        signals: signals.clone(),
        contract: contract.clone(),
        machine: machine.clone(),
        claims,
    }
}

/// Judges so many forged certificates: refused although right, refused and wrong, accepted.
fn judge_forgeries(count: u64, first_seed: u64) -> [usize; 3] {
    let mut tally = [0; 3];
    for seed in first_seed..first_seed + count {
        let mut random = Random(seed);
        let mut arena = Arena::new();
        let subject = subject(&mut random, &mut arena);
        let certificate = forged(&mut random, &subject, &mut arena);
        let accepted = check(&certificate, &certificate.machine, &mut arena).is_ok();
        let is_right = is_right_of(&certificate, &mut arena);
        assert!(is_right || !accepted, "seed {seed}: a wrong verdict is accepted");
        tally[if accepted { 2 } else { usize::from(!is_right) }] += 1;
    }
    tally
}

#[test]
fn no_forged_certificate_of_a_wrong_verdict_is_accepted() {
    let [_, wrong, accepted] = judge_forgeries(600, 7);
    assert!(wrong > 200 && accepted > 10, "{wrong} wrong, {accepted} accepted");
}

#[test]
#[ignore = "campaign: 20,000 tables that prove nothing, or only by chance"]
fn campaign_forgeries() {
    let count = count("TSL_SYNTH_CERTIFICATE_FORGERIES", 20_000) as u64;
    let [right, wrong, accepted] = judge_forgeries(count, 1_000_003);
    println!("refused: unproved {right}, wrong {wrong}; accepted and right {accepted}");
}

#[test]
#[ignore = "campaign: 2,000 mutants of each kind, some minutes"]
fn campaign_mutants() {
    report(&judge_mutants(count("TSL_SYNTH_CERTIFICATE_MUTANTS", 2000), 1_000_003));
}
