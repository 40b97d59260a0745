//! Certificates of the gallery, checked by `tsl-check`, and its readers compared with ours by meaning.

use crate::cli::Folder;
use crate::gallery::{every, folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tsl_check::certificate::{Certificate, read_certificate};
use tsl_check::check::{check, difference};
use tsl_check::contract::{Contract as CheckedContract, Signals};
use tsl_check::formula::Arena;
use tsl_check::machine::MachineKind;
use tsl_check::{Source, contract_of};
use tsl_synth_certificates::lasso::{Lasso as Word, holds};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Lasso, LassoSemantics, Player};
use tsl_synth_core::source::SourceMap;
use tsl_synth_lang::spec::{Problem, Target, TlsfOptions, load_ltl, load_tlsf};
use tsl_synth_testkit::{Rng, files_below, more};

/// Whether `tsl-check` accepts a certificate of a specification, and whether it reads the specification; the reason if not.
fn checked(path: &Path, certificate: &str) -> Result<bool, String> {
    let mut arena = Arena::new();
    let certificate: Certificate =
        read_certificate(certificate, &mut arena).map_err(|unread| unread.to_string())?;
    let machine = certificate.machine.clone();
    check(&certificate, &machine, &mut arena).map_err(|refused| format!("{refused:?}"))?;
    let source = Source::of_name(&path.to_string_lossy());
    let text = std::fs::read_to_string(path).expect("a specification");
    let of_counter = certificate.kind == MachineKind::Counter;
    match contract_of(source, &text, &[], (&certificate.signals, of_counter), &mut arena) {
        Ok(origin) => {
            let contract = origin.renumbered(&certificate.signals, &mut arena)?;
            if !of_counter && origin.controller != certificate.kind {
                return Err("the kind of the machine".into());
            }
            match difference(&mut arena, &certificate, &origin.signals, &contract) {
                Some(why) => Err(why),
                None => Ok(true),
            }
        }
        Err(unread) if unread.is_beyond => Ok(false),
        Err(unread) => Err(unread.to_string()),
    }
}

#[test]
fn certificates_of_the_gallery_are_accepted() {
    let home = Folder::new();
    let (mut read, mut trusted, mut none) = (0, 0, Vec::new());
    for path in every(3, 2) {
        let file = home.path().join("proof.cert");
        let _ = std::fs::remove_file(&file);
        let spec = path.display().to_string();
        home.run(["check", "--verdict-only", "--time-limit", "60s", "--certificate", "proof.cert", &spec]);
        let Ok(text) = std::fs::read_to_string(&file) else {
            none.push(spec);
            continue;
        };
        match checked(&path, &text) {
            Ok(true) => read += 1,
            Ok(false) => trusted += 1,
            Err(why) => panic!("{spec}: {why}\n{text}"),
        }
    }
    println!(
        "accepted: {read} read by tsl-check, {trusted} with the clauses of the certificate; none for {none:?}"
    );
    assert!(
        read >= 5 && trusted >= 10 && none.len() <= 5,
        "{read} read, {trusted} trusted, none for {none:?}"
    );
}

#[test]
fn a_certificate_is_for_one_specification_with_a_verdict() {
    let home = Folder::new();
    let spec = folder().join("ltl/latch.ltl").display().to_string();
    let text = home.run(["check", &spec, "--certificate", "latch.cert"]).exits(0);
    drop(text);
    let latch = std::fs::read_to_string(home.path().join("latch.cert")).expect("the certificate");
    assert!(checked(&folder().join("ltl/latch.ltl"), &latch).expect("it is accepted"));
    // The certificate of one specification is none of another one.
    assert!(checked(&folder().join("ltl/both.ltl"), &latch).is_err());
    home.run(["check", "--each", &spec, &spec, "--certificate", "two.cert"]).exits(2);
    home.run(["check", &spec, "--certificate", "no/such/folder/x.cert"]).exits(2);
    assert!(!home.path().join("two.cert").exists());
}

fn load(path: &Path) -> Option<Problem> {
    let mut map = SourceMap::new();
    let text = std::fs::read_to_string(path).expect("a specification");
    let source = map.add(path.display().to_string(), text);
    let loaded = match path.extension()?.to_str()? {
        "ltl" => load_ltl(&[source], &[], &[], &map),
        _ => load_tlsf(source, &TlsfOptions::default(), &map),
    };
    loaded.ok().map(|(problem, _)| problem)
}

