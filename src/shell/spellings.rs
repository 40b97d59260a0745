//! Test commands for a table: a command that the table describes, equivalent spellings of it, and commands that resemble
//! it.
//!
//! They are generated from the program, subcommand, options and operands of the table, and from what shells and option
//! parsers such as `getopt` accept as equivalent. The parser of commands is not used here, so that they can test it.

use super::clause::{ClauseWords, CommandClause};
use super::option_rows::{OptionArity, OptionStyle, ProgramRow, program_row, subcommand_row};
use super::options::ProgramPattern;
use tsl_synth_core::base::Glob;

/// The largest number of commands of each kind, equivalent and similar.
const SPELLINGS: usize = 20;
/// The largest number of equivalent spellings that differ in their options.
const OF_OPTIONS: usize = 8;
/// The largest number of examples of one table.
const EXAMPLES: usize = 64;

/// A command that a table describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExampleCommand {
    /// An assignment `NAME=value` before the program; empty for none.
    setting: String,
    program: String,
    words: Vec<String>,
    /// A redirection at the end; empty for none.
    redirect: String,
}

/// A part of a command.
#[derive(Clone, Debug)]
enum Part {
    Subcommand(String),
    /// An option with its value.
    Option(Vec<String>),
    Operand(String),
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./=:@%+,-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Some text that a glob matches, if one is found.
fn instance(glob: &Glob) -> Option<String> {
    if let Some(text) = glob.literal() {
        return Some(text.to_owned());
    }
    let (mut text, mut chars) = (String::new(), glob.as_str().chars());
    let (mut is_skipped, mut depth) = (false, 0);
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            ',' if depth > 0 => is_skipped = true,
            '}' if depth > 0 => (depth, is_skipped) = (0, false),
            _ if is_skipped => {}
            '*' | '?' => text.push('x'),
            '[' => {
                let class: String = chars.by_ref().take_while(|&c| c != ']').collect();
                let is_other = class.starts_with(['!', '^']);
                text.push(if is_other { 'x' } else { class.chars().next()? });
            }
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    glob.matches(&text).then_some(text)
}

impl ExampleCommand {
    /// Commands that a table may describe, the plainest first.
    pub fn of(clause: &CommandClause) -> Vec<Self> {
        let mut all: Vec<Self> = match &clause.words {
            ClauseWords::Program(pattern) => of_program(pattern),
            ClauseWords::Argv(argv) => {
                let words: Option<Vec<String>> = argv.globs().map(instance).collect();
                let mut words = words.unwrap_or_default();
                let program = if words.is_empty() { "x".to_owned() } else { words.remove(0) };
                vec![Self { program, words, ..Self::default() }]
            }
            ClauseWords::Any if clause.reads.is_empty() => {
                vec![Self { program: "true".into(), ..Self::default() }]
            }
            ClauseWords::Any => vec![Self { program: "cat".into(), ..Self::default() }],
        };
        let file =
            |globs: &[super::file_glob::FileGlob]| globs.iter().find_map(|own| instance(own.included()?));
        if let Some(file) = file(&clause.writes) {
            let with = |own: &Self| Self { redirect: format!("> {}", quoted(&file)), ..own.clone() };
            all = all.iter().flat_map(|own| [with(own), own.and(&file)]).collect();
        }
        if let Some(file) = file(&clause.reads) {
            let redirect = |own: &Self| format!("{} < {}", own.redirect, quoted(&file)).trim().to_owned();
            let with = |own: &Self| Self { redirect: redirect(own), ..own.clone() };
            all = all.iter().flat_map(|own| [own.and(&file), with(own)]).collect();
        }
        if let Some(own) = clause.env.first()
            && let Some(name) = instance(&own.name)
        {
            let value = own.value.as_ref().map_or(Some("1".into()), instance).unwrap_or_default();
            for example in &mut all {
                example.setting = format!("{name}={}", quoted(&value));
            }
        }
        if let Some(text) = clause.input.first().and_then(instance) {
            for example in &mut all {
                let redirect = format!("{} <<< {}", example.redirect, quoted(&text));
                redirect.trim().clone_into(&mut example.redirect);
            }
        }
        all
    }
    fn and(&self, word: &str) -> Self {
        let mut more = self.clone();
        more.words.push(word.to_owned());
        more
    }
    /// The command line with this text in place of the program, without the assignment before it.
    fn run(&self, program: &str) -> String {
        let words = self.words.iter().map(|word| quoted(word));
        let redirect = (!self.redirect.is_empty()).then(|| self.redirect.clone());
        [program.to_owned()].into_iter().chain(words).chain(redirect).collect::<Vec<_>>().join(" ")
    }
    /// A command line after the assignment, if there is one.
    fn set(&self, command: &str) -> String {
        if self.setting.is_empty() { command.to_owned() } else { format!("{} {command}", self.setting) }
    }
    /// The command as a person would write it.
    pub fn text(&self) -> String {
        self.set(&self.run(&quoted(&self.program)))
    }
    fn with(&self, words: Vec<String>) -> String {
        Self { words, ..self.clone() }.text()
    }

