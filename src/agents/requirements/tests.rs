//! Sentences and what is read of them.

use super::*;

fn formula(text: &str) -> String {
    let found = read_requirements(text);
    assert!(found.unread.is_empty(), "{text}: {:?}", found.unread);
    found.read.last().expect("a sentence").formula.clone()
}

fn expected(text: &str) -> String {
    let found = read_requirements(text);
    assert!(found.read.is_empty(), "{text}: {:?}", found.read);
    found.unread.first().expect("a sentence").expected.clone()
}

#[test]
fn ears() {
    for (sentence, expected) in [
        ("The lamp shall light the room.", "G light_room"),
        (
            "When the button is pressed, the lamp shall light the room within 5 steps.",
            "G (button_pressed -> F[0:5] light_room)",
        ),
        ("While the door is not closed, the oven shall not heat.", "G (!door_closed -> !heat)"),
        ("If a and b, then the system shall c immediately.", "G ((a && b) -> c)"),
        ("The system shall q no later than 5 steps after p.", "G (p -> F[0:5] q)"),
        ("While p, when q, the system shall r in the next step", "G ((p && q) -> X r)"),
        (
            "Where the heater is fitted, when it is cold, the system shall heat.",
            "G ((heater_fitted && it_cold) -> F heat)",
        ),
        ("[REQ-7] When p, the system shall q for 3 steps.", "G (p -> G[0:2] q)"),
        ("R1: The system must q until p.", "(q W p)"),
        ("The system shall never q.", "G !q"),
        ("When p, the system shall q before r.", "G (p -> (!r W q))"),
        ("The system shall q when p.", "G (p -> F q)"),
        ("The system shall q while p.", "G (p -> q)"),
        ("While r, the system shall q only if p.", "G (r -> (q -> p))"),
        ("Unless p, the system shall q.", "G (!p -> q)"),
        ("As soon as p, the system shall q.", "G (p -> F q)"),
    ] {
        assert_eq!(formula(sentence), expected, "{sentence}");
    }
}

#[test]
fn names_and_sides() {
    let found = read_requirements(
        "open = open the valve | the valve is open\ninput leak\nWhen the valve is open, the pump shall report.\nIf report, \
         then the pump shall open the valve.\nWhile leak, the pump shall not report.",
    );
    let formulas: Vec<&str> = found.read.iter().map(|one| one.formula.as_str()).collect();
    assert_eq!(formulas, ["G (open -> F report)", "G (report -> F open)", "G (leak -> !report)"]);
    let names = |list: &[(String, String)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&found.inputs), names(&found.outputs)),
        (vec!["leak".to_string()], vec!["open".into(), "report".into()])
    );
    assert!(found.read[0].note.as_deref().is_some_and(|note| note.contains("no time is named")));
    let text = found.tsl();
    assert!(text.contains("  // While leak, the pump shall not report\n  G (leak -> !report);\n"), "{text}");
    assert!(found.ltl().starts_with("// inputs: leak\n// outputs: open, report\n"), "{}", found.ltl());
}

#[test]
fn sentences_go_on_in_the_next_line() {
    let found = read_requirements("# a comment\nWhen p,\n  the system shall q. The system shall r.\n");
    let formulas: Vec<(usize, &str)> =
        found.read.iter().map(|one| (one.line, one.formula.as_str())).collect();
    assert_eq!(formulas, [(2, "G (p -> F q)"), (2, "G r")]);
}

