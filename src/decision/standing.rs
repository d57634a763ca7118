//! Who may replace what a mail taught, and which changes nobody makes in silence.
//!
//! It never decides what two texts are to each other: it takes a decision and says whether the speaker may carry it.

use super::{Analyst, Candidate, Decided, Decision, Link, Reason};
use crate::analysis::sound::reading;
use crate::analysis::words::{Kind, Word, words};
use crate::json::wire;
use crate::language::{self, Found, PersonalKind, Phrases, Value, fold, personal, phrases, unmasked, values};
use crate::model::{Conflict, Draft, Memory, Source, is_public, organisation, same_address, same_organisation};

/// Letters of a domain that name an organisation, and those of whoever told a memory.
const NAMED: usize = 7;
const TELLER: usize = 3;
/// Words that an organisation is called by.
const MOST_NAMES: usize = 3;
/// Syllables of a particle.
const PARTICLE: usize = 3;

/// Who says what a mail says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The one address that it is from; absent where it is from nobody or several.
    pub address: Option<String>,
    /// Whether it is proven to be the owner.
    pub is_owner: bool,
    /// Whether the owner's own host vouches besides that they sent it.
    pub is_vouched: bool,
    /// Whether a check says that it is not from there.
    pub is_disowned: bool,
    /// Whether the owner has written to them, or shares a domain of their own with them.
    pub is_known: bool,
    /// Whether the mail gives itself a time that had not come.
    pub is_ahead: bool,
    /// Whether the mail speaks to an assistant besides.
    pub steers: bool,
    /// The subject line, where it is another's: of an answer, or of what a machine sends.
    pub subject: Option<String>,
    /// Whether the mail agrees with what was said before it.
    pub agrees: bool,
}

impl Speaker {
    /// Whether they may replace what is stored: who said it, who took part in that thread before, who is of the same
    /// organisation, and whom the owner has written to. Another organizer's event, or another event, is not theirs.
    pub fn may_replace(&self, draft: &Draft, stored: &Memory) -> bool {
        if stored.source_type != Source::Realtime || self.is_owner {
            return true;
        }
        let own = self.address.as_deref().filter(|_| !self.is_disowned);
        if let (Some(new), Some(old)) = (&draft.event, &stored.event) {
            let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
                (Some(a), Some(b)) => same_address(a, b),
                (None, None) => true,
                _ => false,
            };
            let invites = |own: &str| {
                let is_own = |other: &str| same_address(other, own);
                new.organizer.as_deref().is_none_or(is_own) || stored.authors().any(is_own)
            };
            if new.uid != old.uid || !same(&new.organizer, &old.organizer) || !own.is_some_and(invites) {
                return false;
            }
        }
        let Some(own) = own else { return false };
        let said = |author: &str| same_address(author, own) || same_organisation(author, own);
        // Who said something of it themself has standing while that holds.
        let has_said = || stored.authors().any(|a| same_address(a, own));
        let took_part = || stored.people.iter().any(|p| same_address(p, own)) && !has_said();
        // Whoever is only invited changes no invitation.
        let is_event = stored.event.as_ref().is_some_and(|e| e.organizer.is_some());
        self.is_known || stored.tellers().any(said) || !is_event && (took_part() || is_named(own, stored))
    }

    /// Whether they may put what another memory says into one that is stored: it is the owner's, their own, or of somebody
    /// who may replace that one.
    pub fn may_quote(&self, lender: &Memory, draft: &Draft, stored: &Memory) -> bool {
        let is_own = |teller: &str| self.address.as_deref().is_some_and(|own| same_address(own, teller));
        let may = |teller: &str| {
            is_own(teller) || Self { address: Some(teller.to_owned()), ..Self::default() }.may_replace(draft, stored)
        };
        self.is_owner || lender.source_type != Source::Realtime || lender.tellers().any(may)
    }

    /// Whether what somebody else has said, named `Name <address>`, may go into a memory in this mail: they may replace it, or the
    /// mail agrees with them.
    pub fn may_repeat_after(&self, other: &str, draft: &Draft, stored: &Memory) -> bool {
        let address = other.rsplit_once('<').map_or(other, |(_, address)| address.trim_end_matches('>'));
        let them = Self { address: Some(address.to_owned()).filter(|a| a.contains('@')), ..Self::default() };
        self.agrees && detail_changed(draft, None, std::iter::once(stored)).is_none()
            || stored.source_type == Source::Realtime && them.may_replace(draft, stored)
            || stored.authors().any(|a| same_address(a, address))
    }

    /// Whether what changes is told by another's subject line alone, under which the stored memory was not told.
    fn only_quotes(&self, decided: &Decided, draft: &Draft, stored: &Memory) -> bool {
        let bare = |s: &str| fold(s).trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let Some(subject) = self.subject.as_deref().map(bare).filter(|s| !s.is_empty()) else { return false };
        if stored.subject.as_deref().map(bare).is_some_and(|s| s == subject) {
            return false;
        }
        let content = fold(&draft.content);
        let own = content.replace(&*subject, "");
        let mut news: Vec<String> =
            decided.changes.iter().filter_map(|c| c.change.new_value.as_deref()).map(fold).collect();
        // Where nothing of it is another value, the whole is what changes.
        news.retain(|new| !new.contains(&*subject));
        let is_quoted = |new: &String| subject.contains(&**new) && !own.contains(&**new);
        if news.is_empty() { own.len() < content.len() && !self.agrees } else { news.iter().any(is_quoted) }
    }

    /// Whether nobody is known to stand behind the address.
    pub fn is_nobody(&self) -> bool {
        !self.is_owner && (self.is_disowned || self.address.is_none())
    }

    /// Whoever wrote what somebody only passes on, of whom nothing is proven.
    pub fn passed_on() -> Self {
        Self::default()
    }
}

