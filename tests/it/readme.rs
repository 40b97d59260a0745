//! The output that the README and the pages of `tsl-synth help` show is that of the program. `UPDATE_FIXTURES=1`
//! updates it.

use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth_testkit::skip;

/// The folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages of the manual.
pub(crate) fn topics() -> Vec<PathBuf> {
    let folder = root().join("src/cli/topics");
    let entries = std::fs::read_dir(folder).expect("the topics");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the topics").path()).collect();
    files.sort();
    files
}

/// The text of a page.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A fenced block: the word after the fence, and its lines.
pub(crate) struct Block {
    pub(crate) lang: String,
    pub(crate) lines: Vec<String>,
}

/// The fenced blocks of a page.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(lang) = line.strip_prefix("```") {
            let lines = lines.by_ref().take_while(|line| *line != "```").map(str::to_string).collect();
            blocks.push(Block { lang: lang.to_string(), lines });
        }
    }
    blocks
}

/// The words of a command line with single quotes.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

/// The commands of a block. A line that ends with a backslash is joined with the next one.
pub(crate) fn commands(block: &Block) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut open = false;
    for line in &block.lines {
        if open {
            commands.last_mut().expect("it is open").push_str(line.trim());
        } else if let Some(command) = line.strip_prefix("$ ") {
            commands.push(command.to_string());
        } else {
            continue;
        }
        open = commands.last_mut().is_some_and(|command| command.ends_with('\\') && command.pop().is_some());
    }
    commands
}

/// The commands of a page are run with one folder for the files that they write and the modules that the page shows.
pub(crate) struct Session {
    folder: tempfile::TempDir,
    /// Whether the commands see the files of the repository, or only what is in the folder.
    in_repository: bool,
    /// Whether node was needed and missing: no later command is run.
    lost: bool,
    /// The exit code of the last command.
    code: i32,
}

impl Session {
    fn new(in_repository: bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, in_repository, lost: false, code: 0 }
    }
    /// A session in a folder with nothing but these files.
    pub(crate) fn with_files<'a>(files: impl IntoIterator<Item = &'a Path>) -> Self {
        let session = Self::new(false);
        for file in files {
            let name = file.file_name().expect("a file");
            std::fs::copy(file, session.folder.path().join(name)).expect("a copy");
        }
        session
    }
    /// What a command wrote to a file of this name.
    fn written(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.path().join(name)).ok()
    }
    /// The path of a file that a command names.
    fn place(&self, name: &str, written: bool) -> String {
        let own = self.folder.path().join(name);
        let is_name = !name.is_empty() && !name.starts_with('-') && !name.contains('/');
        let moved = self.in_repository && is_name && (written || own.exists());
        if moved { own.display().to_string() } else { name.to_string() }
    }
    /// Writes a module whose first line is a comment with its name to the folder.
    fn keep(&self, block: &[&str]) {
        let name = block.first().and_then(|line| line.strip_prefix("// "));
        let name = name.filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "mjs"));
        if let Some(name) = name {
            std::fs::write(self.folder.path().join(name), block.join("\n")).expect("a module");
        }
    }
    /// The output of a command; `None` for programs that are not run here.
    fn run(&mut self, command: &str) -> Option<String> {
        if command == "echo $?" {
            return Some(self.code.to_string());
        }
        let words = words(command);
        let (program, args) = words.split_first()?;
        let own = self.folder.path();
        let (program, folder) = match program.as_str() {
            "tsl-synth" => (env!("CARGO_BIN_EXE_tsl-synth"), if self.in_repository { root() } else { own }),
            "node" => ("node", own),
            _ => return None,
        };
        if self.lost {
            return None;
        }
        let mut run = Command::new(program);
        run.current_dir(folder).env_remove("CI").env("TSL_SYNTH_STATE", own.join(".state"));
        let mut last = "";
        for arg in args {
            run.arg(self.place(arg, ["-o", "--scaffold", "--svg"].contains(&last)));
            last = arg;
        }
        let Ok(output) = run.output() else {
            assert!(program == "node" && std::env::var_os("CI").is_none(), "{command} does not start");
            skip(&format!("node is not there for `{command}`"));
            self.lost = true;
            return None;
        };
        self.code = output.status.code().expect("it ends by itself");
        // Diagnostics, which are on stderr, come before the verdict.
        let all = String::from_utf8([output.stderr, output.stdout].concat()).expect("text");
        Some(all.replace(&format!("{}/", own.display()), ""))
    }
}

