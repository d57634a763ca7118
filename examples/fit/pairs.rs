//! Labelled pairs from JSON Lines files, and cross-validation folds.

use memfold::analysis::Reading;
use memfold::analysis::align::Alignment;
use memfold::analysis::words::Mark;
use memfold::extract::drafts;
use memfold::mail::{Account, HostCharset, read as read_mail};
use memfold::model::{Category, Claim, DayOrTime, Time};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One side of a pair.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    pub content: String,
    #[serde(default)]
    pub category: Category,
    #[serde(default)]
    pub subject: Option<String>,
    #[serde(default)]
    pub thread_id: Option<String>,
    #[serde(default)]
    pub people: Vec<String>,
    #[serde(default)]
    pub entities: Vec<String>,
    #[serde(default)]
    pub occurred_at: Option<Time>,
    /// When it was stated; only memories drafted here distinguish this from when it happens.
    #[serde(skip)]
    pub stated_at: Option<Time>,
}

impl Side {
    /// The same memory as if the mail layer had drafted it from a mail, with entities, people, category and time.
    pub fn drafted(&self) -> Self {
        let address = |p: &str| {
            let name: String = p.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '.' }).collect();
            if p.contains('@') { p.to_owned() } else { format!("\"{p}\" <{name}@people.example>") }
        };
        let mut people = self.people.iter().map(|p| address(p));
        let from = people.next().unwrap_or_else(|| "somebody@people.example".to_owned());
        let to: Vec<String> = std::iter::once("me@owner.example".to_owned()).chain(people).collect();
        let korean = self.content.chars().any(|c| ('가'..='힣').contains(&c));
        let date = self.occurred_at.map_or_else(String::new, |t| format!("Date: {}\r\n", mail_date(t, korean)));
        let subject = self.subject.as_deref().unwrap_or_default();
        let raw = format!(
            "From: {from}\r\nTo: {}\r\nSubject: {subject}\r\n{date}Message-ID: <1@people.example>\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n",
            to.join(", "),
            self.content
        );
        let Ok(mail) = read_mail(raw.as_bytes(), &HostCharset) else { return self.clone() };
        let account = Account { owner: vec!["me@owner.example".into()], ..Account::default() };
        let found = drafts(&mail, &account);
        let Some(first) = found.first() else { return self.clone() };
        let all = |of: &dyn Fn(&memfold::model::Draft) -> Vec<String>| {
            let mut out: Vec<String> = Vec::new();
            for name in found.iter().flat_map(of) {
                if !out.contains(&name) {
                    out.push(name);
                }
            }
            out
        };
        // A statement that was split keeps its own words, so that the label stays valid.
        let whole = found.len() == 1 && first.content.chars().count() * 10 >= self.content.chars().count() * 9;
        Self {
            content: if whole { first.content.clone() } else { self.content.clone() },
            category: first.category,
            subject: first.subject.clone(),
            thread_id: self.thread_id.clone(),
            people: all(&|d| d.people.clone()),
            entities: all(&|d| d.entities.clone()),
            occurred_at: first.occurred_at.map(DayOrTime::utc).or(self.occurred_at),
            stated_at: self.occurred_at,
        }
    }

    pub fn statement(&self) -> Claim<'_> {
        Claim {
            content: &self.content,
            statements: &[],
            category: self.category,
            subject: self.subject.as_deref(),
            thread_id: self.thread_id.as_deref(),
            author: None,
            source_id: None,
            people: &self.people,
            entities: &self.entities,
            occurred_at: self.occurred_at.map(DayOrTime::Time),
            stated_at: self.stated_at,
        }
    }
}

/// Formats a time as in a mail, in the time zone of Seoul or in UTC.
fn mail_date(time: Time, seoul: bool) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let iso = time.plus_millis(if seoul { 9 * 3_600_000 } else { 0 }).to_string();
    let month = iso[5..7].parse().map_or("Jan", |m: usize| MONTHS[m - 1]);
    format!("{} {month} {} {} {}", &iso[8..10], &iso[..4], &iso[11..19], if seoul { "+0900" } else { "+0000" })
}