#[test]
fn what_is_not_read_says_what_was_expected() {
    for (sentence, why) in [
        ("It would be nice if it were fast.", "expected `When .., the SYSTEM shall ..`"),
        ("When p the system shall q.", "expected a comma between the condition and the system"),
        ("When p, the system shall q within a while.", "expected a number of steps after `within`"),
        ("When p, the system shall q within 5 seconds.", "time is counted in steps"),
        ("When , the system shall q.", "expected a condition"),
        ("When p, the system shall the.", "expected what holds, in words"),
        ("As far as p, the system shall q.", "expected the name of the system before `shall`"),
        ("Ringing must always follow p within 3 steps.", "there are two"),
        ("Ringing the bell must always follow p.", "expected the name of the system"),
        ("If a or b and c, then the system shall d at once.", "both can be read in two ways"),
        ("The pump and the fan shall not run.", "`neither the pump nor the fan shall run`"),
        ("When p, the system shall close it.", "expected the name of the thing in place of `it`"),
        ("When p within 3 steps of r, the system shall q.", "without `within`"),
        ("It is always the case that if p then q.", "expected `.. eventually holds`"),
        ("Between p, it is never the case that q holds.", "expected `Between Q and R,`"),
        ("After p, q holds at least every 5 steps.", "as the scope of what happens again and again"),
    ] {
        let said = expected(sentence);
        assert!(said.contains(why), "{sentence}: {said}");
    }
}

#[test]
fn lists_are_read_and_names_are_one_in_all_spellings() {
    let found = read_requirements(
        "1. If P holds, the pump shall run at once.\n- While p, the lamp shall be on.\n2) The fan shall stop.\n  10. The horn \
         shall sound.",
    );
    let formulas: Vec<&str> = found.read.iter().map(|one| one.formula.as_str()).collect();
    assert_eq!(formulas, ["G (p -> run)", "G (p -> lamp_on)", "G stop", "G sound"], "{:?}", found.unread);
    assert_eq!(found.inputs.len(), 1);
    // A declared name is spelled as it is declared.
    let found =
        read_requirements("output P\nIt is never the case that P holds. If p, the lamp shall blink at once.");
    assert_eq!(found.ltl().lines().next(), Some("// outputs: P, blink"));
}

#[test]
fn hostile_texts_are_read_or_not_and_nothing_else() {
    for text in [
        "",
        ".",
        "shall",
        " shall ",
        "When shall , shall",
        "\u{0}\u{202e} shall x",
        "If then shall",
        "The \u{1f600} shall \u{1f600}.",
        "between and , it",
        "= x",
        "When p, the system shall q within 99999999999 steps.",
    ] {
        let found = read_requirements(text);
        assert!(!found.tsl().contains('\u{0}'));
        for (name, _) in found.inputs.iter().chain(&found.outputs) {
            assert!(name.is_ascii() && !name.is_empty(), "{text:?}: {name}");
        }
    }
}

/// The formulas of sentences, or nothing if one of them is not read.
fn formulas(text: &str) -> Option<Vec<String>> {
    let found = read_requirements(text);
    found.unread.is_empty().then(|| found.read.into_iter().map(|one| one.formula).collect())
}

