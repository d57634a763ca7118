//! Details by whose change people are robbed: accounts, pages and addresses, and whether a text gives another one than is stored.
//!
//! It never asks who says it.

use crate::analysis::words::{Word, words};
use crate::json::wire;
use crate::language::{Found, PersonalKind, Phrases, Value, fold, personal, phrases, unmasked, values};
use crate::model::{Draft, Memory, same_address, same_organisation};

wire! {
    /// Details by whose change people are robbed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Detail {
        /// Where money goes.
        Bank = "bank",
        /// How something is paid.
        Payment = "payment",
        /// Where goods go.
        Delivery = "delivery",
        /// Where one signs in.
        Login = "login",
    }
}

/// What words of a text speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    Bank,
    Payment,
    Delivery,
    Login,
    /// A page, which a login must be said with.
    Page,
    /// Money goes somewhere.
    Paid,
    /// Something is another now.
    Changed,
}

static TALK: Phrases<Talk> = phrases!("details");

/// Letters that tell a word whatever its ending.
const ROOT: usize = 4;
/// Digits of the shortest account number.
const LEAST_DIGITS: usize = 6;
/// Digits of a number that is hardly anything but an account's, whatever stands beside it.
const ACCOUNT_DIGITS: usize = 11;
/// Letters and digits of the address of a wallet.
const WALLET: std::ops::RangeInclusive<usize> = 26..=90;

/// The details that a text speaks of.
fn details(text: &str) -> Vec<Detail> {
    let folded = fold(&unmasked(text));
    let says = |talk| TALK.says(&folded, &talk);
    let called = [
        (Detail::Bank, says(Talk::Bank)),
        (Detail::Payment, says(Talk::Payment)),
        (Detail::Delivery, says(Talk::Delivery)),
        (Detail::Login, says(Talk::Login) && says(Talk::Page)),
    ];
    let called = called.into_iter().filter(|c| c.1).map(|c| c.0);
    let account = personal(text).iter().any(|p| p.kind == PersonalKind::Account).then_some(Detail::Bank);
    called.chain(account).collect()
}

/// The detail of which a mail gives another than is stored, or says that it has changed.
pub(super) fn detail_changed<'a>(
    draft: &Draft,
    said: Option<&str>,
    stored: impl Iterator<Item = &'a Memory>,
) -> Option<Detail> {
    let stored: Vec<&str> = stored.map(|m| m.content.as_str()).collect();
    let before: Vec<String> = stored.iter().map(|text| fold(text)).collect();
    let new = sentences(&draft.content).map(str::trim).filter(|s| {
        let folded = fold(s.trim_end_matches('.'));
        before.iter().all(|text| !text.contains(&folded))
    });
    let told = new.map(|s| (s, details(s))).filter(|(_, details)| !details.is_empty());
    let told: Vec<(&str, Vec<Detail>)> = told.collect();
    if let Some((_, details)) = told.iter().find(|(s, _)| TALK.says(&fold(s), &Talk::Changed)) {
        return details.first().copied();
    }
    if let Some(detail) = led_elsewhere(&draft.content, &stored) {
        return Some(detail);
    }
    if told.is_empty() {
        return None;
    }
    let known: Vec<Detail> = stored.iter().flat_map(|text| details(text)).collect();
    let accounts: Vec<String> = stored.iter().flat_map(|text| [long_numbers(text), handles(text)].concat()).collect();
    // The account that is known may be named again, in other words.
    let is_known = |s: &str| {
        let mut named = long_numbers(s);
        named.extend(handles(s));
        !named.is_empty() && named.iter().all(|n| accounts.contains(n))
    };
    // Whoever words a memory anew words also what the mail says nothing of.
    let silent = |d: &Detail| said.is_some_and(|said| !details(said).contains(d));
    let stands = |s: &str, d: &Detail| silent(d) && stored.iter().any(|text| stands_otherwise(text, *d, s));
    let changed = |s: &str, d: &Detail| known.contains(d) && !(*d == Detail::Bank && is_known(s)) && !stands(s, d);
    told.iter().find_map(|(s, details)| details.iter().find(|d| changed(s, d)).copied())
}

