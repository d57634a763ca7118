//! The parts of a section with what is known of each, and which of them make one candidate.

use super::drafter::Drafter;
use super::score;
use super::split::{self, LineForm};
use super::topic::points_back;
use crate::language::{
    Bearers, CueKind, DateRole, Folded, Found, Moment, PersonalKind, Reference, Value, cues, given_name, has_hangul,
    is_hangul, meant_values, moments, personal, words,
};
use crate::mail::{is_boilerplate, is_footer_line};
use std::ops::Range;

/// From that chance on a part makes a candidate.
const ENOUGH: f32 = 0.55;
/// From that chance on it does so in a note of the owner's, or where it tells what is due.
const OF_NOTES: f32 = 0.15;
const DUE: f32 = 0.35;
/// From that chance on a part goes with the candidate beside it.
const SOMETHING: f32 = 0.12;
/// From that chance on the best part of a short mail is enough where nothing else is.
const ALONE: f32 = 0.35;
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

    fn is_question(&self) -> bool {
        self.text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?')
    }

    fn has_day(&self) -> bool {
        self.moments.iter().any(|m| m.role != DateRole::Former)
    }

    /// Values that tell something by themselves.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.found.iter().filter(|f| tells(f, &self.text)).map(|f| &f.value)
    }

    /// Whether it tells something of a mail: a value, or a task, a decision or a change.
    fn tells(&self) -> bool {
        use CueKind::{Change, Correction, Decision, Decrease, Increase, NoLonger, Plan, Removal, Replace, Request};
        let cues = [Change, Correction, Decision, Decrease, Increase, NoLonger, Plan, Removal, Replace, Request];
        self.values().next().is_some() || self.cues.iter().any(|c| cues.contains(c))
    }

    fn is_due(&self, today: Option<chrono::NaiveDate>) -> bool {
        let ends = |m: &Moment| matches!(m.role, DateRole::Deadline | DateRole::Until);
        self.moments.iter().any(|m| ends(m) && today.is_none_or(|t| m.day >= t))
    }
}

