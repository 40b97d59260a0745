//! Certificates of random contracts, and mutants of them: what the checker accepts is right, by enumeration of short plays.

mod expansion;
mod mutants;
mod random;

use random::{LIMITS, Random, is_right, judged, subject};
use tsl_check::formula::Arena;
use tsl_synth_certificates::{NoCertificate, certificate};

/// The number of a variable of the environment, or a default.
pub(crate) fn count(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Certificates are written exactly for right verdicts, and what is written is accepted.
#[test]
fn certificates_are_written_exactly_for_right_verdicts() {
    let (mut right, mut wrong, mut long) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut arena = Arena::new();
        let subject = subject(&mut random, &mut arena);
        let is_right =
            is_right(&subject.machine, subject.kind, (&subject.signals, &subject.contract), &mut arena);
        match certificate(&subject, &mut arena, LIMITS) {
            Ok(text) => {
                assert!(is_right, "seed {seed}: a wrong verdict has a certificate\n{text}");
                let (_, accepted) = judged(&text, &mut Arena::new()).expect("the certificate is read");
                assert!(accepted, "seed {seed}: the certificate is refused\n{text}");
                right += 1;
            }
            // A play against the verdict may be longer than those that are enumerated.
            Err(NoCertificate::False(_)) if is_right => long += 1,
            Err(NoCertificate::False(_)) => wrong += 1,
            Err(NoCertificate::TooLarge(why)) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(
        right > 40 && wrong > 150 && long <= 8,
        "{right} right, {wrong} wrong, {long} wrong by long plays only"
    );
}