/// Whether a text leads to another account, page or address than what is stored does.
fn led_elsewhere(text: &str, stored: &[&str]) -> Option<Detail> {
    let leads = |text: &str| -> (Vec<String>, Vec<String>) {
        let words = text.split(|c: char| c.is_whitespace() || "<>()\"',".contains(c));
        let of = words.map(|w| fold(w.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())));
        let (mut pages, mut addresses) = (Vec::new(), Vec::new());
        for word in of {
            if let Some(host) = host_of(&word) {
                pages.push(host);
            } else if word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
                addresses.push(word);
            }
        }
        (pages, addresses)
    };
    let known_numbers: Vec<String> = stored.iter().flat_map(|text| account_numbers(text)).collect();
    let (pages, addresses) = leads(text);
    let (mut known_pages, mut known_addresses) = (Vec::new(), Vec::new());
    for (pages, addresses) in stored.iter().map(|text| leads(text)) {
        known_pages.extend(pages);
        known_addresses.extend(addresses);
    }
    let other = |new: &[String], known: &[String], is_one: fn(&str, &str) -> bool| {
        !known.is_empty() && new.iter().any(|n| !known.iter().any(|k| is_one(n, k)))
    };
    // In the place of an account, or of another name by which money is sent, a page or a name is another way to pay.
    let known_handles: Vec<String> = stored.iter().flat_map(|text| handles(text)).collect();
    let takes_money = !known_numbers.is_empty() || !known_handles.is_empty();
    let is_new = |leads: &[String], known: &[String]| leads.iter().any(|l| !known.contains(l));
    if takes_money && (is_new(&pages, &known_pages) || is_new(&handles(text), &known_handles)) {
        return Some(Detail::Payment);
    }
    // A colleague's address, or another host, of the same organisation leads nowhere else.
    if other(&account_numbers(text), &known_numbers, |a, b| a == b) {
        Some(Detail::Bank)
    } else if other(&pages, &known_pages, |a, b| a == b || same_organisation(&["@", a].concat(), &["@", b].concat())) {
        Some(Detail::Login)
    } else {
        let is_one = |a: &str, b: &str| same_address(a, b) || same_organisation(a, b);
        other(&addresses, &known_addresses, is_one).then_some(Detail::Payment)
    }
}

/// Whether both texts pay the same into an account, and not into one: they share a word that is no word of paying.
pub(super) fn pays_elsewhere(text: &str, stored: &str) -> bool {
    let (new, old) = (long_numbers(text), long_numbers(stored));
    let pays = |text: &str| details(text).contains(&Detail::Bank);
    if new.is_empty() || old.is_empty() || new.iter().any(|n| old.contains(n)) || !pays(text) || !pays(stored) {
        return false;
    }
    let topics = |text: &str| -> Vec<String> {
        let is_topic = |w: &Word| !w.function && w.sense.is_none() && !w.text.contains(|c: char| c.is_ascii_digit());
        let all = words(text).into_iter().filter(is_topic);
        all.filter(|w| !TALK.says(&fold(&w.text), &Talk::Bank) && !TALK.says(&fold(&w.text), &Talk::Paid))
            .map(|w| w.stem.to_string())
            .collect()
    };
    let before = topics(stored);
    topics(text).iter().any(|w| before.contains(w))
}

/// Whether an account that a stored text names is gone from a text that stands in its place.
pub(super) fn account_lost(text: &str, stored: &str) -> Option<Detail> {
    let (old, new) = (account_numbers(stored), account_numbers(text));
    let is_money = TALK.says(&fold(stored), &Talk::Paid) || !details(stored).is_empty();
    (!old.is_empty() && !old.iter().any(|n| new.contains(n)) && is_money).then_some(Detail::Bank)
}

/// The host of a page, as a browser would read its address: `https:/\\a.example`, `a.example/login`, `www.a.example`.
fn host_of(word: &str) -> Option<String> {
    let word = word.replace('\\', "/");
    let (scheme, rest) = match word.split_once(":/") {
        Some((scheme, rest)) if scheme.ends_with("http") || scheme.ends_with("https") || word.contains("://") => {
            (true, rest.trim_start_matches('/'))
        }
        _ => (false, &*word),
    };
    let (authority, path) = rest.split_once(['/', '?', '#']).map_or((rest, false), |(host, _)| (host, true));
    if !scheme && authority.contains('@') {
        return None;
    }
    // What stands before an @ is a name for whoever asks.
    let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |l: &&str| !l.is_empty() && l.chars().all(|c| c.is_alphanumeric() || c == '-');
    let top = labels.last().is_some_and(|l| l.len() > 1 && l.chars().all(char::is_alphabetic));
    let is_host = labels.len() > 1 && top && labels.iter().all(is_label);
    (scheme || is_host && (path || host.starts_with("www."))).then(|| host.to_owned())
}

/// The names by which money is sent in an application: "Venmo @eve-crane".
fn handles(text: &str) -> Vec<String> {
    let words = text.split(char::is_whitespace).map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '@'));
    words.filter(|w| w.len() > 2 && w.starts_with('@')).map(fold).collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '!', '?', ';', '。']).flat_map(|s| s.split(". "))
}

