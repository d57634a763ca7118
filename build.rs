//! Packs the lists of domains in `src/model/data`, and makes Rust of the words in `src/language/data`: a list becomes a text with
//! one word a line, a table its words and what they mean, phrases their rows with what each row means. A word that stands
//! twice, a meaning that no type has, or an empty entry stops the build.
//!
//! `# …` is a comment, `[name]` begins a list of that name, and a line that starts with blanks goes on with the last
//! one. Entries are separated by commas; one in quotes keeps its blanks and commas. In a table a meaning stands before
//! the colon and after it every way to write it.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

#[path = "src/model/address/domain_set.rs"]
mod domain_set;

/// Where the lists of domains lie.
const DOMAINS: &str = "src/model/data";
/// Where the words lie.
const DATA: &str = "src/language/data";

/// The tables: the Rust type of a meaning, how it is read, and the files.
const TABLES: [(&str, Meaning, &[&str]); 9] = [
    ("Part", named, &["korean/particles"]),
    ("u16", number, &["numerals"]),
    ("Suffix", suffix, &["english/units", "korean/units"]),
    (
        "Lex",
        lex,
        &[
            "english/values",
            "english/places",
            "english/symbols",
            "english/halves",
            "english/cycles",
            "english/stretches",
            "english/powers",
            "english/parts",
        ],
    ),
    (
        "Lex",
        lex,
        &[
            "korean/values",
            "korean/ordinals",
            "korean/of_ordinals",
            "korean/nth",
            "korean/stretches",
            "korean/month_parts",
            "korean/cycles",
        ],
    ),
    ("Numeral", variant, &["korean/numerals"]),
    ("Per", named, &["rates", "english/rates", "korean/rates"]),
    ("CueKind", named, &["english/cues"]),
    ("(CueKind, CuePlace)", korean_cue, &["korean/cues"]),
];

/// The phrases, and the Rust type of what a row of them means.
const PHRASES: [(&str, &str); 5] = [
    ("mail/kinds", "MailKind"),
    ("mail/categories", "CategoryCue"),
    ("mail/steering", "str"),
    ("details", "Talk"),
    ("analysis/phrases", "Sign"),
];

/// Lists and phrases that lie beside the code that reads them.
const BESIDE: [&str; 2] = ["src/analysis/phrases.txt", "src/analysis/words.txt"];

/// What people are shown.
const SHOWN: &str = "shown";

/// The Rust of a meaning, from its type and its words.
type Meaning = fn(&str, &str) -> Option<String>;

fn main() {
    println!("cargo::rerun-if-changed={DATA}");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("words");
    // A list that was deleted must not satisfy `words!` by a file of an earlier build.
    let _ = fs::remove_dir_all(&out);
    let beside = BESIDE.iter().try_for_each(|path| {
        println!("cargo::rerun-if-changed={path}");
        make(Path::new(path), "src", &out)
    });
    let sets = domains(&out.with_file_name("domains"));
    if let Err(fault) = visit(Path::new(DATA), &out).and(beside).and(sets) {
        println!("cargo::error={fault}");
    }
}

fn visit(dir: &Path, out: &Path) -> Result<(), String> {
    let said = |e: std::io::Error| format!("{}: {e}", dir.display());
    for entry in fs::read_dir(dir).map_err(said)? {
        let path = entry.map_err(said)?.path();
        if path.is_dir() {
            visit(&path, out)?;
            continue;
        }
        make(&path, DATA, out)?;
    }
    Ok(())
}

/// Packs the lists of domains.
fn domains(out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={DOMAINS}");
    println!("cargo::rerun-if-changed=src/model/address/domain_set.rs");
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    for name in ["public_suffixes", "top_levels", "free_mail", "relays"] {
        let read = |name: &str| fs::read_to_string(Path::new(DOMAINS).join(name).with_extension("txt"));
        let more = read(&format!("{name}_more")).unwrap_or_default();
        let text = read(name).map_err(|e| format!("{DOMAINS}/{name}.txt: {e}"))? + &more;
        let names = text.lines().filter(|l| !l.is_empty() && !l.starts_with(['#', '!']));
        let written = fs::write(out.join(name).with_extension("bin"), domain_set::encode(names));
        written.map_err(|e| format!("{name}.bin: {e}"))?;
    }
    Ok(())
}

