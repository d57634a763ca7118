//! A page's style sheets: which rules there are, and which speak of an element.
//!
//! It never loads a sheet; what it cannot evaluate holds [`Fit::Maybe`].

use super::css::{COMMENT_MARK, CssToken, past_block, split, tokens, trim};
use super::media;
use super::selector::{self, Fit, Matcher, Selector, SelectorKey};
use super::tree::{Content, Element, Tree, among};
use super::value::Variables;
use std::collections::HashMap;
use std::rc::Rc;

/// The properties that are read.
const KNOWN: &str = "all display visibility opacity filter font-size font line-height height width \
    max-height max-width min-height min-width block-size inline-size max-block-size max-inline-size min-block-size \
    min-inline-size overflow overflow-x overflow-y overflow-block overflow-inline position left top right bottom inset \
    inset-block inset-inline inset-block-start inset-block-end inset-inline-start inset-inline-end margin margin-left \
    margin-top margin-right margin-bottom margin-block margin-inline margin-block-start margin-block-end \
    margin-inline-start margin-inline-end padding padding-left padding-top padding-right padding-bottom padding-block \
    padding-inline padding-block-start padding-block-end padding-inline-start padding-inline-end text-indent clip \
    clip-path -webkit-clip-path transform -webkit-transform translate scale rotate zoom text-decoration \
    text-decoration-line color -webkit-text-fill-color background background-color background-image background-clip \
    -webkit-background-clip background-size background-position background-position-x background-position-y mask mask-image -webkit-mask -webkit-mask-image mask-border -webkit-mask-box-image \
    -webkit-mask-box-image-source content-visibility letter-spacing word-spacing font-family -webkit-text-security \
    mix-blend-mode z-index float content font-size-adjust contain offset-path offset animation animation-name \
    -webkit-animation -webkit-animation-name line-clamp -webkit-line-clamp white-space text-align text-wrap \
    text-wrap-mode box-sizing flex flex-basis grid-template grid-template-rows grid-template-columns grid color-scheme \
    outline outline-width outline-offset border border-width border-top border-left border-top-width border-left-width \
    box-shadow transform-origin table-layout -webkit-filter backdrop-filter direction";

/// `name: value`.
#[derive(Debug, Clone)]
pub(super) struct Declaration {
    /// In lower case, but for custom properties.
    pub name: Rc<str>,
    pub value: Rc<[CssToken]>,
    pub important: bool,
}

#[derive(Debug)]
struct StyleRule {
    selectors: Rc<[Selector]>,
    declarations: Rc<[Declaration]>,
    /// Whether the conditions around it hold.
    sure: Fit,
    /// In a layer, where what is important weighs more than what is in none.
    layered: bool,
}

/// A rule that speaks of an element.
pub(super) struct RuleMatch {
    pub declarations: Rc<[Declaration]>,
    pub sure: Fit,
    /// Specificity and place; the heavier wins.
    pub weight: u64,
    /// As in [`Selector::pseudo`].
    pub pseudo: Option<bool>,
}

/// What `@keyframes` sets: at its end, and on the way.
#[derive(Debug, Default, Clone)]
pub(super) struct Frames {
    pub last: Vec<Declaration>,
    pub all: Vec<Declaration>,
}

/// The rules of a page.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    rules: Vec<StyleRule>,
    index: HashMap<SelectorKey, Vec<(u32, u32)>>,
    pub frames: Vec<(String, Frames)>,
    /// Families whose glyphs the page brings along, which may draw nothing.
    pub fonts: Vec<String>,
    /// Custom properties with values of their own.
    pub registered: Rc<Variables>,
    /// The page says which styles may be used.
    pub guarded: bool,
}

/// Rules of a page that are weighed; a newsletter has some hundreds.
const MAX_RULES: usize = 5_000;
/// More declarations than hold of any element of a mail; from such an element on nothing is shown.
pub(super) const MAX_DECLARATIONS: usize = 500;

/// Rules in rules, deeper than any mail has them.
const MAX_NESTING: usize = 8;

/// What rules lie in.
#[derive(Clone)]
struct Around {
    parent: Option<Rc<[Selector]>>,
    sure: Fit,
    layered: bool,
    depth: usize,
}

