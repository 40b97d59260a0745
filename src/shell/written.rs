//! Files that programs write whose words say so in a way of their own: git, `find -delete`, archives, parts of a file,
//! downloads, code of awk and sed.

use super::arguments::{Argument, Arguments};
use super::found::found;
use super::word::{ShellWord, WordPiece};

/// The files that a program writes.
pub(super) fn written(name: &str, words: &[ShellWord], arguments: &Arguments) -> Vec<ShellWord> {
    let rest = words.get(1..).unwrap_or(&[]);
    let operands = &arguments.operands()[..];
    let values = |names: &str| -> Vec<ShellWord> {
        arguments.values(names).into_iter().map(|a| a.word.clone()).collect()
    };
    match name {
        "git" => by_git(rest, operands),
        "find" => by_find(rest),
        "tar" | "gtar" | "bsdtar" => by_tar(rest, arguments),
        "awk" | "gawk" | "mawk" | "nawk" => by_awk(rest, operands),
        // The second operand is the output.
        "uniq" | "xxd" => operands.get(1).map(|word| (*word).clone()).into_iter().collect(),
        "split" if values("--filter").is_empty() => {
            vec![beginning(operands.get(1).map_or_else(|| ShellWord::literal("x"), |word| (*word).clone()))]
        }
        "csplit" => {
            vec![beginning(values("-f --prefix").pop().unwrap_or_else(|| ShellWord::literal("xx")))]
        }
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd"
            if !arguments.has("-l --list -c --stdout --to-stdout -t --test") =>
        {
            operands.iter().filter_map(|word| word.text()).flat_map(packed).collect()
        }
        "7z" | "7za" | "7zr" | "7zz" => rest.iter().filter_map(folder_of_7z).collect(),
        "unrar" => operands.get(2..).unwrap_or(&[]).iter().map(|word| (*word).clone()).collect(),
        "curl" if arguments.has("-O --remote-name --remote-name-all") => {
            downloads(operands, &values("--output-dir"))
        }
        "wget" if !arguments.has("-O --output-document --spider") => {
            downloads(operands, &values("-P --directory-prefix"))
        }
        "sed" | "gsed" => rest.iter().filter_map(ShellWord::text).flat_map(of_sed).collect(),
        _ => Vec::new(),
    }
}

/// A file whose name begins with a word; letters and digits follow.
fn beginning(mut word: ShellWord) -> ShellWord {
    word.pieces.push(WordPiece::Plain);
    word
}

/// The file that takes the place of one that is packed or unpacked.
fn packed(file: &str) -> Vec<ShellWord> {
    const ENDS: &[&str] = &[".gz", ".bz2", ".xz", ".zst", ".lzma", ".Z", ".tgz"];
    match ENDS.iter().find_map(|end| file.strip_suffix(end)) {
        Some(inner) => vec![ShellWord::literal(inner)],
        None => ENDS[..5].iter().map(|end| ShellWord::literal(&format!("{file}{end}"))).collect(),
    }
}

/// `-oFOLDER`
fn folder_of_7z(word: &ShellWord) -> Option<ShellWord> {
    let Some(WordPiece::Text(text)) = word.pieces.first() else { return None };
    let rest = text.strip_prefix("-o")?;
    let first = (!rest.is_empty()).then(|| WordPiece::Text(rest.to_owned()));
    let pieces = first.into_iter().chain(word.pieces[1..].iter().cloned()).collect();
    Some(ShellWord { pieces, ..word.clone() })
}

/// The files with the last parts of addresses, as far as these are known.
fn downloads(addresses: &[&ShellWord], folder: &[ShellWord]) -> Vec<ShellWord> {
    let name = |word: &&ShellWord| {
        let Some(WordPiece::Text(end)) = word.pieces.last() else { return None };
        let path = end.split(['?', '#']).next().unwrap_or_default();
        let (before, name) = path.rsplit_once('/')?;
        (!name.is_empty() && !before.ends_with('/')).then(|| name.to_owned())
    };
    let folder = folder.last().and_then(ShellWord::text);
    let file = |name: String| match folder {
        Some(folder) => ShellWord::literal(&format!("{folder}/{name}")),
        None => ShellWord::literal(&name),
    };
    addresses.iter().filter_map(name).map(file).collect()
}

fn has(words: &[ShellWord], options: &[&str]) -> bool {
    words.iter().filter_map(ShellWord::text).any(|text| options.contains(&text))
}

/// Files that git takes from a commit or the index, moves and removes.
fn by_git(words: &[ShellWord], operands: &[&ShellWord]) -> Vec<ShellWord> {
    let Some((first, files)) = operands.split_first() else { return Vec::new() };
    let owned =
        |files: &[&ShellWord]| -> Vec<ShellWord> { files.iter().map(|word| (*word).clone()).collect() };
    let mark = words.iter().position(|word| word.text() == Some("--"));
    match first.text() {
        Some("rm") if !has(words, &["--cached", "-n", "--dry-run"]) => owned(files),
        Some("mv") if !has(words, &["-n", "--dry-run"]) => owned(files),
        Some("restore") if !has(words, &["-S", "--staged"]) || has(words, &["-W", "--worktree"]) => {
            owned(files)
        }
        Some("checkout") => match mark {
            Some(at) => words[at + 1..].to_vec(),
            None if has(words, &["-b", "-B", "--orphan", "-t", "--track"]) => Vec::new(),
            None if files.len() > 1 => owned(&files[1..]),
            // A branch, or a file.
            None => files.iter().filter(|word| looks_like_file(word)).map(|word| (*word).clone()).collect(),
        },
        _ => Vec::new(),
    }
}

