//! Calendar parts: time, place and attendees of an event, and whether it is called off.
//!
//! Read by hand: an invitation needs ten properties, a calendar library reads all. It never expands a recurrence.

use super::Person;
use super::bounds::MAX_EVENTS;
use crate::model::{Time, Zone, digits};
use chrono::{NaiveDate, NaiveDateTime};

/// An event of a calendar part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// The same for all versions of one event.
    pub uid: String,
    /// What it is.
    pub summary: String,
    /// Where it is.
    pub location: Option<String>,
    /// When it begins.
    pub start: Option<Time>,
    /// When it ends.
    pub end: Option<Time>,
    /// Whether it is a matter of days, without a time of day.
    pub whole_day: bool,
    /// The zone that its times were written in.
    pub zone: Option<Zone>,
    /// Who invites.
    pub organizer: Option<Person>,
    /// Who is invited.
    pub attendees: Vec<Person>,
    /// Whether it is called off.
    pub cancelled: bool,
    /// Whether this is an answer of an attendee, not an invitation.
    pub reply: bool,
    /// The rule of its recurrence, as written.
    pub recurrence: Option<String>,
    /// Its number of revision.
    pub sequence: u32,
}

/// The most zones that a part defines.
const MAX_ZONES: usize = 50;
/// The most of a summary or a place, in bytes.
const MAX_WORDS: usize = 2_000;

/// The events of an iCalendar text; `zone` is for times that name none.
pub(super) fn events(ics: &str, zone: Zone) -> Vec<Event> {
    let mut events = Vec::new();
    let mut method = String::new();
    let mut zones: Vec<(String, i32)> = Vec::new();
    let mut nested: Vec<String> = Vec::new();
    let mut event: Option<Event> = None;
    let mut zone_id = String::new();
    for line in unfolded(ics) {
        let Some(property) = CalendarProperty::read(&line) else { continue };
        match &*property.name {
            "BEGIN" => {
                nested.push(property.value.to_ascii_uppercase());
                if nested.last().is_some_and(|n| n == "VEVENT") {
                    event = Some(Event::default());
                }
                if nested.len() > 20 {
                    break;
                }
                continue;
            }
            "END" => {
                if nested.pop().is_some_and(|n| n == "VEVENT") {
                    events.extend(event.take());
                    if events.len() >= MAX_EVENTS {
                        break;
                    }
                }
                continue;
            }
            "METHOD" => method = property.value.to_ascii_uppercase(),
            _ => {}
        }
        match nested.last().map(String::as_str) {
            Some("VTIMEZONE") if property.name == "TZID" => zone_id = property.value.clone(),
            // The standard offset comes first or alone in what mailers write for zones without summer time.
            Some("STANDARD") if property.name == "TZOFFSETTO" && zones.len() < MAX_ZONES => {
                if let Some(minutes) = offset(&property.value) {
                    zones.push((zone_id.clone(), minutes));
                }
            }
            Some("VEVENT") => {
                if let Some(event) = &mut event {
                    fill(event, &property, &zones, zone);
                }
            }
            _ => {}
        }
    }
    for event in &mut events {
        event.cancelled |= method == "CANCEL";
        event.reply = matches!(method.as_str(), "REPLY" | "COUNTER" | "REFRESH");
    }
    events
}

