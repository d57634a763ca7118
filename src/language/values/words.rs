//! What begins with a word: looks it up and hands it to the reader of its kind; states are read here.
//!
//! Look-alikes are told by what stands beside the word.

use super::{
    Hit, Reader,
    date::{date, period},
    english,
    korean::{self, NATIVE_ORDINALS},
    lexicon::{Lex, Suffix},
    number::Number,
    value::{Clock, Date, Period, PeriodKind, Shift, State, Value, Weekdays},
};
use crate::language::{
    Words,
    text::{
        hangul::is_hangul,
        particles::is_tail,
        scan::is_latin,
        table::{longest, phrase},
    },
    words,
};

impl Reader<'_> {
    /// What begins with a letter other than Hangul.
    pub(super) fn latin(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        if !s.starts_word(at) {
            return None;
        }
        let end = s.latin_end(at);
        let next = s.byte(end);
        if (matches!(next, b'@' | b'.' | b'_' | b'-' | b'+' | b'%') || next.is_ascii_digit())
            && let Some(hit) = self.email(at)
        {
            return Some(hit);
        }
        if (next == b'.' || next == b'-' || next.is_ascii_digit())
            && let Some(hit) = self.host(at)
        {
            return Some(hit);
        }
        if let Some(hit) = self.code(at) {
            return Some(hit);
        }
        if next == b'$' {
            return self.symbol_money(at, end);
        }
        let word = s.slice(at, end);
        let Some((len, lex)) = phrase(&english::WORDS, word, s.rest(at)) else {
            if word == "a" || word == "an" {
                return self.article(at, end);
            }
            return self.proper(at, end);
        };
        self.english_lex(at, at + len, *lex).or_else(|| {
            // A head word that heads nothing may still be a name: Order 66.
            matches!(lex, Lex::State(..)).then(|| self.proper(at, end)).flatten()
        })
    }

    /// a dozen, a third, a fortnight, an hour and a half.
    fn article(&self, at: usize, end: usize) -> Option<Hit> {
        let s = self.s;
        if let Some(amount) = self.english(at) {
            return self.counted(at, amount).or_else(|| Some(Hit::new(at, amount.end, Value::Number(amount.number))));
        }
        let next = s.blank(end);
        let word = s.slice(next, s.latin_end(next));
        let one = Number::ONE;
        if let Some(hit) = self.half_unit(at, next) {
            return Some(hit);
        }
        let (len, suffix) = phrase(&english::UNITS, word, s.rest(next))?;
        let after = next + len;
        match suffix {
            Suffix::Seconds(_) | Suffix::Months(_) => {
                let before = s.word_before(at);
                // "twice a week" is read from twice on; "£3 a month" from the pound.
                let measured = matches!(
                    before,
                    "for"
                        | "in"
                        | "within"
                        | "of"
                        | "about"
                        | "takes"
                        | "take"
                        | "lasts"
                        | "after"
                        | "once"
                        | "by"
                        | "over"
                ) || s
                    .eat_any(
                        s.blank(after),
                        &["ago", "later", "long", "and a half", "from now", "before", "earlier", "off"],
                    )
                    .is_some()
                    || word == "fortnight"
                    || word == "year" && before == "half";
                measured.then(|| self.duration(at, one, after, *suffix)).flatten()
            }
            _ => None,
        }
    }

    /// half an hour, half a year, a half day.
    fn half_unit(&self, start: usize, at: usize) -> Option<Hit> {
        let s = self.s;
        let half = s.eat_word(at, &["half"])?;
        let mut next = if s.byte(half) == b'-' { half + 1 } else { s.blank(half) };
        next = s.eat_word(next, &["a", "an"]).map_or(next, |e| s.blank(e));
        let word = s.slice(next, s.latin_end(next));
        let (len, suffix) = phrase(&english::UNITS, word, word)?;
        if !matches!(suffix, Suffix::Seconds(60..) | Suffix::Months(_)) || matches!(word, "quarter" | "quarters") {
            return None;
        }
        self.duration(start, Number::new(5, -1), next + len, *suffix)
    }

    fn english_lex(&self, at: usize, end: usize, lex: Lex) -> Option<Hit> {
        let s = self.s;
        let dated =
            |shift: i32| Hit::new(at, end, Value::Date(Date { shift: Some(Shift::Days(shift)), ..Date::default() }));
        match lex {
            Lex::Cardinal(_) | Lex::Scale(_) | Lex::Dozen => self
                .past_clock(at)
                .or_else(|| self.hour_clock(at, None))
                .or_else(|| self.times_word(at))
                .or_else(|| self.quantity(at, at)),
            Lex::Half => self
                .past_clock(at)
                .or_else(|| self.half_unit(at, at))
                .or_else(|| self.quantity(at, at))
                .or_else(|| self.half_of(at, end)),
            Lex::Quarter => self.past_clock(at),
            Lex::In => None,
            Lex::Part(part) => self.part_of(at, end, part),
            Lex::Alternate => self.each(at, end, 2),
            Lex::Fiscal => self.fiscal(at, end),
            Lex::Month(_) => self.month_first(at),
            Lex::Weekday(day, sort) => self.weekday(at, end, day, sort),
            Lex::Weekdays(days) => Some(Hit::new(at, end, Value::Weekdays(Weekdays(days)))),
            Lex::Ordinal(n) => self.ordinal(at, end, n),
            Lex::Clock(seconds) => {
                let clock = Clock { seconds, sure: true, zone: None };
                Some(Hit::new(at, end, Value::Clock(clock)))
            }
            Lex::Days(n) => Some(dated(n)),
            Lex::DayPart(n) => Some(dated(n)),
            Lex::Shift(n) => self.shifted(at, end, n).or_else(|| {
                let noun = s.blank(end);
                let word = s.slice(noun, s.latin_end(noun));
                let counted = phrase(&english::WORDS, word, word).is_some_and(|(_, l)| matches!(l, Lex::Series(_)));
                (n == -1 && counted && s.slice(at, end) == "last")
                    .then(|| Hit::new(at, end, Value::Ordinal { number: -1, of: "" }))
            }),
            Lex::Relative(kind, n) => self.relative(at, end, kind, n, 0),
            Lex::Period(kind, 0) => self.series(at, end, "week").map(|mut hit| {
                if s.slice(at, end) == "calendar week"
                    && let Value::Ordinal { number, .. } = hit.value
                {
                    hit.value = Value::Period(period(kind, i8::try_from(number).unwrap_or(0)));
                }
                hit
            }),
            Lex::Period(kind, n) => self.named_season(at, end, kind, n),
            Lex::PartOfMonth(_) => {
                let found = Date { shift: Some(Shift::Months(0)), ..date(None, Some(32)) };
                Some(Hit::new(at, end, Value::Date(found)))
            }
            Lex::EndOfDay => self.end_of_day(at, end),
            Lex::YearEnd => Some(self.year_end(at, end)),
            Lex::Every(n, unit) => self.cyclic(at, end, n, unit),
            Lex::Each => self.each(at, end, 1),
            Lex::Often(n) => self.times_a(at, end, n),
            Lex::Length(seconds) => {
                let length = crate::language::values::value::Duration { months: 0, seconds: u64::from(seconds) };
                Some(self.around_duration(at, end, length))
            }
            Lex::Half12(_) | Lex::Zone(..) => None,
            Lex::State(state, weak) => self.english_state(at, end, state, weak),
            Lex::Head(head) => self.headed(at, end, head),
            Lex::Series(of) => self.series(at, end, of),
            Lex::Money(currency) => self.money_after(at, end, currency),
            Lex::Version => self.version_after(at, end),
            Lex::Minus | Lex::Plus => {
                let hit = self.worded_sign(at, end, matches!(lex, Lex::Minus))?;
                matches!(hit.value, Value::Percent(_) | Value::Quantity { .. }).then_some(hit)
            }
        }
    }

    /// "three times a week".
    fn times_word(&self, at: usize) -> Option<Hit> {
        let amount = self.english(at)?;
        let times = u16::try_from(amount.number.as_whole()?).ok()?;
        let end = self.s.eat_word(self.s.blank(amount.end), &["times"])?;
        self.times_a(at, end, times)
    }

    fn half_of(&self, at: usize, end: usize) -> Option<Hit> {
        let next = self.s.blank(end);
        self.s.eat_word(next, &["of", "the"])?;
        Some(Hit::new(at, end, Value::Number(Number::new(5, -1))))
    }

    /// end of March, early May, the end of the month, late next week.
    fn part_of(&self, at: usize, end: usize, part: i8) -> Option<Hit> {
        let s = self.s;
        let mut next = if s.byte(end) == b'-' { end + 1 } else { s.blank(end) };
        next = s.eat_word(next, &["the"]).map_or(next, |e| s.blank(e));
        let last = s.slice(at, end) == "end of";
        let word_end = s.latin_end(next);
        let word = s.slice(next, word_end);
        let shift = match word {
            "next" => Some(1),
            "this" | "current" => Some(0),
            "last" => Some(-1),
            _ => None,
        };
        let noun = if shift.is_some() { s.blank(word_end) } else { next };
        let noun_end = s.latin_end(noun);
        let n = shift.unwrap_or(0);
        let part_span = |month: Option<u8>, year: Option<i16>, shift: Option<i32>, end: usize| {
            let span = Period { month, year, shift, ..period(PeriodKind::PartOfMonth, part) };
            Hit::new(at, end, Value::Period(span))
        };
        match s.slice(noun, noun_end) {
            "month" => {
                return Some(if last {
                    let found = Date { shift: Some(Shift::Months(n)), ..date(None, Some(32)) };
                    Hit::new(at, noun_end, Value::Date(found))
                } else {
                    part_span(None, None, Some(n), noun_end)
                });
            }
            "week" if last => {
                let found = Date { weekday: Some(4), shift: Some(Shift::Weeks(n)), ..Date::default() };
                return Some(Hit::new(at, noun_end, Value::Date(found)));
            }
            "day" if last => return self.end_of_day(at, noun_end),
            "year" if last => {
                let found = Date { shift: Some(Shift::Years(n)), ..date(Some(12), Some(31)) };
                return Some(Hit::new(at, noun_end, Value::Date(found)));
            }
            "week" | "year" | "quarter" => return None,
            _ => {}
        }
        if let Some(Hit { end: stop, value: Value::Period(p), .. }) = self.read(next, s.char(next)?) {
            return match (p.kind, p.month) {
                (PeriodKind::Month, Some(month)) if last => {
                    let found = Date { year: p.year, ..date(Some(month), Some(32)) };
                    Some(Hit::new(at, stop, Value::Date(found)))
                }
                (PeriodKind::Month, Some(month)) => Some(part_span(Some(month), p.year, None, stop)),
                (PeriodKind::Year, _) if last => {
                    let found = Date { year: p.year, ..date(Some(12), Some(31)) };
                    Some(Hit::new(at, stop, Value::Date(found)))
                }
                (PeriodKind::Quarter, _) if last && (1..=4).contains(&p.number) => {
                    let found = Date { year: p.year, ..date(Some(p.number as u8 * 3), Some(32)) };
                    Some(Hit::new(at, stop, Value::Date(found)))
                }
                _ => None,
            };
        }
        // "end of 2026".
        let stop = s.digits_end(next);
        let year =
            s.slice(next, stop).parse::<i16>().ok().filter(|y| last && stop == next + 4 && (1990..2100).contains(y))?;
        let found = Date { year: Some(year), ..date(Some(12), Some(31)) };
        Some(Hit::new(at, stop, Value::Date(found)))
    }

    /// fiscal 2026, fiscal year 2026, FY 26.
    fn fiscal(&self, at: usize, end: usize) -> Option<Hit> {
        let s = self.s;
        let mut next = s.blank(end);
        next = s.eat_word(next, &["year"]).map_or(next, |e| s.blank(e));
        if s.byte(next) == b'\'' {
            next += 1;
        }
        let stop = s.digits_end(next);
        let year = s.slice(next, stop).parse::<i16>().ok()?;
        let year = if stop - next == 2 { 2000 + year } else { year };
        let span = Period { year: Some(year), ..period(PeriodKind::FiscalYear, 0) };
        (1990..2100).contains(&year).then(|| Hit::new(at, stop, Value::Period(span)))
    }

    /// spring term, summer 2025, this winter.
    fn named_season(&self, at: usize, end: usize, kind: PeriodKind, n: i8) -> Option<Hit> {
        let s = self.s;
        let next = s.blank(end);
        if let Some(term) = s.eat_word(next, &["term", "semester"]) {
            return Some(self.numbered_period(at, term, PeriodKind::Term, n, None));
        }
        let hit = self.numbered_period(at, end, kind, n, None);
        let dated = hit.end > end;
        let told = matches!(
            s.word_before(at),
            "in" | "this" | "next" | "last" | "by" | "until" | "the" | "since" | "every" | "early" | "late"
        );
        let noun = s.char(next).is_some_and(is_latin) && !self.is_stop(next);
        (dated || told && !noun).then_some(hit)
    }

    /// EOD, COB Friday, 오늘 중.
    fn end_of_day(&self, at: usize, end: usize) -> Option<Hit> {
        let s = self.s;
        if s.slice(at, end).len() <= 3 && !self.folded.is_capital(at) && self.s.word_before(at) != "by" {
            return None;
        }
        let mut next = s.blank(end);
        next = s.eat_word(next, &["on"]).map_or(next, |e| s.blank(e));
        if let Some(c) = s.char(next)
            && (c.is_ascii_digit() || is_latin(c) || is_hangul(c))
            && let Some(hit @ Hit { value: Value::Date(_), .. }) = self.read(next, c)
        {
            return Some(Hit::new(at, hit.end, hit.value));
        }
        Some(Hit::new(at, end, Value::Date(Date { shift: Some(Shift::Days(0)), ..Date::default() })))
    }

    fn year_end(&self, at: usize, end: usize) -> Hit {
        let found = Date { shift: Some(Shift::Years(0)), ..date(Some(12), Some(31)) };
        Hit::new(at, end, Value::Date(found))
    }

    /// version 6, 버전 3.8, revision C is left out.
    fn version_after(&self, at: usize, end: usize) -> Option<Hit> {
        let s = self.s;
        let mut next = s.spaces(end);
        if s.byte(next) == b'v' {
            next += 1;
        }
        let mut stop = s.digits_end(next);
        while stop > next && s.byte(stop) == b'.' && s.byte(stop + 1).is_ascii_digit() {
            stop = s.digits_end(stop + 1);
        }
        (stop > next && s.ends_word(stop)).then(|| Hit::new(at, stop, Value::Version(s.slice(next, stop).into())))
    }

    /// What begins with Hangul.
    pub(super) fn korean(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        if let Some((days, end)) = self.day_set(at).filter(|_| s.starts_word(at)) {
            return Some(Hit::new(at, end, Value::Weekdays(Weekdays(days))));
        }
        if let Some(hit) = self.korean_nth(at).or_else(|| self.per_cycle(at).filter(|_| s.starts_word(at))) {
            return Some(hit);
        }
        if let Some((len, lex)) = longest(&korean::WORDS, s.rest(at), |_| true)
            && let Some(hit) = self.korean_lex(at, at + len, *lex)
        {
            return Some(hit);
        }
        self.korean_ordinal(at).or_else(|| self.korean_number(at))
    }

    /// 두 시 반, 스무 명, 이만 원, 삼월 이십일.
    fn korean_number(&self, at: usize) -> Option<Hit> {
        let amount = self.amount(at)?;
        if let Some(hit) = self.hour_clock(at, None) {
            // 한시 is an hour only with a blank or its minutes.
            let glued = self.s.slice(hit.start, hit.end).contains(' ');
            if glued || !amount.lone {
                return Some(hit);
            }
        }
        self.counted(at, amount)
    }

    /// 첫째, 세 번째, 마지막.
    fn korean_ordinal(&self, at: usize) -> Option<Hit> {
        let s = self.s;
        let ordinal = |number: i32, end: usize| Hit::new(at, end, Value::Ordinal { number, of: "" });
        if let Some((word, n)) = NATIVE_ORDINALS.iter().find(|(w, _)| s.eat(at, w).is_some()) {
            let end = at + word.len();
            let unit = s.spaces(end);
            for (name, of) in [("주", "week"), ("날", "day"), ("해", "year"), ("회", "session"), ("분기", "quarter")]
            {
                if let Some(stop) = s.eat(unit, name).filter(|e| is_tail(s.slice(*e, s.hangul_end(*e)))) {
                    if name == "분기" {
                        return Some(self.numbered_period(at, stop, PeriodKind::Quarter, i8::try_from(*n).ok()?, None));
                    }
                    return Some(Hit::new(at, stop, Value::Ordinal { number: *n, of }));
                }
            }
            let run = s.slice(end, s.hangul_end(end));
            return (is_tail(run) && !matches!(*word, "첫") && (*n > 0 || run.is_empty())).then(|| ordinal(*n, end));
        }
        let amount = self.amount(at).filter(|a| a.native)?;
        let end = s.eat_any(s.spaces(amount.end), &["번째", "째"])?;
        Some(ordinal(i32::try_from(amount.number.as_whole()?).ok()?, end))
    }

    fn korean_lex(&self, at: usize, end: usize, lex: Lex) -> Option<Hit> {
        let s = self.s;
        let run = s.slice(end, s.hangul_end(end));
        let tail = is_tail(run);
        let dated = |shift: Shift| Hit::new(at, end, Value::Date(Date { shift: Some(shift), ..Date::default() }));
        match lex {
            Lex::Half12(half) => self.half_clock(at, end - at, half),
            Lex::Clock(seconds) => {
                tail.then(|| Hit::new(at, end, Value::Clock(Clock { seconds, sure: true, zone: None })))
            }
            Lex::Days(n) => {
                let part = ["오전", "오후", "저녁", "아침", "밤", "새벽", "낮", "점심", "중"]
                    .iter()
                    .any(|w| run.starts_with(w));
                (tail || part).then(|| dated(Shift::Days(n)))
            }
            Lex::DayPart(n) => tail.then(|| dated(Shift::Days(n))),
            Lex::Shift(n) => self.shifted(at, end, n),
            Lex::Relative(kind, n) => {
                let more = ["중", "말", "초", "도", "상반", "하반"].iter().any(|w| run.starts_with(w));
                let end = s.eat(end, "도").filter(|_| kind == PeriodKind::Year).unwrap_or(end);
                (tail || more).then(|| self.relative(at, end, kind, n, 0)).flatten()
            }
            Lex::Weekday(day, _) => self.korean_weekday(at, end, day),
            Lex::Weekdays(days) => tail.then(|| Hit::new(at, end, Value::Weekdays(Weekdays(days)))),
            Lex::PartOfMonth(part) => {
                let found = if part == 3 {
                    Value::Date(Date { shift: Some(Shift::Months(0)), ..date(None, Some(32)) })
                } else {
                    Value::Period(Period { shift: Some(0), ..period(PeriodKind::PartOfMonth, part) })
                };
                tail.then(|| Hit::new(at, end, found))
            }
            Lex::YearEnd => tail.then(|| self.year_end(at, end)),
            Lex::Every(n, unit) => {
                let plain = s.slice(at, end) == "주간"
                    || matches!(s.slice(at, end), "날마다" | "주마다" | "달마다" | "해마다" | "분기마다" | "분기별");
                if s.slice(at, end) == "주간" && !s.word_before(at).is_empty() {
                    return None;
                }
                if plain {
                    tail.then(|| self.cyclic(at, end, n, unit)).flatten()
                } else {
                    self.cyclic(at, end, n, unit)
                }
            }
            Lex::Length(seconds) => {
                let length = crate::language::values::value::Duration { months: 0, seconds: u64::from(seconds) };
                if let Some(hit) = self.repeated(at, end, length) {
                    return Some(hit);
                }
                let money = seconds == 86_400 && self.amount(s.spaces(end)).is_some();
                (tail && !(money && run.is_empty())).then(|| self.around_duration(at, end, length))
            }
            Lex::Period(kind @ PeriodKind::Season, n) => {
                let plain = matches!(run, "" | "에" | "에는" | "까지" | "부터" | "이" | "은" | "의" | "철" | "쯤")
                    && s.starts_word(at);
                (plain && !is_name(s.word_before(at), s.rest(end)))
                    .then(|| Hit::new(at, end, Value::Period(period(kind, n))))
            }
            Lex::Period(kind, n) => tail.then(|| self.numbered_period(at, end, kind, n, None)),
            Lex::State(state, fixed) => self.korean_state(at, end, state, fixed),
            Lex::Head(head) => self.headed(at, end, head),
            Lex::Version => self.version_after(at, end),
            Lex::Minus | Lex::Plus => {
                let hit = self.worded_sign(at, end, matches!(lex, Lex::Minus))?;
                matches!(hit.value, Value::Percent(_) | Value::Quantity { .. }).then_some(hit)
            }
            Lex::Ordinal(_) => None,
            _ => None,
        }
    }

    /// A state in Korean: a predicate (승인되었습니다, 검토 중), not a noun before another (승인 번호).
    fn korean_state(&self, at: usize, end: usize, state: State, fixed: bool) -> Option<Hit> {
        let s = self.s;
        let run_end = s.hangul_end(end);
        let run = s.slice(end, run_end);
        let next = s.spaces(run_end);
        let negated = self.denied(at, end);
        let mut state = state;
        let mut stop = end;
        if fixed {
            if !(is_tail(run) || run.starts_with(['이', '입', '인', '으', '였', '일'])) {
                return None;
            }
        } else if run.is_empty() {
            let c = s.char(next);
            let closing = c.is_none_or(|c| !c.is_alphanumeric());
            if let Some(after) = s.eat(next, "예정") {
                (state, stop) = (State::Planned, after);
            } else if let Some(after) = s.eat(next, "완료") {
                stop = after;
            } else if let Some(after) = s.eat_any(next, &["처리", "상태", "결정", "통보"]) {
                stop = after;
            } else if let Some(after) = s.eat_any(next, &["중입니다", "중이", "중인", "중 ", "중."]) {
                let _ = after;
                state = under_way(state);
                stop = next + "중".len();
            } else if !closing {
                return None;
            }
        } else if let Some(rest) = run.strip_prefix(['을', '를', '이', '가', '은', '는', '도']) {
            let verb = s
                .eat_any(
                    next,
                    &[
                        "받", "나", "났", "난", "떨어", "마쳤", "마치", "마쳐", "끝", "완료", "했", "하", "되", "됐",
                        "이루", "안 ",
                    ],
                )
                .is_some();
            // "승인이다", "취소입니다" say it themselves.
            let says = rest.starts_with(['다', '고', '며', '라', '지', '었', '에']);
            if !(verb && rest.is_empty() || says) {
                return None;
            }
        } else if run.starts_with('로') || run.starts_with("으로") {
            s.eat_any(next, &["결정", "확정", "처리", "끝", "바뀌", "변경", "돌아", "정해", "정리", "났"])?;
        } else if let Some(rest) = run.strip_prefix("중") {
            if !is_tail(rest) {
                return None;
            }
            state = under_way(state);
            stop = end + "중".len();
        } else if !run.starts_with([
            '됨', '되', '된', '될', '됐', '됩', '했', '하', '한', '할', '합', '함', '해', '시', '받', '났', '입', '였',
            '짓', '지',
        ]) {
            return None;
        }
        if (run.starts_with('될') || run.starts_with('할')) && s.eat(next, "예정").is_some() {
            state = State::Planned;
        }
        Some(Hit::new(at, stop, Value::Status { state, negated }))
    }

    /// Whether a Korean predicate is denied: 안 됐, 되지 않, 못 했, 미승인.
    fn denied(&self, at: usize, end: usize) -> bool {
        let s = self.s;
        if matches!(s.word_before(at), "안" | "못") || s.before(at) == Some('미') {
            return true;
        }
        let ahead: String = s.rest(end).chars().take(12).take_while(|c| !matches!(c, ',' | '.' | '\n')).collect();
        // Most texts have neither syllable, and looking for nine words is dear.
        ahead.contains(['지', '적'])
            && ["지 않", "지 못", "지는 않", "지도 않", "지않", "지 아니", "된 적이 없", "한 적이 없", "하지 마"]
                .iter()
                .any(|w| ahead.contains(w))
            || ["이 안 ", "가 안 ", "도 안 ", "은 안 ", "이 아니", "가 아니"].iter().any(|w| ahead.starts_with(w))
    }

    /// A state in English; weak words count only as predicates.
    fn english_state(&self, at: usize, end: usize, state: State, weak: bool) -> Option<Hit> {
        let s = self.s;
        let head = s.head(at).trim_end();
        let before = s.word_before(at);
        static PREDICATE: Words = words!("english/grammar.predicates");
        if weak {
            let predicate =
                PREDICATE.binary_search(&before).is_ok() || head.ends_with([':', '=', '>']) || head.is_empty();
            let noun = s.blank(end);
            let attribute = head.is_empty() && s.char(noun).is_some_and(is_latin) && !self.is_stop(noun);
            if !predicate
                || attribute
                || matches!((s.slice(at, end), before), ("off" | "open" | "live", "have" | "had" | "has"))
            {
                return None;
            }
        }
        let tail: String = head.chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
        let clause = tail.rsplit([',', '.', ';', '!', '?', '\n']).next().unwrap_or("");
        let negated = clause.split(' ').any(|w| {
            matches!(w, "not" | "never" | "no" | "neither" | "nor" | "nobody" | "without")
                || w.ends_with("n't")
                || w == "cannot"
        });
        Some(Hit::new(at, end, Value::Status { state, negated }))
    }
}

/// A process that goes on is not its result: 배포 중 is not 배포됨.
const fn under_way(state: State) -> State {
    match state {
        State::Shipped => State::Shipped,
        State::Closed | State::OnHold | State::Terminated | State::Unavailable => state,
        _ => State::Underway,
    }
}

/// 가을, 여름 and 봄 are also given names.
fn is_name(before: &str, after: &str) -> bool {
    let next = after.trim_start();
    before.chars().count() == 1 && !before.is_empty()
        || ["선생", "씨", "님", "이가", "양", "군", "팀장", "과장", "대리", "작가"].iter().any(|w| next.starts_with(w))
}
