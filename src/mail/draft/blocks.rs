//! The lines of a section → paragraphs, list items, `name: value` pairs and headings.
//!
//! It undoes hard line breaks and never changes a word.

use crate::language::{Words, has_hangul, words};
use std::ops::Range;

/// A run of text of one form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub form: BlockForm,
    /// Its bytes in the mail's text, marks included.
    pub span: Range<usize>,
    /// Its text with hard line breaks undone, marks left out.
    pub text: String,
    /// Whether an empty line stands before it.
    pub after_gap: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum BlockForm {
    Prose,
    /// A list item; `ordered` where it has a number.
    Item {
        ordered: bool,
    },
    /// `name: value`.
    Pair {
        name: String,
        value: String,
    },
    /// A short line over a list.
    Heading,
}

/// The blocks of `text[range]`.
pub(super) fn blocks(text: &str, range: Range<usize>) -> Vec<Block> {
    let lines = lines(text, range);
    let widest = lines.iter().map(|l| width(l.text)).max().unwrap_or(0);
    // Text that was not broken by a machine has lines of any length.
    let measure = (40..=110).contains(&widest).then_some(widest);
    let pairs = pairs(&lines);
    let mut blocks: Vec<Block> = Vec::new();
    let (mut gap, mut open) = (true, false);
    for (n, line) in lines.iter().enumerate() {
        if line.text.is_empty() || is_rule(line.text) {
            (gap, open) = (true, false);
            continue;
        }
        let previous = n.checked_sub(1).and_then(|p| lines.get(p)).filter(|p| !p.text.is_empty());
        let broken = !gap && previous.is_some_and(|p| was_broken(p.text, line.text, measure));
        let row = line.text.matches(" | ").count();
        // The names of a table's columns, over its rows.
        let is_row = |l: &&TextLine<'_>| l.text.matches(" | ").count() == row;
        let above = lines[..n].iter().rev().find(|l| !is_rule(l.text)).filter(is_row);
        let below = lines[n + 1..].iter().find(|l| !is_rule(l.text)).filter(is_row);
        if row >= 2 && !line.text.contains(|c: char| c.is_ascii_digit()) && above.is_none() && below.is_some() {
            continue;
        }
        let item = item(line.text).or_else(|| (row >= 2).then_some((false, line.text)));
        let plain = item.is_none() && pairs[n].is_none();
        let joint = match blocks.last().map(|b| &b.form) {
            Some(BlockForm::Prose) if plain && !gap => Some(if broken { ' ' } else { '\n' }),
            // Lines below an item that are indented, or that it was broken into.
            Some(_) if plain && open && (broken || line.indent > 1) => Some(' '),
            _ => None,
        };
        if let (Some(joint), Some(last)) = (joint, blocks.last_mut()) {
            last.text.push(joint);
            last.text.push_str(line.text);
            last.span.end = line.end;
            if let BlockForm::Pair { value, .. } = &mut last.form {
                value.push(' ');
                value.push_str(line.text);
            }
        } else {
            let body = item.map_or(line.text, |(_, body)| body);
            let form = match (&pairs[n], item) {
                (Some((name, value)), _) => BlockForm::Pair { name: name.clone(), value: value.clone() },
                (None, Some((ordered, _))) => BlockForm::Item { ordered },
                (None, None) => BlockForm::Prose,
            };
            open = form != BlockForm::Prose;
            blocks.push(Block { form, span: line.start..line.end, text: body.to_owned(), after_gap: gap });
        }
        gap = false;
    }
    mark_headings(text, &mut blocks);
    blocks
}

/// The name and value of each line that is a pair: a known label, or one of several in a row.
fn pairs(lines: &[TextLine<'_>]) -> Vec<Option<(String, String)>> {
    let read = |(n, l): (usize, &TextLine<'_>)| match item(l.text) {
        Some((true, _)) => None,
        Some((false, body)) => pair(body),
        None => pair(l.text).or_else(|| in_columns(lines, n)),
    };
    let found: Vec<_> = lines.iter().enumerate().map(read).collect();
    let near = |n: usize, step: isize| {
        // An empty line may stand between.
        (1..=2).map(|k| n.checked_add_signed(step * k)).find_map(|m| {
            let m = m.filter(|m| *m < lines.len())?;
            (!lines[m].text.is_empty()).then_some(found[m].is_some())
        })
    };
    let beside = |n: usize| near(n, -1) == Some(true) || near(n, 1) == Some(true);
    let keep = |(n, p): (usize, &Option<(String, String)>)| {
        p.as_ref().filter(|(name, _)| is_label(name) || beside(n)).cloned()
    };
    found.iter().enumerate().map(keep).collect()
}

struct TextLine<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    indent: usize,
}

