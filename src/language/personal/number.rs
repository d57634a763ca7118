//! Detects phone, card, account and ID numbers.

use super::{Personal, PersonalKind, PersonalReader};
use crate::language::{Words, words};

/// A run of digits, visible or masked as `*`, its end, and the separator before it.
struct DigitGroup {
    digits: String,
    end: usize,
    gap: char,
}

/// Words before a phone number or an account number.
static PHONE: &Words = words!("personal.phone");
static PHONE_SHORT: &Words = words!("personal.short phone");
pub(super) static ACCOUNT: &Words = words!("personal.account");

const GROUPED: &[&[usize]] = &[&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 2], &[4, 4, 4, 4, 3], &[6, 13]];

/// Digit groups read as one number.
struct DigitRun {
    digits: String,
    sizes: Vec<usize>,
    gaps: String,
    plus: bool,
    end: usize,
}

impl DigitRun {
    fn of(groups: &[DigitGroup], plus: bool) -> Self {
        Self {
            digits: groups.iter().map(|g| g.digits.as_str()).collect(),
            sizes: groups.iter().map(|g| g.digits.len()).collect(),
            gaps: groups.iter().skip(1).map(|g| g.gap).collect(),
            plus,
            end: groups.last().map_or(0, |g| g.end),
        }
    }

    fn kind(&self, text: &PersonalReader<'_>, start: usize) -> Option<PersonalKind> {
        let counted = self.sizes.len() == 1 && words!("personal.counted").begin(text.s.rest(self.end));
        if counted || self.digits.len() < 7 {
            return None;
        }
        let lead = text.lead(start);
        let says = |words: &Words| words.stand_in(lead);
        let last = lead.trim_end_matches([' ', ':', '.', ')', '(', '-', '/', '|']);
        let short = |words: &Words| {
            // A single letter counts only with punctuation: "T. 555-0100".
            let marked = |w: &str| w.len() > 1 || lead.trim_end().ends_with([':', '.']);
            let whole = |rest: &str| !rest.ends_with(|c: char| c.is_ascii_alphanumeric());
            words.iter().any(|w| marked(w) && last.strip_suffix(w).is_some_and(whole))
        };
        let phone = !self.is_dated() && (says(PHONE) || short(PHONE_SHORT));
        let other = !phone && (says(words!("personal.other")) || short(words!("personal.short other")));
        let alone = self.sizes.len() == 1;
        if self.plus {
            return self.is_international().then_some(PersonalKind::Phone);
        }
        let follows = self.sizes.len() > 2 && words!("personal.banks").stand_in(text.tail(self.end));
        let account = self.is_account() && !other && !phone && (follows || says(ACCOUNT));
        if self.is_resident(!alone) && !(other && (alone || words!("personal.company").stand_in(lead)))
            || self.is_licence() && !account
        {
            return Some(PersonalKind::Id);
        }
        if self.is_card() && !(alone && other) {
            return Some(PersonalKind::Card);
        }
        if self.digits.contains('*') {
            return None;
        }
        // Digits and a space before the number make it the rest of a longer one.
        let rest = text.s.head(start).strip_suffix(' ').is_some_and(|t| t.ends_with(|c: char| c.is_ascii_digit()));
        if self.is_korean(alone && other) || !other && !rest && self.is_foreign() {
            return Some(PersonalKind::Phone);
        }
        if account {
            return Some(PersonalKind::Account);
        }
        // After a word for "phone", any number of fitting length counts.
        (phone && !other && (7..=15).contains(&self.digits.len())).then_some(PersonalKind::Phone)
    }

    /// A normalised number, equal for all spellings of a phone number.
    fn key(&self, kind: PersonalKind) -> String {
        let digits = self.digits.trim_start_matches("00");
        let abroad = self.plus || digits.len() < self.digits.len() || digits.starts_with("8210");
        let national = if abroad && kind == PersonalKind::Phone { digits.trim_start_matches("82") } else { digits };
        national.trim_start_matches('0').to_owned()
    }

    fn part(&self, from: usize, len: usize) -> u32 {
        self.digits.get(from..from + len).and_then(|d| d.parse().ok()).unwrap_or(0)
    }

