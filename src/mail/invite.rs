//! Parses calendar parts of a mail: events with time, place, attendees and cancellation. Covers only the properties
//! that invitations need, without expanding recurrences.

use super::Person;
use super::bounds::MAX_EVENTS;
use crate::language::{nth_weekday, zone_of_place};
use crate::model::{DayOrTime, Time, Zone};
use chrono::{Datelike, NaiveDateTime};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// Identifies all versions of one event.
    pub uid: String,
    pub summary: String,
    pub location: Option<String>,
    pub start: Option<EventTime>,
    /// The end, exclusive: for whole days the day after the last.
    pub end: Option<EventTime>,
    pub organizer: Option<Person>,
    pub attendees: Vec<Person>,
    pub cancelled: bool,
    /// Whether this is an attendee's reply rather than an invitation.
    pub reply: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventTime {
    /// A day, or a time in a known zone.
    At(DayOrTime),
    /// A local time without a known zone; it applies in the reader's zone.
    Local(NaiveDateTime),
}

impl EventTime {
    /// The day or time for a reader in `home`.
    pub fn at(self, home: Zone) -> DayOrTime {
        match self {
            Self::At(at) => at,
            Self::Local(local) => Time::from_local(local, home).into(),
        }
    }
}

/// A zone's offset for a part of the year or for all time since a date.
#[derive(Debug, Clone, Default)]
struct Observance {
    zone: String,
    offset: i32,
    from: NaiveDateTime,
    /// Month, occurrence of the weekday in it (−1 is the last), and weekday (0 is Monday).
    yearly: Option<(u8, i8, u8)>,
}

impl Observance {
    /// The last time, at most `local`, at which it took effect.
    fn last_begin(&self, local: NaiveDateTime) -> Option<NaiveDateTime> {
        let Some((month, nth, weekday)) = self.yearly else { return Some(self.from).filter(|from| *from <= local) };
        let begins = |year| nth_weekday(year, month, nth, weekday).map(|day| day.and_time(self.from.time()));
        let begins = [local.year(), local.year() - 1].into_iter().filter_map(begins);
        begins.filter(|begin| self.from <= *begin && *begin <= local).max()
    }
}

const MAX_ZONES: usize = 100;
const MAX_WORDS: usize = 2_000;

const MAX_NESTED: usize = 20;

pub(super) fn events(ics: &str) -> Vec<Event> {
    let (mut events, mut zones) = (Vec::<Event>::new(), Vec::<Observance>::new());
    let (mut method, mut zone) = (String::new(), String::new());
    let mut nested: Vec<String> = Vec::new();
    for line in unfolded(ics) {
        let Some(property) = CalendarProperty::read(&line) else { continue };
        let (value, upper) = (property.value.trim(), property.value.to_ascii_uppercase());
        match (&*property.name, nested.last().map_or("", String::as_str)) {
            ("BEGIN", _) => {
                match &*upper {
                    _ if nested.len() >= MAX_NESTED => break,
                    "VEVENT" if events.len() >= MAX_EVENTS => break,
                    "VEVENT" => events.push(Event::default()),
                    "STANDARD" | "DAYLIGHT" if zones.len() < MAX_ZONES => {
                        zones.push(Observance { zone: zone.clone(), ..Observance::default() });
                    }
                    _ => {}
                }
                nested.push(upper);
            }
            ("END", _) => drop(nested.pop()),
            ("METHOD", _) => method = upper,
            ("TZID", "VTIMEZONE") => zone = property.value.clone(),
            (name, "STANDARD" | "DAYLIGHT") => match (zones.last_mut(), name) {
                (Some(last), "TZOFFSETTO") => last.offset = offset(value).unwrap_or_default(),
                (Some(last), "DTSTART") => last.from = local(value).unwrap_or_default(),
                (Some(last), "RRULE") => last.yearly = yearly(value),
                _ => {}
            },
            (_, "VEVENT") => events.last_mut().into_iter().for_each(|event| fill(event, &property, &zones)),
            _ => {}
        }
    }
    for event in &mut events {
        event.cancelled |= method == "CANCEL";
        event.reply = matches!(method.as_str(), "REPLY" | "COUNTER" | "REFRESH");
    }
    events
}

/// Parses `FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`, the last Sunday of March; `None` for a rule that has ended.
fn yearly(rule: &str) -> Option<(u8, i8, u8)> {
    let part = |name: &str| rule.split(';').find_map(|p| p.trim().strip_prefix(name)?.strip_prefix('='));
    let (month, day) = (part("BYMONTH")?.parse().ok()?, part("BYDAY")?);
    let (nth, weekday) = day.split_at_checked(day.len().checked_sub(2)?)?;
    let weekday = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].iter().position(|d| *d == weekday)?;
    let is_over = part("UNTIL").is_some() || part("FREQ") != Some("YEARLY");
    (!is_over).then_some((month, nth.trim_start_matches('+').parse().ok()?, weekday as u8))
}