    /// The words as subcommands, options and operands, and what is known of the options of the last subcommand. `None` if it
    /// is not known which options take a value.
    fn parts(&self) -> Option<(Vec<Part>, &'static ProgramRow)> {
        let mut row = program_row(&self.program)?;
        let (mut parts, mut words) = (Vec::new(), self.words.iter());
        while let Some(word) = words.next() {
            if word == "--" {
                return None;
            }
            if word.len() > 1 && word.starts_with('-') {
                let is_long = word.starts_with("--");
                let name = word.split('=').next().unwrap_or(word);
                let is_bundle = !is_long && row.style != OptionStyle::Words && word.chars().count() > 2;
                let arity = row.arity(name);
                let takes = !is_bundle && !word.contains('=') && arity == OptionArity::Value;
                if !is_bundle && arity == OptionArity::Either {
                    return None;
                }
                let value = if takes { Some(words.next()?.clone()) } else { None };
                parts.push(Part::Option([word.clone()].into_iter().chain(value).collect()));
                continue;
            }
            let deeper = subcommand_row(row, word);
            let is_first = !parts.iter().any(|part| matches!(part, Part::Subcommand(_) | Part::Operand(_)));
            if !std::ptr::eq(deeper, row) || is_first && BEFORE.iter().any(|(name, _)| *name == self.program)
            {
                row = deeper;
                parts.push(Part::Subcommand(word.clone()));
            } else {
                parts.push(Part::Operand(word.clone()));
            }
        }
        Some((parts, row))
    }