/// The signals of a problem for the checker, in the order of its atoms.
fn signals(problem: &Problem) -> Signals {
    let mut signals = Signals::default();
    for (atom, described) in problem.alphabet.atoms().enumerate() {
        let is_input = problem.alphabet.player(atom) == Player::Environment;
        signals.add(&described.name, is_input).expect("different names");
    }
    signals
}

/// A random word, in which some letters repeat.
fn word(rng: &mut Rng, atoms: usize) -> (Word, Lasso) {
    let density = 1 + rng.below(4);
    let letter =
        |rng: &mut Rng| (0..atoms as u32).filter(|_| rng.below(density + 1) == 0).collect::<BTreeSet<u32>>();
    let mut letters: Vec<BTreeSet<u32>> = vec![letter(rng)];
    for _ in 0..rng.below(6) {
        let last = letters[letters.len() - 1].clone();
        letters.push(if rng.flip() { last } else { letter(rng) });
    }
    let back = rng.below(letters.len());
    let of = |letter: &BTreeSet<u32>| {
        letter.iter().map(|&a| tsl_synth_core::logic::BitId::from_index(a as usize)).collect()
    };
    let all: Vec<_> = letters.iter().map(of).collect();
    let lasso = Lasso { prefix: all[..back].to_vec(), cycle: all[back..].to_vec() };
    (Word { letters, back }, lasso)
}

/// Compares the two readings of a specification on random words. `None` if the checker does not read it; otherwise the
/// number of words on which the contract holds and on which it does not.
fn compare(path: &Path, rng: &mut Rng, change: bool) -> Option<Result<[usize; 2], String>> {
    let mut problem = load(path)?;
    let own = signals(&problem);
    let mut arena = Arena::new();
    let text = std::fs::read_to_string(path).expect("a specification");
    let source = Source::of_name(&path.to_string_lossy());
    let mut seen = [0; 2];
    for of_counter in [false, true] {
        let origin = contract_of(source, &text, &[], (&own, of_counter), &mut arena).ok()?;
        for inputs in [true, false] {
            if own.sorted(inputs) != origin.signals.sorted(inputs) {
                return Some(Err("other signals".into()));
            }
        }
        if (origin.controller == MachineKind::Moore) != (problem.target == Target::Moore) {
            return Some(Err("another kind of machine".into()));
        }
        let mut contract: CheckedContract = origin.renumbered(&own, &mut arena).expect("the same signals");
        if change && let Some(last) = contract.clauses.last_mut() {
            let next = arena.next(last.1);
            last.1 = arena.not(next);
        }
        let read = contract.formula(&mut arena);
        let mut lowered = problem.contract();
        if !of_counter {
            lowered = problem.target_contract(&lowered);
        }
        let whole = lowered.formula(&mut problem.formulas);
        // Atoms and bits have the same numbers: there are no cells.
        for _ in 0..60 {
            let (word, lasso) = word(rng, own.len());
            let ours = LassoSemantics::new(&problem.formulas, &problem.alphabet, &lasso).holds(whole);
            if holds(&arena, read, &word) != ours {
                return Some(Err(format!("the contracts differ on {word:?}")));
            }
            seen[usize::from(ours)] += 1;
        }
    }
    Some(Ok(seen))
}

#[test]
fn the_readers_of_the_checker_agree_with_ours() {
    let mut files: Vec<PathBuf> = files_below(&folder(), &["ltl", "tlsf"]);
    if let Some(bench) = more("bench") {
        files.extend(files_below(&bench.join("syntcomp"), &["tlsf"]).into_iter().step_by(24));
    }
    let mut rng = Rng(48);
    let (mut read, mut both, mut unread, mut noticed) = (0, 0, Vec::new(), 0);
    for path in &files {
        match compare(path, &mut rng, false) {
            None => unread.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned()),
            Some(Err(why)) => panic!("{}: {why}", path.display()),
            Some(Ok([no, yes])) => {
                read += 1;
                both += usize::from(no > 0 && yes > 0);
                // With another clause they have to differ, if words can tell.
                noticed += usize::from(matches!(compare(path, &mut rng, true), Some(Err(_))));
            }
        }
    }
    println!("{} files: {read} read and equal, {both} of them true and false of some words", files.len());
    println!("with a clause changed {noticed} differ; not read: {}", unread.join(", "));
    assert!(read >= 25 && unread.len() * 8 <= files.len().max(40), "{read} read");
    assert!(
        both * 10 > read * 6 && noticed * 10 > read * 6,
        "{both} with both values, {noticed} changes noticed"
    );
}