/// Whether what a stored text says of a detail stands in a sentence with nothing else but days, hours, amounts and words.
fn stands_otherwise(stored: &str, detail: Detail, sentence: &str) -> bool {
    let is_moving = |f: &Found| {
        matches!(f.value, Value::Date(_) | Value::Clock(_) | Value::Range(_) | Value::Money { .. } | Value::Duration(_))
    };
    let written = fold(sentence);
    // What of a sentence is no day, hour or amount.
    let fixed = |text: &str| {
        let found: Vec<Found> = values(text, None).into_iter().filter(is_moving).collect();
        let is_free = |w: &Word| !found.iter().any(|f| f.span.covers(w.start, w.end));
        words(text).into_iter().filter(|w| is_free(w) && !w.function).collect::<Vec<Word>>()
    };
    let is_figure = |w: &Word| w.text.contains(|c: char| c.is_ascii_digit());
    let kept = |t: &str| {
        let of = fixed(t);
        let root = |w: &Word| w.stem.chars().take(ROOT).collect::<String>();
        let all = of.iter().all(|w| {
            is_figure(w) || written.contains(&*w.text) || w.text.chars().count() > ROOT && written.contains(&root(w))
        });
        all && fixed(sentence).iter().filter(|w| is_figure(w)).all(|w| of.iter().any(|o| o.text == w.text))
    };
    let clauses = sentences(stored).flat_map(|s| s.split(", "));
    clauses.filter(|t| details(t).contains(&detail)).any(kept)
}

/// The numbers of a text that are hardly anything but an account's.
fn account_numbers(text: &str) -> Vec<String> {
    long_numbers(text).into_iter().filter(|n| n.len() >= ACCOUNT_DIGITS).collect()
}