/// Whether a memory names the organisation behind an address as its domain is called, such as "Crustline Leasing" whoever
/// writes from crustline.example; and not that of whoever told it, whose name another domain may only resemble.
fn is_named(address: &str, stored: &Memory) -> bool {
    let label = |address: &str| {
        let host = fold(address.rsplit_once('@').map_or("", |(_, host)| host));
        let domain = organisation(&host);
        (!is_public(&host)).then(|| bare(domain.split('.').next().unwrap_or_default()))
    };
    let content = bare(&stored.content);
    let resembles = |label: String| label.chars().count() >= TELLER && content.contains(&label);
    let is_named = |own: String| {
        own.chars().count() >= NAMED && (is_called(&stored.content, &own) || is_spelt(&stored.content, &own))
    };
    label(address).is_some_and(is_named) && !stored.authors().filter_map(label).any(resembles)
}

fn bare(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether names of a text, whole and next to each other, are what a domain is called. Words that everybody uses are no
/// names: whoever likes may own meeting.example.
fn is_called(text: &str, label: &str) -> bool {
    let all = words(text);
    let is_name = |w: &Word| {
        let capital = text[w.start..].starts_with(char::is_uppercase);
        w.sense.is_none() && !w.function && (capital || w.kind == Kind::Hangul)
    };
    (0..all.len()).any(|first| {
        let run = all[first..].iter().take_while(|w| is_name(w)).take(MOST_NAMES);
        let mut called = String::new();
        run.map(|w| bare(&text[w.start..w.end])).any(|word| {
            called.push_str(&word);
            called == label
        })
    })
}

/// Whether a text has the Korean name of an organisation that a domain spells, such as 온고을안과 of ongoeul-eye.example:
/// a name before the word for what it is. The domain may say in English what it is.
fn is_spelt(text: &str, label: &str) -> bool {
    let kinds = language::words!("korean/names.organisations");
    let spelt = |name: &str| {
        let read = reading(name);
        let tails = language::words!("korean/names.organisations in English").iter();
        let bare = tails.filter_map(|tail| label.strip_suffix(tail)).chain([label]);
        read.is_some() && bare.into_iter().any(|own| reading(own) == read)
    };
    // A particle may follow: 과 is one, and the end of 안과.
    let all = words(text);
    let parts = all.iter().filter(|w| w.kind == Kind::Hangul).flat_map(|w| kinds.iter().map(|k| w.text.split_once(k)));
    parts.flatten().any(|(name, rest)| rest.chars().count() <= PARTICLE && spelt(name))
}

/// The decision as the speaker may carry it: what they have no standing for, and what is changed in no silence, is
/// kept beside, linked and flagged.
/// `said`: the words that it rests on, where a model has worded it.
pub fn guard(
    mut decided: Decided,
    draft: &Draft,
    said: Option<&str>,
    speaker: &Speaker,
    known: &[(Candidate, Memory)],
) -> Decided {
    let stored = |id| known.iter().find(|(c, _)| c.id == id).map(|(_, m)| m);
    let target = decided.target.and_then(stored);
    let replaced = target.filter(|_| decided.decision == Decision::Update);
    // Where nobody read the mail but rules, one that speaks to an assistant replaces nothing.
    let steered = speaker.steers && !speaker.is_owner && decided.analyst == Analyst::Local;
    if let Some(old) = replaced.filter(|old| steered || !speaker.may_replace(draft, old)) {
        let author = old.authors().next().map(str::to_owned);
        decided = beside(decided, Reason::NoStanding { author });
    }
    let by_rules = decided.decision == Decision::Update && decided.analyst == Analyst::Local;
    if by_rules && replaced.is_some_and(|old| speaker.only_quotes(&decided, draft, old)) {
        decided = beside(decided, Reason::NoStanding { author: None });
    }
    if !speaker.is_owner && decided.decision != Decision::Skip {
        let others = decided.links.iter().filter_map(|l| stored(l.id));
        let changed = detail_changed(draft, said, target.into_iter().chain(others));
        // Whoever words a memory anew may leave out where money goes.
        let lost = replaced.filter(|_| said.is_some()).and_then(|old| account_lost(&draft.content, &old.content));
        if let Some(detail) = changed.or(lost) {
            decided = beside(decided, Reason::SensitiveChange { detail: detail.as_str().to_owned() });
        }
    }
    if speaker.is_ahead {
        flag(&mut decided, Reason::DateAhead);
    }
    decided
}

fn flag(decided: &mut Decided, reason: Reason) {
    decided.needs_review = true;
    decided.reasons.insert(0, reason);
}

/// Both are kept, linked and flagged.
pub fn beside(mut decided: Decided, reason: Reason) -> Decided {
    if decided.decision == Decision::Update {
        decided.decision = Decision::CreateAndLink;
        decided.conflict = Conflict::Overlap;
        if let Some(id) = decided.target {
            decided.links.retain(|l| l.id != id);
            decided.links.insert(0, Link::of_doubt(id, decided.confidence));
        }
    }
    flag(&mut decided, reason);
    decided
}

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
fn detail_changed<'a>(draft: &Draft, said: Option<&str>, stored: impl Iterator<Item = &'a Memory>) -> Option<Detail> {
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
    let numbers = |text: &str| long_numbers(text).into_iter().filter(|n| n.len() >= ACCOUNT_DIGITS).collect::<Vec<_>>();
    let known_numbers: Vec<String> = stored.iter().flat_map(|text| numbers(text)).collect();
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
    if other(&numbers(text), &known_numbers, |a, b| a == b) {
        Some(Detail::Bank)
    } else if other(&pages, &known_pages, |a, b| a == b || same_organisation(&["@", a].concat(), &["@", b].concat())) {
        Some(Detail::Login)
    } else {
        let is_one = |a: &str, b: &str| same_address(a, b) || same_organisation(a, b);
        other(&addresses, &known_addresses, is_one).then_some(Detail::Payment)
    }
}

