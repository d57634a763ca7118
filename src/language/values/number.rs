//! Exact decimal numbers: 1.1 million equals 1,100,000 in any notation.

use std::{cmp::Ordering, fmt};

/// `mantissa × 10^exponent`, without trailing zeros in the mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Number {
    mantissa: i64,
    exponent: i8,
}

impl Number {
    pub const ZERO: Self = Self { mantissa: 0, exponent: 0 };
    pub const ONE: Self = Self { mantissa: 1, exponent: 0 };

    /// `mantissa × 10^exponent`; digits that do not fit are dropped.
    pub const fn new(mantissa: i128, exponent: i32) -> Self {
        let (mut m, mut e) = (mantissa, exponent);
        while m > i64::MAX as i128 || m < i64::MIN as i128 {
            m /= 10;
            e += 1;
        }
        if m == 0 {
            return Self::ZERO;
        }
        while m % 10 == 0 {
            m /= 10;
            e += 1;
        }
        let e = if e > 100 {
            100
        } else if e < -100 {
            -100
        } else {
            e
        };
        Self { mantissa: m as i64, exponent: e as i8 }
    }

    pub const fn whole(n: i64) -> Self {
        Self::new(n as i128, 0)
    }

    /// The quotient, to nine decimals.
    pub const fn ratio(top: i64, bottom: i64) -> Self {
        if bottom == 0 {
            return Self::ZERO;
        }
        Self::new(top as i128 * 1_000_000_000 / bottom as i128, -9)
    }

    pub const fn key(self) -> u64 {
        self.mantissa as u64 ^ (self.exponent as u8 as u64) << 56
    }

    pub const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    #[must_use]
    pub const fn shifted(self, by: i32) -> Self {
        Self::new(self.mantissa as i128, self.exponent as i32 + by)
    }

    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        Self::new(self.mantissa as i128 * other.mantissa as i128, self.exponent as i32 + other.exponent as i32)
    }

    /// The sum; a part too small for the precision is dropped.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if low.mantissa == 0 {
            return high;
        }
        let gap = (high.exponent - low.exponent) as u32;
        if high.mantissa == 0 {
            return low;
        }
        if gap > 18 {
            return high;
        }
        Self::new(high.mantissa as i128 * 10_i128.pow(gap) + low.mantissa as i128, low.exponent as i32)
    }

    #[must_use]
    pub const fn negated(self) -> Self {
        Self::new(-(self.mantissa as i128), self.exponent as i32)
    }

    pub fn as_whole(self) -> Option<i64> {
        match u32::try_from(self.exponent) {
            Ok(e) => self.mantissa.checked_mul(10_i64.checked_pow(e)?),
            Err(_) => None,
        }
    }

    pub fn as_f64(self) -> f64 {
        self.mantissa as f64 * 10_f64.powi(i32::from(self.exponent))
    }

    /// Whether two numbers are equal within the rounding of unit conversions (0.6 %).
    pub fn is_about(self, other: Self) -> bool {
        if self == other {
            return true;
        }
        let (a, b) = (self.as_f64(), other.as_f64());
        (a - b).abs() <= 0.006 * a.abs().max(b.abs())
    }
}

/// A number and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Amount {
    pub end: usize,
    pub number: Number,
    /// In native Korean numerals (열두), which count hours, people and things, but not minutes.
    pub native: bool,
    pub words: bool,
    /// With a power of ten (억, million).
    pub scaled: bool,
    /// A single scale word (만, 백), which also starts many other words.
    pub lone: bool,
}

impl Amount {
    pub const fn new(number: Number, end: usize) -> Self {
        Self { end, number, native: false, words: false, scaled: false, lone: false }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other { Ordering::Equal } else { self.as_f64().total_cmp(&other.as_f64()) }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.mantissa.unsigned_abs().to_string();
        if self.mantissa < 0 {
            f.write_str("-")?;
        }
        match usize::try_from(self.exponent) {
            Ok(zeros) => write!(f, "{digits}{:0<zeros$}", ""),
            Err(_) => {
                let places = usize::from(self.exponent.unsigned_abs());
                if digits.len() > places {
                    let (whole, rest) = digits.split_at(digits.len() - places);
                    write!(f, "{whole}.{rest}")
                } else {
                    write!(f, "0.{digits:0>places$}")
                }
            }
        }
    }
}