#[test]
fn different_phrases_are_never_one_proposition() {
    let mut words: Vec<String> =
        ["größer", "grüßer", "groesser", "großer", "亮", "灭", "été", "ete", "ñu", "nu", "закрыт"]
            .map(str::to_string)
            .to_vec();
    for sign in "!#$%&*+-/:;<=>?@^_|~\u{b0}\u{20ac}\u{2264}\u{2014}\u{b2}".chars() {
        words.extend([format!("a{sign}b"), format!("a {sign} b"), format!("{sign}5"), format!("x {sign} 5")]);
    }
    words.extend(
        ["a b", "ab", "5", "x 5", "x .5", "3.5", "35", "3 5", "20%", "20p", "a'b", "has water", "water"]
            .map(str::to_string),
    );
    let name = |formula: &str| formula[3..].split(" -> ").next().map(|name| name.replace('!', ""));
    let clause = |word: &str, is: &str| {
        format!("While the tank {is} {word}, ").replace("is has", "has").replace("is not has", "has no")
    };
    // Only phrases that have one name by themselves may clash.
    let mut alike: std::collections::BTreeMap<Option<String>, Vec<String>> =
        std::collections::BTreeMap::new();
    for word in words {
        if let Some(read) = formulas(&format!("{}the pump shall run.", clause(&word, "is"))) {
            alike.entry(name(&read[0])).or_default().push(word);
        }
    }
    let (mut pairs, count) = (0, alike.len());
    for words in alike.values() {
        for (at, one) in words.iter().enumerate() {
            for other in &words[at + 1..] {
                for second in ["is", "is not"] {
                    let (one, other) = (clause(one, "is"), clause(other, second));
                    let text = format!("{one}the pump shall run. {other}the fan shall stop.");
                    assert_eq!(formulas(&text), None, "{text}");
                    pairs += 1;
                }
            }
        }
    }
    assert!(pairs >= 10 && count >= 10, "{pairs} {count}");
    // Spellings of one thing are one.
    for (one, other) in [
        ("on-site", "on site"),
        ("tank_full", "tank full"),
        ("Open", "open"),
        ("the spare", "a spare"),
        ("\u{201c}full\u{201d}", "full"),
        ("(full)", "full"),
    ] {
        let text = format!(
            "While the lamp is {one}, the pump shall run. While the lamp is {other}, the fan shall stop."
        );
        let read = formulas(&text).expect("it is read");
        assert_eq!(read[0].replace("run", "stop"), read[1], "{text}");
    }
    // A name that is given makes a phrase with a sign readable, and says which phrases are one.
    let given = "high = the level is > 5 | the level is above 5\nWhile the level is > 5, the pump shall run. While the level is \
                 above 5, the fan shall stop.";
    assert_eq!(formulas(given), Some(vec!["G (high -> run)".into(), "G (high -> stop)".into()]));
    // Also one that is refused otherwise.
    for phrase in [
        "the valve has been opened",
        "the lid is open on Mondays",
        "the tank becomes full",
        "the pump is not idle",
    ] {
        let read = formulas(&format!("named = {phrase}\nWhile {phrase}, the fan shall stop."));
        assert_eq!(read, Some(vec!["G (named -> stop)".into()]), "{phrase}");
    }
    let given = "busy = the pump is running\nThe pump shall be running. While the pump is running, the lamp shall be on.";
    assert_eq!(formulas(given), Some(vec!["G busy".into(), "G (busy -> lamp_on)".into()]));
    // An apostrophe of a typographer is one.
    assert_eq!(formula("While the door isn\u{2019}t open, the fan shall run."), "G (!door_open -> run)");
}

