//! The words by which a sentence asks, settles, proposes, reports.
//!
//! Lists alone: how they are looked for is said in `cues`.

use crate::language::{Words, words};

pub(super) static REQUEST: Words = words!("mail/phrases.request");

pub(super) static ENGLISH_REQUEST: Words = words!("mail/phrases.english request");

pub(super) static IMPERATIVE: Words = words!("mail/phrases.imperative");

pub(super) static PROPOSAL: Words = words!("mail/phrases.proposal");

pub(super) static DECISION: Words = words!("mail/phrases.decision");

pub(super) static GO_AHEAD: Words = words!("mail/phrases.go ahead");

pub(super) static UNSETTLED: Words = words!("mail/phrases.unsettled");

pub(super) static PROJECT: Words = words!("mail/phrases.project");

pub(super) static CHANGE: Words = words!("mail/phrases.change");

pub(super) static TROUBLE: Words = words!("mail/phrases.trouble");

pub(super) static WANT: Words = words!("mail/phrases.want");

pub(super) static UNCHANGED: Words = words!("mail/phrases.unchanged");

pub(super) static FACT: Words = words!("mail/phrases.fact");

/// What can be in a calendar; followed by none of the syllables that make another thing of it (회의록, 교육비).
pub(super) static KOREAN_MEETINGS: Words = words!("mail/phrases.korean meetings");
pub(super) static ENGLISH_MEETINGS: Words = words!("mail/phrases.english meetings");
