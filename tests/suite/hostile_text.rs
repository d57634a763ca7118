//! Hostile text: the readers end in good time and do not panic.

use memfold::analysis::analyse;
use memfold::extract::drafts;
use memfold::language::{Folded, cues, tokens, values};
use memfold::mail::{Account, HostCharset, read};
use memfold::model::Draft;

const PIECES: &[&str] = &[
    "EOD ",
    "end of ",
    "a.",
    "v1.",
    "@a",
    "월·",
    "next ",
    "다음 ",
    "만",
    "1,",
    "3월 ",
    "half ",
    "-",
    "(",
    "🎉",
    "\u{301}",
    "매주 ",
    "every other ",
    "between ",
    "#",
    "http://",
    "Q1 ",
    "한",
    "오전 ",
];

#[test]
fn repeated_value_fragments_are_read_without_hanging() {
    for piece in PIECES {
        let text = piece.repeat(20_000 / piece.len());
        let found = values(&text, None);
        assert!(found.iter().all(|f| text.get(f.span.start..f.span.end).is_some()), "{piece}");
        let folded = Folded::new(&text);
        assert!(tokens(&folded).len() <= text.len(), "{piece}");
        assert!(cues(&folded).len() <= text.len(), "{piece}");
        let draft = Draft::new(&text);
        let analysis = analyse(&(&draft).into(), &(&Draft::new("예산 5000만원")).into());
        assert!(analysis.probabilities.iter().sum::<f32>() > 0.99, "{piece}");
    }
}

#[test]
fn mail_of_repeated_fragments_gives_valid_drafts() {
    for piece in
        PIECES.iter().chain(&["> ", "<div>", "=?utf-8?B?", "On x wrote:\n", "From: a\n", "안녕하세요. ", "x. "])
    {
        let head = "From: a@b.example\r\nTo: me@b.example\r\nDate: Tue, 14 Jan 2025 09:00:00 +0900\r\n";
        for kind in ["plain", "html"] {
            let body = piece.repeat(20_000 / piece.len());
            let mail = format!("{head}Subject: {piece}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\n{body}");
            let mail = read(mail.as_bytes(), &HostCharset).unwrap();
            for draft in drafts(&mail, &Account::default()) {
                assert_eq!(draft.validate(), Ok(()), "{piece}");
            }
        }
    }
}

#[test]
fn truncated_or_random_mail_never_panics() {
    let whole = "From: a@b.example\r\nSubject: =?EUC-KR?B?v7m76g==?=\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nPGI+aGVsbG8gb24gMyBNYXk8L2I+\r\n--x\r\n\
        Content-Type: text/calendar\r\n\r\nBEGIN:VEVENT\r\nDTSTART:20250520T090000Z\r\nEND:VEVENT\r\n--x--\r\n";
    for end in 0..whole.len() {
        for bytes in [whole.as_bytes()[..end].to_vec(), whole.as_bytes()[end..].to_vec()] {
            if let Ok(mail) = read(&bytes, &HostCharset) {
                assert!(drafts(&mail, &Account::default()).iter().all(|d| d.validate().is_ok()));
            }
        }
    }
    let noise: Vec<u8> = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let _ = read(&noise, &HostCharset).map(|m| drafts(&m, &Account::default()));
}