/// Whether a value tells something by itself.
fn tells(found: &Found, text: &str) -> bool {
    match &found.value {
        Value::Number(_) | Value::Ordinal { .. } | Value::Url(_) => false,
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

/// The parts of these bytes of the mail, each with its chance.
pub(super) fn parts(drafter: &Drafter<'_>, range: Range<usize>) -> Vec<ScoredPart> {
    let mail = drafter.mail;
    let split = split::parts(&mail.text, range);
    let mut out: Vec<ScoredPart> = Vec::new();
    for p in split.into_iter().filter(|p| !mail.is_suspicious(&p.span)) {
        let whole = ScoredPart::new(p.form, &p.text, p.span, p.paragraph, drafter.at);
        match second_matter(&whole, &mail.text) {
            Some(at) => {
                let (span, half) = (whole.span.clone(), |span: Range<usize>| {
                    let words = mail.text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
                    ScoredPart::new(
                        LineForm::Sentence,
                        words.trim_end_matches([',', ';']),
                        span,
                        p.paragraph,
                        drafter.at,
                    )
                });
                out.extend([half(span.start..at), half(at..span.end)]);
            }
            None => out.push(whole),
        }
    }
    let chances: Vec<f32> =
        (0..out.len()).map(|n| if is_idle(&out[n]) { 0.0 } else { score::chance(&out, n, drafter) }).collect();
    out.iter_mut().zip(chances).for_each(|(part, chance)| part.chance = chance);
    out
}

/// Where a sentence that tells of an appointment and of what is due beside it goes over to the second, in bytes of the mail.
fn second_matter(part: &ScoredPart, text: &str) -> Option<usize> {
    const ENDS: [&str; 9] = ["; ", ", ", "이고 ", "하고 ", "이며 ", "있고 ", "되고 ", " 그리고 ", " and "];
    let is = |m: &&Moment| matches!(m.role, DateRole::Event | DateRole::Deadline);
    let days: Vec<&Moment> = part.moments.iter().filter(is).collect();
    let pair = days.iter().zip(days.iter().skip(1)).find(|(a, b)| a.role != b.role);
    let (first, other) = pair.filter(|_| part.form == LineForm::Sentence)?;
    let between = part.text.get(first.end..other.start)?;
    let at = ENDS.iter().find_map(|end| between.find(end).map(|at| first.end + at + end.len()))?;
    let tells = |half: &str| half.chars().filter(|c| c.is_alphabetic()).count() >= 6;
    let (head, rest) = part.text.split_at(at);
    // The mail has the same words, perhaps on other lines.
    let begin = rest.split_whitespace().next()?;
    let own = text.get(part.span.clone())?;
    let places = own.match_indices(begin).map(|(n, _)| n);
    let solid = |s: &str| s.chars().filter(|c| !c.is_whitespace()).count();
    let place = places.into_iter().find(|n| solid(&own[*n..]) == solid(rest))?;
    (tells(head) && tells(rest)).then_some(part.span.start + place)
}

/// Whether it never is worth keeping, whatever its marks.
pub(super) fn is_idle(part: &ScoredPart) -> bool {
    let letters = part.text.chars().filter(|c| c.is_alphanumeric()).count();
    part.form == LineForm::Heading || letters < 4 || is_boilerplate(&part.text) || is_footer_line(&part.text)
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

    fn is_due(&self) -> bool {
        self.parts.iter().any(|p| p.is_due(None))
    }

    /// Whether a part goes on with it.
    fn takes(&self, part: &ScoredPart) -> bool {
        let Some(last) = self.parts.last() else { return true };
        let most = if part.form.is_listed() { ROWS } else { SENTENCES };
        let is_beside = last.paragraph == part.paragraph;
        let has_day = part.has_day();
        let goes_on = match (last.form.is_listed(), part.form.is_listed()) {
            // A list completes the sentence above it, and no sentence goes on with a list.
            (true, true) => is_beside || !self.has_day() || !has_day,
            (false, true) => !self.has_day() || !has_day || last.form.announces(),
            (true, false) => false,
            // What is to be done by a day of its own is another matter.
            (false, false) if self.has_day() && has_day && self.is_due() != part.is_due(None) => false,
            // A new paragraph is a new subject, unless it points back.
            (false, false) => is_beside || part.points_back && !has_day && !part.says(CueKind::Request),
        };
        goes_on && self.len() + part.text.chars().count() <= most
    }
}

/// The candidates among the parts of a section.
pub(super) fn units(mut parts: Vec<ScoredPart>, drafter: &Drafter<'_>) -> Vec<DraftUnit> {
    let today = drafter.at.map(Reference::day);
    let least = |p: &ScoredPart| match () {
        () if drafter.is_note => OF_NOTES,
        () if p.is_due(today) => DUE,
        () => ENOUGH,
    };
    for part in &mut parts {
        part.is_enough = part.chance >= least(part) && (drafter.is_note || part.tells() && !part.is_question());
    }
    // Where nothing of a short mail stands out, its best statement does.
    if parts.len() <= 6 && !parts.iter().any(|p| p.is_enough) && !drafter.mail.bulk.unsubscribe {
        let best = parts.iter_mut().filter(|p| p.tells() && !p.is_question());
        if let Some(best) = best.max_by(|a, b| a.chance.total_cmp(&b.chance)).filter(|p| p.chance >= ALONE) {
            best.is_enough = true;
        }
    }
    let mut out: Vec<DraftUnit> = Vec::new();
    let (mut current, mut waiting): (DraftUnit, Vec<ScoredPart>) = Default::default();
    let mut finish = |unit: &mut DraftUnit| {
        let mut unit = std::mem::take(unit);
        while unit.parts.last().is_some_and(|p| p.form.announces() && !p.is_enough) {
            unit.parts.pop();
        }
        if unit.parts.iter().any(|p| p.is_enough) {
            out.push(unit);
        }
    };
    for part in parts {
        let is_idle = part.chance < SOMETHING && !part.is_enough;
        if part.form.announces() && !part.is_enough {
            finish(&mut current);
            // A mere "Housekeeping:" says nothing.
            let says =
                part.form == LineForm::Heading || part.text.split_whitespace().count() > 4 || !part.found.is_empty();
            waiting = Vec::from_iter(Some(part).filter(|_| says));
        } else if is_idle && !part.form.is_listed() {
            waiting.clear();
            if current.parts.last().is_some_and(|last| last.paragraph != part.paragraph) {
                finish(&mut current);
            }
        } else if !is_idle || matches!(part.form, LineForm::Row { .. }) {
            if !current.takes(&part) {
                finish(&mut current);
            }
            if part.form.is_listed() && current.parts.is_empty() {
                current.parts.extend(waiting.first().cloned());
            } else if !part.form.is_listed() {
                waiting.clear();
            }
            current.parts.push(part);
        }
    }
    finish(&mut current);
    out
}
