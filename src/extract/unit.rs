//! Scored parts of a mail, and the candidates that group them.

use super::split::LineForm;
use super::topic::points_back;
use crate::language::{
    Bearers, CueKind, DateRole, Folded, Found, Moment, PersonalKind, Reference, Value, ValueKind, cues, given_name,
    has_hangul, is_hangul, meant_values, moments, personal, words,
};
use chrono::NaiveDate;
use std::ops::Range;

const MAX_SENTENCE_CHARS: usize = 320;
const MAX_LIST_CHARS: usize = 640;

/// A part of a mail with its parsed values, days, cues and score.
#[derive(Debug, Clone, Default)]
pub(super) struct ScoredPart {
    pub form: LineForm,
    /// Its words, without a salutation or filler at the start.
    pub text: String,
    pub span: Range<usize>,
    pub paragraph: usize,
    pub found: Vec<Found>,
    pub moments: Vec<Moment>,
    pub cues: Vec<CueKind>,
    pub points_back: bool,
    /// How likely it is worth keeping, from 0 to 1.
    pub score: f32,
    /// Whether its score makes it a candidate.
    pub is_candidate: bool,
    /// Whether it stands in a list of decisions or tasks.
    pub is_announced: bool,
}

impl ScoredPart {
    /// Parses the words at `span` of the mail.
    pub fn new(form: LineForm, words: &str, span: Range<usize>, paragraph: usize, at: Option<Reference>) -> Self {
        let text = if form.is_listed() { words.to_owned() } else { without_opening(words).to_owned() };
        let found = meant_values(&text, at);
        let (moments, points_back) = (moments(&text, &found, at), points_back(&text));
        let mut cues: Vec<CueKind> = cues(&Folded::new(&text)).iter().map(|c| c.kind).collect();
        cues.dedup();
        Self { form, text, span, paragraph, found, moments, cues, points_back, ..Self::default() }
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

    /// Returns the values that are informative without context.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.found.iter().filter(|f| is_informative(f, &self.text)).map(|f| &f.value)
    }

    /// Whether the part has a fact: a value, a plan, a request, a decision or a change.
    pub fn is_informative(&self) -> bool {
        self.values().next().is_some() || self.says(CueKind::Plan) || self.says(CueKind::Request) || self.has_news(None)
    }

    /// Whether the part has news: an informative value except a past day, a personal fact, a decision or a change.
    pub fn has_news(&self, today: Option<NaiveDate>) -> bool {
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

    /// Whether the part is about an upcoming day or a recurrence.
    pub fn is_ahead(&self, today: Option<NaiveDate>) -> bool {
        let is_ahead = |m: &Moment| m.role != DateRole::Former && today.is_none_or(|t| m.day >= t);
        self.moments.iter().any(is_ahead) || self.found.iter().any(|f| f.value.kind() == ValueKind::Recurrence)
    }

    /// Whether the part reports that something ended or changed.
    pub fn reports_change(&self) -> bool {
        use CueKind::{Change, Correction, NoLonger, Removal, Replace};
        self.cues.iter().any(|c| matches!(c, Change | Correction | NoLonger | Removal | Replace))
    }
}

fn is_informative(found: &Found, text: &str) -> bool {
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

/// Removes a salutation ("팀장님, …", "Hi Kim, …") or filler from the start of a sentence.
fn without_opening(raw: &str) -> &str {
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

#[derive(Debug, Clone, Default)]
pub(super) struct DraftUnit {
    pub parts: Vec<ScoredPart>,
}

impl DraftUnit {
    /// Joins the text of its parts, with punctuation between them.
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
            if part.form == LineForm::Lead && is_ended {
                out.truncate(out.len() - 1);
            }
            out.push(match () {
                () if part.form == LineForm::Lead => ':',
                () if is_list && has_hangul(text) => ',',
                () if is_list => ';',
                () => '.',
            });
        }
        out
    }

    pub fn span(&self) -> Range<usize> {
        let start = self.parts.iter().map(|p| p.span.start).min().unwrap_or(0);
        let end = self.parts.iter().map(|p| p.span.end).max().unwrap_or(0);
        start..end.max(start)
    }

    /// Whether none of its parts is a candidate alone.
    pub fn is_minor(&self) -> bool {
        !self.parts.iter().any(|p| p.is_candidate)
    }

    pub fn score(&self) -> f32 {
        self.parts.iter().map(|p| p.score).fold(0.0, f32::max)
    }

    /// Returns its length in Latin letters; a Hangul syllable counts as one and a half.
    pub fn length(&self) -> f32 {
        let letters = self.parts.iter().flat_map(|p| p.text.chars()).filter(|c| c.is_alphanumeric());
        letters.map(|c| if is_hangul(c) { 1.5 } else { 1.0 }).sum()
    }

    pub fn says(&self, cue: CueKind) -> bool {
        self.parts.iter().any(|p| p.says(cue))
    }

    /// Whether the unit asks for a payment or names a bank account.
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

    fn has_other_day(&self, part: &ScoredPart) -> bool {
        let days =
            |p: &ScoredPart| p.moments.iter().filter(|m| m.role != DateRole::Former).map(|m| m.day).collect::<Vec<_>>();
        let own: Vec<_> = self.parts.iter().flat_map(days).collect();
        self.has_deadline() != part.has_deadline() || !days(part).iter().any(|day| own.contains(day))
    }

    /// Whether the part continues this unit.
    pub fn accepts(&self, part: &ScoredPart) -> bool {
        let Some(last) = self.parts.last() else { return true };
        let most = if part.form.is_listed() { MAX_LIST_CHARS } else { MAX_SENTENCE_CHARS };
        let is_beside = last.paragraph == part.paragraph;
        let has_day = part.has_day();
        let goes_on = match (last.form.is_listed(), part.form.is_listed()) {
            // Each decision of a list is a separate statement.
            (true, true) if last.is_announced && (part.is_informative() || !is_beside) => false,
            // A list completes the sentence above it. A sentence never continues a list.
            (true, true) => is_beside || !self.has_day() || !has_day,
            (false, true) => !self.has_day() || !has_day || last.form == LineForm::Lead,
            (true, false) => false,
            // A part with another day is a separate statement.
            (false, false) if self.has_day() && has_day && self.has_other_day(part) => false,
            // A new paragraph starts a new statement, unless it starts with an anaphor.
            (false, false) => is_beside || part.points_back && !has_day && !part.says(CueKind::Request),
        };
        goes_on && self.len() + part.text.chars().count() <= most
    }
}
