//! Files that replace those of the gallery that an experiment reads.

use crate::agent::worlds::played;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use tsl_synth_agents::tools::Article;
use tsl_synth_core::base::sha256;
use tsl_synth_experiments::{NamedText, Replaced};

/// The files.
#[derive(Args, Debug)]
#[command(next_help_heading = "Files in the place of those below specs/")]
pub(super) struct GivenFiles {
    /// What guards the model: a policy (`ltlcrit`, `safety-chip`), a behavior (`react`), specifications (`adventure`) or
    /// grammars (`openagi`)
    #[arg(long, value_name = "FILE")]
    spec: Vec<PathBuf>,
    /// Laws: of a critic, for two more rows of `ltlcrit`, `[{law_id, law, explanation}]`; or the constraints of
    /// `safety-chip`, as in `specs/worlds/household.laws.toml`
    #[arg(long, value_name = "FILE")]
    laws: Option<PathBuf>,
    /// Questions (`react`, as in `specs/agents/wiki.toml`), or a database with queries (`travel`)
    #[arg(long, value_name = "FILE")]
    tasks: Option<PathBuf>,
}

fn text(path: &Path) -> Result<NamedText> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(NamedText { name: path.display().to_string(), text })
}

/// The articles of a folder, in the order of their names.
fn articles(folder: &Path) -> Result<Vec<Article>> {
    let named = || format!("cannot read the articles of `{}`", folder.display());
    let entries = std::fs::read_dir(folder).with_context(named)?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    if paths.is_empty() {
        bail!("the folder `{}` has no articles: each is a file `TITLE.txt`", folder.display());
    }
    let article = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        text(path).map(|file| Article::of_text(&name, &file.text))
    };
    paths.iter().map(article).collect()
}

impl GivenFiles {
    /// Reads the files, and what `--env` names: a world, or a folder of articles.
    pub(super) fn read(&self, env: Option<&str>, is_wiki: bool) -> Result<Replaced> {
        let specs = self.spec.iter().map(|path| text(path)).collect::<Result<Vec<_>>>()?;
        let laws = self.laws.as_deref().map(text).transpose()?;
        let tasks = self.tasks.as_deref().map(text).transpose()?;
        let mut files = Replaced { specs, laws, tasks, ..Replaced::default() };
        let Some(env) = env else { return Ok(files) };
        if is_wiki {
            files.articles = Some(articles(Path::new(env))?);
            return Ok(files);
        }
        // A file that names no policy is about that of `--spec`.
        let own = match &files.specs[..] {
            [spec] => crate::agent::worlds::compiled(spec).ok(),
            _ => None,
        };
        files.world = played(env, own.as_ref())?;
        if files.world.is_none() {
            bail!(
                "`--env {env}`: a world is `inventory`, `household`, or a world file, `FILE` or `FILE:TASK` \
                 (`tsl-synth help agent`)"
            );
        }
        Ok(files)
    }
}

/// A text that distinguishes evaluations with different files.
pub(super) fn identity(name: &str, files: &Replaced) -> String {
    if files.specs.is_empty() && files.laws.is_none() && files.tasks.is_none() && files.world.is_none() {
        return name.to_owned();
    }
    let world = files.world.as_ref().map(|world| (&world.env, &world.identity));
    let all = format!("{:?}{:?}{:?}{world:?}", files.specs, files.laws, files.tasks);
    format!("{name} {}", sha256(all.as_bytes()))
}
