//! What a sentence says by its phrases, as the rows of one table tag them.
//!
//! The table alone: how a sentence is looked up in it is said in `plain`.

use crate::language::{Phrases, phrases};

/// What a sentence says by its words; a tag of `language/data/mail/phrases.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing, whatever values it holds.
    Empty,
    /// Nothing, unless it holds a date or an amount.
    Soft,
    Request,
    EnglishRequest,
    NoRequest,
    NoKoreanRequest,
    /// What is to be done, as one writes to oneself.
    Noted,
    Question,
    Proposal,
    Decision,
    GoAhead,
    Unsettled,
    Project,
    Change,
    Trouble,
    Want,
    Unchanged,
    Fact,
    /// What can be in a calendar.
    KoreanMeetings,
    EnglishMeetings,
    /// What will be done before anybody asks for it.
    Promises,
    Errands,
    /// Where one meets.
    Meets,
    /// Whether somebody comes.
    Answer,
    Settled,
    /// An offer of a shop.
    Offer,
    /// What it gives its reader to use.
    Coupon,
    Bundle,
    /// A code to sign in with.
    Code,
    /// What a machine sends to everybody.
    Circular,
    Transaction,
    Excuse,
    /// A list follows.
    Lead,
    Introduces,
    SaysWho,
    Copula,
    Laughs,
    OfUs,
    OfYou,
    Predicate,
    Verb,
    Booked,
    /// What the author has only heard.
    Hearsay,
    /// Money that is to go somewhere.
    Pays,
}

/// Of which sentences a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowLimits {
    pub characters: u16,
    pub words: u16,
    /// Whether it may hold digits.
    pub digits: bool,
}

pub(super) static PHRASES: Phrases<(Said, RowLimits)> = phrases!("mail/phrases");

// A sentence keeps a bit of what it says for each.
const _: () = assert!((Said::Pays as u32) < u64::BITS);
