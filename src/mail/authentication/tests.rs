use super::*;

const PASS: &str = "dmarc=pass header.from=a.example";

fn verdict(field: &str) -> AuthVerdict {
    AuthResults::parse(&["mx.me.example; ", field].concat()).verdict("a.example")
}

#[test]
fn hosts_and_quoted_values_are_read() {
    for (field, host, domain) in [
        ("mx.a.example; dmarc=pass (p=NONE sp=NONE) header.from=B.example", "mx.a.example", "b.example"),
        (" MX.a.example. 1 ;\r\n\tdkim=pass header.i=@b.example header.b=AbC+/1==", "mx.a.example", "b.example"),
        ("x; spf=pass smtp.mailfrom=\"a b; c\"@d.example", "x", "d.example"),
        ("x; spf=pass smtp.mailfrom=\"a\\\"b\"@d.example", "x", "d.example"),
        ("x; dmarc=pass(p=REJECT) header.from=b.example reason=\"a; b\"", "x", "b.example"),
        ("spf=pass (sender IP is (192.0.2.1)) smtp.mailfrom=b.example", "", "b.example"),
        ("\"mx a\" ; dkim=pass header.d=b.example; ; spf=none smtp.mailfrom=;", "mx a", "b.example"),
    ] {
        let read = AuthResults::parse(field);
        assert_eq!((&*read.host, read.verdict(domain)), (host, AuthVerdict::Passed), "{field}");
    }
    assert_eq!(AuthResults::parse("mx.a.example 1; none").results, Some(Vec::new()));
}

#[test]
fn malformed_fields_count_as_failure() {
    for field in [
        "dmarc=pass (a (b) header.from=a.example",
        "dmarc=pass header.from=a.example)",
        "dmarc=pass header.from=a.example (\\",
        "dmarc=pass header.from=a.example; dkim=pass header.d=firm.example(x).evil.example",
        "spf=pass smtp.mailfrom=a)@evil.example; dmarc=pass header.from=a.example",
        "dmarc=pass header.from=a.example; DMARC/1=none",
        "dmarc=pass header.from=a.example x=\"; dmarc = FAIL\"",
        "dmarc=pass header.from=a.example header.from=b.example",
        "dmarc=pass header.from=a.example and more",
        "dmarc=passed header.from=a.example",
        "dmarc= header.from=a.example",
    ] {
        assert_eq!(verdict(field), AuthVerdict::Failed, "{field}");
    }
    for host in ["mx.me.example 2", "mx.me.example x", "(mx.me.example", "\"mx.me.example"] {
        assert_eq!(
            AuthResults::parse(&[host, "; ", PASS].concat()).verdict("a.example"),
            AuthVerdict::Failed,
            "{host}"
        );
    }
    let long = ["mx.me.example; ", PASS, &" ".repeat(MAX_FIELD), "; dmarc=fail"].concat();
    assert_eq!(AuthResults::parse(&long).verdict("a.example"), AuthVerdict::Failed);
    let many = ["mx.me.example; ", PASS, &" a.b=c".repeat(MAX_PROPERTIES + 1)].concat();
    assert_eq!(AuthResults::parse(&many).verdict("a.example"), AuthVerdict::Failed);
}

