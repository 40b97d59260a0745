//! Explanations compared with formulas: the laws of the papers, and corrected ones.

use super::sentences::laws;
use std::path::Path;
use tsl_synth_policy::language::words::{LawTree, NameKind, PolicyNames, read_pattern, text_against_formula};
use tsl_synth_testkit::cases;

/// The atoms of all printed laws.
fn names() -> PolicyNames {
    let mut names = PolicyNames::new();
    for file in ["laws_saycan_hard.json", "laws_saycan_soft.json", "laws_innermonologue.json"] {
        for (_, formula, _) in laws(file) {
            for atom in LawTree::read(&formula, &names).expect("a law").atoms() {
                let kind = if atom.starts_with("action_") { NameKind::Action } else { NameKind::Momentary };
                names.add(atom, kind);
            }
        }
    }
    names
}

fn flags(text: &str, formula: &str, names: &PolicyNames) -> Vec<String> {
    let law = LawTree::read(formula, names).expect("a law");
    text_against_formula(text, &law, names).into_iter().map(|flag| flag.reason).collect()
}

#[test]
fn the_explanations_of_ltlcrit() {
    let names = names();
    // Besides four known mismatches: `im-001` has the condition of no iron pickaxe, `saycan-soft-015` that of fuel, and
    // their texts mention neither.
    let expected = [
        ("im-001", "obs_has_iron_pickaxe"),
        ("saycan-soft-008", "obs_has_2x_stick"),
        ("saycan-soft-009", "obs_has_stone_pickaxe"),
        ("saycan-soft-012", "obs_has_2x_stick"),
        ("saycan-soft-014", "all of"),
        ("saycan-soft-015", "obs_has_fuel"),
    ];
    let mut found = Vec::new();
    for file in ["laws_innermonologue.json", "laws_saycan_hard.json", "laws_saycan_soft.json"] {
        for (id, formula, text) in laws(file) {
            let flags = flags(&text, &formula, &names);
            if !flags.is_empty() {
                found.push((id, flags));
            }
        }
    }
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, expected.map(|(id, _)| id), "{found:#?}");
    for ((id, flags), (_, said)) in found.iter().zip(expected) {
        assert_eq!(flags.len(), 1, "{id}: {flags:?}");
        assert!(flags[0].contains(said), "{id}: {flags:?}");
    }
}

#[test]
fn corrected_laws_are_not_flagged() {
    let names = names();
    for (text, formula) in [
        // Either the formula is corrected to fit the text, or the text to fit the formula.
        (
            "wooden pickaxe equipped and lacking stone: mine cobble",
            "G(obs_wood_pickaxe_equipped & !obs_has_3x_cobble & !obs_has_stone_pickaxe -> X(action_mine_stone))",
        ),
        (
            "wooden pickaxe equipped, lacking stone and sticks: mine cobble",
            "G(obs_wood_pickaxe_equipped & !obs_has_3x_cobble & !obs_has_stone_pickaxe & !obs_has_2x_stick -> X(action_mine_stone))",
        ),
        (
            "If equipped with a wooden pickaxe and lacking stone, the agent should mine cobblestone.",
            "G(obs_wood_pickaxe_equipped & !obs_has_3x_cobble & !obs_has_stone_pickaxe -> X(action_mine_stone))",
        ),
        (
            "3 cobble and wooden pickaxe equipped: craft stone pickaxe",
            "G(obs_wood_pickaxe_equipped & obs_has_3x_cobble -> X(action_craft_stone_pickaxe))",
        ),
        (
            "3 cobble, 2 sticks, near table, wooden pickaxe equipped, no stone pickaxe: craft stone pickaxe",
            "G(obs_wood_pickaxe_equipped & obs_has_3x_cobble & obs_has_2x_stick & obs_near_crafting_table & !obs_has_stone_pickaxe -> X(action_craft_stone_pickaxe))",
        ),
        (
            "owns iron pickaxe, not equipped: equip",
            "G(obs_has_iron_pickaxe & !obs_iron_pickaxe_equipped -> X(action_equip_iron_pickaxe))",
        ),
        (
            "do not explore for diamonds unless an iron pickaxe is available and equipped",
            "G(!(obs_has_iron_pickaxe & obs_iron_pickaxe_equipped) -> X(!action_explore_diamond_down))",
        ),
        (
            "do not explore for diamonds unless an iron pickaxe is available or equipped",
            "G(!obs_has_iron_pickaxe & !obs_iron_pickaxe_equipped -> X(!action_explore_diamond_down))",
        ),
        (
            "do not explore if there is fuel and iron and coal are known nearby",
            "G(obs_has_fuel & obs_iron_in_chunk & obs_coal_in_chunk -> X(!action_explore_general))",
        ),
    ] {
        assert_eq!(flags(text, formula, &names), Vec::<String>::new(), "{text}");
    }
    // Similar laws with other mismatches.
    for (text, formula) in [
        ("iron pickaxe not equipped: equip", "G(obs_has_iron_pickaxe -> X(!action_equip_iron_pickaxe))"),
        (
            "do not mine diamonds unless an iron pickaxe is equipped",
            "G(!obs_iron_pickaxe_equipped -> X(action_mine_diamond))",
        ),
        ("logs but no planks: craft planks", "G(obs_has_log & !obs_has_plank -> X(action_smelt_iron))"),
        (
            "Cannot craft an iron pickaxe without 2 sticks or 3 iron ingots.",
            "G(!(obs_has_2x_stick & obs_has_3x_iron_ingot) -> X(!action_craft_iron_pickaxe))",
        ),
    ] {
        assert!(!flags(text, formula, &names).is_empty(), "{text}");
    }
}

