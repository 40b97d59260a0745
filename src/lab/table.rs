//! The table of campaigns and tables.

use super::Campaign;

/// What most entries have in common.
const NONE: Campaign = Campaign {
    name: "",
    about: "",
    test: "",
    count: None,
    seed: None,
    settings: &[],
    fixed: &[],
    features: &[],
    package: None,
    file: None,
    of_suite: false,
};
/// The variable of the first seed of most campaigns.
const SEED: Option<&str> = Some("TSL_SYNTH_SEED");

/// All campaigns, and then the tables and measurements. Sorted by what they are about.
pub const ALL: &[Campaign] = &[
    Campaign {
        name: "ltl",
        about: "random LTL problems: engines, certifier, enumeration, brute force",
        test: "campaign::campaign_ltl",
        count: Some(("TSL_SYNTH_CAMPAIGN", 10_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "tsl",
        about: "random TSL texts, the same",
        test: "campaign::campaign_tsl",
        count: Some(("TSL_SYNTH_CAMPAIGN_TSL", 2_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "suite",
        about: "all tests of `cargo test`, on the whole gallery, on four times as many random instances, with debug assertions",
        test: "",
        fixed: &[
            ("TSL_SYNTH_GALLERY", "all"),
            ("TSL_SYNTH_TIMES", "4"),
            ("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true"),
        ],
        of_suite: true,
        ..NONE
    },
    Campaign {
        name: "emitted-code",
        about: "every example of the emitter in all variants, each for ten times as many steps, in all languages",
        test: "emit::run::campaign_of_emitted_code",
        ..NONE
    },
    Campaign {
        name: "encodings",
        about: "random contracts over finite sorts: values with an atom each and values in binary have the same verdict",
        test: "spec::encodings::campaign_encodings",
        count: Some(("TSL_SYNTH_ENCODINGS", 10_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "numbers",
        about: "random contracts over small ranges: the exact engine and arithmetic with bounds have the same verdict",
        test: "spec::numbers::campaign_numbers",
        count: Some(("TSL_SYNTH_NUMBERS", 5_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "fret",
        about: "random components of FRET over small ranges: the verdict is that of a contract in which values are propositions",
        test: "spec::fret::campaign_of_random_components",
        count: Some(("TSL_SYNTH_FRET", 1_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "lemmas",
        about: "random systems of linear constraints: proofs are checked, compared with enumeration, and mutated",
        test: "spec::numbers::campaign_lemmas",
        count: Some(("TSL_SYNTH_LEMMAS", 2_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "programs",
        about: "random games over programs with small ranges: winners are those of enumeration, certificates fit their game only",
        test: "finite::campaign_programs",
        count: Some(("TSL_SYNTH_PROGRAMS", 5_000)),
        seed: SEED,
        package: Some("tsl-synth-programs"),
        file: Some("it"),
        ..NONE
    },
    Campaign {
        name: "monitored-circuits",
        about: "certificates of circuits by monitors, with one change of circuit or automata: none of a wrong circuit",
        test: "campaign_monitors",
        count: Some(("TSL_SYNTH_MONITORS", 20_000)),
        seed: SEED,
        package: Some("tsl-synth-engine"),
        file: Some("monitors"),
        ..NONE
    },
    Campaign {
        name: "certificates",
        about: "mutants of certificates by kind of change: tsl-check accepts none with a wrong verdict, by enumeration",
        test: "campaign_mutants",
        count: Some(("TSL_SYNTH_CERTIFICATE_MUTANTS", 2_000)),
        package: Some("tsl-synth-certificates"),
        file: Some("it"),
        ..NONE
    },
    Campaign {
        name: "forgeries",
        about: "tables of certificates with any ranks and too few formulas, the same",
        test: "campaign_forgeries",
        count: Some(("TSL_SYNTH_CERTIFICATE_FORGERIES", 20_000)),
        package: Some("tsl-synth-certificates"),
        file: Some("it"),
        ..NONE
    },
    Campaign {
        name: "games",
        about: "the games over programs of a folder: who wins, and seconds",
        test: "texts::table_of_games",
        settings: &["TSL_SYNTH_GAMES=../shared/cases/numbers", "TSL_SYNTH_WORK=40000000"],
        package: Some("tsl-synth-programs"),
        file: Some("it"),
        ..NONE
    },
    Campaign {
        name: "mutants",
        about: "mutants of winning machines and counter-strategies",
        test: "campaign::campaign_mutants",
        count: Some(("TSL_SYNTH_MUTANTS", 1_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "past",
        about: "random LTL formulas with past operators: lowered formulas compared with the lasso semantics by definition",
        test: "past::meaning::campaign_past",
        count: Some(("TSL_SYNTH_PAST", 10_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "past-engines",
        about: "random specifications with past operators: all engines, and plays of their machines compared with the definition",
        test: "past::machines::campaign_past_engines",
        count: Some(("TSL_SYNTH_PAST_GAMES", 2_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "causes",
        about: "causes on random instances, compared with their definition",
        test: "causes::random::membership_is_that_of_the_definition_10000",
        count: Some(("TSL_SYNTH_CAUSES", 10_000)),
        ..NONE
    },
    Campaign {
        name: "cause-systems",
        about: "causes on random systems with several plays for the same inputs",
        test: "causes::systems::systems_that_are_no_machines_20000",
        count: Some(("TSL_SYNTH_CAUSES", 20_000)),
        ..NONE
    },
    Campaign {
        name: "choices",
        about: "every choice of 75 games of 20 turns: what is named as its cause changes it",
        test: "agents::choices::campaign_choices",
        ..NONE
    },
    Campaign {
        name: "friendly",
        about: "random contracts whose assumptions mention outputs: the search for friendly controllers compared with the definition, enumeration and plain synthesis with promises",
        test: "friendly::campaign_friendly",
        count: Some(("TSL_SYNTH_FRIENDLY", 5_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "circuits",
        about: "random circuits: the symbolic certifier compared with the explicit one",
        test: "circuits::campaign_circuits",
        count: Some(("TSL_SYNTH_CIRCUITS", 20_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "circuit-mutants",
        about: "mutants of circuits, compared with enumeration",
        test: "circuits::campaign_circuit_mutants",
        count: Some(("TSL_SYNTH_CIRCUITS", 1_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "monitors",
        about: "monitors of every conjunct of the public benchmarks, compared with the lasso semantics",
        test: "monitors::campaign_monitors",
        settings: &["TSL_SYNTH_SHARED=../shared", "TSL_SYNTH_SHARD=1/1"],
        ..NONE
    },
    Campaign {
        name: "cores",
        about: "cores of the gallery and of the public specifications, a line for each",
        test: "cores::cores_of_the_corpus_are_minimal",
        settings: &["TSL_SYNTH_CORPUS=../shared", "TSL_SYNTH_SHARD=1/1"],
        ..NONE
    },
    Campaign {
        name: "random-cores",
        about: "random LTL and TSL problems: cores are minimal, and in sum no larger than those of leaving out one guarantee after the other",
        test: "core_families::campaign_cores_of_random_specifications",
        count: Some(("TSL_SYNTH_CORES", 2_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "core-table",
        about: "cores of the gallery, the public specifications and composed families beside those of a plain deletion loop: sizes, work, seconds",
        test: "core_table::cores_beside_a_deletion_loop",
        settings: &["TSL_SYNTH_CORPUS=../shared", "TSL_SYNTH_SHARD=1/1", "TSL_SYNTH_SECONDS=60"],
        ..NONE
    },
    Campaign {
        name: "verify",
        about: "`verify` on every machine of the gallery in every format, and 20 mutants of each",
        test: "cli::verify::campaign_verify",
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "broken-machines",
        about: "incorrect machines of small specifications: `verify` compared with enumeration",
        test: "cli::verify::campaign_broken_machines",
        count: Some(("TSL_SYNTH_BROKEN", 1_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "verify-corpus",
        about: "`verify` on every machine that either engine makes for a public benchmark within a time limit, in every format",
        test: "cli::verify::campaign_verify_corpus",
        settings: &["TSL_SYNTH_SECONDS=2", "TSL_SYNTH_SHARED=../shared", "TSL_SYNTH_SHARD=1/1"],
        ..NONE
    },
    Campaign {
        name: "judgments",
        about: "random machines of random specifications (all semantics and targets of TLSF except finite words, cells, labels that leave outputs open), by products and on circuits: `verify` compared with enumeration",
        test: "judgments::campaign_judgments",
        count: Some(("TSL_SYNTH_JUDGMENTS", 10_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "facts",
        about: "facts found by refinement, and mutants of them: derived again by the certifier, and compared with concrete interpretations",
        test: "spec::facts::campaign_facts",
        count: Some(("TSL_SYNTH_FACTS", 2_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "contracts",
        about: "comparisons of random contracts: their words on both sides of `diff`",
        test: "diff::campaign_contracts_are_compared_as_their_words_are",
        ..NONE
    },
    Campaign {
        name: "explanations",
        about: "repairs applied to the specification, and sentences about plays compared with random words: random LTL, and the public corpora",
        test: "explanations::campaign_explanations",
        count: Some(("TSL_SYNTH_EXPLANATIONS", 2_000)),
        settings: &["TSL_SYNTH_SHARED=../shared"],
        ..NONE
    },
    Campaign {
        name: "normal-forms",
        about: "40,000 random formulas: their normal forms have the same meaning",
        test: "delta::many_normal_forms_keep_the_meaning",
        ..NONE
    },
    Campaign {
        name: "hostile",
        about: "hostile inputs for every reader (random bytes, words in any order, broken fixtures, deep nesting, huge numbers), as many of each",
        test: "hostile::campaign_hostile",
        count: Some(("TSL_SYNTH_HOSTILE", 100_000)),
        seed: SEED,
        ..NONE
    },
    Campaign {
        name: "hostile-logs",
        about: "logs of agents that are cut, spliced and changed at random bytes: no panic, no hang",
        test: "logs::hostile",
        count: Some(("TSL_SYNTH_HOSTILE", 4_000)),
        seed: SEED,
        of_suite: true,
        ..NONE
    },
    Campaign {
        name: "ten-megabytes",
        about: "texts of ten megabytes are read",
        test: "syntax::stress::ten_megabytes",
        ..NONE
    },
    Campaign {
        name: "policy-games",
        about: "random policies: the game of all laws, position by position, and the game of sets of positions, compared with their definitions; also with fewer laws, in another order, with other names",
        test: "policy_game::campaign::campaign_policy_games",
        count: Some(("TSL_SYNTH_GAMES", 1_800)),
        seed: Some("TSL_SYNTH_GAMES_FROM"),
        settings: &["TSL_SYNTH_GAMES_TIMES=1", "TSL_SYNTH_GAME=<seed>"],
        ..NONE
    },
    Campaign {
        name: "policy-set-abstraction",
        about: "random policies with bound values: where any number of copies is said to keep the laws, two and three copies do so by the definition of the game",
        test: "policy_game::set_abstraction::campaign_set_abstraction",
        count: Some(("TSL_SYNTH_GAMES", 2_000)),
        seed: Some("TSL_SYNTH_GAMES_FROM"),
        ..NONE
    },
    Campaign {
        name: "policy-parts",
        about: "random policies whose laws share nothing: the games of the parts, compared with the game of all laws",
        test: "policy_game::parts::campaign_policy_parts",
        count: Some(("TSL_SYNTH_PARTS", 6_000)),
        ..NONE
    },
    Campaign {
        name: "policy-rules",
        about: "random rules that share actions: the games of the parts, compared with the game of all laws",
        test: "policy_game::parts::campaign_policy_rules",
        count: Some(("TSL_SYNTH_PARTS", 6_000)),
        ..NONE
    },
    Campaign {
        name: "gates",
        about: "random policies in the gate, decision by decision compared with the definition of the game",
        test: "gate::random::campaign_gates",
        count: Some(("TSL_SYNTH_GATES", 3_000)),
        seed: Some("TSL_SYNTH_GATES_FROM"),
        settings: &["TSL_SYNTH_GATE=<seed>"],
        ..NONE
    },
    Campaign {
        name: "standings",
        about: "verdicts of random laws after each letter, compared with their definition",
        test: "policies::standings::campaign_standings",
        ..NONE
    },
    Campaign {
        name: "killed-hooks",
        about: "hooks that are killed at random moments",
        test: "gate::crowds::campaign_killed_hooks",
        count: Some(("TSL_SYNTH_KILLED", 500)),
        ..NONE
    },
    Campaign {
        name: "crowd",
        about: "10,000 proposals by 8 concurrent programs over 100 sessions",
        test: "gate::crowds::ten_thousand_proposals_over_a_hundred_sessions",
        ..NONE
    },
    Campaign {
        name: "policy-queries",
        about: "queries of policies in DuckDB compared with the monitor, row by row; needs a Python with `duckdb`",
        test: "emit::policy::sql",
        count: Some(("TSL_SYNTH_SESSIONS", 10_000)),
        settings: &["TSL_SYNTH_PYTHON=python3"],
        of_suite: true,
        ..NONE
    },
    Campaign {
        name: "logs",
        about: "generated sessions as logs of Claude Code, Codex, OpenAI and OpenTelemetry: the verdicts of the session, or none",
        test: "generated_sessions::campaign_logs",
        count: Some(("TSL_SYNTH_LOGS", 10_000)),
        seed: SEED,
        package: Some("tsl-synth-gate"),
        file: Some("it"),
        ..NONE
    },
    Campaign {
        name: "both-stores",
        about: "ten million random operations on our store of decision diagrams and on that of `oxidd`",
        test: "base::oxidd_store::tests::campaign_both_stores_make_the_same_functions",
        features: &["oxidd"],
        package: Some("tsl-synth-core"),
        ..NONE
    },
    Campaign {
        name: "gallery",
        about: "states of every machine of the gallery before and after minimization, and the time that it takes",
        test: "smallest::gallery_table",
        ..NONE
    },
    Campaign {
        name: "least-change",
        about: "states and changes of cells that are not needed, of the first controller and of the preferred one, for the gallery",
        test: "least_change::table",
        ..NONE
    },
    Campaign {
        name: "families",
        about: "the families of specs/tlsf, each up to the first size that is not decided and certified in time",
        test: "cli::families::families_table",
        settings: &["TSL_SYNTH_SECONDS=60"],
        ..NONE
    },
    Campaign {
        name: "corpus",
        about: "verdict, notion, seconds and states of every specification of a folder, as tests/README.md describes it",
        test: "cli::corpus::corpus_table",
        settings: &["TSL_SYNTH_CORPUS=<folder>", "TSL_SYNTH_SECONDS=30"],
        ..NONE
    },
    Campaign {
        name: "verdict-first",
        about: "when the verdict line is printed, how much longer a run takes with explanations, how wide lines are, on the public corpora",
        test: "cli::corpus::verdict_first_table",
        settings: &["TSL_SYNTH_SECONDS=10", "TSL_SYNTH_EVERY=1"],
        ..NONE
    },
    Campaign {
        name: "friendly-table",
        about: "how many controllers make assumptions false, before and after the search for friendly ones, and its time",
        test: "friendly_table::friendly_table",
        settings: &["TSL_SYNTH_SECONDS=10", "TSL_SYNTH_EVERY=1"],
        ..NONE
    },
    Campaign {
        name: "interruption",
        about: "how long a check still runs after its stop flag is raised, at random moments of hard public specifications",
        test: "interruption::interruption_table",
        count: Some(("TSL_SYNTH_MOMENTS", 50)),
        settings: &["TSL_SYNTH_SPECS=20"],
        ..NONE
    },
    Campaign {
        name: "stores",
        about: "our store of decision diagrams compared with that of `oxidd`, on recorded operations of hard public specifications",
        test: "stores::stores_table",
        count: Some(("TSL_SYNTH_SPECS", 20)),
        settings: &["TSL_SYNTH_SECONDS=5", "TSL_SYNTH_ONLY=<file>"],
        fixed: &[("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "0")],
        features: &["oxidd"],
        ..NONE
    },
    Campaign {
        name: "large-circuits",
        about: "size and time of certificates of larger and larger arbiters",
        test: "large_circuits::cost_of_large_circuits",
        ..NONE
    },
    Campaign {
        name: "cause-times",
        about: "times of causes on seeded random machines",
        test: "causes::bench::table",
        ..NONE
    },
    Campaign {
        name: "checking-again",
        about: "reading and checking the gallery in an editor: at first, after an added comment, after an edit of a clause",
        test: "editor::verdicts::prints_the_times_of_checking_again",
        ..NONE
    },
    Campaign {
        name: "crossings",
        about: "crossings of lines in our drawings and in those of Graphviz",
        test: "emit::drawing::crossings_beside_graphviz",
        ..NONE
    },
    Campaign {
        name: "policy-game-sizes",
        about: "the game of all laws for every policy of the gallery and for 54 published laws: variables, nodes, time, one decision",
        test: "policy_game::measure::policy_games_table",
        ..NONE
    },
    Campaign {
        name: "conjunctions",
        about: "how many random sets of 20 and 54 laws are decided together within the limit of nodes",
        test: "policy_game::conjunction::conjunction_table",
        ..NONE
    },
    Campaign {
        name: "shield-times",
        about: "decisions of `shield` within a process",
        test: "shield::speed::decisions",
        ..NONE
    },
    Campaign {
        name: "shield-pipes",
        about: "decisions of `shield` over pipes and as a process for each",
        test: "shield::speed::over_pipes_and_as_a_process",
        ..NONE
    },
    Campaign {
        name: "monitor-times",
        about: "a step of the monitor of 54 laws",
        test: "emit::policy::speed::a_letter_of_54_laws",
        ..NONE
    },
    Campaign {
        name: "query-times",
        about: "queries of policies over many sessions in DuckDB; needs a Python with `duckdb`, and a gigabyte",
        test: "emit::policy::speed::a_million_sessions",
        count: Some(("TSL_SYNTH_SESSIONS", 1_000_000)),
        settings: &["TSL_SYNTH_PYTHON=python3"],
        ..NONE
    },
    Campaign {
        name: "log-times",
        about: "reading logs of agents compared with only parsing each line as JSON",
        test: "logs::bench::reading_beside_parsing_into_nothing",
        count: Some(("TSL_SYNTH_MEGABYTES", 32)),
        ..NONE
    },
];