    /// Equivalent spellings that differ in the options: bundled, split, reordered, abbreviated, with `=`, or before the
    /// subcommand.
    fn other_options(&self) -> Vec<String> {
        let Some((parts, row)) = self.parts() else { return Vec::new() };
        let pick = |wanted: fn(&Part) -> bool| parts.iter().filter(move |part| wanted(part)).cloned();
        let words = |parts: Vec<Part>| -> Vec<String> {
            let words = parts.into_iter().map(|part| match part {
                Part::Option(words) => words,
                Part::Subcommand(word) | Part::Operand(word) => vec![word],
            });
            words.flatten().collect()
        };
        let subcommand: Vec<Part> = pick(|part| matches!(part, Part::Subcommand(_))).collect();
        let options: Vec<Part> = pick(|part| matches!(part, Part::Option(_))).collect();
        let operands: Vec<Part> = pick(|part| matches!(part, Part::Operand(_))).collect();
        let join = |options: &[Part]| words([&subcommand[..], options, &operands[..]].concat());
        let bundles = matches!(row.style, OptionStyle::Getopt | OptionStyle::Bundles);
        let is_flag = |letter: char| row.arity(&format!("-{letter}")) == OptionArity::Flag;
        let mut all = Vec::new();
        let letters: Option<Vec<char>> = options
            .iter()
            .map(|option| match option {
                Part::Option(words) if words.len() == 1 && !words[0].starts_with("--") => {
                    Some(words[0].chars().skip(1).collect::<Vec<_>>())
                }
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat());
        if let Some(letters) =
            letters.filter(|own| bundles && own.len() > 1 && own.iter().all(|&c| is_flag(c)))
        {
            let bundle = |letters: String| [Part::Option(vec![format!("-{letters}")])];
            all.push(join(&bundle(letters.iter().collect())));
            all.push(join(&bundle(letters.iter().rev().collect())));
            let each = letters.iter().map(|letter| Part::Option(vec![format!("-{letter}")]));
            all.push(join(&each.collect::<Vec<_>>()));
        }
        if options.len() > 1 {
            all.push(join(&options.iter().rev().cloned().collect::<Vec<_>>()));
        }
        if row.style == OptionStyle::Getopt && !row.stops && !options.is_empty() && !operands.is_empty() {
            all.push(words([&subcommand[..], &operands, &options].concat()));
        }
        for (at, option) in options.iter().enumerate() {
            let Part::Option(own) = option else { continue };
            let mut put = |words: Vec<String>| {
                let mut options = options.clone();
                options[at] = Part::Option(words);
                all.push(join(&options));
            };
            match own.as_slice() {
                [name, value] if name.starts_with("--") => put(vec![format!("{name}={value}")]),
                [name] if name.starts_with("--") && !name.contains('=') && name.len() > 5 => {
                    let short = &name[..name.len() - 1];
                    if row.style == OptionStyle::Getopt && name.is_ascii() && !row.lists(short) {
                        put(vec![short.to_owned()]);
                    }
                }
                [name] if row.style == OptionStyle::Words && name.is_ascii() => put(vec![format!("-{name}")]),
                _ => {}
            }
        }
        let mut texts: Vec<String> = all.into_iter().map(|words| self.with(words)).collect();
        if !subcommand.is_empty() {
            let before = BEFORE.iter().filter(|(program, _)| *program == self.program);
            texts.extend(
                before.map(|(program, options)| self.set(&self.run(&format!("{program} {options}")))),
            );
        }
        texts
    }

    /// Equivalent spellings, at most twenty.
    pub fn same(&self) -> Vec<String> {
        let (own, program) = (self.text(), quoted(&self.program));
        let mut all: Vec<String> = self.other_options();
        all.truncate(OF_OPTIONS);
        let run = self.run(&program);
        let set = |text: String| self.set(&text);
        let setting = if self.setting.is_empty() { "X=1" } else { &self.setting };
        let is_path = self.program.contains('/');
        let mut more = vec![
            format!("env {setting} {run}"),
            set(format!("command {run}")),
            format!("bash -c {}", quoted(&own)),
            format!("cd . && {own}"),
            format!("echo \"$({own})\""),
            format!("bash <<'END'\n{own}\nEND"),
            format!("sudo {}", set(run.clone())),
        ];
        if !is_path {
            more.push(set(self.run(&quoted(&format!("/usr/bin/{}", self.program)))));
        }
        if self.program.len() > 1 && self.program.chars().all(|c| c.is_ascii_alphanumeric()) {
            let (first, rest) = self.program.split_at(1);
            more.push(set(self.run(&format!("{first}\"{rest}\""))));
        }
        more.push(format!("x={program}; {}", set(self.run("$x"))));
        more.extend([
            format!("eval {}", quoted(&own)),
            set(format!("timeout 60 {run}")),
            format!("if true; then {own}; fi"),
            format!("f() {{ {own}; }}; f"),
            format!("echo {} | sh", quoted(&own)),
            format!("echo x | {}", set(format!("xargs -I{{}} {run}"))),
            format!("({own})"),
            set(format!("nohup {run} &")),
            set(format!("exec {run}")),
            set(self.run(&format!("{program} \\\n"))),
        ]);
        for text in more {
            if all.len() < SPELLINGS && text != own && !all.contains(&text) {
                all.push(text);
            }
        }
        all.retain(|text| *text != own);
        all
    }

    /// Commands that resemble this one, at most twenty: other subcommands, texts that quote it, `--help`. For some tables a
    /// few of them are matched all the same.
    pub fn others(&self, clause: &CommandClause) -> Vec<String> {
        let own = self.text();
        let (text, program) = (quoted(&own), quoted(&self.program));
        let subcommand = match &clause.words {
            ClauseWords::Program(pattern) => pattern.subcommand.len(),
            _ => 0,
        };
        let head = self.words.iter().take(subcommand).map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let head = format!("{program} {head}").trim_end().to_owned();
        let mut all = vec![
            format!("echo {own}"),
            format!("echo {text}"),
            format!("git commit -m {text}"),
            format!("git log --grep={text}"),
            format!("grep -rn {text} docs"),
            format!("cat <<'END'\n{own}\nEND"),
            format!("true # {}", own.replace('\n', " ")),
            format!("x={text}"),
            format!("printf '%s\\n' {text}"),
            format!("gh issue create --title {text} --body x"),
            format!("cat {}", quoted(&format!("docs/{}.md", self.program.replace('/', "-")))),
            format!("man {program}"),
            format!("which {program}"),
            format!("command -v {program}"),
            format!("{program}-x"),
            format!("{head} --help"),
            format!("{head} --dry-run"),
        ];
        if let ClauseWords::Program(pattern) = &clause.words {
            if !pattern.subcommand.is_empty() {
                all.insert(0, format!("{program} status"));
                all.insert(1, format!("{program} help {}", quoted(&self.words[0])));
            }
            if !pattern.flags.is_empty() {
                all.insert(0, head);
            }
        }
        let is_own = |text: &String| match &clause.words {
            ClauseWords::Program(pattern) => {
                let mut words = text.split(' ');
                let name = words.next().unwrap_or_default();
                let first = words.next().unwrap_or_default();
                name != self.program
                    && pattern.programs.iter().any(|glob| glob.matches(name))
                    && pattern.subcommand.first().is_none_or(|glob| glob.matches(first))
                    || name == self.program && !text.starts_with(&*format!("{program} "))
            }
            ClauseWords::Argv(_) | ClauseWords::Any => false,
        };
        if !self.redirect.is_empty() {
            all.retain(|text| *text != format!("echo {own}"));
        }
        all.retain(|text| *text != own && !is_own(text));
        all.truncate(SPELLINGS);
        all
    }
}

/// For some programs, options that are accepted before the subcommand and leave open what it does.
const BEFORE: &[(&str, &str)] = &[
    ("git", "-C ."),
    ("git", "--no-pager"),
    ("terraform", "-chdir=."),
    ("kubectl", "-n x"),
    ("docker", "--context x"),
    ("npm", "--prefix ."),
    ("cargo", "--color never"),
    ("aws", "--region x"),
    ("gcloud", "--project x"),
    ("helm", "-n x"),
];

fn of_program(pattern: &ProgramPattern) -> Vec<ExampleCommand> {
    let program = pattern.programs.iter().find_map(instance).unwrap_or_default();
    let subcommand: Option<Vec<String>> = pattern.subcommand.iter().map(instance).collect();
    let mut all =
        vec![ExampleCommand { program, words: subcommand.unwrap_or_default(), ..ExampleCommand::default() }];
    for group in &pattern.flags {
        let options: Vec<Vec<String>> = group
            .iter()
            .filter_map(|option| {
                let (name, value) = option.parts();
                let value = value.map(instance);
                Some([instance(name)?].into_iter().chain(value.flatten()).collect())
            })
            .collect();
        let mut next = Vec::new();
        for (example, option) in all.iter().flat_map(|own| options.iter().map(move |option| (own, option))) {
            let mut example: ExampleCommand = example.clone();
            example.words.extend(option.iter().cloned());
            next.push(example);
        }
        next.truncate(EXAMPLES);
        all = next;
    }
    if !pattern.operands.is_empty() {
        let operands: Vec<String> = pattern.operands.iter().filter_map(instance).collect();
        all = all.iter().flat_map(|own| operands.iter().map(|word| own.and(word))).collect();
        all.truncate(EXAMPLES);
    }
    all
}

/// The reason why no command matches a table, and what to write instead.
type Cause = (String, String);

/// The cause, if a table compares a word with one that no command has unless it is quoted: a blank in it, an operator of
/// the shell, or an option as subcommand.
pub fn impossible_word(clause: &CommandClause) -> Option<Cause> {
    let has_blank = |glob: &Glob| glob.literal().is_some_and(|text| text.contains(char::is_whitespace));
    let one_word = |glob: &Glob| {
        let own = glob.as_str();
        (
            format!("`{own}` is compared with one word"),
            "each word stands by itself, as `program = \"git\"` and `subcommand = [\"push\"]`".to_owned(),
        )
    };
    match &clause.words {
        ClauseWords::Any => None,
        ClauseWords::Argv(argv) => {
            let first = argv.globs().next().filter(|glob| has_blank(glob)).map(one_word);
            first.or_else(|| {
                let operator = argv.globs().find(|glob| matches!(glob.literal(), Some("&&" | "||" | "|")))?;
                let message = format!("`{}` is no word of a command", operator.as_str());
                Some((message, "each command of a script is compared by itself".into()))
            })
        }
        ClauseWords::Program(pattern) => {
            if pattern.programs.iter().all(has_blank) || pattern.subcommand.iter().any(has_blank) {
                let mut words = pattern.programs.iter().chain(&pattern.subcommand);
                return words.find(|glob| has_blank(glob)).map(one_word);
            }
            let option = pattern.subcommand.iter().find(|glob| glob.as_str().starts_with('-'))?;
            let message = format!("`{}` is an option, which no subcommand is", option.as_str());
            Some((message, "options are `flags`".into()))
        }
    }
}

/// The cause, if a table of which no example matches is known to match no command: all its words are given in full, and
/// all combinations of its options were examples.
pub fn contradiction(clause: &CommandClause) -> Option<Cause> {
    let ClauseWords::Program(pattern) = &clause.words else { return None };
    let known = |glob: &Glob| glob.literal().is_some();
    let mut options = pattern.flags.iter().flatten().chain(&pattern.without_flags);
    let is_known = options.all(|option| known(option.parts().0) && option.parts().1.is_none_or(known))
        && pattern.operands.iter().all(known)
        && pattern.programs.iter().chain(&pattern.subcommand).all(known);
    if !is_known || !clause.is_about_words() || of_program(pattern).len() >= EXAMPLES {
        return None;
    }
    let is_bundle = |text: &&str| !text.starts_with("--") && text.chars().count() > 2;
    let mut names = pattern.flags.iter().flatten().filter_map(|option| option.parts().0.literal());
    Some(match names.find(is_bundle) {
        Some(bundle) => {
            let each: Vec<String> = bundle.chars().skip(1).map(|letter| format!("[\"-{letter}\"]")).collect();
            let message = format!("the program reads `{bundle}` as several options");
            (message, format!("`flags = [{}]` asks for each of them", each.join(", ")))
        }
        None => ("its fields contradict each other".into(), "no command has all of them".into()),
    })
}
