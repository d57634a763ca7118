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