/// The sheets of a page, in order.
pub(super) fn of(tree: &Tree) -> StyleSheet {
    let mut sheet = StyleSheet::default();
    let mut title: Option<String> = None;
    for at in tree.in_order() {
        let Some(element) = tree.element(at) else { continue };
        let attribute = |name: &str| element.attribute(name).unwrap_or_default().trim().to_ascii_lowercase();
        let css = match &*element.name {
            "style" => {
                let kind = attribute("type");
                if !kind.is_empty() && kind != "text/css" || tree.in_template(at) {
                    continue;
                }
                let mut css = String::new();
                for child in tree.children(at) {
                    if let Content::Text(text) = &tree.node(child).content {
                        css.push_str(text);
                    }
                }
                css
            }
            "link" if attribute("rel").split_ascii_whitespace().any(|r| r == "stylesheet") => {
                match element.attribute("href").and_then(data_sheet) {
                    Some(css) => css,
                    None => continue,
                }
            }
            "meta" if attribute("http-equiv") == "content-security-policy" => {
                sheet.guarded = true;
                continue;
            }
            _ => continue,
        };
        let mut sure = media::queries(&tokens(element.attribute("media").unwrap_or_default()));
        // Of sheets with several titles a browser takes those of one.
        let name = attribute("title");
        if !name.is_empty() && *title.get_or_insert_with(|| name.clone()) != name {
            sure = sure.min(Fit::Maybe);
        }
        sheet.read(&css, sure);
    }
    sheet
}

