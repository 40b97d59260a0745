//! The campaigns and tables of the tests (`tests/it`) by name: which test each of them is, and the environment variables
//! that it reads. `cargo run -p tsl-synth-lab --bin campaigns` lists them and runs one.

mod table;

use std::fmt::Write;
pub use table::ALL;

/// A test, or the tests of a module, that run long or print a table, and what can be set.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// What `campaigns` calls it.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The path of the test, or of the module if [`Campaign::of_suite`].
    pub test: &'static str,
    /// The variable for the number of instances, and the number if it is not set.
    pub count: Option<(&'static str, u64)>,
    /// The variable for the first seed.
    pub seed: Option<&'static str>,
    /// Other variables that it reads, with an example or the value if they are not set.
    pub settings: &'static [&'static str],
    /// Variables that are set whenever it runs, unless they are set already.
    pub fixed: &'static [(&'static str, &'static str)],
    /// Features of Cargo that it needs.
    pub features: &'static [&'static str],
    /// The package of the test; `None` for the tests of `tests/it`.
    pub package: Option<&'static str>,
    /// The file of tests of that package; `None` for its unit tests.
    pub file: Option<&'static str>,
    /// Whether it also runs with `cargo test`, on fewer instances.
    pub of_suite: bool,
}

/// A command line and its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The arguments of Cargo.
    pub arguments: Vec<String>,
    /// Variables, each with its value.
    pub variables: Vec<(String, String)>,
}

impl CommandLine {
    /// As one types it in a shell.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.variables {
            let _ = write!(text, "{name}={value} ");
        }
        text + "cargo " + &self.arguments.join(" ")
    }
}

impl Campaign {
    /// The command that runs it.
    ///
    /// # Errors
    ///
    /// A count or a seed that it does not have.
    pub fn command(&self, count: Option<u64>, seed: Option<u64>) -> Result<CommandLine, String> {
        let mut variables: Vec<(String, String)> = Vec::new();
        let fixed = self.fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        variables.extend(fixed);
        let (variable, default) = (self.count.map(|(name, _)| name), self.count.map(|(_, n)| n));
        match (variable, count.or(default)) {
            (Some(name), Some(number)) => variables.push((name.to_owned(), number.to_string())),
            (None, Some(_)) => return Err(format!("`{}` has no count that can be set", self.name)),
            _ => {}
        }
        match (self.seed, seed) {
            (Some(name), Some(number)) => variables.push((name.to_owned(), number.to_string())),
            (None, Some(_)) => return Err(format!("`{}` has no seed that can be set", self.name)),
            _ => {}
        }
        let mut arguments: Vec<String> = vec!["test".into(), "--release".into()];
        match (self.package, self.file) {
            (Some(package), None) => arguments.extend(["-p".into(), package.into(), "--lib".into()]),
            (Some(package), Some(file)) => {
                arguments.extend(["-p".into(), package.into(), "--test".into(), file.into()]);
            }
            (None, _) => arguments.extend(["-p".into(), "tsl-synth".into(), "--test".into(), "it".into()]),
        }
        if !self.features.is_empty() {
            arguments.extend(["--features".into(), self.features.join(",")]);
        }
        arguments.extend([self.test.into(), "--".into()]);
        if !self.of_suite {
            arguments.extend(["--exact".into(), "--ignored".into()]);
        }
        arguments.push("--nocapture".into());
        Ok(CommandLine { arguments, variables })
    }

    /// Its line in the list.
    fn line(&self) -> String {
        let count = self.count.map_or(String::from("-"), |(_, count)| count.to_string());
        let mut line = format!("  {:<22} {count:>8}  {}", self.name, self.about);
        if !self.settings.is_empty() {
            let _ = write!(line, " [{}]", self.settings.join(", "));
        }
        line
    }
}

/// The list of all names: a line for each, with the number of instances.
pub fn list() -> String {
    let mut text = String::from("  name                      count  what it does [other variables]\n");
    for campaign in ALL {
        text += &campaign.line();
        text.push('\n');
    }
    text
}