/// One labelled pair.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    pub id: String,
    #[serde(default)]
    pub lang: String,
    #[serde(default)]
    pub hard: bool,
    #[serde(default)]
    pub group: Option<String>,
    pub existing: Side,
    pub new: Side,
    pub expected: String,
    #[serde(default)]
    pub relationship_type: Option<String>,
    #[serde(default)]
    pub conflict: String,
    #[serde(skip)]
    pub file: String,
    #[serde(skip)]
    pub label: usize,
}

impl Pair {
    /// The annotator. Pairs by one annotator are held out together.
    pub fn annotator(&self) -> &str {
        match self.file.split_once(['-', '.']) {
            Some((_, "pairs")) => "mailboxes",
            Some(("text", _)) => "pairs",
            Some((family @ ("pairs" | "contrast" | "own" | "told"), _)) => family,
            _ => &self.file,
        }
    }
    /// Whether it came as bare text, in one of the files `text-*`.
    pub fn is_text(&self) -> bool {
        self.file.starts_with("text-")
    }
}

pub const LABELS: [&str; 4] = ["SKIP", "UPDATE", "CREATE_AND_LINK", "CREATE"];

/// Reads all files; an invalid line ends the program with its position.
pub fn read(files: &[String]) -> Vec<Pair> {
    let mut rows = Vec::new();
    for file in files {
        let text = match std::fs::read_to_string(file) {
            Ok(t) => t,
            Err(e) => fail(&format!("{file}: {e}")),
        };
        for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let mut p: Pair = match serde_json::from_str(line) {
                Ok(p) => p,
                Err(e) => fail(&format!("{file}:{}: {e}", n + 1)),
            };
            p.label = match LABELS.iter().position(|l| *l == p.expected) {
                Some(l) => l,
                None => fail(&format!("{file}:{}: `{}` is not a decision", n + 1, p.expected)),
            };
            p.file = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".jsonl").to_owned();
            rows.push(p);
        }
    }
    rows
}

pub fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

/// Derives pairs from memories compared with the same stored one. A duplicate or new version of it relates to the
/// others as it does. Skips bare texts, and takes a third of large groups.
pub fn crossed(rows: &[Pair]) -> Vec<Pair> {
    let mut beside: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for r in rows.iter().filter(|r| !r.is_text()) {
        beside.entry(&r.existing.content).or_default().push(r);
    }
    let mut out = Vec::new();
    for of in beside.values() {
        for (stored, label) in of.iter().filter(|r| r.label <= 1).map(|r| (&r.new, r.label)) {
            let every = if of.len() > 8 { 3 } else { 1 };
            for r in of.iter().filter(|r| r.label > label).step_by(every) {
                let mut pair = (*r).clone();
                pair.existing = stored.clone();
                pair.id = format!("{}x", r.id);
                if let (Some(a), Some(b), Some(at)) = (r.existing.occurred_at, r.new.occurred_at, stored.occurred_at) {
                    pair.new.occurred_at = Some(at.plus_millis(b.millis() - a.millis()));
                }
                out.push(pair);
            }
        }
    }
    out
}