    fn sized(&self, sizes: &[usize]) -> bool {
        self.sizes == sizes
    }

    fn only(&self, gap: char) -> bool {
        self.gaps.chars().all(|g| g == gap)
    }

    fn is_dated(&self) -> bool {
        let year = |y: u32| (1900..2100).contains(&y);
        let day = |m: u32, d: u32| (1..=12).contains(&m) && (1..=31).contains(&d);
        match self.sizes[..] {
            [4, 1 | 2, 1 | 2, ..] => year(self.part(0, 4)),
            [2, 2, 4, ..] => {
                year(self.part(4, 4))
                    && (day(self.part(0, 2), self.part(2, 2)) || day(self.part(2, 2), self.part(0, 2)))
            }
            [8] | [8, ..] => year(self.part(0, 4)) && day(self.part(4, 2), self.part(6, 2)),
            [4, 4] => year(self.part(0, 4)) && year(self.part(4, 4)),
            _ => false,
        }
    }

    /// An international number: plus, country code and number.
    fn is_international(&self) -> bool {
        let count = self.digits.len();
        // A space after dashes starts another number.
        let mixed = count > 11 && self.gaps.ends_with("- ") && self.sizes.last().is_some_and(|n| *n < 4);
        match self.digits.as_bytes() {
            [b'0', ..] => false,
            [b'1', ..] => count == 11,
            [b'8', b'2', ..] => (10..=13).contains(&count) && !mixed,
            _ => (9..=14).contains(&count) && !mixed && !self.digits.contains('*'),
        }
    }

    /// A Korean resident number: birth date, a digit for century and sex, six more. New numbers have no check digit.
    fn is_resident(&self, split: bool) -> bool {
        let day = (1..=12).contains(&self.part(2, 2)) && (1..=31).contains(&self.part(4, 2));
        let sex = self
            .digits
            .as_bytes()
            .get(6)
            .is_some_and(|b| if split { b.is_ascii_digit() } else { (b'1'..=b'8').contains(b) });
        let masked = self.sized(&[6, 7]) && self.digits.get(7..).is_some_and(|d| d.bytes().all(|b| b == b'*'));
        let open = self.digits.len() == 13 && !self.digits.contains('*');
        if !(day && sex && (masked || open && (self.sized(&[13]) || self.sized(&[6, 7])))) {
            return false;
        }
        // Rejects Korean product bar codes, unless the number is also a valid resident number.
        let sum = |weights: &str| {
            self.digits
                .bytes()
                .zip(weights.bytes())
                .map(|(d, w)| u32::from(d - b'0') * u32::from(w - b'0'))
                .sum::<u32>()
        };
        let ware = || self.digits.starts_with("880") && sum("1313131313131").is_multiple_of(10);
        let person = || (11 - sum("234567892345") % 11) % 10 == self.part(12, 1);
        split || !ware() || person()
    }

    /// A US social security number or a Korean driving licence.
    fn is_licence(&self) -> bool {
        let social = self.sized(&[3, 2, 4]) && !matches!(self.part(0, 3), 0 | 666 | 900..);
        let licence = self.sized(&[2, 2, 6, 2]) && (11..=28).contains(&self.part(0, 2));
        self.only('-') && (social && self.part(3, 2) > 0 && self.part(5, 4) > 0 || licence)
    }

    fn is_card(&self) -> bool {
        let grouped = GROUPED.iter().any(|g| self.sized(g));
        let count = self.digits.len();
        if self.digits.contains('*') {
            // Masked cards show the first and last four digits.
            return self.sized(&[4, 4, 4, 4]) && self.digits.get(12..).is_some_and(|d| !d.contains('*'));
        }
        let issuer = match self.part(0, 2) {
            34 | 37 => count == 15,
            30 | 36 | 38 | 39 => (14..=16).contains(&count),
            22..=27 | 35 | 51..=55 | 90..=99 => count == 16,
            40..=49 | 50 | 56..=69 => (16..=19).contains(&count),
            _ => false,
        };
        let doubled = |d: u32| if d > 4 { 2 * d - 9 } else { 2 * d };
        let digits = self.digits.chars().rev().filter_map(|c| c.to_digit(10)).enumerate();
        let sum: u32 = digits.map(|(n, d)| if n % 2 == 1 { doubled(d) } else { d }).sum();
        issuer && (grouped || self.sizes.len() == 1) && sum.is_multiple_of(10)
    }