fn lines(text: &str, range: Range<usize>) -> Vec<TextLine<'_>> {
    let mut at = range.start;
    text[range]
        .split('\n')
        .map(|line| {
            let indent = line.len() - line.trim_start().len();
            let start = at + indent;
            at += line.len() + 1;
            let trimmed = line.trim();
            TextLine { text: trimmed, start, end: start + trimmed.len(), indent }
        })
        .collect()
}

/// Columns on a screen of fixed width: Hangul takes two.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum()
}

/// Whether a machine broke the line: the next word would not have fitted.
fn was_broken(line: &str, next: &str, measure: Option<usize>) -> bool {
    if line.ends_with([':', '：']) {
        return false;
    }
    let ended = line.ends_with(['.', '!', '?', '。']);
    let word = next.split_whitespace().next().unwrap_or_default();
    match measure {
        Some(measure) if measure >= 60 => width(line) + 1 + width(word) > measure.min(80),
        // Few short lines: only a small letter tells that the sentence goes on.
        _ => !ended && next.starts_with(char::is_lowercase) && width(line) > 30,
    }
}

fn is_rule(line: &str) -> bool {
    let of_a_table = |c: char| matches!(c, '|' | '+' | ':') && line.contains("--");
    line.chars().count() >= 3
        && line
            .chars()
            .all(|c| matches!(c, '-' | '_' | '=' | '*' | '─' | '━' | '—' | '~' | '·' | '#' | ' ') || of_a_table(c))
}

/// The text of a list item, and whether it is numbered.
fn item(line: &str) -> Option<(bool, &str)> {
    const BULLETS: &[char] =
        &['-', '*', '•', '·', '○', '●', '■', '□', '▪', '▶', '►', '◆', '◇', '※', '–', '‣', '◦', '✓', '✔', '☐', '▷', '+'];
    let rest = line.trim_start_matches(BULLETS);
    let marks = line.len() - rest.len();
    if marks > 0 && marks <= 6 {
        let spaced = rest.starts_with(' ') || !line.starts_with(['-', '*', '+', '–', '·']);
        let body = rest.trim_start();
        return (spaced && !body.is_empty()).then_some((false, body));
    }
    if let Some(circled) = line.chars().next().filter(|c| ('①'..='⑳').contains(c) || ('❶'..='❿').contains(c)) {
        let body = line[circled.len_utf8()..].trim_start();
        return (!body.is_empty()).then_some((true, body));
    }
    // 1. 1) (1) 가. 가) a)
    let open = line.strip_prefix('(').unwrap_or(line);
    let len = open.find(|c: char| !c.is_ascii_digit()).unwrap_or(open.len());
    let label = if (1..=2).contains(&len) {
        len
    } else {
        let letter = open.chars().next()?;
        let counts =
            words!("mail/labels.counters").contains(&&open[..letter.len_utf8()]) || letter.is_ascii_lowercase();
        let after = open[letter.len_utf8()..].chars().next();
        let fits = counts && (after == Some(')') || after == Some('.') && letter > 'z');
        if fits { letter.len_utf8() } else { return None }
    };
    let after = &open[label..];
    let body = after.strip_prefix(['.', ')'])?;
    // "3.5 %" and "1.2.3" are no list; "2025. 3. 4." has a longer number.
    let body = body.strip_prefix(' ').map(str::trim_start)?;
    let date = body.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.')
        && body.starts_with(|c: char| c.is_ascii_digit());
    (!body.is_empty() && !date).then_some((true, body))
}

/// The name and value of a row: `name: value`, or the two cells of a table without its lines.
fn pair(line: &str) -> Option<(String, String)> {
    colon_pair(line).or_else(|| cells(line))
}

/// `name ........ value`, `name | value`, `name    value`: a name of few words, then what it is.
fn cells(line: &str) -> Option<(String, String)> {
    let leader = line.find("....").or_else(|| line.find("····")).or_else(|| line.find("‥‥"));
    let bar = line.find(" | ").filter(|at| !line[at + 3..].contains(" | "));
    let gap = line.find("    ").or_else(|| line.find('\t'));
    let at = leader.or(bar).or(gap)?;
    let marks = |c: char| c.is_whitespace() || matches!(c, '.' | '·' | '‥' | '|');
    let name = line[..at].trim();
    let value = line[at..].trim_start_matches(marks).split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = fits_a_row(name, if leader.is_some() { 8 } else { 4 }) && !value.is_empty();
    fits.then(|| (name.to_owned(), value))
}

