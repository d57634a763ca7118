//! Reads the header of a message: author, recipients, date and thread.

use crate::language::{Date, Reference, Value, values, words};
use crate::mail::sender::{Vouched, arrival, sender};
use crate::mail::{AHEAD, Bulk, Mail, Person, clean};
use crate::model::{Time, Zone};
use chrono::{NaiveDate, NaiveTime};
use mail_parser::{Address, DateTime, HeaderForm, HeaderValue, Message};

pub const MAX_SUBJECT: usize = 1_000;

/// Reads the header; `head` is its bytes as received.
pub fn envelope(message: &Message<'_>, head: &[u8], vouched: &Vouched) -> Mail {
    // The parser leaves encoded words in headers without a known form.
    let raw_text = |name: &str| match message.header_as(name.to_owned(), HeaderForm::Text).into_iter().next() {
        Some(HeaderValue::Text(text)) => clean::line(&text),
        Some(HeaderValue::TextList(list)) => clean::line(&list.join(", ")),
        _ => String::new(),
    };
    let date = message.date().and_then(time);
    let received = arrival(head).as_ref().and_then(time);
    let stated = date;
    let (date, zone) = date.or(received).map_or((None, Zone::default()), |(t, z)| (Some(t), z));
    // A mail's date is capped at its arrival.
    let date = date.map(|d| received.map_or(d, |(r, _)| d.min(r)));
    let ahead = stated.zip(received).filter(|((d, _), (r, _))| d.millis() - r.millis() > AHEAD).map(|((d, _), _)| d);
    let references: Vec<String> = [message.references(), message.in_reply_to()].into_iter().flat_map(ids).collect();
    let message_id = message.message_id().map(id).unwrap_or_default();
    // Gmail's own fields come first; later ones may be the sender's.
    let first = |name: &str| {
        let own = |h: &&mail_parser::Header<'_>| h.name().get(..3).is_some_and(|n| n.eq_ignore_ascii_case("X-G"));
        let lead = message.headers().iter().take_while(own).filter(|h| h.name().eq_ignore_ascii_case(name));
        vouched.labelled && lead.count() > 0
    };
    let thread = vouched.thread.clone().or_else(|| first("X-GM-THRID").then(|| raw_text("X-GM-THRID")));
    let thread = thread.filter(|t| !t.is_empty());
    let thread_id = thread.unwrap_or_else(|| references.first().cloned().unwrap_or_default());
    let subject = clean::line(clean::cut(message.subject().unwrap_or_default(), MAX_SUBJECT));
    let labels = if first("X-Gmail-Labels") { raw_text("X-Gmail-Labels") } else { String::new() };
    let labels: Vec<String> = labels.split(',').map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
    let precedence = raw_text("Precedence").to_lowercase();
    let has = |name: &str| message.headers().iter().any(|h| h.name().eq_ignore_ascii_case(name));
    let automatic = raw_text("Auto-Submitted").to_lowercase();
    let bulk = Bulk {
        unsubscribe: has("List-Unsubscribe"),
        promotion: matches!(precedence.as_str(), "bulk" | "junk")
            || labels.iter().any(|l| words!("mail/quotes.promotions").stand_in(&l.to_lowercase())),
        // Newsletters name a list too; only discussions have an address for posts.
        list: has("List-Post") || precedence == "list",
        automatic: !automatic.is_empty() && automatic != "no"
            || matches!(precedence.as_str(), "auto_reply" | "auto-reply")
            || has("X-Autoreply")
            || has("X-Autorespond"),
    };
    let mut mail = Mail {
        message_id,
        thread_id,
        is_reply: !references.is_empty(),
        subject,
        from: message.from().and_then(|a| people(a).into_iter().next()),
        to: message.to().map(people).unwrap_or_default(),
        cc: message.cc().map(people).unwrap_or_default(),
        date,
        ahead,
        zone,
        labels,
        bulk,
        ..Mail::default()
    };
    mail.sender = sender(message, head, &mail, vouched);
    mail
}

fn id(bare: &str) -> String {
    let bare: String = bare.chars().filter(|c| !c.is_whitespace() && !matches!(c, '<' | '>')).take(900).collect();
    if bare.is_empty() { bare } else { format!("<{bare}>") }
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let all: Vec<&str> = match value {
        HeaderValue::Text(one) => vec![one],
        HeaderValue::TextList(list) => list.iter().map(|c| &**c).collect(),
        _ => Vec::new(),
    };
    all.into_iter().map(id).filter(|i| !i.is_empty()).collect()
}

fn people(address: &Address<'_>) -> Vec<Person> {
    const MAX_PEOPLE: usize = 500;
    let one = |a: &mail_parser::Addr<'_>| {
        let name = a.name().map(clean::line).map(|n| n.trim_matches(['"', '\'']).trim().to_owned());
        let address = a.address().map(clean::line).unwrap_or_default().to_lowercase();
        let name = name.filter(|n| !n.is_empty() && !n.eq_ignore_ascii_case(&address));
        (name.is_some() || !address.is_empty()).then_some(Person { name, address })
    };
    let mut people: Vec<Person> = Vec::new();
    for person in address.iter().filter_map(one).take(MAX_PEOPLE) {
        match people.last_mut() {
            // A name with a comma and without quotes: Ivey, Tillpoint <ivey@tillpoint.example>.
            Some(last) if last.address.is_empty() && !person.address.is_empty() => {
                let names = [last.name.take(), person.name].into_iter().flatten().collect::<Vec<_>>();
                *last = Person { name: Some(names.join(", ")), address: person.address };
            }
            _ => people.push(person),
        }
    }
    people
}

fn time(date: &DateTime) -> Option<(Time, Zone)> {
    if !date.is_valid() || date.year < 1970 {
        return None;
    }
    let east = i32::from(date.tz_hour) * 60 + i32::from(date.tz_minute);
    let zone = Zone::from_minutes(if date.tz_before_gmt { -east } else { east });
    Some((Time::from_millis(date.to_timestamp().saturating_mul(1000)), zone))
}

/// Parses the date in the header of forwarded text; the hour is optional.
pub fn forwarded_date(text: &str, zone: Zone) -> Option<Time> {
    let found = values(text, Some(Reference { now: Time::from_millis(0), zone }));
    let day = found.iter().find_map(|f| match &f.value {
        Value::Date(Date { year: Some(year), month: Some(month), day: Some(day), .. }) => {
            NaiveDate::from_ymd_opt((*year).into(), (*month).into(), (*day).into())
        }
        _ => None,
    })?;
    const NOON: u32 = 12 * 60 * 60;
    let is_afternoon = text.split(|c: char| !c.is_alphabetic()).any(|word| word.eq_ignore_ascii_case("pm"));
    let seconds = found.iter().find_map(|f| match &f.value {
        // "PM 2:30", as Outlook writes it.
        Value::Clock(clock) if !clock.sure && clock.seconds < NOON && is_afternoon => Some(clock.seconds + NOON),
        Value::Clock(clock) => Some(clock.seconds % (2 * NOON)),
        _ => None,
    });
    let clock = NaiveTime::from_num_seconds_from_midnight_opt(seconds.unwrap_or(NOON), 0)?;
    Some(Time::from_local(day.and_time(clock), zone))
}