    /// A Korean phone number, dialled in Korea or from abroad.
    fn is_korean(&self, other: bool) -> bool {
        let d = self.digits.as_str();
        let (national, abroad) = match d.strip_prefix("82") {
            Some(rest) if self.sizes.first() == Some(&2) || d.len() == 12 && rest.starts_with("10") => (rest, true),
            _ => (d, false),
        };
        let area = |n: usize| {
            let rest = national.len().saturating_sub(n);
            let head = self.sizes.first().copied().unwrap_or(0);
            let split = abroad || head == n || head > n + 2;
            (7..=8).contains(&rest) && split && self.sizes.len() <= 4 && self.sizes.iter().skip(1).all(|s| *s > 1)
        };
        let national = national.strip_prefix('0').or(abroad.then_some(national));
        let Some(local) = national else {
            // Business numbers such as 1588-0000; a range of years has the same shape.
            let firm = matches!(self.part(0, 2), 15 | 16 | 18) && self.sized(&[4, 4]) && self.only('-');
            let years = self.part(4, 4) > self.part(0, 4) && self.part(4, 4) < 2100;
            return firm && !years && !other;
        };
        let zero = usize::from(!abroad || d.starts_with("820"));
        let two = local.as_bytes().get(..2).unwrap_or_default();
        let exchange = |n: usize| local.as_bytes().get(n).is_some_and(|b| (b'2'..=b'9').contains(b));
        match two {
            b"10" => local.len() == 10 && area(2 + zero),
            [b'1', b'1' | b'6'..=b'9'] => (9..=10).contains(&local.len()) && area(2 + zero) && !other,
            [b'5', b'0'] => (10..=11).contains(&local.len()) && area(3 + zero) && !other,
            [b'7' | b'8' | b'6', b'0'] | [b'3'..=b'6', b'1'..=b'5'] => area(2 + zero) && exchange(2) && !other,
            [b'2', _] => area(1 + zero) && exchange(1) && !other,
            _ => false,
        }
    }

    fn is_foreign(&self) -> bool {
        let count = self.digits.len();
        let one = usize::from(count == 11 && self.sizes.first() == Some(&1) && self.digits.starts_with('1'));
        let high = |n: usize| self.digits.as_bytes().get(n + one).is_some_and(|b| (b'2'..=b'9').contains(b));
        if self.sizes.get(one..) == Some(&[3, 3, 4]) && high(0) && high(3) {
            return true;
        }
        let head = self.sizes.first().copied().unwrap_or(0);
        if self.digits.starts_with("00") {
            return self.sizes.len() > 2 && head <= 5 && (11..=17).contains(&count) && !self.gaps.contains('.');
        }
        let even = self.gaps.chars().skip(1).all(|g| self.gaps.ends_with(g));
        let marked = self.only('-') || self.only('.');
        self.digits.starts_with('0')
            && (2..=5).contains(&self.sizes.len())
            && (2..=5).contains(&head)
            && (9..=11).contains(&count)
            && self.sizes.iter().all(|s| *s > 1)
            && even
            && !self.is_dated()
            && !self.sized(&[3, 3, 3])
            && (!marked || self.sizes.len() == 3 && count > 9 && self.sizes.last().is_some_and(|n| *n > 2))
    }

    fn is_account(&self) -> bool {
        let count = self.digits.len();
        let marks = self.only('-') || self.only(' ');
        marks && (9..=16).contains(&count) && self.sizes.len() <= 5 && !self.is_dated()
    }
}