/// The same where the line above or below begins its value in the same column, however near the name is.
fn in_columns(lines: &[TextLine<'_>], n: usize) -> Option<(String, String)> {
    let gap = |l: &TextLine<'_>| {
        let at = l.text.find("  ")?;
        let value = at + l.text[at..].find(|c: char| c != ' ')?;
        Some((at, value, l.indent + width(&l.text[..value])))
    };
    let (name, value, column) = gap(&lines[n])?;
    let beside = [n.checked_sub(1), Some(n + 1)].into_iter().flatten().filter_map(|m| lines.get(m));
    let aligned = beside.filter_map(gap).any(|(.., other)| other == column);
    let (name, value) = (&lines[n].text[..name], &lines[n].text[value..]);
    (aligned && fits_a_row(name, 6)).then(|| (name.to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// Whether a text of so many words at most may name the value beside it.
fn fits_a_row(name: &str, most: usize) -> bool {
    let short = name.split_whitespace().count() <= most && name.chars().count() <= 48;
    short && name.chars().any(char::is_alphabetic) && !name.ends_with(['.', '!', '?'])
}

/// `name: value`, where the name is a label and not the beginning of a sentence.
fn colon_pair(line: &str) -> Option<(String, String)> {
    let at = line.find([':', '：'])?;
    let name = line[..at].trim().trim_matches(['*', '[', ']', '<', '>', '【', '】', '"']).trim();
    let value = line[at..].trim_start_matches([':', '：']).trim().trim_matches('*').trim();
    let words = name.split_whitespace().count();
    let glued =
        line[at + line[at..].chars().next().map_or(1, char::len_utf8)..].starts_with(|c: char| !c.is_whitespace());
    let hangul = has_hangul(name);
    let fits = (1..=4).contains(&words)
        && !begins_a_sentence(name)
        && name.chars().count() <= if hangul { 20 } else { 32 }
        && !value.is_empty()
        && name.chars().any(char::is_alphabetic)
        && !name.contains(['.', '!', '?', ',', '|'])
        && !name.ends_with(|c: char| c.is_ascii_digit())
        && !value.starts_with("//");
    // "10:30", "a:b" inside a word.
    let glued_ok = !glued || hangul || value.starts_with(|c: char| c.is_ascii_digit());
    // A Korean label is a noun: no ending of a sentence or a clause.
    let clause = hangul && words > 1 && words!("mail/labels.ends of clauses").end(name);
    (fits && glued_ok && !clause).then(|| (name.to_owned(), value.to_owned()))
}

fn begins_a_sentence(name: &str) -> bool {
    static FIRST: &Words = words!("mail/labels.first words");
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    FIRST.contains(&first.as_str()) || words.next().is_none() && words!("mail/labels.alone").contains(&first.as_str())
}

/// Labels of one thing's properties; they stand alone; other pairs come at least in twos.
pub(super) fn is_label(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    words!("mail/labels.labels").contains(&name.as_str()) || words!("mail/labels.ends of labels").end(&name)
}

fn mark_headings(text: &str, blocks: &mut [Block]) {
    for n in 0..blocks.len() {
        let over_list =
            blocks.get(n + 1).is_some_and(|b| matches!(b.form, BlockForm::Item { .. } | BlockForm::Pair { .. }));
        // "■ 결정 사항" over "- …": an item of another mark.
        let mark = |b: &Block| text[b.span.clone()].chars().next();
        let over = mark(&blocks[n]) != blocks.get(n + 1).and_then(mark)
            && mark(&blocks[n]).is_some_and(|c| "■□▶►▷◆◇●○※#▣◎".contains(c));
        let block = &mut blocks[n];
        let short =
            width(&block.text) <= 40 && !block.text.contains('\n') && block.text.split_whitespace().count() <= 5;
        let open = !block.text.ends_with(['.', '!', '?', ',']);
        let sentence = words!("mail/labels.ends of sentences").end(&block.text);
        let plain = block.form == BlockForm::Prose || over && matches!(block.form, BlockForm::Item { .. });
        if plain && over_list && short && open && !sentence {
            block.form = BlockForm::Heading;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<String> {
        blocks(text, 0..text.len())
            .into_iter()
            .map(|b| match b.form {
                BlockForm::Prose => b.text.replace('\n', " / "),
                BlockForm::Item { ordered: false } => format!("- {}", b.text),
                BlockForm::Item { ordered: true } => format!("# {}", b.text),
                BlockForm::Pair { name, value } => format!("{name}={value}"),
                BlockForm::Heading => format!("== {}", b.text),
            })
            .collect()
    }

    #[test]
    fn hard_line_breaks_are_undone() {
        let text = "I am sorry about this: Lars has been called to a trade fair in Trondheim\nthat week, so I have to move our supplier \
            review to Tuesday 25 March. Same\nhour, 16:00 in Seoul.";
        assert_eq!(shape(text), [text.replace('\n', " ")]);
        assert_eq!(shape("첫 줄입니다.\n둘째 줄입니다."), ["첫 줄입니다. / 둘째 줄입니다."]);
    }

    #[test]
    fn lists_pairs_and_headings_are_told_apart() {
        let text = "New\n* Offline buffering: a logger keeps up to 72 hours of readings while its\n  gateway is unreachable.\n* Korean\n\n\
            1. One thing.\n2) Another\n   one.\n\n일시: 4월 10일(목) 오전 8시 30분\n장소 : 3층\n\n① 가\n- -3도\n3.5 % more\n10:30 start\nNote: we go.\nhttps://a.example/b";
        assert_eq!(
            shape(text),
            [
                "== New",
                "- Offline buffering: a logger keeps up to 72 hours of readings while its gateway is unreachable.",
                "- Korean",
                "# One thing.",
                "# Another one.",
                "일시=4월 10일(목) 오전 8시 30분",
                "장소=3층",
                "# 가",
                "- -3도",
                "3.5 % more / 10:30 start / Note: we go. / https://a.example/b",
            ]
        );
    }

    #[test]
    fn a_lone_label_is_a_pair_and_a_lone_clause_is_not() {
        assert_eq!(shape("마감: 3월 2일"), ["마감=3월 2일"]);
        assert_eq!(shape("What we want: more."), ["What we want: more."]);
        assert_eq!(shape("Invoice number: SK-1\nAmount due: EUR 9"), ["Invoice number=SK-1", "Amount due=EUR 9"]);
    }

    #[test]
    fn what_begins_in_one_column_is_a_value() {
        let booking = "Booking      ML-5506\nGuest/group  Cobb Street Brass\nArrive       Fri 14 Nov 2025";
        let rows = ["Booking=ML-5506", "Guest/group=Cobb Street Brass", "Arrive=Fri 14 Nov 2025"];
        assert_eq!(shape(booking), rows);
        let quote = "  Units, birch ply, as drawn        9,650\n  Pull-out pantry                   1,900";
        assert_eq!(shape(quote), ["Units, birch ply, as drawn=9,650", "Pull-out pantry=1,900"]);
        let prose = "I came home.  It was late.\nThe dog  slept.";
        assert_eq!(shape(prose), ["I came home.  It was late. / The dog  slept."]);
    }

    #[test]
    fn the_rule_of_a_table_is_no_row() {
        let text = "Swimmer | Class | Day\n--------|-------|----:\nJuno | Squad B | Monday\nTeddy | Level 5 | Friday";
        assert_eq!(shape(text), ["- Juno | Squad B | Monday", "- Teddy | Level 5 | Friday"]);
    }

    #[test]
    fn the_cells_of_a_row_are_a_name_and_a_value() {
        for (text, rows) in [
            (
                "2 x hanger, type 77 ........ GBP 36.00\nTotal ........ GBP 45.50",
                ["2 x hanger, type 77=GBP 36.00", "Total=GBP 45.50"],
            ),
            (
                "Priority     P2     ->  P1\nAssignee     Oisin  ->  Minjae",
                ["Priority=P2 -> P1", "Assignee=Oisin -> Minjae"],
            ),
            ("일시 | 5월 11일 10:00\n장소 | 서비스센터", ["일시=5월 11일 10:00", "장소=서비스센터"]),
        ] {
            assert_eq!(shape(text), rows, "{text}");
        }
        assert_eq!(shape("Well .... we will see."), ["Well .... we will see."]);
    }

    #[test]
    fn spans_cover_the_words() {
        let text = "가\n\n- 나 다\n  라";
        for block in blocks(text, 0..text.len()) {
            assert!(text.is_char_boundary(block.span.start) && text.is_char_boundary(block.span.end));
            assert!(text[block.span.clone()].contains(block.text.split(' ').next().unwrap()));
        }
    }
}
