//! A part of a mail with what is known of it, and the parts that make one candidate.

use super::split::LineForm;
use super::topic::points_back;
use crate::language::{
    Bearers, CueKind, DateRole, Folded, Found, Moment, PersonalKind, Reference, Value, ValueKind, cues, given_name,
    has_hangul, is_hangul, meant_values, moments, personal, words,
};
use chrono::NaiveDate;
use std::ops::Range;

/// The most characters of a candidate of several sentences, and of rows.
const SENTENCES: usize = 320;
const ROWS: usize = 640;

/// A part of a mail with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct ScoredPart {
    pub form: LineForm,
    /// Its words, without an address or an idle opening before them.
    pub text: String,
    pub span: Range<usize>,
    pub paragraph: usize,
    pub found: Vec<Found>,
    pub moments: Vec<Moment>,
    pub cues: Vec<CueKind>,
    pub points_back: bool,
    /// How likely it is worth keeping, and whether that is enough for a candidate.
    pub chance: f32,
    pub is_enough: bool,
}

impl ScoredPart {
    /// A part of these words; they stand at these bytes of the mail.
    pub fn new(form: LineForm, words: &str, span: Range<usize>, paragraph: usize, at: Option<Reference>) -> Self {
        let text = if form.is_listed() { words.to_owned() } else { opened(words).to_owned() };
        let found = meant_values(&text, at);
        let moments = moments(&text, &found, at);
        let mut said: Vec<CueKind> = cues(&Folded::new(&text)).iter().map(|c| c.kind).collect();
        said.dedup();
        let points_back = points_back(&text);
        Self { form, text, span, paragraph, found, moments, cues: said, points_back, chance: 0.0, is_enough: false }
    }

    pub fn says(&self, cue: CueKind) -> bool {
        self.cues.contains(&cue)
    }

    pub fn is_question(&self) -> bool {
        self.text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?')
    }

    pub fn has_day(&self) -> bool {
        self.moments.iter().any(|m| m.role != DateRole::Former)
    }

    /// Values that tell something by themselves.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.found.iter().filter(|f| tells(f, &self.text)).map(|f| &f.value)
    }

    /// Whether it tells something of a mail: a value, or a task, a decision or a change.
    pub fn tells(&self) -> bool {
        self.values().next().is_some()
            || self.says(CueKind::Plan)
            || self.says(CueKind::Request)
            || self.tells_news(None)
    }

    /// Whether it tells more than what is asked or planned, or than a day that is not to come.
    pub fn tells_news(&self, today: Option<NaiveDate>) -> bool {
        use CueKind::{Change, Correction, Decision, Decrease, Increase, NoLonger, Removal, Replace};
        let cues = [Change, Correction, Decision, Decrease, Increase, NoLonger, Removal, Replace];
        let is_over = |v: &Value| match v {
            Value::Date(date) => date.on.is_some_and(|on| today.is_some_and(|t| on <= t)),
            Value::Period(period) => period.span.is_some_and(|(from, _)| today.is_some_and(|t| from <= t)),
            _ => false,
        };
        self.values().any(|v| !is_over(v))
            || !personal(&self.text).is_empty()
            || self.cues.iter().any(|c| cues.contains(c))
    }

    pub fn has_deadline(&self) -> bool {
        self.moments.iter().any(|m| m.role == DateRole::Deadline)
    }

    pub fn is_due(&self, today: Option<NaiveDate>) -> bool {
        let ends = |m: &Moment| matches!(m.role, DateRole::Deadline | DateRole::Until);
        self.moments.iter().any(|m| ends(m) && today.is_none_or(|t| m.day >= t))
    }

    /// Whether it tells what happens on a day to come, or what recurs.
    pub fn is_ahead(&self, today: Option<NaiveDate>) -> bool {
        let is_ahead = |m: &Moment| m.role != DateRole::Former && today.is_none_or(|t| m.day >= t);
        self.moments.iter().any(is_ahead) || self.found.iter().any(|f| f.value.kind() == ValueKind::Recurrence)
    }

    /// Whether it says that something is over or otherwise now.
    pub fn tells_change(&self) -> bool {
        use CueKind::{Change, Correction, NoLonger, Removal, Replace};
        self.cues.iter().any(|c| matches!(c, Change | Correction | NoLonger | Removal | Replace))
    }
}

/// Whether a value tells something by itself.
fn tells(found: &Found, text: &str) -> bool {
    match &found.value {
        Value::Number(_) | Value::Ordinal { .. } => false,
        Value::Quantity { number, unit } => {
            let has_digits = found.span.of(text).bytes().any(|b| b.is_ascii_digit());
            unit.is_physical() && number.as_f64() != 1.0 || number.as_f64() >= 2.0 && has_digits
        }
        Value::Period(p) => p.shift.is_some_and(|s| s != 0) || p.number != 0 || p.month.is_some(),
        _ => true,
    }
}