impl PersonalReader<'_> {
    pub(super) fn number(&self, n: usize) -> Option<Personal> {
        let first = match self.at(n) {
            '+' => n + 1 + usize::from(self.at(n + 1) == ' '),
            '(' => n + 1 + usize::from(self.at(n + 1) == '+'),
            _ => n,
        };
        if !self.at(first).is_ascii_digit() || !self.begins(n) {
            return None;
        }
        let groups = self.groups(first);
        (1..=groups.len()).rev().find_map(|count| {
            let groups = groups.get(..count)?;
            let number = DigitRun::of(groups, first > n && self.before(first) == '+');
            let kind = number.kind(self, n).filter(|_| self.ends(number.end))?;
            let around = self.at(n) == '(' && !self.s.slice(n, number.end).contains(')');
            Some(Personal { kind, range: n + usize::from(around)..number.end, key: number.key(kind) })
        })
    }

    /// Whether a number may start here: not within a code, amount or web address.
    fn begins(&self, n: usize) -> bool {
        let head = self.s.head(n);
        let more = |is: fn(&char) -> bool| head.chars().rev().nth(1).is_some_and(|c| is(&c));
        let within = match self.before(n) {
            '-' => more(char::is_ascii_alphanumeric),
            '.' | ':' | '_' => more(char::is_ascii_digit),
            '@' | '*' | '$' | '€' | '£' | '₩' | '¥' | '+' => true,
            'a'..='z' => {
                let word = &head[head.trim_end_matches(|c: char| c.is_ascii_lowercase()).len()..];
                !PHONE_SHORT.iter().chain(PHONE.iter()).any(|w| *w == word)
            }
            c => c.is_ascii_digit(),
        };
        let link = self.links.partition_point(|link| link.start < n).checked_sub(1);
        !within && link.is_none_or(|link| n >= self.links[link].end)
    }

    fn ends(&self, n: usize) -> bool {
        let digit = |more: usize| self.at(n + more).is_ascii_digit();
        match self.at(n) {
            '-' | '.' | ':' | '_' => !digit(1),
            // A comma before three digits groups thousands; otherwise it separates list items.
            ',' => !(digit(1) && digit(2) && digit(3) && !digit(4) && self.at(n + 4) != '-'),
            '@' | '*' => false,
            c => !c.is_ascii_alphanumeric() && self.past_at(n).is_none(),
        }
    }

    /// Up to 18 preceding characters of the same line, without digits or list separators.
    pub(super) fn lead(&self, n: usize) -> &str {
        let head = self.s.head(n);
        let near = head.char_indices().rev().take(18).take_while(|(_, c)| !matches!(c, '\n' | ',' | ';' | '0'..='9'));
        &head[near.last().map_or(n, |(at, _)| at)..]
    }

    /// Up to ten characters of the same line after a number.
    fn tail(&self, n: usize) -> &str {
        let rest = self.s.rest(n);
        let near = rest.char_indices().take(10).take_while(|(_, c)| *c != '\n').last();
        &rest[..near.map_or(0, |(at, c)| at + c.len_utf8())]
    }

    /// Up to eight digit groups from `from`, separated by punctuation and spaces.
    fn groups(&self, from: usize) -> Vec<DigitGroup> {
        let (s, mut groups, mut start, mut gap) = (self.s, Vec::new(), from, '\0');
        while groups.len() < 8 {
            let (text, mut end) = s.digits(start);
            let mut digits = text.to_owned();
            // Masked digits count only after visible ones, and only three or more.
            let hidden = s.run_end(end, |c| "*●○•·x#".contains(c));
            let count = s.slice(end, hidden).chars().count();
            if count >= 3 && !(groups.is_empty() && digits.is_empty()) {
                digits.extend(std::iter::repeat_n('*', count));
                end = hidden;
            }
            if digits.is_empty() {
                break;
            }
            groups.push(DigitGroup { digits, end, gap });
            let marks: String = s.rest(end).chars().take(4).take_while(|c| " -.()·_".contains(*c)).collect();
            if marks.is_empty() {
                break;
            }
            // The first mark but spaces and opening brackets, or the last of those.
            let told = marks.chars().find(|c| !matches!(c, ' ' | '('));
            gap = told.or(marks.chars().rfind(|c| *c != ' ')).unwrap_or(' ');
            start = end + marks.len();
        }
        groups
    }
}