#[test]
fn a_verb_before_a_list_belongs_to_each_part() {
    for (verb, object) in [("show", "signal"), ("display", "color"), ("frobnicate", "x"), ("emit", "tone")] {
        for (list, parts) in [("red or green", 2), ("red, green or yellow", 3), ("red and green", 2)] {
            let read = formula(&format!("The {object} lamp shall {verb} {list}."));
            assert_eq!(read.matches(&format!("{verb}_")).count(), parts, "{read}");
        }
        for group in
            ["exactly one of", "at most one of", "at least one of", "none of", "either", "both", "neither"]
        {
            let link = match group {
                "neither" => "nor",
                "either" => "or",
                _ => "and",
            };
            let text = format!(
                "When p, the lamp shall {verb} green immediately. The lamp shall {verb} {group} stop {link} green."
            );
            let read = formulas(&text).expect("it is read");
            assert_eq!(read[0], format!("G (p -> {verb}_green)"));
            let alone = read[1].replace(&format!("{verb}_green"), "").replace(&format!("{verb}_stop"), "");
            assert!(!alone.contains("green") && !alone.contains("stop"), "{text}: {}", read[1]);
        }
        let never = format!("The lamp shall never {verb} red and green at the same time.");
        assert_eq!(formula(&never), format!("G !({verb}_red && {verb}_green)"));
        let neither = format!("The lamp shall {verb} neither red nor green.");
        assert_eq!(formula(&neither), format!("G !({verb}_red || {verb}_green)"));
    }
    // Verbs of their own, and what may be both.
    assert_eq!(formula("The robot shall turn left and return home."), "G (turn_left && return_home)");
    assert_eq!(formula("The robot shall sound the horn and blink."), "G (sound_horn && blink)");
    assert_eq!(formula("The lamp shall be closed or open."), "G (lamp_closed || lamp_open)");
    for text in [
        "The robot shall turn left or stop.",
        "The robot shall open the door and window.",
        "The display shall show red light or green light.",
        "The lamp shall be on and blink.",
        "The valve shall be fully open or closed.",
        "While the valve is fully open or closed, the pump shall run.",
        "When the user presses the red button or the green button, the lamp shall blink.",
        "When the user presses button A or button B, the lamp shall blink.",
        "When the user presses A or B, the lamp shall blink.",
        "While the mode is A or B, the lamp shall blink.",
        "The arbiter shall grant access to A or B.",
        "The controller shall open valve A or B.",
        "The controller shall set mode auto or manual.",
        "While the tank is full and no longer heated, the lamp shall blink.",
        "While the tank is full and slowly heated, the lamp shall blink.",
        "While the lamp is on and slowly blinks, the fan shall run.",
        "While the pumps run and the door is open, the lamp shall blink.",
        "While pumps run and valve B is open, the lamp shall blink.",
    ] {
        assert!(expected(text).contains("said again for each part"), "{text}");
    }
    for (condition, read) in [
        ("valve A or valve B is open", "(valve_a_open || valve_b_open)"),
        ("valve A and valve B are open", "(valve_a_open && valve_b_open)"),
        ("the red lamp or the green lamp is on", "(red_lamp_on || green_lamp_on)"),
        ("sensor A fails or valve B is open", "(sensor_a_fails || valve_b_open)"),
        ("the tank is full and sensor A fails", "(tank_full && sensor_a_fails)"),
    ] {
        assert_eq!(
            formula(&format!("While {condition}, the lamp shall blink.")),
            format!("G ({read} -> blink)")
        );
    }
    // `does not` negates the verb of another sentence.
    for (done, plain) in
        [("presses", "press"), ("tries", "try"), ("opens", "open"), ("goes to", "go to"), ("pushes", "push")]
    {
        let text = format!(
            "While the user {done} a key, the lamp shall blink. While the user does not {plain} a key, the fan shall stop."
        );
        let read = formulas(&text).expect("it is read");
        assert_eq!(read[1], read[0].replace('(', "(!").replace("blink", "stop"), "{text}");
    }
    for (verb, now) in
        [("run", "running"), ("blink", "blinking"), ("move", "moving"), ("heat the oven", "heating the oven")]
    {
        let text = format!("The pump shall {verb}. While the pump is {now}, the lamp shall be on.");
        let read = formulas(&text).expect("it is read");
        let name = read[0].trim_start_matches("G ");
        assert_eq!(read[1], format!("G ({name} -> lamp_on)"));
        if !verb.contains(' ') {
            let text = format!("The pump shall be {now}. While the pump {verb}s, the lamp shall be on.");
            assert_eq!(formulas(&text), Some(read), "{text}");
        }
    }
}

#[test]
fn times_are_read_or_refused() {
    for time in
        ["initially", "at first", "at the beginning", "in the beginning", "at the start", "in the first step"]
    {
        assert_eq!(formula(&format!("The lamp shall be off {time}.")), "lamp_off");
        assert_eq!(formula(&format!("{time}, the lamp shall not be off.")), "!lamp_off");
        expected(&format!("When p, the lamp shall be off {time}."));
        expected(&format!("{time}, when p, the lamp shall be off."));
    }
    assert_eq!(formula("The lamp shall initially be off."), "lamp_off");
    assert_eq!(formula("Initially, p holds."), "p");
    for time in ["at some point", "at some time", "eventually"] {
        assert_eq!(formula(&format!("The lamp shall be on {time}.")), "F lamp_on");
        expected(&format!("The lamp shall not be on {time}."));
    }
    assert_eq!(formula("The lamp shall be on all the time."), "G lamp_on");
    assert_eq!(formula("When p, the lamp shall be on right away."), "G (p -> lamp_on)");
    for time in [
        "at the end",
        "in the end",
        "from time to time",
        "sometimes",
        "rarely",
        "seldom",
        "usually",
        "occasionally",
        "daily",
        "every day",
        "at night",
        "at noon",
        "soon",
        "again",
        "twice",
        "often",
        "most of the time",
        "still",
        "already",
        "now",
        "for a while",
        "for now",
        "so far",
        "today",
        "periodically",
        "continuously",
        "from the start",
        "at the latest",
        "in the meantime",
        "afterwards",
        "in the morning",
        "from the beginning",
        "at any time",
        "too",
        "also",
        "next",
        "first",
        "as well",
        "as well as the fan",
        "along with the fan",
        "together",
        "respectively",
        "alternately",
        "perhaps",
        "if possible",
        "at the end of the day",
        "at the beginning of the run",
        "one day",
        "for 5 seconds",
        "every hour",
        "somehow",
        "by turns",
        "any more",
        "yet",
        "just",
        "ever",
        "for the second time",
        "on Mondays",
        "at 12:30",
        "at 5 o'clock",
        "in winter",
    ] {
        expected(&format!("The lamp shall be on {time}."));
        expected(&format!("The lamp shall blink {time}."));
        expected(&format!("While the tank is full {time}, the lamp shall blink."));
    }
}