/// Writes what a file under `root` becomes.
fn make(path: &Path, root: &str, out: &Path) -> Result<(), String> {
    let said = |e: std::io::Error| format!("{}: {e}", path.display());
    let text = fs::read_to_string(path).map_err(said)?;
    let key = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let key = key.to_string_lossy().replace('\\', "/");
    let rust = |text: String| vec![(format!("{key}.rs"), text)];
    let made = match (TABLES.iter().find(|t| t.2.contains(&key.as_str())), PHRASES.iter().find(|p| p.0 == key)) {
        (Some((of, meaning, _)), _) => table(&text, |said| meaning(of, said)).map(rust),
        (_, Some((_, of))) => phrases(&text, of).map(rust),
        _ if key == SHOWN => shown(&text).map(rust),
        _ => lists(&text, &key),
    };
    for (name, text) in made.map_err(|fault| format!("{}: {fault}", path.display()))? {
        let file = out.join(name);
        fs::create_dir_all(file.parent().unwrap_or(out)).map_err(said)?;
        fs::write(file, text).map_err(said)?;
    }
    Ok(())
}

/// The lines that hold something, those that go on joined to the one before.
fn lines(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        match all.last_mut().filter(|_| line.starts_with(' ')) {
            Some(last) => last.push_str(line),
            None => all.push(line.to_owned()),
        }
    }
    all
}

fn entries(line: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"'));
        let (entry, more) = match quoted.filter(|(_, more)| more.is_empty() || more.starts_with(',')) {
            Some((entry, more)) => (entry, more.strip_prefix(',').unwrap_or(more)),
            None => {
                let (entry, more) = rest.split_once(',').unwrap_or((rest, ""));
                (entry.trim(), more)
            }
        };
        if entry.is_empty() {
            return Err(format!("an empty entry in “{line}”"));
        }
        all.push(entry.to_owned());
        rest = more.trim_start();
    }
    Ok(all)
}

/// A list of a file: its name, what stands behind the name, its entries.
type List = (String, String, Vec<String>);

/// The lists of a file. No entry stands in one of them twice.
fn sections(text: &str) -> Result<Vec<List>, String> {
    let mut found: Vec<List> = Vec::new();
    for line in &lines(text) {
        if let Some((name, order)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            found.push((name.to_owned(), order.trim().to_owned(), Vec::new()));
            continue;
        }
        if found.is_empty() {
            found.push(Default::default());
        }
        let Some((name, _, list)) = found.last_mut() else { continue };
        for entry in entries(line)? {
            if list.contains(&entry) {
                return Err(format!("“{entry}” stands twice in [{name}]"));
            }
            list.push(entry);
        }
    }
    Ok(found)
}

/// One text for each list of a file.
pub(crate) fn lists(text: &str, key: &str) -> Result<Vec<(String, String)>, String> {
    let one = |(name, order, mut list): List| {
        match order.as_str() {
            "" => {}
            "sorted" => list.sort(),
            "longest first" => list.sort_by_key(|w| std::cmp::Reverse(w.chars().count())),
            other => return Err(format!("“{other}” is no order: sorted, longest first")),
        }
        let name = if name.is_empty() { key.to_owned() } else { format!("{key}.{name}") };
        Ok((format!("{name}.txt"), list.join("\n")))
    };
    sections(text)?.into_iter().map(one).collect()
}

/// The expression of the phrases of a file: a row for each list. `_` is a blank, which an entry may begin and end with.
pub(crate) fn phrases(text: &str, of: &str) -> Result<String, String> {
    let one = |(name, more, list): List| {
        let rust = match (of, more.as_str()) {
            ("str", "") => Some(format!("{name:?}")),
            (_, "") => Some(format!("{of}::{}", camel(&name))),
            _ => None,
        };
        let rust = rust.ok_or_else(|| format!("“[{name}] {more}” means nothing"))?;
        Ok(format!("({rust}, {:?})", list.join("\n").replace('_', " ")))
    };
    let rows: Result<Vec<String>, String> = sections(text)?.into_iter().map(one).collect();
    Ok(format!("Phrases::new(&[{}])", rows?.join(", ")))
}

