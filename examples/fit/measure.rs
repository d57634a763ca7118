//! Evaluation metrics, as printed by `make eval`.

use crate::pairs::Pair;
use memfold::decision::Policy;

/// The prediction for one row.
#[derive(Clone, Copy)]
pub struct Verdict {
    pub p: [f64; 4],
    pub sure: bool,
}

impl Verdict {
    pub fn label(&self) -> usize {
        (0..4).max_by(|a, b| self.p[*a].total_cmp(&self.p[*b])).unwrap_or(0)
    }
    pub fn confidence(&self) -> f64 {
        self.p[self.label()]
    }
}

#[derive(Default, Clone, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    pub rows: usize,
    pub accuracy: f64,
    pub update_vs_link: f64,
    pub update_precision: f64,
    pub update_recall: f64,
    pub link_precision: f64,
    pub link_recall: f64,
    pub confusion: f64,
    pub false_update: f64,
    pub false_update_when_sure: f64,
    pub written_update_recall: f64,
    pub written_false_update: f64,
    pub skip_precision: f64,
    pub sure_share: f64,
    pub sure_accuracy: f64,
    pub ece: f64,
}

fn ratio(a: usize, b: usize) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

pub fn figures(rows: &[&Pair], v: &[Verdict]) -> Figures {
    let n = rows.len();
    let y: Vec<usize> = rows.iter().map(|r| r.label).collect();
    let h: Vec<usize> = v.iter().map(Verdict::label).collect();
    let count = |f: &dyn Fn(usize) -> bool| (0..n).filter(|i| f(*i)).count();
    let both = count(&|i| y[i] == 1 || y[i] == 2);
    let precision = |k: usize| ratio(count(&|i| h[i] == k && y[i] == k), count(&|i| h[i] == k));
    let recall = |k: usize| ratio(count(&|i| h[i] == k && y[i] == k), count(&|i| y[i] == k));
    let sure = count(&|i| v[i].sure);
    let mut ece = 0.0;
    for b in 0..10 {
        let of: Vec<usize> = (0..n).filter(|i| ((v[*i].confidence() * 10.0) as usize).min(9) == b).collect();
        let confidence: f64 = of.iter().map(|i| v[*i].confidence()).sum();
        let right = of.iter().filter(|i| h[**i] == y[**i]).count() as f64;
        ece += (confidence - right).abs() / n.max(1) as f64;
    }
    // The updates that would be written without a model or a person to ask.
    let writes = |i: usize| h[i] == 1 && v[i].confidence() >= f64::from(Policy::BALANCED.write_above);
    Figures {
        rows: n,
        accuracy: ratio(count(&|i| h[i] == y[i]), n),
        update_vs_link: ratio(count(&|i| (y[i] == 1 || y[i] == 2) && h[i] == y[i]), both),
        update_precision: precision(1),
        update_recall: recall(1),
        link_precision: precision(2),
        link_recall: recall(2),
        confusion: ratio(count(&|i| (y[i] == 1 && h[i] == 2) || (y[i] == 2 && h[i] == 1)), both),
        false_update: ratio(count(&|i| y[i] != 1 && h[i] == 1), count(&|i| y[i] != 1)),
        false_update_when_sure: ratio(count(&|i| v[i].sure && y[i] != 1 && h[i] == 1), sure),
        written_update_recall: ratio(count(&|i| y[i] == 1 && writes(i)), count(&|i| y[i] == 1)),
        written_false_update: ratio(count(&|i| y[i] != 1 && writes(i)), count(&|i| y[i] != 1)),
        skip_precision: precision(0),
        sure_share: ratio(sure, n),
        sure_accuracy: ratio(count(&|i| v[i].sure && h[i] == y[i]), sure),
        ece,
    }
}

pub fn header() {
    println!(
        "{:<26}{:>6}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}{:>7}{:>7}",
        "",
        "rows",
        "4-way",
        "U/L",
        "U prec",
        "U rec",
        "L prec",
        "L rec",
        "confus",
        "falseU",
        "skip p",
        "sure",
        "sure ok",
        "ece",
        "U writ",
        "false"
    );
}

pub fn line(name: &str, f: &Figures) {
    let p = |x: f64| format!("{:.1}", 100.0 * x);
    println!(
        "{:<26}{:>6}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}{:>7}{:>7}",
        name,
        f.rows,
        p(f.accuracy),
        p(f.update_vs_link),
        p(f.update_precision),
        p(f.update_recall),
        p(f.link_precision),
        p(f.link_recall),
        p(f.confusion),
        p(f.false_update_when_sure),
        p(f.skip_precision),
        p(f.sure_share),
        p(f.sure_accuracy),
        format!("{:.3}", f.ece),
        p(f.written_update_recall),
        p(f.written_false_update)
    );
}

/// Prints the metrics of all rows and of each part, and returns them.
pub fn table(rows: &[&Pair], v: &[Verdict]) -> Vec<(String, Figures)> {
    let mut parts: Vec<(String, Vec<usize>)> = vec![("all".into(), (0..rows.len()).collect())];
    let mut by = |f: &dyn Fn(&Pair) -> String| {
        let mut keys: Vec<String> = rows.iter().map(|r| f(r)).collect();
        keys.sort();
        keys.dedup();
        for k in keys {
            let of = (0..rows.len()).filter(|i| f(rows[*i]) == k).collect();
            parts.push((k, of));
        }
    };
    by(&|r| format!("lang {}", r.lang));
    by(&|r| if r.hard { "hard".into() } else { "not hard".into() });
    by(&|r| format!("hand {}", r.annotator()));
    by(&|r| r.relationship_type.as_ref().map_or("no link".into(), |t| format!("link {t}")));
    by(&|r| if r.label == 1 { format!("update {}", r.conflict.to_lowercase()) } else { "no update".into() });
    header();
    parts
        .into_iter()
        .map(|(name, of)| {
            let rs: Vec<&Pair> = of.iter().map(|i| rows[*i]).collect();
            let vs: Vec<Verdict> = of.iter().map(|i| v[*i]).collect();
            let f = figures(&rs, &vs);
            line(&name, &f);
            (name, f)
        })
        .collect()
}

/// The metrics with four decimals, for a file that people compare.
pub fn rounded(f: &Figures) -> serde_json::Value {
    let mut v = serde_json::to_value(f).expect("figures");
    if let Some(m) = v.as_object_mut() {
        for x in m.values_mut() {
            if let Some(n) = x.as_f64().filter(|_| !x.is_u64()) {
                *x = serde_json::json!((n * 1e4).round() / 1e4);
            }
        }
    }
    v
}
