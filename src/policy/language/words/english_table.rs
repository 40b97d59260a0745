//! Sentences and questions in English, and the laws that they mean, from tables that were written before the code.

use super::meaning::differ;
use super::names::{NameKind, PolicyNames};
use super::question::{QuestionKind, read_question};
use super::sentence::read_sentence;
use super::tree::LawTree;
use NameKind::{Action, Momentary, State};

const SENTENCES: &str = include_str!("../../../../fixtures/requirements/policies.tsv");

const QUESTIONS: &str = include_str!("../../../../fixtures/requirements/questions.tsv");

fn names() -> PolicyNames {
    let actions = ["push", "deploy", "tests", "review", "edit"].map(|name| (name, Action));
    let others = [("approved", Momentary), ("frozen", State), ("locked", State)];
    actions.into_iter().chain(others).collect()
}

/// The lines of a table with their columns.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn same(read: &LawTree, meant: &str) -> bool {
    let meant = LawTree::read(meant, &names()).unwrap_or_else(|why| panic!("{meant}: {why}"));
    differ(read, &meant) == (false, false)
}

#[test]
fn sentences_mean_their_laws_or_are_refused() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in rows(SENTENCES) {
        let [text, meant] = row[..] else { panic!("two columns: {row:?}") };
        count += 1;
        match read_sentence(text, &names()) {
            Ok(read) if meant == "refused" => wrong.push(format!("{text}: read as {}", read.law)),
            Ok(read) if !same(&read.law, meant) => {
                wrong.push(format!("{text}: read as {}, meant {meant}", read.law));
            }
            Err(refused) if meant != "refused" => wrong.push(format!("{text}: refused: {refused}")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 150, "{count}");
}

#[test]
fn questions_ask_what_they_say_or_are_refused() {
    let mut wrong = Vec::new();
    for row in rows(QUESTIONS) {
        let meant = match row[1..] {
            ["refused"] => None,
            ["may", law] => Some((QuestionKind::May, law)),
            ["must", law] => Some((QuestionKind::Must, law)),
            _ => panic!("a kind and a law: {row:?}"),
        };
        let text = row[0];
        match (read_question(text, &names()), meant) {
            (Err(_), None) => {}
            (Ok(read), Some((kind, law))) if read.kind == kind && same(&read.law, law) => {}
            (Ok(read), _) => wrong.push(format!("{text}: read as {:?} {}", read.kind, read.law)),
            (Err(refused), Some(_)) => wrong.push(format!("{text}: refused: {refused}")),
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Sentences that differ in one word mean different things; the comparison has to see that.
#[test]
fn the_comparison_finds_differences() {
    for (one, other) in [
        ("G(push -> O tests.ok)", "G(push -> !tests)"),
        ("G(push -> O tests.ok)", "G(push -> O tests)"),
        ("G(deploy -> X G !edit)", "G(deploy -> G !edit)"),
        ("G(deploy -> approved & !frozen)", "G(deploy -> !(approved & frozen))"),
        ("G !(deploy & (frozen | !approved))", "G !(deploy & !(frozen | approved))"),
        ("G !(push & Y O push)", "G !(push & Y O(push & Y O push))"),
    ] {
        let one = LawTree::read(one, &names()).expect("LTL");
        assert!(!same(&one, other), "{one}, {other}");
    }
}
