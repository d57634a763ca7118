//! Reads the header of a message: author, recipients, date and thread.

use crate::language::words;
use crate::mail::sender::{Vouched, arrival, sender};
use crate::mail::{AHEAD, Bulk, Mail, Person, clean};
use crate::model::{Time, Zone};
use mail_parser::{Address, DateTime, HeaderForm, HeaderValue, Message};

/// Most bytes of a subject line.
pub(in crate::mail) const MAX_SUBJECT: usize = 1_000;

/// Reads the header; `head` is its bytes as received.
pub(in crate::mail) fn envelope(message: &Message<'_>, head: &[u8], vouched: &Vouched) -> Mail {
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

/// Parses the date in the header of forwarded text in common formats; the hour is optional.
pub(in crate::mail) fn forwarded_date(text: &str, zone: Zone) -> Option<Time> {
    let numbers: Vec<u32> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).filter_map(|n| n.parse().ok()).collect();
    let lower = text.to_lowercase();
    let named = lower
        .split(|c: char| !c.is_alphabetic())
        .find_map(|w| words!("mail/quotes.months").iter().position(|m| w.starts_with(m)).map(|p| p as u32 + 1));
    let year_at = numbers.iter().position(|n| (1990..2100).contains(n))?;
    let year = numbers[year_at];
    // With a named month, the day is before the year; else year, month, day or its reverse.
    let (month, day, after) = match named {
        Some(month) => {
            let day = if year_at > 0 { numbers[year_at - 1] } else { *numbers.get(1)? };
            (month, day, year_at + 1)
        }
        None if year_at == 0 => (*numbers.get(1)?, *numbers.get(2)?, 3),
        None => (numbers[year_at.checked_sub(1)?], numbers[year_at.checked_sub(2)?], year_at + 1),
    };
    let date = chrono::NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    let (mut hour, minute) = match (numbers.get(after), numbers.get(after + 1)) {
        (Some(h), Some(m)) if *h < 24 && *m < 60 => (*h, *m),
        _ => (12, 0),
    };
    let afternoon = words!("mail/quotes.afternoon").stand_in(&lower);
    if afternoon && hour < 12 {
        hour += 12;
    } else if !afternoon && hour == 12 && words!("mail/quotes.morning").stand_in(&lower) {
        hour = 0;
    }
    date.and_hms_opt(hour, minute, 0).map(|t| Time::from_local(t, zone))
}
