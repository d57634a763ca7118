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

/// The tables: the Rust type of a meaning, and how its first word decides the rest.
const TABLES: [(&str, &str, Meaning); 25] = [
    ("korean/particles", "Part", part),
    ("numerals", "u16", number),
    ("english/units", "Suffix", suffix),
    ("korean/units", "Suffix", suffix),
    ("english/values", "Lex", lex),
    ("korean/values", "Lex", lex),
    ("english/places", "Lex", lex),
    ("english/symbols", "Lex", lex),
    ("english/halves", "Lex", lex),
    ("korean/numerals", "Numeral", numeral),
    ("korean/ordinals", "Lex", lex),
    ("korean/of_ordinals", "Suffix", suffix),
    ("korean/nth", "Suffix", suffix),
    ("korean/stretches", "Lex", lex),
    ("korean/month_parts", "Lex", lex),
    ("korean/cycles", "Lex", lex),
    ("english/cycles", "Lex", lex),
    ("english/powers", "Lex", lex),
    ("english/parts", "Lex", lex),
    ("rates", "Per", per),
    ("english/rates", "Per", per),
    ("korean/rates", "Per", per),
    ("korean/each", "Per", per),
    ("english/cues", "CueKind", cue),
    ("korean/cues", "(CueKind, CuePlace)", korean_cue),
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

type Meaning = fn(&str) -> Option<String>;

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
    for name in ["public_suffixes", "top_levels", "free_mail"] {
        let text = fs::read_to_string(Path::new(DOMAINS).join(name).with_extension("txt"));
        let text = text.map_err(|e| format!("{DOMAINS}/{name}.txt: {e}"))?;
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
    let made = match (TABLES.iter().find(|t| t.0 == key), PHRASES.iter().find(|p| p.0 == key)) {
        (Some((_, _, meaning)), _) => table(&text, *meaning).map(rust),
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
fn lists(text: &str, key: &str) -> Result<Vec<(String, String)>, String> {
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
fn phrases(text: &str, of: &str) -> Result<String, String> {
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
fn shown(text: &str) -> Result<String, String> {
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
fn table(text: &str, meaning: Meaning) -> Result<String, String> {
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

/// `month 8` → `Month(8)`. Words are variants of the type that `types` gives to the kind, else texts.
fn variant(of: &str, said: &str, types: &[(&str, &str)]) -> Option<String> {
    let mut words = said.split(' ');
    let kind = words.next().filter(|kind| kind.starts_with(|c: char| c.is_ascii_lowercase()))?;
    let named = types.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name);
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

fn suffix(said: &str) -> Option<String> {
    // How many base units one is: mantissa and power of ten.
    if let Some((code, factor)) = said.strip_prefix("unit ").and_then(|u| u.split_once(' ')) {
        let (mantissa, exponent) = factor.split_once('e').unwrap_or((factor, "0"));
        let (mantissa, exponent) = (mantissa.parse::<i64>().ok()?, exponent.parse::<i32>().ok()?);
        return Some(format!("Suffix::Unit({code:?}, Number::new({mantissa}, {exponent}))"));
    }
    variant("Suffix", said, &[("period", "PeriodKind")])
}

fn lex(said: &str) -> Option<String> {
    if let Some(state) = said.strip_prefix("state ") {
        let (state, weak) = state.strip_suffix(" weak").map_or((state, false), |s| (s, true));
        return Some(format!("Lex::State(State::{}, {weak})", camel(state)));
    }
    let types = [
        ("weekday", "Sort"),
        ("relative", "PeriodKind"),
        ("period", "PeriodKind"),
        ("every", "Cycle"),
        ("half12", "DayHalf"),
        ("zone", "Summer"),
    ];
    variant("Lex", said, &types)
}

fn number(said: &str) -> Option<String> {
    said.parse::<i32>().ok().map(|n| n.to_string())
}

fn part(said: &str) -> Option<String> {
    Some(format!("Part::{}", camel(said)))
}

fn numeral(said: &str) -> Option<String> {
    variant("Numeral", said, &[])
}

fn per(said: &str) -> Option<String> {
    Some(format!("Per::{}", camel(said)))
}

fn cue(said: &str) -> Option<String> {
    said.chars().all(|c| c.is_ascii_lowercase() || c == '-').then(|| format!("CueKind::{}", camel(said)))
}

fn korean_cue(said: &str) -> Option<String> {
    let (kind, place) = said.split_once(' ')?;
    matches!(place, "start" | "any" | "end" | "whole")
        .then(|| format!("({}, CuePlace::{})", cue(kind).unwrap_or_default(), camel(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_with_its_order_and_its_quotes() {
        let made = lists("# of two\n[one] sorted\nb, \"a, \",\n  c\n[two] longest first\n다, 니다\n", "x").unwrap();
        assert_eq!(made, [("x.one.txt".into(), "a, \nb\nc".into()), ("x.two.txt".into(), "니다\n다".into())]);
    }

    #[test]
    fn a_table_is_sorted_by_its_words() {
        let made = table("month 8: august, aug\nweekday 0 full: monday\n", lex).unwrap();
        assert_eq!(
            made,
            r#"Table::new(Words::new("aug\naugust\nmonday"), &[Lex::Month(8), Lex::Month(8), Lex::Weekday(0, Sort::Full)])"#
        );
    }

    #[test]
    fn phrases_are_rows_of_what_they_mean() {
        let made = phrases("[no task]\nb*, ^a$, _c", "CategoryCue").unwrap();
        assert_eq!(made, r#"Phrases::new(&[(CategoryCue::NoTask, "b*\n^a$\n c")])"#);
    }

    #[test]
    fn what_is_shown_is_in_both_languages() {
        let made = shown("[set aside]\n\"Set % aside.\", \"%을 두었습니다.\"\n").unwrap();
        assert_eq!(
            made,
            "pub const SET_ASIDE: ShownText = ShownText { english: \"Set % aside.\", korean: \"%을 두었습니다.\" };\n"
        );
        assert!(shown("[set aside]\nSet % aside., 두었습니다.\n").is_err() && shown("[gone]\nGone.\n").is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(table("month 8: aug\nmonth 9: aug\n", lex).unwrap_err(), "“aug” stands twice");
        assert_eq!(table("8: aug\n", lex).unwrap_err(), "“8” means nothing");
        assert_eq!(table("later middle: 미뤄\n", korean_cue).unwrap_err(), "“later middle” means nothing");
        assert_eq!(lists("a, , b", "x").unwrap_err(), "an empty entry in “a, , b”");
        assert_eq!(lists("a, b, a", "x").unwrap_err(), "“a” stands twice in []");
        assert_eq!(phrases("[soft] words\na", "MailKind").unwrap_err(), "“[soft] words” means nothing");
        assert_eq!(lists("[one] shuffled\na", "x").unwrap_err(), "“shuffled” is no order: sorted, longest first");
    }
}
