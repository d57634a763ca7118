use super::*;

/// Writes down what it is handed.
#[derive(Default)]
struct TokenLog {
    all: Vec<String>,
    attributes: Vec<Vec<Attribute>>,
}

impl Sink for TokenLog {
    fn text(&mut self, text: &str) {
        match self.all.last_mut().filter(|last| last.starts_with('\'')) {
            Some(last) => last.push_str(text),
            None => self.all.push(format!("'{text}")),
        }
    }

    fn comment(&mut self, text: &str) {
        // Of a comment that the page's end cuts off the last dashes count or not.
        self.all.push(format!("!{}", text.trim_end_matches(['-', '!'])));
    }

    fn doctype(&mut self, _: Option<String>, _: Option<String>) {
        self.all.push("doctype".to_owned());
    }

    fn open(&mut self, name: String, attributes: Vec<Attribute>, self_closing: bool) -> Option<TextState> {
        self.all.push(format!("<{name} {attributes:?} {self_closing}"));
        self.attributes.push(attributes);
        match &*name {
            "title" | "textarea" => Some(TextState::RcData),
            "style" | "iframe" | "xmp" | "noembed" => Some(TextState::RawText),
            "script" => Some(TextState::Script),
            "plaintext" => Some(TextState::Plain),
            _ => None,
        }
    }

    fn close(&mut self, name: &str) {
        self.all.push(format!("</{name}"));
    }

    fn is_foreign(&self) -> bool {
        false
    }
}

fn seen(html: &str) -> TokenLog {
    let mut seen = TokenLog::default();
    parse(html, &mut seen);
    seen
}

/// The same by html5gum, a well-kept tokenizer that passes the tests of the standard.
fn theirs(html: &str) -> Vec<String> {
    use html5gum::{DefaultEmitter, Token, Tokenizer};
    let mut emitter = DefaultEmitter::<()>::default();
    emitter.naively_switch_states(true);
    let mut out = TokenLog::default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        match token.unwrap() {
            Token::StartTag(tag) => {
                let attributes: Vec<Attribute> =
                    tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                out.all.push(format!("<{} {:?} {}", text(&tag.name), attributes, tag.self_closing));
            }
            Token::EndTag(tag) => out.all.push(format!("</{}", text(&tag.name))),
            Token::String(string) => out.text(&text(&string)),
            Token::Comment(comment) => out.comment(&text(&comment)),
            Token::Doctype(_) => out.doctype(None, None),
            Token::Error(_) => {}
        }
    }
    out.all
}

#[test]
fn markup_and_text_are_told_apart() {
    let brief = |html: &str| -> String {
        let words = seen(html).all.into_iter().map(|t| match t.split_at(1) {
            ("'", text) => text.to_owned(),
            ("!", _) | ("d", _) => "<!>".to_owned(),
            _ => format!("{}>", t.split(' ').next().unwrap()),
        });
        words.collect()
    };
    for (html, tokens) in [
        ("a <b>c</B> d", "a <b>c</b> d"),
        ("1 < 2 & 3 &lt; 4 <5 > 6", "1 < 2 & 3 < 4 <5 > 6"),
        ("<a href='x>y' title=\"<b>\">t</a>", "<a>t</a>"),
        ("<p title=a'b>t", "<p>t"),
        ("<!-- <b>x</b> -->t<!DOCTYPE html><?xml x?>u", "<!>t<!><!>u"),
        ("<!-->t<!--->u<!--x--!>v", "<!>t<!>u<!>v"),
        ("<style>p<b>{}</style>t<script>if(a</b>)</script >u", "<style>p<b>{}</style>t<script>if(a</b>)</script>u"),
        ("<textarea>&lt;b></textarea>", "<textarea><b></textarea>"),
        ("t<script>never closed", "t<script>never closed"),
        ("t<b never closed", "t"),
        ("<br/>t</br x='>'>u", "<br>t</br>u"),
        ("<", "<"),
        ("</", "</"),
        ("", ""),
    ] {
        assert_eq!(brief(html), tokens, "{html}");
    }
}

#[test]
fn attributes_are_found() {
    let find = |html: &str, name: &str| {
        let all = seen(html).attributes.remove(0);
        all.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    };
    let html = "<p a=1 STYLE = 'color: red' hidden b=\"x&amp;y\" c=d/e f style=no>";
    assert_eq!(find(html, "style").as_deref(), Some("color: red"));
    assert_eq!(find(html, "hidden").as_deref(), Some(""));
    assert_eq!(find(html, "b").as_deref(), Some("x&y"));
    assert_eq!(find(html, "c").as_deref(), Some("d/e"));
    assert_eq!(find(html, "f").as_deref(), Some(""));
    assert_eq!(find(html, "g"), None);
    assert_eq!(find("<p a='x'b='y'>", "b").as_deref(), Some("y"));
}

#[test]
fn tokens_are_those_of_the_standard() {
    const PIECES: &[&str] = &[
        "<",
        ">",
        "/",
        "!",
        "-",
        "--",
        "<!--",
        "-->",
        "--!>",
        "<!-->",
        "<!--->",
        "</",
        "<p",
        "<P ",
        "<p/>",
        "</p>",
        "=",
        "\"",
        "'",
        " ",
        "\n",
        "\t",
        "a",
        "b=c",
        "a='",
        "x=\"",
        "&amp",
        "&amp;",
        "&lt",
        "&copy=",
        "&not;",
        "&#x41;",
        "&#65",
        "&#0;",
        "&#x80;",
        "&#xD800;",
        "&bsol;",
        "&colon;",
        "&",
        "&#",
        "&#x;",
        "&;",
        "<script>",
        "</script>",
        "<script",
        "</script ",
        "<!--<script>",
        "<style>",
        "</style>",
        "</styl",
        "<title>",
        "</title>",
        "<textarea>",
        "</textarea/>",
        "<xmp>",
        "</xmp>",
        "<?php ?>",
        "<!DOCTYPE html>",
        "<![CDATA[",
        "]]>",
        "<plaintext>",
        "한글",
        "é",
        "\0",
        "<a b=c/>",
        "<a =b>",
        "<a b = c>",
        "<a/b>",
        "`",
        "</ x>",
        "<1>",
        "</>",
    ];
    let mut next = crate::mail::html::drawn(0x9E37_79B9);
    for _ in 0..60_000 {
        let html: String = (0..1 + next(9)).map(|_| PIECES[next(PIECES.len())]).collect();
        // The names and order of attributes are compared sorted: html5gum keeps them so.
        let sorted =
            |all: Vec<String>| -> Vec<String> { all.into_iter().map(|t| t.replace('\0', "\u{FFFD}")).collect() };
        let mut ours = TokenLog::default();
        parse(&html, &mut Sorted(&mut ours));
        assert_eq!(sorted(ours.all), sorted(theirs(&html)), "{html:?}");
    }
}

/// Hands attributes on in the order of their names.
struct Sorted<'a>(&'a mut TokenLog);

impl Sink for Sorted<'_> {
    fn text(&mut self, text: &str) {
        self.0.text(text);
    }

    fn comment(&mut self, text: &str) {
        self.0.comment(text);
    }

    fn doctype(&mut self, public: Option<String>, system: Option<String>) {
        self.0.doctype(public, system);
    }

    fn open(&mut self, name: String, mut attributes: Vec<Attribute>, self_closing: bool) -> Option<TextState> {
        attributes.sort();
        self.0.open(name, attributes, self_closing)
    }

    fn close(&mut self, name: &str) {
        self.0.close(name);
    }

    fn is_foreign(&self) -> bool {
        false
    }
}