#[test]
fn the_printed_explanations_of_the_paper() {
    let names = names();
    let soft = laws("laws_saycan_soft.json");
    for (number, text, flagged) in [
        (1, "If the agent lacks logs, planks, sticks, and an iron pickaxe, it should mine wood logs.", false),
        (2, "If the agent has logs but no planks, it should craft planks.", false),
        (
            4,
            "If the agent has 4 planks and 2 sticks but no crafting table is nearby or already crafted, it must craft a crafting table.",
            false,
        ),
        (
            6,
            "If the agent has 3 planks, 2 sticks, is near a crafting table, and doesn't already have a wooden pickaxe, it should craft one.",
            false,
        ),
        (8, "If equipped with a wooden pickaxe and lacking stone, the agent should mine cobblestone.", true),
        (
            9,
            "If the agent has 3 cobblestones and a wooden pickaxe equipped, it should craft a stone pickaxe.",
            true,
        ),
        (
            10,
            "If the agent has 3 iron ore, is near a furnace, has fuel, and lacks 3 ingots, it should smelt iron.",
            false,
        ),
        (11, "If the agent has the ingredients but no iron pickaxe, it should craft one.", false),
        (12, "If the agent owns an iron pickaxe but hasn't equipped it, it should equip the pickaxe.", true),
        (13, "If an iron pickaxe is equipped and no diamonds are nearby, explore downward.", false),
        (14, "Do not explore for diamonds unless an iron pickaxe is available and equipped.", true),
    ] {
        let (id, formula, _) = &soft[number - 1];
        let flags = flags(text, formula, &names);
        assert_eq!(!flags.is_empty(), flagged, "{id}: {flags:?}");
    }
}

#[test]
fn the_constraints_of_the_safety_chip() {
    for folder in cases("agents/safety-chip") {
        the_constraints_fit_their_texts(&folder);
    }
}

fn the_constraints_fit_their_texts(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("cases");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let names = PolicyNames::from_iter(
        ["bathroom", "bedroom", "kitchen", "living_room"].map(|name| (name, NameKind::Momentary)),
    );
    let field = |id: &str, name: &str| value["constraints"][id][name].as_str().expect("a text").to_owned();
    for id in ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10"] {
        let flags = flags(&field(id, "nl"), &field(id, "ltl"), &names);
        assert_eq!(flags, Vec::<String>::new(), "{id}");
    }
    let lost = flags(&field("C5", "nl"), &field("C5bad", "ltl"), &names);
    assert!(lost.iter().any(|reason| reason.contains("only forbids")), "{lost:?}");
    assert!(lost.iter().any(|reason| reason.contains("the text is read as")), "{lost:?}");
    let slip = flags(&field("C4", "nl"), &field("C4bad", "ltl"), &names);
    assert!(slip.iter().any(|reason| reason.contains("allows what the text forbids")), "{slip:?}");
    let strong = flags(&field("C1", "nl"), &field("C1u", "ltl"), &names);
    assert!(strong.iter().any(|reason| reason.contains("forbids more")), "{strong:?}");
}

#[test]
fn our_own_sentences_are_never_flagged() {
    let names = super::patterns::names();
    let mut rng = tsl_synth_testkit::Rng(99);
    for _ in 0..150 {
        let rule = super::sentences::random_rule(&mut rng);
        let Ok(pattern) = read_pattern(&rule, &names) else { continue };
        let flags = text_against_formula(&pattern.english(), &pattern.law(), &names);
        assert_eq!(flags, [], "{rule}: {}", pattern.english());
    }
}

#[test]
fn a_text_that_gives_a_reason_is_not_compared() {
    use NameKind::{Action, Momentary, State};
    let names = PolicyNames::from_iter([
        ("refund", Action),
        ("run_tests", Action),
        ("receipt_ok", Momentary),
        ("identified", Momentary),
        ("frozen", State),
    ]);
    for (text, formula) in [
        ("No refund without a checked receipt for that order.", "G(refund -> O receipt_ok)"),
        ("We were fined for this in 2022.", "G(refund -> O receipt_ok)"),
        ("Auditors ask for it.", "G(frozen -> X !refund)"),
        ("Broken code must not reach production.", "G(refund -> O run_tests.ok)"),
        ("Customers are identified first.", "G(refund -> O identified)"),
    ] {
        assert_eq!(flags(text, formula, &names), Vec::<String>::new(), "{text}");
    }
    let contradicted = flags("Never refund while frozen", "G(frozen -> refund)", &names);
    assert!(!contradicted.is_empty());
}

#[test]
fn remarks_explain_nothing() {
    let names = PolicyNames::from_iter([("a", NameKind::Momentary), ("b", NameKind::Action)]);
    for text in ["", "  ", "(explanation missing)", "..."] {
        assert_eq!(flags(text, "G(a -> X b)", &names), Vec::<String>::new(), "{text}");
    }
}