#[test]
fn only_an_aligned_pass_authenticates_a_sender() {
    use AuthVerdict::{Absent, Failed, Passed};
    for (field, expected) in [
        ("dmarc=pass header.from=a.example", Passed),
        ("dmarc=pass header.from=mail.a.example", Passed),
        ("dmarc=pass", Passed),
        (
            "dmarc=pass header.from=a.example; spf=softfail smtp.mailfrom=x@list.example; arc=pass (i=1 dmarc=pass)",
            Passed,
        ),
        ("dmarc=fail header.from=a.example; spf=pass smtp.mailfrom=a.example; dkim=pass header.d=a.example", Failed),
        // Without a DMARC verdict, an aligned SPF or DKIM pass is required.
        ("spf=pass smtp.mailfrom=x@bounce.a.example; dkim=none", Passed),
        ("spf=fail smtp.mailfrom=list@b.example; dkim=pass header.i=@a.example", Passed),
        ("dkim=pass header.d=b.example; dkim=pass header.d=a.example", Passed),
        ("dkim=fail header.d=a.example; dkim=pass header.d=mail.a.example", Passed),
        ("dmarc=none header.from=a.example; dkim=pass header.d=a.example", Passed),
        ("dmarc=temperror header.from=a.example; spf=pass smtp.mailfrom=a.example", Passed),
        ("dmarc=bestguesspass action=none header.from=a.example; spf=pass smtp.mailfrom=a.example", Passed),
        ("dmarc=none header.from=a.example; spf=pass smtp.mailfrom=x@evil.example", Failed),
        ("spf=pass", Failed),
        ("dkim=pass", Failed),
        ("dkim=policy header.d=a.example", Failed),
        ("dkim=none; dkim=pass header.d=a.example", Failed),
        ("spf=fail smtp.mailfrom=bo@a.example; dkim=fail header.d=a.example", Failed),
        ("spf=pass smtp.mailfrom=a.example.evil.example", Failed),
        ("spf=pass smtp.mailfrom=a.example smtp.mailfrom=evil.example", Failed),
        ("spf=pass smtp.mailfrom=a.example; spf=pass smtp.mailfrom=evil.example", Failed),
        ("dkim=pass header.i=@a.example header.d=evil.example", Failed),
        ("none", Absent),
        ("iprev=pass policy.iprev=192.0.2.1", Absent),
        ("", Absent),
    ] {
        assert_eq!(verdict(field), expected, "{field}");
    }
}

/// Text that a sender may put into values echoed by a host.
const PIECES: &str = "\" \" \\ ( ( ) ; ; = @ . , / < > ' [ ] a \0 \u{ff08} dmarc=pass dmarc/1=pass header.from=example.org \
    dkim=pass\theader.d=example.org spf=pass\tsmtp.mailfrom=example.org example.org ;\tnone reason= =?utf-8?q?=22=28?= \
    mx.host.example; \t\tdmarc\t=\tpass\t \t";

/// Header formats of Gmail, OpenDMARC, Exchange, Yahoo, Fastmail and a host that quotes values.
const HOSTS: [&str; 6] = [
    "mx.host.example; dkim=pass header.i=@{i} header.s=s header.b=Ab; spf=pass (host.example: domain of {from} designates 192.0.2.1 as permitted sender) smtp.mailfrom={from}; dmarc=fail (p=NONE sp=NONE dis=NONE) header.from=example.org",
    "mx.host.example; spf=none (mx.host.example: {from} does not say) smtp.mailfrom={from} smtp.helo={helo}; dmarc=fail (p=none dis=none) header.from=example.org",
    "spf=pass (sender IP is 192.0.2.1) smtp.mailfrom={d}; dkim=pass (signature was verified) header.d={d};dmarc=fail action=none header.from=example.org;compauth=fail reason=001",
    "mx.host.example; dkim=pass header.i=@{i} header.s=s; spf=pass smtp.mailfrom={d}; dmarc=fail(p=NONE) header.from=example.org;",
    "mx.host.example; dkim=pass (2048-bit rsa key) header.d={d} header.i={i} ({name}); iprev=pass smtp.remote-ip=192.0.2.1 ({helo}); spf=pass smtp.mailfrom={from} smtp.helo={helo}; dmarc=fail (p=none,d=none) header.from=example.org",
    "mx.host.example; spf=pass smtp.mailfrom=\"{from}\" reason=\"{name}\"; dkim=pass header.d=\"{d}\" header.i=\"{i}\"; dmarc=fail reason=\"no alignment\" header.from=example.org",
];

#[test]
fn echoed_text_never_turns_a_failure_into_a_pass() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut roll = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let all: Vec<&str> = PIECES.split(' ').collect();
    let mut read_to_the_end = 0;
    for round in 0..60_000 {
        let mut field = HOSTS[round % HOSTS.len()].to_owned();
        for part in ["{from}", "{i}", "{d}", "{helo}", "{name}"] {
            let pieces = roll(8);
            let mut text: String = (0..pieces).map(|_| all[roll(all.len())]).collect();
            text.push_str("@evil.example");
            field = field.replace(part, &text);
        }
        let read = AuthResults::parse(&field);
        assert_eq!(read.verdict("example.org"), AuthVerdict::Failed, "{field}");
        assert!(!read.proves("example.org"), "{field}");
        read_to_the_end += usize::from(read.results.is_some());
    }
    assert!(read_to_the_end > 1_000, "hardly any field is well formed: {read_to_the_end}");
}