/// The sentence without an address before it ("팀장님, …", "Hi Kim, …") and idle openings.
fn opened(raw: &str) -> &str {
    let mut text = raw.trim();
    if let Some((before, rest)) = text.split_once([',', '!', '，']) {
        let before = before.trim();
        let count = before.split_whitespace().count();
        let calls = words!("mail/parts.called").end(before) && before.chars().all(|c| is_hangul(c) || c == ' ');
        let is_name = before.ends_with(['야', '아']) && given_name(before, Bearers::Any).is_some();
        let korean = calls && before.chars().count() <= 12 && count <= 2 && !is_name;
        let lower = before.to_lowercase();
        let hails = words!("mail/boilerplate.greetings").iter().filter_map(|g| lower.strip_prefix(g));
        let english = count <= 4 && hails.into_iter().any(|rest| rest.is_empty() || rest.starts_with(' '));
        if (korean || english) && rest.chars().filter(|c| c.is_alphanumeric()).count() > 8 {
            text = rest.trim_start();
        }
    }
    let mut openings = words!("mail/parts.openings").iter().filter_map(|o| text.strip_prefix(o));
    openings.find(|rest| rest.chars().count() > 8).unwrap_or(text).trim_start()
}
/// What becomes one candidate.
#[derive(Debug, Clone, Default)]
pub(super) struct DraftUnit {
    pub parts: Vec<ScoredPart>,
}

impl DraftUnit {
    /// The words of all its parts, as they are to be remembered.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (n, part) in self.parts.iter().enumerate() {
            let (text, next) = (part.text.trim(), self.parts.get(n + 1));
            out.push_str(if out.is_empty() { "" } else { " " });
            out.push_str(text);
            let is_ended = text.ends_with(['.', '!', '?', ':', ';', ',', '。', '：']);
            let Some(next) = next.filter(|_| !is_ended || part.form == LineForm::Lead && text.ends_with('.')) else {
                continue;
            };
            let is_list = part.form.is_listed() && next.form.is_listed();
            match part.form {
                LineForm::Lead if is_ended => out.truncate(out.len() - 1),
                _ => {}
            }
            out.push(match () {
                () if part.form.announces() => ':',
                () if is_list && has_hangul(text) => ',',
                () if is_list => ';',
                () => '.',
            });
        }
        out
    }

    /// From its first to its last byte in the mail's text.
    pub fn span(&self) -> Range<usize> {
        let start = self.parts.iter().map(|p| p.span.start).min().unwrap_or(0);
        let end = self.parts.iter().map(|p| p.span.end).max().unwrap_or(0);
        start..end.max(start)
    }

    /// Whether none of its parts is worth a memory of its own.
    pub fn is_minor(&self) -> bool {
        !self.parts.iter().any(|p| p.is_enough)
    }

    pub fn says(&self, cue: CueKind) -> bool {
        self.parts.iter().any(|p| p.form != LineForm::Heading && p.says(cue))
    }

    /// Whether it wants money sent, or names an account.
    pub fn asks_for_money(&self) -> bool {
        let has_money = self.parts.iter().flat_map(|p| &p.found).any(|f| matches!(f.value, Value::Money { .. }));
        let is_account = |p: &ScoredPart| personal(&p.text).iter().any(|f| f.kind == PersonalKind::Account);
        let pays = |p: &ScoredPart| words!("mail/parts.pays").stand_in(&p.text.to_lowercase());
        has_money && (self.says(CueKind::Request) || self.parts.iter().any(pays)) || self.parts.iter().any(is_account)
    }

    fn len(&self) -> usize {
        self.parts.iter().map(|p| p.text.chars().count() + 1).sum()
    }

    fn has_day(&self) -> bool {
        self.parts.iter().any(ScoredPart::has_day)
    }

    fn has_deadline(&self) -> bool {
        self.parts.iter().any(ScoredPart::has_deadline)
    }

    fn is_of_another_day(&self, part: &ScoredPart) -> bool {
        let days =
            |p: &ScoredPart| p.moments.iter().filter(|m| m.role != DateRole::Former).map(|m| m.day).collect::<Vec<_>>();
        let own: Vec<_> = self.parts.iter().flat_map(days).collect();
        self.has_deadline() != part.has_deadline() || !days(part).iter().any(|day| own.contains(day))
    }

    /// Whether a part goes on with it.
    pub fn takes(&self, part: &ScoredPart) -> bool {
        let Some(last) = self.parts.last() else { return true };
        let most = if part.form.is_listed() { ROWS } else { SENTENCES };
        let is_beside = last.paragraph == part.paragraph;
        let has_day = part.has_day();
        let goes_on = match (last.form.is_listed(), part.form.is_listed()) {
            // A list completes the sentence above it, and no sentence goes on with a list.
            (true, true) => is_beside || !self.has_day() || !has_day,
            (false, true) => !self.has_day() || !has_day || last.form.announces(),
            (true, false) => false,
            // What has a day of its own is another matter.
            (false, false) if self.has_day() && has_day && self.is_of_another_day(part) => false,
            // A new paragraph is a new subject, unless it points back.
            (false, false) => is_beside || part.points_back && !has_day && !part.says(CueKind::Request),
        };
        goes_on && self.len() + part.text.chars().count() <= most
    }
}