fn fill(event: &mut Event, property: &CalendarProperty, zones: &[Observance]) {
    let text = || unescaped(super::clean::cut(&property.value, MAX_WORDS));
    match &*property.name {
        "UID" => event.uid = text(),
        "SUMMARY" => event.summary = text(),
        "LOCATION" => event.location = Some(text()).filter(|t| !t.trim().is_empty()),
        "STATUS" => event.cancelled |= property.value.eq_ignore_ascii_case("CANCELLED"),
        "DTSTART" => event.start = time(property, zones),
        "DTEND" => event.end = time(property, zones),
        "ORGANIZER" => event.organizer = person(property),
        "ATTENDEE" if event.attendees.len() < 100 => event.attendees.extend(person(property)),
        _ => {}
    }
}

fn person(property: &CalendarProperty) -> Option<Person> {
    let value = property.value.trim();
    let address = value.get(..7).filter(|p| p.eq_ignore_ascii_case("mailto:")).map_or(value, |_| &value[7..]);
    let address = address.trim().to_ascii_lowercase();
    let name = property.parameter("CN").map(|n| n.trim().to_owned()).filter(|n| !n.is_empty());
    (address.contains('@') || name.is_some()).then_some(Person { name, address })
}

/// Parses `20250320T070000Z`, `20250410T083000` or, for whole days, `20250410`.
fn time(property: &CalendarProperty, zones: &[Observance]) -> Option<EventTime> {
    let value = property.value.trim();
    let at = |time: NaiveDateTime, zone| Some(EventTime::At(Time::from_local(time, zone).into()));
    if let Some(utc) = value.strip_suffix('Z') {
        return at(local(utc)?, Zone::default());
    }
    let local = local(value)?;
    if !value.contains('T') {
        return Some(EventTime::At(DayOrTime::Day(local.date())));
    }
    match property.parameter("TZID").and_then(|id| offset_of(id.trim_matches('"'), local, zones)) {
        Some(minutes) => at(local, Zone::from_minutes(minutes)),
        None => Some(EventTime::Local(local)),
    }
}

fn local(value: &str) -> Option<NaiveDateTime> {
    let (day, clock) = value.split_once('T').unwrap_or((value, "000000"));
    if day.len() != 8 || clock.len() != 6 {
        return None;
    }
    NaiveDateTime::parse_from_str(&[day, clock].concat(), "%Y%m%d%H%M%S").ok()
}

fn offset(value: &str) -> Option<i32> {
    Some(Zone::of_offset(value.get(..5)?)?.offset_at(0))
}

/// The offset of a named zone at `local`: as the calendar defines it, or by the place in the zone's name.
fn offset_of(id: &str, local: NaiveDateTime, zones: &[Observance]) -> Option<i32> {
    let own = || zones.iter().filter(|o| o.zone == id);
    let last = own().filter_map(|o| Some((o.last_begin(local)?, o.offset))).max_by_key(|(begin, _)| *begin);
    let defined = last.map(|(_, offset)| offset).or_else(|| own().next().map(|o| o.offset));
    let place = id.rsplit('/').next().unwrap_or(id).replace('_', " ");
    let place = place.strip_suffix(" Standard Time").unwrap_or(&place);
    defined.or_else(|| zone_of_place(place, local.date()))
}

struct CalendarProperty {
    name: String,
    parameters: Vec<(String, String)>,
    value: String,
}

impl CalendarProperty {
    /// Parses `NAME;PARAMETER="value":value`.
    fn read(line: &str) -> Option<Self> {
        let head = split_unquoted(line, ':').next()?;
        let value = line.get(head.len() + 1..)?.to_owned();
        let mut fields = split_unquoted(head, ';');
        let name = fields.next()?.trim().to_ascii_uppercase();
        let parameters = fields
            .filter_map(|f| f.split_once('='))
            .map(|(n, v)| (n.trim().to_ascii_uppercase(), v.trim().trim_matches('"').to_owned()))
            .collect();
        Some(Self { name, parameters, value })
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |c| {
        quoted ^= c == '"';
        c == separator && !quoted
    })
}

/// Joins folded lines: a line that starts with white space continues the one before.
fn unfolded(ics: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in ics.lines() {
        let line = line.trim_end_matches('\r');
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) if last.len() < 20_000 => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn unescaped(value: &str) -> String {
    super::clean::line(&value.replace("\\n", "\n").replace("\\N", "\n").replace('\\', ""))
}