/// Whether the only operand of `git checkout` ends as the name of a file or of a folder does.
fn looks_like_file(word: &ShellWord) -> bool {
    let Some(text) = word.text() else { return true };
    let last = text.rsplit('/').next().unwrap_or_default();
    let has_end =
        last.rsplit_once('.').is_some_and(|(_, end)| end.starts_with(|c: char| c.is_ascii_alphabetic()));
    text.starts_with(['.', '~', ':']) || last.is_empty() || has_end
}

/// `find .. -delete`, `-fprint FILE`
fn by_find(words: &[ShellWord]) -> Vec<ShellWord> {
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.text() {
            Some("-delete") => {
                let is_test =
                    |word: &&ShellWord| word.text().is_none_or(|text| !text.starts_with(['-', '(', '!']));
                let roots: Vec<&ShellWord> = words.iter().take_while(is_test).collect();
                let file = found("find", Some("-exec"), &words[..at]);
                let is_known = file != ShellWord::unknown();
                all.extend(if is_known { vec![file] } else { roots.into_iter().cloned().collect() });
            }
            Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") => all.extend(words.get(at + 1).cloned()),
            _ => {}
        }
    }
    all
}

/// The folder into which an archive is unpacked, or the archive that is made.
fn by_tar(words: &[ShellWord], arguments: &Arguments) -> Vec<ShellWord> {
    // The first word may be a bundle without a hyphen, whose values follow in order.
    let first = words.first().and_then(ShellWord::text).unwrap_or_default();
    let bundle = if first.starts_with('-') { "" } else { first };
    let is = |letter: char, long: &str| {
        bundle.contains(letter) || arguments.has(&format!("-{letter}")) || arguments.has(long)
    };
    let of_bundle = |letter: char| {
        let valued = bundle.chars().filter(|c| "fCTXbIgHKLNV".contains(*c));
        let at = valued.clone().position(|c| c == letter);
        at.and_then(|at| words.get(at + 1)).cloned()
    };
    let values = |letter: char, names: &str| -> Vec<ShellWord> {
        let own = arguments.values(names).into_iter().map(|a: &Argument| a.word.clone());
        of_bundle(letter).into_iter().chain(own).collect()
    };
    if is('x', "--extract --get") {
        values('C', "-C --directory")
    } else if is('c', "--create") {
        values('f', "-f --file")
    } else {
        Vec::new()
    }
}

/// `awk -i inplace`, and `print > "file"` in the code.
fn by_awk(words: &[ShellWord], operands: &[&ShellWord]) -> Vec<ShellWord> {
    let in_place = words
        .windows(2)
        .any(|pair| matches!(pair[0].text(), Some("-i" | "--include")) && pair[1].text() == Some("inplace"))
        || has(words, &["-iinplace", "--include=inplace"]);
    let code = words.iter().filter_map(ShellWord::text).find(|text| text.contains(['{', '>']));
    let files = operands.iter().filter(|word| word.text() != Some("inplace")).skip(1);
    let mut all: Vec<ShellWord> =
        if in_place { files.map(|word| (*word).clone()).collect() } else { Vec::new() };
    for (at, _) in code.unwrap_or_default().match_indices('>') {
        let after = code.unwrap_or_default()[at + 1..].trim_start_matches('>').trim_start();
        if let Some((file, _)) = after.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            all.push(ShellWord::literal(file));
        }
    }
    all
}

/// The files of `w FILE` and `s/a/b/w FILE` in code for sed.
fn of_sed(code: &str) -> Vec<ShellWord> {
    let (mut all, mut rest) = (Vec::new(), code);
    loop {
        // Addresses, and the beginnings of groups.
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!;{} \t\n".contains(c));
        let mut chars = rest.chars();
        let after = match (chars.next(), chars.next()) {
            (Some('/'), _) => {
                let Some(after) = past(&rest[1..], '/') else { return all };
                rest = after;
                continue;
            }
            (Some('s'), Some(delimiter)) => {
                let inner = &rest[1 + delimiter.len_utf8()..];
                let Some(flags) = past(inner, delimiter).and_then(|inner| past(inner, delimiter)) else {
                    return all;
                };
                flags.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIeM".contains(c))
            }
            (Some(_), _) => rest,
            (None, _) => return all,
        };
        // The name of the file takes the rest of the line.
        let (end, is_file) = match after.strip_prefix(['w', 'W']) {
            Some(file) => (after.find('\n'), file.starts_with([' ', '\t'])),
            None => (after.find([';', '\n']), false),
        };
        let line = &after[..end.unwrap_or(after.len())];
        if is_file {
            all.push(ShellWord::literal(line[1..].trim()));
        }
        rest = &after[line.len()..];
    }
}

/// What follows the next delimiter that is not escaped.
fn past(text: &str, delimiter: char) -> Option<&str> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == delimiter {
            return Some(&text[at + c.len_utf8()..]);
        }
    }
    None
}