#[test]
fn adverbs_of_time_are_no_names_and_words_like_them_are() {
    for adverb in ["sometimes", "rarely", "initially", "also", "now", "already", "yet", "soon", "usually"] {
        expected(&format!("The pump {adverb} shall run."));
        expected(&format!("While the tank is {adverb} full, the pump shall run."));
        expected(&format!("While the tank is not {adverb} full, the pump shall run."));
    }
    // Words that only look like times.
    for (phrase, name) in [
        ("at the end of the track", "cart_at_end_of_track"),
        ("on the first floor", "cart_on_first_floor"),
        ("in the start area", "cart_in_start_area"),
        ("too hot", "cart_too_hot"),
        ("above 5 meters", "cart_above_5_meters"),
        ("longer than 5", "cart_longer_than_5"),
        ("almost full", "cart_almost_full"),
    ] {
        assert_eq!(
            formula(&format!("While the cart is {phrase}, the lamp shall blink.")),
            format!("G ({name} -> blink)")
        );
    }
}

#[test]
fn changes_are_no_states() {
    for (thing, state) in [("tank", "full"), ("door", "open"), ("user_a", "logged_in"), ("motor", "hot")] {
        let name = format!("{thing}_{state}");
        let (begins, ends) = (format!("({name} && Y !{name})"), format!("(!{name} && Y {name})"));
        for (said, meant) in [
            (format!("becomes {state}"), &begins),
            (format!("starts being {state}"), &begins),
            (format!("begins to be {state}"), &begins),
            (format!("is no longer {state}"), &ends),
            (format!("stops being {state}"), &ends),
            (format!("ceases to be {state}"), &ends),
        ] {
            let read = formula(&format!("When the {thing} {said}, the pump shall start immediately."));
            assert_eq!(read, format!("G ({meant} -> start)"), "{said}");
        }
        for said in [
            "has been",
            "has not been",
            "was",
            "has become",
            "does not become",
            "becomes not",
            "is being",
            "became",
        ] {
            expected(&format!("When the {thing} {said} {state}, the pump shall start immediately."));
        }
        for said in ["become", "no longer be", "stop being", "start being"] {
            expected(&format!("The {thing} shall {said} {state}."));
        }
    }
    let runs = formulas("The pump shall run. When the pump stops running, the lamp shall be on immediately.");
    assert_eq!(runs.expect("it is read")[1], "G ((!run && Y run) -> lamp_on)");
    assert_eq!(
        formula("When the user starts typing, the lamp shall blink."),
        "G ((user_typing && Y !user_typing) -> F blink)"
    );
    assert_eq!(formula("When p no longer holds, the lamp shall blink."), "G ((!p && Y p) -> F blink)");
    // No changes.
    for (phrase, condition) in [
        ("the timer stops", "timer_stops"),
        ("the game begins", "game_begins"),
        ("the queue is no longer than 5", "!queue_longer_than_5"),
        ("the user has a key", "user_key"),
        ("the user stops the building", "user_stops_building"),
    ] {
        assert_eq!(
            formula(&format!("When {phrase}, the lamp shall blink.")),
            format!("G ({condition} -> F blink)")
        );
    }
    for phrase in [
        "the timer has expired",
        "the valve has opened",
        "the user has gone",
        "the user starts to type",
        "the tank gets full",
    ] {
        expected(&format!("When {phrase}, the lamp shall blink."));
    }
}