/// The numbers of a text that may be those of an account: their digits, without a date's.
fn long_numbers(text: &str) -> Vec<String> {
    let ibans = personal(text).into_iter().filter(|p| p.kind == PersonalKind::Account).map(|p| p.key);
    let phones: Vec<String> =
        personal(text).into_iter().filter(|p| p.kind == PersonalKind::Phone).map(|p| p.key).collect();
    let runs =
        text.split(|c: char| !c.is_ascii_digit() && c != '-' && c != '.').map(|run| run.trim_matches(['-', '.']));
    let is_date = |run: &str| run.split(['-', '.']).map(str::len).eq([4, 2, 2]);
    let digits = runs.filter(|run| !is_date(run)).map(|run| run.replace(['-', '.'], ""));
    // The address of a wallet.
    let is_wallet = |w: &&str| {
        let has = |is: fn(&char) -> bool| w.chars().any(|c| is(&c));
        let mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
        WALLET.contains(&w.len()) && mixed && w.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let wallets = text.split(|c: char| !c.is_alphanumeric()).filter(is_wallet).map(fold);
    ibans.chain(digits.filter(|d| d.len() >= LEAST_DIGITS && !phones.contains(d))).chain(wallets).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_by_whose_change_people_are_robbed_are_told_from_others() {
        for (text, detail) in [
            ("Our bank details have changed: please pay to IBAN GB29NWBK60161331926819.", Some(Detail::Bank)),
            ("입금 계좌가 국민은행 123456-01-123456으로 변경되었습니다.", Some(Detail::Bank)),
            ("새 배송지: 서울시 마포구 월드컵로 1", Some(Detail::Delivery)),
            ("Please use the new payment link from now on.", Some(Detail::Payment)),
            ("로그인 주소가 https://a.example로 바뀌었습니다.", Some(Detail::Login)),
            ("The delivery moved to Friday.", None),
            ("회의 주소록을 업데이트했습니다.", None),
            ("The budget has changed to 60M.", None),
        ] {
            let draft = Draft::new(text);
            assert_eq!(detail_changed(&draft, None, std::iter::empty()), detail, "{text}");
        }
    }

    #[test]
    fn an_account_that_a_new_wording_leaves_out_is_a_change() {
        let rent = "The rent of the kiln is 300,000 won, paid to Kookmin 123456-01-123456.";
        for (stored, text, lost) in [
            (rent, "The rent of the kiln is 300,000 won, in cash to Eve Crane, 5 Mill Lane.", true),
            (rent, "The rent of the kiln is 300,000 won, sent to Toss one zero zero zero one two three.", true),
            (rent, "The rent of the kiln is 320,000 won, paid to Kookmin 123456-01-123456.", false),
            ("Parcel 6012-3345-8890 arrives on Friday.", "The parcel has arrived.", false),
        ] {
            assert_eq!(account_lost(text, stored).is_some(), lost, "{text}");
        }
    }

    #[test]
    fn a_detail_that_is_said_again_has_not_changed() {
        use crate::model::{Ids, Time};
        let now = Time::from_millis(1_760_000_000_000);
        let about = |stored: &str, text: &str| {
            let memory = Memory::from_draft(Ids::new(now, [1; 16]).mint(), Draft::new(stored), now);
            detail_changed(&Draft::new(text), None, std::iter::once(&memory))
        };
        let works = "중도금은 10월 19일에 낸다. 입금 계좌는 두레은행 302-0077-4418 강민석이다.";
        for (text, detail) in [
            ("중도금은 10월 23일에 낸다. 입금 계좌는 두레은행 302-0077-4418 강민석이다.", None),
            ("중도금은 2026-10-23에 냈다. 계좌번호 302-0077-4418 강민석에게 보냈다.", None),
            ("중도금은 10월 23일에 낸다. 입금 계좌는 한물은행 302-0077-4419 강민석이다.", Some(Detail::Bank)),
            ("중도금은 10월 23일에 낸다. 입금 계좌는 삼공이 공공칠칠 사사일구이다.", Some(Detail::Bank)),
            ("입금 계좌 302-0077-4418이 바뀌었다.", Some(Detail::Bank)),
            ("입금 계좌는 302-0077-4418 또는 551-20-118273이다.", Some(Detail::Bank)),
        ] {
            assert_eq!(about(works, text), detail, "{text}");
        }
        // A model words it anew, and the mail says nothing of where it goes.
        let anew = |stored: &str, said: &str, text: &str| {
            let memory = Memory::from_draft(Ids::new(now, [1; 16]).mint(), Draft::new(stored), now);
            detail_changed(&Draft::new(text), Some(said), std::iter::once(&memory))
        };
        let cake = "The cake is to be delivered to the Net Loft on Quay 3 on Saturday 14 June 2025 by 11, for the photographer.";
        let (at_ten, by_ten) = (
            "The quay shuts, so be there at ten.",
            "The cake is to be delivered to the Net Loft on Quay 3 on 14 June 2025 at ten.",
        );
        assert_eq!(anew(cake, at_ten, by_ten), None);
        for (said, text) in [
            ("Please deliver to us at ten.", by_ten),
            (at_ten, "The cake is to be delivered to the Old Loft on Quay 3 on 14 June 2025 at ten."),
            (at_ten, "The cake is to be delivered to the Net Loft on Quay 3, entrance 7, on 14 June 2025 at ten."),
        ] {
            assert_eq!(anew(cake, said, text), Some(Detail::Delivery), "{text}");
        }
        for (stored, text, detail) in [
            ("Webmail is at https://mail.a.example.", "Webmail is at https://a-mail.example now.", Some(Detail::Login)),
            ("Webmail is at https://mail.a.example.", "Webmail is at https://mail.a.example/new now.", None),
            ("The deposit goes to Shinhan 110234567890.", "The deposit goes to Toss 100012345678.", Some(Detail::Bank)),
            ("Parcel 110-23-45678 comes today.", "Parcel 110-23-45679 comes today.", None),
            ("Webmail is at https://mail.a.example.", "Webmail is at https://post.a.example now.", None),
            ("Webmail is at https://mail.a.example.", "Webmail is at evil.example/login now.", Some(Detail::Login)),
            ("Webmail is at https://mail.a.example.", "Webmail is at www.evil.example now.", Some(Detail::Login)),
            ("Webmail is at https://mail.a.example.", "Webmail is at https:/\\evil.example now.", Some(Detail::Login)),
            (
                "Webmail is at https://mail.a.example.",
                "Webmail is at https://evil.example\\.a.example.",
                Some(Detail::Login),
            ),
            (
                "Webmail is at https://mail.a.example.",
                "Webmail is at https://a.example@evil.example.",
                Some(Detail::Login),
            ),
            ("The rent goes to Kookmin 123456-01-123456.", "Send the rent at paypal.me/eve.", Some(Detail::Payment)),
            ("The rent goes to Kookmin 123456-01-123456.", "The rent goes to Venmo @eve-crane.", Some(Detail::Payment)),
            ("The rent goes to Venmo @bo.", "The rent goes to Venmo @bo, on the 1st.", None),
            ("Write to bo@a.example.", "Write to bo@b.example.", Some(Detail::Payment)),
            ("Write to bo@a.example.", "Write to mi@a.example.", None),
            ("Write to bo@gmail.com.", "Write to mi@gmail.com.", Some(Detail::Payment)),
            ("The form is at https://bo.github.io.", "The form is at https://mi.github.io.", Some(Detail::Login)),
            (
                "The rent goes to our bаnk аccount 110-23-45678.",
                "The rent goes to our bаnk аccount 352-98-76543.",
                Some(Detail::Bank),
            ),
        ] {
            assert_eq!(about(stored, text), detail, "{text}");
        }
        let parcel = "The delivery address is 9 Capstan Row.";
        assert_eq!(about(parcel, "The parcel comes on Friday. The delivery address is 9 Capstan Row."), None);
        assert_eq!(about(parcel, "The delivery address is 4 Mill Lane."), Some(Detail::Delivery));
    }
}
