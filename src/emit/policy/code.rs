//! Monitors as code: prepares literals and identifiers of the target; the logic is in the templates.

use super::tables::{PolicyTables, TableAtom, TableRegister, kind_name, on_violation_name};
use super::{PolicyMeta, PolicyTarget};
use crate::input::EmitError;
use crate::names::{Identifiers, NameCase, convert};
use crate::render;
use crate::reserved::C;
use crate::text::{c_string, comment, python_string};
use tsl_synth_documents::{
    PolicyAtomView, PolicyCodeView, PolicyLawView, PolicyNameView, PolicyRegisterView,
};
use tsl_synth_policy::language::{Law, LawId, LawKind};

/// Writes a text as a literal.
type Literal = fn(&str) -> String;

/// The text of the module.
pub(super) fn code(
    tables: &PolicyTables<'_>,
    meta: &PolicyMeta,
    target: PolicyTarget,
    stem: &str,
) -> Result<String, EmitError> {
    let (template, literal): (_, Literal) = match target {
        PolicyTarget::C => ("policy/c", c_string),
        _ => ("policy/python", python_string),
    };
    let policy = &tables.compiled.policy;
    if target == PolicyTarget::C {
        refused_in_c(tables)?;
    }
    let too_large = |limit: &str| target == PolicyTarget::C && limit.parse::<i64>().is_err();
    if let Some(register) = tables.registers.iter().find(|one| too_large(&one.limit)) {
        let what = format!("the limit of `{}` is too large for {}", register.name, target.name());
        return Err(EmitError::Unsupported(what));
    }
    // Each kind of constants has a prefix of its own in C, and no constants in Python.
    let target_words: &'static [&'static [&'static str]] = &[C];
    let mut names = Identifiers::new(target_words);
    let mut doc = tables.doc();
    let atoms = atoms(tables, literal, Identifiers::new(target_words));
    if target == PolicyTarget::C {
        doc.extend([String::new(), "Names of atoms:".into()]);
        doc.extend(atoms.iter().map(|atom| format!("  {}: {}", atom.ident, atom.remark)));
    }
    let computed: Vec<String> =
        atoms.iter().enumerate().filter(|(_, atom)| atom.computed).map(|(i, _)| i.to_string()).collect();
    let view = PolicyCodeView {
        policy: comment(&policy.name),
        version: comment(&meta.tool_version),
        sha256: comment(&meta.sha256),
        machine_id: tables.machine_id(),
        name: literal(&policy.name),
        p: format!("{}_", convert(stem, NameCase::Snake)),
        guard: convert(stem, NameCase::Upper),
        doc: doc.iter().map(|line| indented(line)).collect(),
        scale: tables.scale,
        max_values: policy.max_values,
        atoms,
        computed: if computed.is_empty() { "()".into() } else { format!("{{{}}}", computed.join(", ")) },
        names: tables
            .names
            .iter()
            .map(|name| PolicyNameView {
                name: literal(name),
                ident: names.fresh(name, NameCase::Upper),
                remark: comment(name),
            })
            .collect(),
        laws: laws(tables, literal, Identifiers::new(target_words)),
        registers: registers(tables, literal, Identifiers::new(target_words)),
    };
    render::embedded(template, &view)
}

fn atoms(tables: &PolicyTables<'_>, literal: Literal, mut idents: Identifiers) -> Vec<PolicyAtomView> {
    let view = |atom: &TableAtom| {
        // The atom that clears a proposition `p` has the name `!p`.
        let text = atom.name.strip_prefix('!').map_or(atom.name.clone(), |name| format!("not {name}"));
        PolicyAtomView {
            name: literal(&atom.name),
            ident: idents.fresh(&text, NameCase::Upper),
            remark: comment(&atom.name),
            computed: atom.computed,
        }
    };
    tables.atoms.iter().map(view).collect()
}

fn laws(tables: &PolicyTables<'_>, literal: Literal, mut idents: Identifiers) -> Vec<PolicyLawView> {
    let view = |(id, law): (LawId, &Law)| {
        let tests = tables.tests(id);
        PolicyLawView {
            id: literal(&law.id),
            ident: idents.fresh(&law.id, NameCase::Upper),
            remark: comment(&law.id),
            kind: literal(kind_name(law.kind)),
            hard: law.kind == LawKind::Hard,
            for_each: tables.for_each(law),
            ltl: literal(&law.ltl),
            why: literal(&law.why),
            on_violation: literal(on_violation_name(law.on_violation)),
            tests: tests.tests,
            root: tests.root,
            rows: tables.rows(id),
            verdicts: tables.verdicts(id),
            classes: tables.compiled.decisions[id].classes(),
        }
    };
    tables.compiled.policy.laws.enumerate().map(view).collect()
}

fn registers(
    tables: &PolicyTables<'_>,
    literal: Literal,
    mut idents: Identifiers,
) -> Vec<PolicyRegisterView> {
    let view = |register: &TableRegister| PolicyRegisterView {
        name: literal(&register.name),
        ident: idents.fresh(&register.name, NameCase::Upper),
        remark: comment(&register.name),
        atom: register.atom,
        is_sum: register.is_sum,
        limit: register.limit.clone(),
        window: register.window,
        on: register.on.clone(),
        reset_on: register.reset_on.clone(),
    };
    tables.registers.iter().map(view).collect()
}

/// A line of a comment with its indentation.
fn indented(line: &str) -> String {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    format!("{}{}", " ".repeat(blanks), comment(line))
}

fn refused_in_c(tables: &PolicyTables<'_>) -> Result<(), EmitError> {
    let law = tables.compiled.policy.laws.iter().find(|law| !law.for_each.is_empty());
    if let Some(law) = law {
        let what = format!(
            "the law `{}` has copies `for_each` value, which need memory that grows: the monitor in C has none",
            law.id
        );
        return Err(EmitError::Unsupported(what));
    }
    if let Some(register) = tables.registers.iter().find(|register| register.window.is_some()) {
        let what = format!(
            "the register `{}` has a window, which needs memory that grows: the monitor in C has none",
            register.name
        );
        return Err(EmitError::Unsupported(what));
    }
    Ok(())
}