fn fill(event: &mut Event, property: &CalendarProperty, zones: &[(String, i32)], zone: Zone) {
    let text = || unescaped(super::clean::cut(&property.value, MAX_WORDS));
    match &*property.name {
        "UID" => event.uid = text(),
        "SUMMARY" => event.summary = text(),
        "LOCATION" => event.location = Some(text()).filter(|t| !t.trim().is_empty()),
        "STATUS" => event.cancelled |= property.value.eq_ignore_ascii_case("CANCELLED"),
        "SEQUENCE" => event.sequence = property.value.trim().parse().unwrap_or(0),
        "RRULE" => event.recurrence = Some(property.value.clone()),
        "DTSTART" => {
            let named = property.parameter("TZID").map(|id| zone_of(id, zones, zone));
            let (time, whole_day) = time(&property.value, named.unwrap_or(zone));
            event.start = time;
            event.whole_day = whole_day;
            event.zone = named;
        }
        "DTEND" => {
            let named = property.parameter("TZID").map(|id| zone_of(id, zones, zone));
            event.end = time(&property.value, named.unwrap_or(zone)).0;
        }
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

/// `20250320T070000Z`, `20250410T083000` or `20250410`, and whether it is a whole day.
fn time(value: &str, zone: Zone) -> (Option<Time>, bool) {
    let value = value.trim();
    let (value, zone) = value.strip_suffix('Z').map_or((value, zone), |utc| (utc, Zone::default()));
    let whole_day = !value.contains('T');
    (local(value).map(|t| Time::from_local(t, zone)), whole_day)
}

fn local(value: &str) -> Option<NaiveDateTime> {
    let (day, clock) = value.split_once('T').unwrap_or((value, "000000"));
    if day.len() != 8 || clock.len() != 6 {
        return None;
    }
    let day = NaiveDate::from_ymd_opt(digits(day, 0, 4)? as i32, digits(day, 4, 2)?, digits(day, 6, 2)?)?;
    day.and_hms_opt(digits(clock, 0, 2)?, digits(clock, 2, 2)?, digits(clock, 4, 2)?.min(59))
}

fn offset(value: &str) -> Option<i32> {
    let value = value.trim();
    let (sign, digits) = match value.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => (1, value),
    };
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits.get(2..4)?.parse().ok()?;
    Some(sign * (hours * 60 + minutes))
}

/// The offset of a named zone: as the part defines it, else of the zones without summer time that Korean mail names.
fn zone_of(id: &str, zones: &[(String, i32)], fallback: Zone) -> Zone {
    const FIXED: &[(&str, i32)] = &[
        ("Asia/Seoul", 540),
        ("Korea Standard Time", 540),
        ("Asia/Tokyo", 540),
        ("Tokyo Standard Time", 540),
        ("Asia/Shanghai", 480),
        ("China Standard Time", 480),
        ("Asia/Singapore", 480),
        ("Asia/Hong_Kong", 480),
        ("Asia/Taipei", 480),
        ("Asia/Bangkok", 420),
        ("Asia/Ho_Chi_Minh", 420),
        ("Asia/Kolkata", 330),
        ("India Standard Time", 330),
        ("Asia/Dubai", 240),
        ("UTC", 0),
        ("Etc/UTC", 0),
        ("GMT", 0),
    ];
    let id = id.trim_matches('"');
    let fixed = FIXED.iter().find(|(name, _)| name.eq_ignore_ascii_case(id)).map(|(_, minutes)| *minutes);
    let defined = zones.iter().find(|(name, _)| name == id).map(|(_, minutes)| *minutes);
    fixed.or(defined).map_or(fallback, Zone::from_minutes)
}

struct CalendarProperty {
    name: String,
    parameters: Vec<(String, String)>,
    value: String,
}

impl CalendarProperty {
    /// `NAME;PARAMETER="value":value`.
    fn read(line: &str) -> Option<Self> {
        let (mut quoted, mut colon) = (false, None);
        for (at, c) in line.char_indices() {
            match c {
                '"' => quoted = !quoted,
                ':' if !quoted => {
                    colon = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let colon = colon?;
        let mut fields = split_unquoted(&line[..colon], ';').into_iter();
        let name = fields.next()?.trim().to_ascii_uppercase();
        let parameters = fields
            .filter_map(|f| f.split_once('='))
            .map(|(n, v)| (n.trim().to_ascii_uppercase(), v.trim().trim_matches('"').to_owned()))
            .collect();
        Some(Self { name, parameters, value: line[colon + 1..].to_owned() })
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

fn split_unquoted(text: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c| {
        if c == '"' {
            quoted = !quoted;
        }
        c == separator && !quoted
    })
    .collect()
}

/// Logical lines: one that begins with white space goes on with the line before it.
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
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    super::clean::line(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEOUL: Zone = Zone::from_minutes(540);

    #[test]
    fn an_invitation_gives_time_place_and_people() {
        let ics = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1@x\r\nDTSTART;TZID=Asia/Seoul:20250410T083000\r\n\
            DTEND:20250410T020000Z\r\nSUMMARY:건강\r\n 검진\\, 2차\r\nLOCATION:판교 3층\r\nORGANIZER;CN=\"Kim; HR\":MAILTO:hr@a.example\r\n\
            ATTENDEE;RSVP=TRUE:mailto:b@a.example\r\nBEGIN:VALARM\r\nSUMMARY:no\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR";
        let found = &events(ics, Zone::default())[0];
        assert_eq!(found.summary, "건강검진, 2차");
        assert_eq!(found.start.unwrap().to_string(), "2025-04-09T23:30:00.000Z");
        assert_eq!(found.end.unwrap().to_string(), "2025-04-10T02:00:00.000Z");
        assert_eq!(found.location.as_deref(), Some("판교 3층"));
        assert_eq!(found.organizer.as_ref().unwrap().name.as_deref(), Some("Kim; HR"));
        assert_eq!(found.attendees[0].address, "b@a.example");
        assert!(!found.cancelled && !found.whole_day);
    }

    #[test]
    fn a_cancellation_and_a_whole_day_are_known() {
        let ics =
            "BEGIN:VCALENDAR\nMETHOD:CANCEL\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20250501\nEND:VEVENT\nEND:VCALENDAR";
        let found = &events(ics, SEOUL)[0];
        assert!(found.cancelled && found.whole_day);
        assert_eq!(found.start.unwrap().to_string(), "2025-04-30T15:00:00.000Z");
    }

    #[test]
    fn a_zone_that_the_part_defines_is_used() {
        let ics = "BEGIN:VTIMEZONE\nTZID:W. Somewhere\nBEGIN:STANDARD\nTZOFFSETTO:-0330\nEND:STANDARD\nEND:VTIMEZONE\n\
            BEGIN:VEVENT\nDTSTART;TZID=W. Somewhere:20250501T100000\nEND:VEVENT";
        assert_eq!(events(ics, SEOUL)[0].start.unwrap().to_string(), "2025-05-01T13:30:00.000Z");
    }

    #[test]
    fn broken_calendars_do_no_harm() {
        for ics in [
            "",
            "BEGIN:VEVENT",
            "END:VEVENT",
            "BEGIN:VEVENT\nDTSTART:x\nSUMMARY\nATTENDEE:\nEND:VEVENT",
            ":",
            ";:",
            "\u{0}",
        ] {
            let _ = events(ics, SEOUL);
        }
        assert_eq!(events("BEGIN:VEVENT\nDTSTART:99999999T999999Z\nEND:VEVENT", SEOUL)[0].start, None);
    }
}