/// Whether an account that a stored text names is gone from a text that stands in its place.
fn account_lost(text: &str, stored: &str) -> Option<Detail> {
    let accounts =
        |text: &str| long_numbers(text).into_iter().filter(|n| n.len() >= ACCOUNT_DIGITS).collect::<Vec<_>>();
    let (old, new) = (accounts(stored), accounts(text));
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
        let is_free = |w: &Word| !found.iter().any(|f| f.span.start <= w.start && w.end <= f.span.end);
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
    fn a_korean_organisation_is_known_by_a_domain_that_spells_its_name() {
        for (text, label, spelt) in [
            ("아버지의 백내장 수술은 11월 3일 온고을안과에서 한다.", "ongoeuleye", true),
            ("교정 상담은 5월 12일 이룸고운치과다.", "irumgoun", true),
            ("고추장은 한들식품에서 산다.", "handeulfoods", true),
            ("교정 상담은 5월 12일 이룸고운치과다.", "irumgown", false),
            // Any word may be spelt; only a name of an organisation is one.
            ("아버지의 수술은 11월 3일이다.", "abeoji", false),
            ("아버지의 수술은 11월 3일이다.", "abeojieye", false),
            ("시내 안과에 간다.", "sinaeeye", false),
        ] {
            assert_eq!(is_spelt(text, label), spelt, "{text} {label}");
        }
    }

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