/// The text of a sheet in a `data:` address.
fn data_sheet(address: &str) -> Option<String> {
    let address = address.trim();
    let head = address.get(..5)?;
    let (kind, data) = address[5..].split_once(',').filter(|_| head.eq_ignore_ascii_case("data:"))?;
    let kind = kind.to_ascii_lowercase();
    if !kind.starts_with("text/css") {
        return None;
    }
    let mut bytes = Vec::with_capacity(data.len());
    let mut rest = data.as_bytes().iter();
    while let Some(b) = rest.next().copied() {
        let hex = |b: Option<&u8>| b.and_then(|b| char::from(*b).to_digit(16));
        let ahead = rest.as_slice();
        match (b, hex(ahead.first()), hex(ahead.get(1))) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest.nth(1);
            }
            _ => bytes.push(b),
        }
    }
    if kind.ends_with(";base64") {
        bytes.retain(|b| !b.is_ascii_whitespace());
        bytes = mail_parser::decoders::base64::base64_decode(&bytes)?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl StyleSheet {
    /// Reads a style element.
    pub fn read(&mut self, css: &str, sure: Fit) {
        if sure != Fit::No {
            self.rules(&tokens(css), &Around { parent: None, sure, layered: false, depth: 0 });
        }
    }

    /// Rules, and the declarations between them where they lie in another rule.
    fn rules(&mut self, tokens: &[CssToken], around: &Around) -> Vec<Declaration> {
        let mut own = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let nested = around.parent.is_some();
            match token {
                CssToken::Space => at += 1,
                CssToken::Delim(';') if nested => at += 1,
                token if !nested && *token == COMMENT_MARK => at += 1,
                CssToken::At(name) => {
                    let (prelude, end) = until(tokens, at + 1, true);
                    let block = block(tokens, end);
                    at = past_block(tokens, end);
                    self.at_rule(name, prelude, block, around);
                }
                _ => {
                    let custom = matches!(&tokens[at..], [CssToken::Ident(n), ..] if n.starts_with("--"));
                    let (prelude, end) = until(tokens, at, nested);
                    if nested && (custom || !matches!(tokens.get(end), Some(CssToken::Open('{')))) {
                        let end = if custom { until_semicolon(tokens, at) } else { end };
                        own.extend(declaration(&tokens[at..end]));
                        at = end + 1;
                    } else {
                        self.rule(prelude, block(tokens, end), around);
                        at = past_block(tokens, end);
                    }
                }
            }
        }
        own
    }

    fn rule(&mut self, prelude: &[CssToken], block: &[CssToken], around: &Around) {
        if around.depth > MAX_NESTING {
            return;
        }
        let Some((selectors, sure)) = selector::list(prelude, around.parent.as_ref(), 0) else { return };
        let inner = Around {
            parent: Some(selectors.clone()),
            sure: sure.min(around.sure),
            depth: around.depth + 1,
            ..around.clone()
        };
        // Its own declarations come before those of the rules in it.
        let place = self.rules.len();
        self.add(selectors, Vec::new(), inner.sure, inner.layered);
        self.rules[place].declarations = self.rules(block, &inner).into();
    }

    fn at_rule(&mut self, name: &str, prelude: &[CssToken], block: &[CssToken], around: &Around) {
        let sure = match name {
            "media" => media::queries(prelude),
            _ => Fit::Maybe,
        };
        let mut inner = Around { sure: around.sure.min(sure), depth: around.depth + 1, ..around.clone() };
        inner.layered |= name == "layer" || name == "import";
        if inner.sure == Fit::No || inner.depth > MAX_NESTING {
            return;
        }
        match name {
            "media" | "supports" | "container" | "layer" => {
                let own = self.rules(block, &inner);
                if let Some(parent) = inner.parent.filter(|_| !own.is_empty()) {
                    self.add(parent, own, inner.sure, inner.layered);
                }
            }
            "scope" => {
                // `&` and `:scope` are elements that are not looked for.
                inner.parent = selector::list(&tokens(":unknown"), None, 0).map(|(list, _)| list);
                self.rules(block, &inner);
            }
            "import" => {
                let address = prelude.iter().find_map(|t| match t {
                    CssToken::Url(address) | CssToken::Text(address) => Some(&**address),
                    _ => None,
                });
                if let Some(css) = address.and_then(data_sheet) {
                    self.rules(&tokens(&css), &inner);
                }
            }
            "keyframes" | "-webkit-keyframes" => self.keyframes(prelude, block),
            "font-face" => self.font(block),
            "property" => {
                if let [CssToken::Ident(name)] = trim(prelude) {
                    Rc::make_mut(&mut self.registered).insert(name.clone(), None);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, selectors: Rc<[Selector]>, declarations: Vec<Declaration>, sure: Fit, layered: bool) {
        let place = self.rules.len() as u32;
        for (n, selector) in selectors.iter().enumerate() {
            self.index.entry(selector.key()).or_default().push((place, n as u32));
        }
        self.rules.push(StyleRule { selectors, declarations: declarations.into(), sure, layered });
    }

    fn keyframes(&mut self, prelude: &[CssToken], block: &[CssToken]) {
        let [CssToken::Ident(name) | CssToken::Text(name)] = trim(prelude) else { return };
        let mut frames = Frames::default();
        let mut at = 0;
        while at < block.len() {
            let (prelude, end) = until(block, at, false);
            let set = declarations(self::block(block, end));
            let ends = prelude.iter().any(|t| t.is("to") || *t == CssToken::Percent(100.0));
            if ends {
                frames.last.extend(set.iter().cloned());
            }
            frames.all.extend(set);
            at = past_block(block, end);
        }
        self.frames.push((name.to_string(), frames));
    }

    /// A font that the page holds in itself, or makes smaller, may draw nothing.
    fn font(&mut self, block: &[CssToken]) {
        let set = parse(block, |_| true);
        let find = |name: &'static str| set.iter().filter(move |d| *d.name == *name);
        let holds = |d: &Declaration| {
            d.value.iter().any(|t| match t {
                CssToken::Url(u) | CssToken::Text(u) => {
                    u.trim().get(..5).is_some_and(|u| u.eq_ignore_ascii_case("data:"))
                }
                _ => false,
            })
        };
        let shrinks = |d: &Declaration| !matches!(d.value[..], [CssToken::Percent(n)] if n >= 50.0);
        if find("src").any(holds) || find("size-adjust").any(shrinks) {
            self.fonts.extend(find("font-family").map(|d| family(trim(&d.value))));
        }
    }

    /// Whether there are more rules than any mail has: then they may hide anything.
    pub fn is_flooded(&self) -> bool {
        self.rules.len() > MAX_RULES
    }

    /// The rules that may speak of an element.
    pub fn find(&self, matcher: &mut Matcher<'_>, at: u32, element: &Element) -> Vec<RuleMatch> {
        let mut out = Vec::new();
        let mut many = 0;
        let mut keys = vec![SelectorKey::Tag(element.name.to_string()), SelectorKey::Any];
        keys.extend(element.attribute("id").map(|id| SelectorKey::Id(id.to_ascii_lowercase())));
        for class in element.attribute("class").unwrap_or_default().split_ascii_whitespace() {
            let key = SelectorKey::Class(class.to_ascii_lowercase());
            if keys.len() < 40 && !keys.contains(&key) {
                keys.push(key);
            } else if keys.len() >= 40 {
                // More classes than any mail has on one element.
                matcher.steps = 0;
            }
        }
        for key in keys {
            for (rule, selector) in self.index.get(&key).map_or(&[][..], Vec::as_slice) {
                if matcher.steps == 0 {
                    return out;
                }
                matcher.steps -= 1;
                let StyleRule { selectors, declarations, sure, layered } = &self.rules[*rule as usize];
                let selector = &selectors[*selector as usize];
                let mut sure = (*sure).min(matcher.fit(selector, at));
                if sure == Fit::No || declarations.is_empty() {
                    continue;
                }
                if self.guarded {
                    sure = Fit::Maybe;
                }
                many += declarations.len();
                if many > MAX_DECLARATIONS {
                    matcher.steps = 0;
                    return out;
                }
                // To apply a declaration costs about as much as so many comparisons.
                matcher.steps = matcher.steps.saturating_sub(40 * declarations.len());
                let weight = u64::from(*layered) << 57 | u64::from(selector.weight) << 24 | u64::from(*rule);
                out.push(RuleMatch { declarations: declarations.clone(), sure, weight, pseudo: selector.pseudo });
            }
        }
        out
    }
}

/// The name of the first family of a list, in lower case.
pub(super) fn family(tokens: &[CssToken]) -> String {
    let mut name = String::new();
    for token in tokens {
        match token {
            CssToken::Ident(word) | CssToken::Text(word) => {
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(&word.to_ascii_lowercase());
            }
            CssToken::Space => {}
            _ => break,
        }
    }
    name
}

/// What comes before a block, or a semicolon where that ends it too, and where that stands.
fn until(tokens: &[CssToken], from: usize, semicolon: bool) -> (&[CssToken], usize) {
    let mut at = from;
    while at < tokens.len() && tokens[at] != CssToken::Open('{') && !(semicolon && tokens[at] == CssToken::Delim(';')) {
        at = past_block(tokens, at);
    }
    (&tokens[from..at], at)
}

fn until_semicolon(tokens: &[CssToken], from: usize) -> usize {
    let mut at = from;
    while at < tokens.len() && tokens[at] != CssToken::Delim(';') {
        at = past_block(tokens, at);
    }
    at
}

/// What lies in the block that begins here, if one does.
fn block(tokens: &[CssToken], at: usize) -> &[CssToken] {
    if tokens.get(at) != Some(&CssToken::Open('{')) {
        return &[];
    }
    let inside = &tokens[at + 1..past_block(tokens, at)];
    inside.strip_suffix(&[CssToken::Close('}')]).unwrap_or(inside)
}

/// The declarations of a `style` attribute or a block without rules in it.
pub(super) fn declarations(tokens: &[CssToken]) -> Vec<Declaration> {
    parse(tokens, known)
}

fn parse(tokens: &[CssToken], keep: impl Fn(&str) -> bool) -> Vec<Declaration> {
    split(tokens, &CssToken::Delim(';')).into_iter().filter_map(|d| parsed(d, &keep)).collect()
}

fn declaration(tokens: &[CssToken]) -> Option<Declaration> {
    parsed(tokens, &known)
}

fn known(name: &str) -> bool {
    name.starts_with("--") || among(KNOWN, name)
}

fn parsed(tokens: &[CssToken], keep: &impl Fn(&str) -> bool) -> Option<Declaration> {
    let [CssToken::Ident(name), rest @ ..] = trim(tokens) else { return None };
    let [CssToken::Delim(':'), value @ ..] = trim(rest) else { return None };
    let custom = name.starts_with("--");
    let name: Rc<str> = if custom { name.clone() } else { name.to_ascii_lowercase().into() };
    if !keep(&name) {
        return None;
    }
    let mut value = trim(value);
    let mut important = false;
    if let [rest @ .., last] = value
        && last.is("important")
        && let [rest @ .., CssToken::Delim('!')] = trim(rest)
    {
        (value, important) = (trim(rest), true);
    }
    if value.is_empty() && !custom {
        return None;
    }
    Some(Declaration { name, value: value.into(), important })
}