/// The page with the present output of its commands, and the number of commands that were run.
fn refreshed(text: &str, session: &mut Session) -> (String, usize) {
    let (mut fresh, mut commands) = (String::new(), 0);
    let mut lines = text.lines().peekable();
    let (mut lang, mut block) = (None, Vec::new());
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        match (lang, line.strip_prefix("```")) {
            (None, opened) => lang = opened,
            (Some(_), Some(_)) => {
                session.keep(&std::mem::take(&mut block));
                lang = None;
            }
            (Some(_), None) => block.push(line),
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| lang == Some("console")) else { continue };
        let mut command = command.to_string();
        while command.ends_with('\\') {
            let next = lines.next().expect("the command goes on");
            fresh.push_str(next);
            fresh.push('\n');
            command.pop();
            command.push_str(next.trim());
        }
        let Some(printed) = session.run(&command) else { continue };
        commands += 1;
        while lines.peek().is_some_and(|next| *next != "```" && !next.starts_with("$ ")) {
            lines.next();
        }
        if !printed.trim_end().is_empty() {
            fresh.push_str(printed.trim_end());
            fresh.push('\n');
        }
    }
    (fresh, commands)
}

/// The paths of the pictures of a page, each on a line of its own.
pub(crate) fn pictures(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut pictures = Vec::new();
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        let path = line.strip_prefix("![").and_then(|line| line.split_once("]("));
        pictures.extend(path.filter(|_| !fenced).and_then(|(_, path)| path.strip_suffix(')')));
    }
    pictures
}

/// Compares a page and its pictures with the output of the program, or updates them. Returns the number of commands
/// that were run.
pub(crate) fn compare(path: &Path, mut session: Session) -> usize {
    let text = read(path);
    let (fresh, commands) = refreshed(&text, &mut session);
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    for picture in pictures(&text) {
        let kept = path.parent().expect("a folder").join(picture);
        let name = kept.file_name().and_then(|name| name.to_str()).expect("a name");
        let Some(drawn) = session.written(name) else {
            assert!(session.lost, "{}: no command writes {name}", path.display());
            continue;
        };
        if update {
            std::fs::write(&kept, drawn).expect("a picture");
        } else {
            let same = std::fs::read(&kept).is_ok_and(|bytes| bytes == drawn);
            assert!(same, "{picture} is not what is drawn; run the test with UPDATE_FIXTURES=1");
        }
    }
    if update {
        if fresh != text {
            std::fs::write(path, &fresh).expect("a page");
        }
    } else if let Some((shown, printed)) = text.lines().zip(fresh.lines()).find(|(a, b)| a != b) {
        let path = path.display();
        panic!("{path} shows `{shown}`, printed is `{printed}`; run the test with UPDATE_FIXTURES=1");
    } else {
        assert!(text == fresh, "{} ends otherwise; run the test with UPDATE_FIXTURES=1", path.display());
    }
    commands
}

/// The README and the pages that it leads to, except for the cookbook, whose commands run elsewhere.
pub(crate) fn readmes() -> [PathBuf; 3] {
    ["README.md", "specs/tutorial/README.md", "specs/agents/README.md"].map(|page| root().join(page))
}

#[test]
fn shows_what_the_tool_prints() {
    let commands: usize = readmes().iter().map(|path| compare(path, Session::new(true))).sum();
    assert!(commands >= 20, "{commands} commands are shown");
}

/// The README is read in ten minutes: what needs more room stands in the manual and the cookbook.
#[test]
fn the_readme_is_short() {
    let lines = read(&root().join("README.md")).lines().count();
    assert!(lines <= 250, "{lines} lines");
}

#[test]
fn the_topics_show_what_the_tool_prints() {
    let commands: usize = topics().iter().map(|path| compare(path, Session::new(true))).sum();
    assert!(commands >= 10, "{commands} commands are shown");
}

/// Specifications in the README are files of the repository, without the line that says what is expected.
#[test]
fn shows_specifications_that_are_there() {
    let folders = ["specs", "fixtures/readme"].map(|folder| root().join(folder));
    let (mut there, mut folders) = (Vec::new(), folders.to_vec());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "tsl") {
                there.push(read(&path));
            }
        }
    }
    let shown: Vec<Block> = readmes().iter().flat_map(|path| blocks(&read(path))).collect();
    let shown: Vec<&Block> = shown.iter().filter(|block| block.lang == "tsl").collect();
    assert!(shown.len() >= 4, "{} specifications are shown", shown.len());
    for block in shown {
        let text = block.lines.join("\n");
        assert!(there.iter().any(|file| file.contains(&text)), "no file has this:\n{text}");
    }
}
