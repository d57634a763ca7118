use crate::mail::html::render;

/// Whether text of this style is read, on a page with this sheet.
fn shown(sheet: &str, body: &str) -> bool {
    render(&format!("<style>{sheet}</style>{body}")).contains("SECRET")
}

#[test]
fn what_cannot_be_seen_is_known() {
    for style in [
        "display: none !important",
        "visibility:hidden",
        "opacity:0",
        "font-size:0px",
        "font-size:1px;line-height:1px",
        "font:0/0 a",
        "color:#fff",
        "color:#fefefe;background:#FFFFFF",
        "color:rgba(0,0,0,0)",
        "color:transparent",
        "background-color:black;color:rgb(0, 0, 0)",
        "color:#fff;background:url(a.png)",
        "position:absolute;left:-9999px",
        "text-indent:-9999px",
        "max-height:0;overflow:hidden",
        "height:1px;width:1px;overflow:hidden",
        "clip:rect(0,0,0,0)",
        "transform:scale(0)",
        "text-decoration:line-through",
    ] {
        assert!(!shown("", &format!("<p style='{style}'>SECRET")), "{style}");
    }
}

#[test]
fn what_can_be_seen_stays() {
    for style in [
        "",
        "color:#333",
        "color:white;background:#2e8b57",
        "color:#fff;background:#333 url(a.png)",
        "font-size:11px;line-height:0",
        "height:0",
        "position:relative;left:-2px",
        "display:block;opacity:.8",
        "color:#999;font-size:9pt",
        "max-width:100%",
        "margin:0;padding:0",
        "mso-hide:all",
    ] {
        assert!(shown("", &format!("<p style='{style}'>SECRET")), "{style}");
    }
}

#[test]
fn style_sheets_are_read_where_they_always_hold() {
    let sheet =
        "<!-- /* x */ .a, p.b{display:none} @media (max-width:600px){.c{display:none}} #d{color:#fff} .e i{opacity:0}";
    assert!(!shown(sheet, "<p class='x A'>SECRET"));
    assert!(!shown(sheet, "<p class=b>SECRET") && shown(sheet, "<div class=b>SECRET"));
    assert!(shown(sheet, "<p class=c>SECRET"));
    assert!(!shown(sheet, "<p id=d>SECRET") && shown(sheet, "<p id=e>SECRET"));
    assert!(!shown(sheet, "<p class=e><b><i>SECRET") && shown(sheet, "<p><b><i>SECRET"));
}

#[test]
fn past_a_bound_nothing_is_shown() {
    let many = "*{color:red}".repeat(600);
    assert!(!shown(&many, "<p>SECRET"));
    let attributes: String = (0..200).map(|n| format!("a{n} ")).collect();
    assert!(!shown("", &format!("<p {attributes}>SECRET")));
    let deep = format!("{}<b class=x>SECRET", "<i>".repeat(600));
    assert!(!shown(".x{display:none}", &deep));
    let laughs: String = (1..60).map(|n| format!("--a{n}:var(--a{0}) var(--a{0});", n - 1)).collect();
    assert!(!shown(&format!("p{{--a0:x;{laughs}display:var(--a59)}}"), "<p>SECRET"));
}

#[test]
fn variables_cost_no_more_than_a_page_of_their_size_may() {
    use crate::mail::html::css::tokens;
    use crate::mail::html::value::{Missing, Variables, substitute};
    use std::cell::Cell;
    let most = 100_000;
    let looked_at = |value: &str, variables: &Variables| {
        let left = Cell::new(most);
        let told = substitute(&tokens(value), variables, 0, &left);
        (told, most - left.get())
    };
    let long: std::rc::Rc<[_]> = tokens(&"a ".repeat(60_000)).into();
    let short: std::rc::Rc<[_]> = tokens("red").into();
    let known: Variables =
        [("--l".into(), Some(long)), ("--s".into(), Some(short)), ("--e".into(), Some([].into()))].into();
    for value in [
        "var(--x,".repeat(16_000),
        "var(--l)".repeat(16_000),
        "var(--s) ".repeat(14_000),
        "a ".repeat(64_000),
        "f(".repeat(64_000),
        ["var(--x,", &"var(--x,a)".repeat(12_000), ")"].concat(),
    ] {
        let (told, cost) = looked_at(&value, &known);
        assert_eq!(told, Err(Missing::Unsure), "{}", &value[..20]);
        assert!(cost <= most, "{cost}");
    }
    // What grows by nothing is bounded too.
    let (told, cost) = looked_at(&"var(--e)".repeat(60_000), &known);
    assert_eq!((told, cost), (Err(Missing::Unsure), most));
    let (told, cost) = looked_at("var(--x, var(--s)) 1px", &known);
    assert!(told.is_ok() && cost < 40, "{cost}");
}

#[test]
fn a_page_that_spends_all_its_work_on_variables_shows_no_more() {
    let values = |value: &str, count: usize| format!("p{{{}}}", format!("color:{value};").repeat(count));
    let long = "x ".repeat(400);
    let many = "<p>a".repeat(8_000);
    for sheet in [
        format!(":root{{--a:{long}}}{}", values("var(--a)", 400)),
        values(&"var(--x,".repeat(12), 400),
        format!("p{{--a:{long};--b:var(--a);--c:var(--b);--d:var(--c)}}"),
    ] {
        assert!(!shown(&sheet, &format!("{many}<p>SECRET")), "{}", &sheet[..40]);
    }
    // A page of a common framework sets fifty variables on each of its elements.
    let common: String = (0..50).map(|n| format!("--tw-{n}:0 0 #0000;")).collect();
    let sheet = format!("*{{{common}}}p{{color:var(--tw-ink,#222);box-shadow:var(--tw-1),var(--tw-2)}}");
    let words = "Some words of a newsletter. ".repeat(18);
    assert!(shown(&sheet, &format!("{}<p>SECRET", format!("<div><p>{words}</div>").repeat(100))));
}