/// Derives pairs of unrelated memories, as most pairs in a mailbox are: same fold, never the same group. Returns each
/// with its fold. For every other row adds the most similarly worded of many: "X costs 300 euros", "Y costs 400
/// euros".
pub fn unrelated_pairs(rows: &[Pair], fold: &[usize], seed: u64) -> Vec<(Pair, usize)> {
    let mut rng = Rng(seed);
    let mut out = Vec::new();
    let stored: Vec<Reading> = rows.iter().map(|r| Reading::of(&r.existing.statement())).collect();
    let new: Vec<Reading> = rows.iter().map(|r| Reading::of(&r.new.statement())).collect();
    for (i, r) in rows.iter().enumerate().step_by(4) {
        // Half of them are from the same file, with similar people, companies and phrases.
        let apart = |o: &Pair| match &r.group {
            Some(_) => o.group != r.group,
            None => o.existing.content != r.existing.content,
        };
        let beside: Vec<usize> = (0..rows.len())
            .filter(|j| fold[*j] == fold[i] && rows[*j].lang == r.lang)
            .filter(|j| {
                let o = &rows[*j];
                if i % 8 == 0 { o.file == r.file && apart(o) } else { o.file != r.file }
            })
            .collect();
        if beside.is_empty() {
            continue;
        }
        let mut add = |other: usize| {
            let mut pair = r.clone();
            pair.new = rows[other].new.clone();
            (pair.relationship_type, pair.conflict, pair.label) = (None, "NONE".to_owned(), 3);
            pair.expected = LABELS[3].to_owned();
            out.push((pair, fold[i]));
        };
        add(beside[rng.below(beside.len())]);
        if i % 8 != 0 {
            let some: Vec<usize> = (0..SAMPLED_PAIRS).map(|_| beside[rng.below(beside.len())]).collect();
            let like = some.into_iter().filter_map(|j| Some((frame(&stored[i], &new[j])?, j))).max();
            if let Some((_, other)) = like {
                add(other);
            }
        }
    }
    out
}

/// Number of candidates for the most similarly worded pair.
const SAMPLED_PAIRS: usize = 200;

/// The number of words shared by two unrelated memories; `None` if they share a name and may be related.
fn frame(a: &Reading, b: &Reading) -> Option<usize> {
    let alignment = Alignment::of(&a.words, &b.words);
    let said = b.words.iter().enumerate().filter(|(n, w)| !w.function && alignment.met_b(*n)).map(|(_, w)| w);
    let (mut met, mut things) = (0, 0);
    for w in said {
        if w.capital || w.is(Mark::Name) || w.is(Mark::Unknown) {
            return None;
        }
        met += 1;
        things += usize::from(w.is(Mark::Noun) && !w.is(Mark::Verb) && w.number.is_none());
    }
    (met > 0 && things <= 1).then_some(met)
}

/// Assigns folds; rows that share an `existing` text or a group stay in one fold.
pub fn folds(rows: &[Pair], k: usize, seed: u64) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..rows.len()).collect();
    fn root(p: &mut [usize], mut i: usize) -> usize {
        while p[i] != i {
            p[i] = p[p[i]];
            i = p[i];
        }
        i
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (i, r) in rows.iter().enumerate() {
        let mut keys = vec![r.existing.content.clone(), r.new.content.clone()];
        if let Some(g) = &r.group {
            keys.push(format!("{}/{g}", r.file));
        }
        for key in keys {
            let j = *seen.entry(key).or_insert(i);
            let (x, y) = (root(&mut parent, i), root(&mut parent, j));
            parent[x] = y;
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..rows.len() {
        let r = root(&mut parent, i);
        groups.entry(r).or_default().push(i);
    }
    let mut order: Vec<Vec<usize>> = groups.into_values().collect();
    let mut rng = Rng(seed);
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i + 1));
    }
    let mut fold = vec![0; rows.len()];
    for (n, g) in order.iter().enumerate() {
        for i in g {
            fold[*i] = n % k;
        }
    }
    fold
}

/// One fold for each annotator, and the annotators in the order of their folds.
pub fn folds_by_annotator(rows: &[Pair]) -> (Vec<usize>, Vec<String>) {
    let mut annotators: Vec<String> = rows.iter().map(|r| r.annotator().to_owned()).collect();
    annotators.sort_unstable();
    annotators.dedup();
    (rows.iter().map(|r| annotators.iter().position(|h| h == r.annotator()).unwrap_or(0)).collect(), annotators)
}

/// A small deterministic random number generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}