/// A constant for each text that people are shown: in English, in Korean.
pub(crate) fn shown(text: &str) -> Result<String, String> {
    let one = |(name, _, texts): List| match &texts[..] {
        [english, korean] if english.matches('%').count() == korean.matches('%').count() => {
            let name = name.to_ascii_uppercase().replace(' ', "_");
            Ok(format!("pub const {name}: ShownText = ShownText {{ english: {english:?}, korean: {korean:?} }};\n"))
        }
        _ => Err(format!("[{name}] wants a text in English and one in Korean, with as many % in each")),
    };
    sections(text)?.into_iter().map(one).collect()
}

/// The expression of a table: its words in the order of their bytes, and what each means.
pub(crate) fn table(text: &str, meaning: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut rows = BTreeMap::new();
    for line in lines(text) {
        let (said, words) = line.split_once(": ").ok_or_else(|| format!("no meaning before “{line}”"))?;
        let rust = meaning(said).ok_or_else(|| format!("“{said}” means nothing"))?;
        for word in entries(words)? {
            if rows.insert(word.clone(), rust.clone()).is_some() {
                return Err(format!("“{word}” stands twice"));
            }
        }
    }
    let words: Vec<&str> = rows.keys().map(String::as_str).collect();
    let meanings: Vec<&str> = rows.values().map(String::as_str).collect();
    Ok(format!("Table::new(Words::new({:?}), &[{}])", words.join("\n"), meanings.join(", ")))
}

/// `no-longer` → `NoLonger`.
fn camel(word: &str) -> String {
    word.split(['-', ' ']).map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect()
}

/// The types of the arguments that are words, by the kind before them.
const ARGUMENTS: [(&str, &str); 6] = [
    ("weekday", "Sort"),
    ("relative", "PeriodKind"),
    ("period", "PeriodKind"),
    ("every", "Cycle"),
    ("half12", "DayHalf"),
    ("zone", "Summer"),
];

/// `month 8` → `Month(8)`. Words are variants of the type that `ARGUMENTS` gives to the kind, else texts.
fn variant(of: &str, said: &str) -> Option<String> {
    let mut words = said.split(' ');
    let kind = words.next().filter(|kind| kind.starts_with(|c: char| c.is_ascii_lowercase()))?;
    let named = ARGUMENTS.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name);
    let argument = |word: &str| match (word.parse::<i64>(), word.strip_prefix("0b"), named) {
        (Ok(n), ..) => n.to_string(),
        (_, Some(bits), _) => format!("0b{bits}"),
        (.., Some(name)) => format!("{name}::{}", camel(word)),
        _ => format!("{word:?}"),
    };
    let arguments = words.map(argument).collect::<Vec<_>>().join(", ");
    let arguments = if arguments.is_empty() { arguments } else { format!("({arguments})") };
    Some(format!("{of}::{}{arguments}", camel(kind)))
}

fn suffix(of: &str, said: &str) -> Option<String> {
    // How many base units one is: mantissa and power of ten.
    if let Some((code, factor)) = said.strip_prefix("unit ").and_then(|u| u.split_once(' ')) {
        let (mantissa, exponent) = factor.split_once('e').unwrap_or((factor, "0"));
        let (mantissa, exponent) = (mantissa.parse::<i64>().ok()?, exponent.parse::<i32>().ok()?);
        return Some(format!("Suffix::Unit({code:?}, Number::new({mantissa}, {exponent}))"));
    }
    variant(of, said)
}

pub(crate) fn lex(of: &str, said: &str) -> Option<String> {
    if let Some(state) = said.strip_prefix("state ") {
        let (state, weak) = state.strip_suffix(" weak").map_or((state, false), |s| (s, true));
        return Some(format!("Lex::State(State::{}, {weak})", camel(state)));
    }
    variant(of, said)
}

fn number(_: &str, said: &str) -> Option<String> {
    said.parse::<i32>().ok().map(|n| n.to_string())
}

fn named(of: &str, said: &str) -> Option<String> {
    Some(format!("{of}::{}", camel(said)))
}

fn korean_cue(_: &str, said: &str) -> Option<String> {
    let (kind, place) = said.split_once(' ')?;
    matches!(place, "start" | "any" | "end" | "whole")
        .then(|| format!("(CueKind::{}, CuePlace::{})", camel(kind), camel(place)))
}