#[test]
fn lists_of_things_are_read() {
    let things = ["the motor", "the fan", "the pump", "the horn"];
    for size in 2..=4 {
        let (last, first) = things[..size].split_last().expect("two or more");
        let list = |link: &str| format!("{} {link} {last}", first.join(", "));
        let (and, or, nor) = (list("and"), list("or"), list("nor"));
        for (state, named) in [("be off", "off"), ("run", "run")] {
            let each: Vec<String> =
                things[..size].iter().map(|thing| format!("{}_{named}", &thing[4..])).collect();
            let (all, some) = (each.join(" && "), each.join(" || "));
            let pairs = (0..size).flat_map(|one| (one + 1..size).map(move |other| (one, other)));
            let pairs: Vec<String> =
                pairs.map(|(one, other)| format!("!({} && {})", each[one], each[other])).collect();
            for (text, meant) in [
                (format!("{and} shall {state}"), format!("G ({all})")),
                (format!("both {and} shall {state}"), format!("G ({all})")),
                (format!("{or} shall {state}"), format!("G ({some})")),
                (format!("either {or} shall {state}"), format!("G ({some})")),
                (format!("neither {nor} shall {state}"), format!("G !({some})")),
                (format!("none of {and} shall {state}"), format!("G !({some})")),
                (format!("at least one of {and} shall {state}"), format!("G ({some})")),
                (format!("at most one of {and} shall {state}"), format!("G ({})", pairs.join(" && "))),
                (format!("when p, {and} shall {state} immediately"), format!("G (p -> ({all}))")),
                (format!("while the lid is open, exactly one of {and} shall {state}"), String::new()),
            ] {
                let read = formula(&text);
                if meant.is_empty() {
                    assert!(
                        read.starts_with("G (lid_open -> ((") && each.iter().all(|one| read.contains(one)),
                        "{read}"
                    );
                } else {
                    assert_eq!(read, meant, "{text}");
                }
            }
            for text in [
                format!("{or} shall not {state}"),
                format!("{and} shall not {state}"),
                format!("neither {nor} shall not {state}"),
                format!("exactly one of {and} shall not {state}"),
                format!("exactly one of {and} shall open or leak"),
                format!("{} shall {state}", things[..size].join(", ")),
                format!("{and} that is on shall {state}"),
            ] {
                expected(&text);
            }
        }
        // Of three that are never to come together, it is not said whether two may.
        let never = format!("{and} shall never run at the same time.");
        if size == 2 {
            assert_eq!(formula(&never), "G !(motor_run && fan_run)");
        } else {
            assert!(expected(&never).contains("at most one of"), "{never}");
        }
    }
    for text in ["Both pumps shall run.", "Exactly one of the pumps shall run.", "Both the pump shall run."] {
        expected(text);
    }
}

#[test]
fn durations_count_the_step_in_which_they_begin() {
    for n in 1..=4 {
        let lasts = format!("G[0:{}] p", n - 1);
        for (text, meant) in [
            (
                format!("Once p becomes satisfied, it holds for at least {n} steps."),
                format!("G ((!p && X p) -> X {lasts})"),
            ),
            (
                format!("Once p holds, it holds for at least {n} steps."),
                format!("G ((p && !Y p) -> {lasts})"),
            ),
            (format!("When q, the pump shall p for at least {n} steps."), format!("G (q -> {lasts})")),
            (
                format!("Once p becomes satisfied, it holds for less than {} steps.", n + 1),
                format!("G (p -> F[0:{n}] !p)"),
            ),
            (
                format!("Once p becomes satisfied, it holds for at most {n} steps."),
                format!("G (p -> F[0:{n}] !p)"),
            ),
        ] {
            assert_eq!(formula(&text), meant, "{text}");
        }
    }
    expected("Once p becomes satisfied, it holds for at least 0 steps.");
}
