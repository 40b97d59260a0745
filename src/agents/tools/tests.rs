//! Tools files: results, wrong files, behaviors and actors.

use super::*;

struct Port;

impl ToolPort for Port {
    fn texts(&mut self, folder: &str) -> Result<Vec<(String, String)>, String> {
        let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        match folder {
            "wiki" => Ok(vec![
                text("Port_Alder.txt", "Port Alder is a harbor. It has 41200 inhabitants! Is it large? Yes."),
                text("teal.md", "# River Teal\n\nThe Teal is long.\n\nIt rises on Corra\nand flows west."),
            ]),
            "empty" => Ok(Vec::new()),
            _ => Err(format!("`{folder}` cannot be read")),
        }
    }
    fn run(&mut self, command: &str, input: &str) -> Result<String, String> {
        if command == "fail" {
            Err("it ended with exit code 3".into())
        } else {
            Ok(format!("{command}<{input}>"))
        }
    }
}

const FILE: &str = r#"
tools = 1
[tool.Search]
search = "wiki"
sentences = 2
[tool.Lookup]
lookup = "wiki"
[tool.Calculator]
calculator = true
[tool.Weather]
cmd = "weather"
[tool.Broken]
cmd = "fail"
[[action]]
name = "read about the harbor"
tool = "Search"
input = "port alder"
[[action]]
name = "try the broken tool"
tool = "Broken"
"#;

fn tools() -> ToolBox {
    ToolBox::read(FILE, false, Box::new(Port)).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn tools_answer() {
    let mut tools = tools();
    let mut call = |tool: &str, input: &str| tools.call(tool, input);
    assert!(call("Lookup", "harbor").is_ok_and(|result| result.contains("without using Search first")));
    assert_eq!(call("Search", "PORT ALDER"), Ok("Port Alder is a harbor. It has 41200 inhabitants!".into()));
    assert_eq!(call("Lookup", "is"), Ok("(Result 1 / 2) Port Alder is a harbor.".into()));
    assert_eq!(call("lookup", "is"), Ok("(Result 2 / 2) Is it large?".into()));
    assert_eq!(call("Lookup", "is"), Ok("No more results.".into()));
    assert_eq!(
        call("Search", "River Teal"),
        Ok("The Teal is long. It rises on Corra and flows west.".into())
    );
    assert!(call("Search", "Teal").is_ok_and(|result| result.contains("Similar: Port Alder, River Teal")));
    assert_eq!(call("Calculator", "(1 + 2) * 3.5"), Ok("10.5".into()));
    for wrong in
        ["1 / 0", "5 % 0", "sqrt(-4)", "2 ^ 0.5", "1,2 + 3", "10 ^ 40 * 10 ^ 40", "x + 1", "2 +", "(1", ""]
    {
        let answer = call("Calculator", wrong);
        assert!(answer.as_ref().is_err_and(|why| why == NO_VALUE || why == NOT_READ), "{wrong}: {answer:?}");
    }
    for (expression, value) in [
        ("2**10", "1024"),
        ("2 ^ 3 ^ 2", "512"),
        ("-2 ^ 2", "-4"),
        ("2 ^ -2", "0.25"),
        ("5 % 3", "2"),
        ("-5 % 3", "1"),
        ("7.5 % 2", "1.5"),
        ("15% of 80", "12"),
        ("20% * 50", "10"),
        ("100 + 10%", "100.1"),
        ("3,000*2", "6000"),
        ("1,234,567.5 + 1", "1234568.5"),
        ("1e3+1", "1001"),
        ("2.5E-1", "0.25"),
        ("sqrt(16)", "4"),
        ("sqrt(2)", "1.414214"),
        ("0.0000001 + 0", "0.0000001"),
        ("-1 / 10000000", "-0.0000001"),
        ("33.333333333 * 3", "99.999999999"),
        ("1 / 3", "0.333333"),
        ("1 / 300", "0.00333333"),
        ("2 / 3 * 3", "2"),
        ("1000000 / 7", "142857.142857"),
        ("1 / 3 / 10 ^ 9", "0.000000000333333"),
        ("sqrt 9 / 2", "1.5"),
        ("sqrt(1/4) + 1", "1.5"),
        ("+3 - -2", "5"),
    ] {
        assert_eq!(call("Calculator", expression), Ok(value.into()), "{expression}");
    }
    assert_eq!(call("Weather", "Paris"), Ok("weather<Paris>".into()));
    assert_eq!(call("Broken", ""), Err("Error: it ended with exit code 3".into()));
    for (tool, input) in [("Fly", "x"), ("", "x"), ("Search", "")] {
        assert_eq!(call(tool, input), Err(NOT_READ.into()), "{tool}");
    }
}

#[test]
fn behaviors_name_tools_in_their_text() {
    for (text, result) in [
        ("Thought: hm\nAction: Calculator\nAction Input: 2 + 2\nObservation:", "4"),
        (
            "Action: Search\nAction Input: x\nObservation: y\nAction: calculator\nAction Input: 3*3\nObservation:",
            "9",
        ),
        ("Action: Calculator[6 / 4]\nObservation:", "1.5"),
        ("Action: Weather\nAction Input:  Paris  \nObservation:", "weather<Paris>"),
        ("Action: Dance\nAction Input: 1\nObservation:", NOT_READ),
        ("nothing at all", NOT_READ),
    ] {
        let request = OracleRequest::new(AnswerKind::Act, "Observation", text).about(text);
        assert_eq!(tools().ask(&request), Ok(OracleAnswer::Text(format!(" {result}\n"))), "{text}");
    }
}

#[test]
fn actors_choose_among_actions() {
    let mut tools = tools();
    let mut act = |action: &str| {
        let answer = tools.ask(&OracleRequest::new(AnswerKind::Act, action, action));
        let Ok(OracleAnswer::Text(text)) = answer else { panic!("{answer:?}") };
        WorldMessage::read(&text).unwrap_or_else(|why| panic!("{why}"))
    };
    let first = act(BEGIN);
    assert!(first.ok && first.ends && first.actions.len() == 2 && first.actions[0].calls[0].tool == "Search");
    let read = act("read about the harbor");
    assert!(read.ok && read.text.starts_with("Result: Port Alder is a harbor."), "{}", read.text);
    let broken = act("try the broken tool");
    assert!(!broken.ok && broken.text.starts_with("Error: it ended with exit code 3"), "{}", broken.text);
    assert!(!act("fly").ok);
}

#[test]
fn wrong_files_are_refused_with_the_reason() {
    for (text, why) in [
        ("", "missing field `tools`"),
        ("tools = 2", "reads `tools = 1`"),
        ("tools = 1", "there is no tool"),
        ("tools = 1\n[tool.A]", "one of `calculator = true`"),
        ("tools = 1\n[tool.A]\ncalculator = true\ncmd = \"x\"", "one of `calculator = true`"),
        ("tools = 1\n[tool.A]\nsearch = \"none\"", "tool.A: `none` cannot be read"),
        ("tools = 1\n[tool.A]\nsearch = \"empty\"", "has no texts"),
        ("tools = 1\n[tool.A]\nspeed = 3", "unknown field `speed`"),
        ("tools = 1\n[tool.A]\ncmd = \"x\"\n[[action]]\nname = \"n\"\ntool = \"B\"", "there is no tool `B`"),
    ] {
        let read = ToolBox::read(text, false, Box::new(Port)).map(drop);
        assert!(read.as_ref().is_err_and(|error| error.contains(why)), "{text}: {read:?}");
    }
}
