//! Writes numbers as words, the inverse of `figures`.

use super::{
    english, korean,
    lexicon::{Lex, Numeral},
};

/// The English spellings of a number from 10 to 99.
pub fn english_number(n: u8) -> Vec<String> {
    let of = |n: u8| english::WORDS.words_of(move |lex| matches!(lex, Lex::Cardinal(c) if *c == i32::from(n)));
    if n < 20 || n.is_multiple_of(10) {
        return of(n).map(str::to_owned).collect();
    }
    let joined =
        |tens: &'static str| move |ones: &'static str| ["-", " "].map(|between| [tens, between, ones].concat());
    of(n / 10 * 10).flat_map(|tens| of(n % 10).flat_map(joined(tens))).collect()
}

/// The native Korean spellings of a number from 10 to 99: 스물다섯, 스물한.
pub fn native_number(n: u8) -> Vec<String> {
    let (tens, ones) = (i64::from(n / 10 * 10), i64::from(n % 10));
    let of_tens = || korean::NUMERALS.words_of(move |n| *n == Numeral::Tens(tens));
    if ones == 0 {
        return of_tens().map(str::to_owned).collect();
    }
    let of_ones = || korean::NUMERALS.words_of(move |n| *n == Numeral::Ones(ones));
    of_tens().flat_map(|tens| of_ones().map(move |ones| [tens, ones].concat())).collect()
}

/// A Sino-Korean number, as [`sino_amount`] spells it; for a multiple of 10,000 without 만: 삼십 for 300,000.
pub fn sino_number(n: i64) -> String {
    sino_amount(if n >= 10_000 && n % 10_000 == 0 { n / 10_000 } else { n })
}

/// A Sino-Korean number below 100 million: 85 is 팔십오, 15,000 is 만오천.
pub fn sino_amount(n: i64) -> String {
    let numeral = |of: Numeral| korean::NUMERALS.words_of(move |n| *n == of).next().unwrap_or_default();
    let mut out = match n / 10_000 {
        0 => String::new(),
        1 => numeral(Numeral::Power(4)).to_owned(),
        tens => sino_amount(tens) + numeral(Numeral::Power(4)),
    };
    for power in (0..4).rev() {
        let digit = n / 10_i64.pow(power) % 10;
        if digit > 0 {
            // 이십, but 십.
            out.push_str(if digit == 1 && power > 0 { "" } else { numeral(Numeral::Digit(digit)) });
            out.push_str(if power == 0 { "" } else { numeral(Numeral::Power(power as i32)) });
        }
    }
    out
}

/// Whether a syllable is a Sino-Korean numeral.
pub fn is_sino(c: char) -> bool {
    let numeral = korean::NUMERALS.meaning(c.encode_utf8(&mut [0; 4]));
    matches!(numeral, Some(Numeral::Digit(_) | Numeral::Power(_)))
}

/// A Korean month in words: 삼월.
pub fn sino_month(month: u32) -> String {
    sino_number(month.into()) + "월"
}