/// The campaign of this name.
///
/// # Errors
///
/// There is none; the message has the names that are near.
pub fn find(name: &str) -> Result<&'static Campaign, String> {
    if let Some(found) = ALL.iter().find(|campaign| campaign.name == name) {
        return Ok(found);
    }
    let mut near: Vec<(usize, &str)> = ALL
        .iter()
        .map(|campaign| (strsim::damerau_levenshtein(name, campaign.name), campaign.name))
        .filter(|(distance, own)| *distance <= own.len() / 3 + 1 || (name.len() > 2 && own.contains(name)))
        .collect();
    near.sort_unstable();
    let mut message = format!("no campaign is called `{name}`");
    if near.is_empty() {
        message += "; without a name, `campaigns` lists them";
    } else {
        let names: Vec<String> = near.iter().take(4).map(|(_, own)| format!("`{own}`")).collect();
        let _ = write!(message, "; there is {}", names.join(", "));
    }
    Err(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::{Path, PathBuf};

    /// Ignored tests that are no campaigns.
    const OTHERS: [(&str, &str); 1] = [(
        "spec::corpus::remarks",
        "prints what a change of the lints does to the public corpus; read once, by hand",
    )];

    fn tests() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/it")
    }

    fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the tests are there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                rust_files(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }

    /// The tests of `tests/it` by path, and whether each is ignored.
    fn of_sources() -> BTreeMap<String, bool> {
        let (mut files, mut all) = (Vec::new(), BTreeMap::new());
        rust_files(&tests(), &mut files);
        for file in files {
            let path = file.strip_prefix(tests()).expect("below").with_extension("");
            let mut module: Vec<String> =
                path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            module.retain(|part| part != "mod" && part != "main");
            let (mut is_test, mut is_ignored) = (false, false);
            for line in std::fs::read_to_string(&file).expect("sources are text").lines().map(str::trim) {
                is_test |= line == "#[test]";
                is_ignored |= line.starts_with("#[ignore");
                if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) {
                    if is_test {
                        all.insert([&module[..], &[name.to_owned()]].concat().join("::"), is_ignored);
                    }
                    (is_test, is_ignored) = (false, false);
                }
            }
        }
        all
    }

    #[test]
    fn every_ignored_test_is_in_the_table_or_in_the_list_of_others() {
        let sources = of_sources();
        let ignored: BTreeSet<&str> =
            sources.iter().filter(|(_, ignored)| **ignored).map(|(test, _)| test.as_str()).collect();
        assert!(ignored.len() > 40, "{ignored:?}");
        let of_it = ALL.iter().filter(|campaign| campaign.package.is_none() && !campaign.of_suite);
        let mut listed: Vec<&str> = of_it.map(|campaign| campaign.test).collect();
        listed.extend(OTHERS.iter().map(|(test, _)| *test));
        let unique: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(unique.len(), listed.len(), "a test is listed twice: {listed:?}");
        let missing: Vec<&&str> = ignored.difference(&unique).collect();
        let gone: Vec<&&str> = unique.difference(&ignored).collect();
        assert!(
            missing.is_empty() && gone.is_empty(),
            "not in the table: {missing:?}\nno ignored test: {gone:?}"
        );
        assert!(OTHERS.iter().all(|(_, reason)| !reason.is_empty()));
    }

    #[test]
    fn campaigns_of_the_suite_are_tests_of_it() {
        let sources = of_sources();
        for campaign in ALL.iter().filter(|campaign| campaign.of_suite) {
            let within = |test: &String| test.starts_with(campaign.test);
            assert!(sources.iter().any(|(test, ignored)| within(test) && !ignored), "{}", campaign.test);
        }
    }

    /// Every variable of the table is read somewhere in the tests, and every one that a test reads is in the table.
    #[test]
    fn variables_are_read_by_their_tests() {
        for campaign in ALL.iter().filter(|campaign| campaign.package.is_none()) {
            let module: Vec<&str> = campaign.test.split("::").collect();
            let folder = tests().join(module[0]);
            let mut files =
                vec![folder.with_extension("rs"), tests().join("campaign.rs"), tests().join("spec/tlsf.rs")];
            if folder.is_dir() {
                rust_files(&folder, &mut files);
            }
            let text: String = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
            let settings =
                campaign.settings.iter().map(|setting| setting.split('=').next().unwrap_or(setting));
            let settings = settings.filter(|name| *name != "TSL_SYNTH_SHARED");
            for name in campaign.count.iter().map(|(name, _)| *name).chain(campaign.seed).chain(settings) {
                assert!(text.contains(name), "{}: {name}", campaign.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let names: BTreeSet<&str> = ALL.iter().map(|campaign| campaign.name).collect();
        assert_eq!(names.len(), ALL.len());
        for name in names {
            assert_eq!(find(name).map(|found| found.name), Ok(name));
        }
        assert_eq!(find("tll").map(|_| ()), Err("no campaign is called `tll`; there is `ltl`, `tsl`".into()));
        let message = find("circuit").map(|_| ()).expect_err("no such name");
        assert!(message.contains("`circuits`"), "{message}");
        let message = find("xyzzyxyzzy").map(|_| ()).expect_err("no such name");
        assert!(message.ends_with("lists them"), "{message}");
        assert_eq!(list().lines().count(), ALL.len() + 1);
    }

    #[test]
    fn commands_set_the_variables() {
        let ltl = find("ltl").expect("a campaign");
        assert_eq!(
            ltl.command(None, None).expect("a command").text(),
            "TSL_SYNTH_CAMPAIGN=10000 cargo test --release -p tsl-synth --test it campaign::campaign_ltl -- --exact \
             --ignored --nocapture"
        );
        let short = ltl.command(Some(3), Some(7)).expect("a command");
        assert_eq!(
            short.variables,
            [("TSL_SYNTH_CAMPAIGN".into(), "3".into()), ("TSL_SYNTH_SEED".into(), "7".into())]
        );
        let table = find("gallery").expect("a table");
        assert!(table.command(Some(3), None).expect_err("no count").contains("no count"));
        assert!(table.command(None, Some(3)).expect_err("no seed").contains("no seed"));
    }
}
