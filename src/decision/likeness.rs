//! Detects addresses that imitate a known one, as in phishing.

use crate::language::{fold, nfkc, unmasked};
use crate::model::{is_public, organisation, same_address, same_organisation};

/// Minimum characters of a name for a comparison. Shorter names look alike by chance.
const FEW: usize = 5;
/// From this length, names may differ in two characters.
const MANY: usize = 10;
/// Confusable characters and pairs, with the letter they look like.
const CONFUSABLE: &str = "0o 1l il jl |l 5s 3e rnm vvw cld";

/// The known address that another address imitates.
pub fn look_alike<'a>(address: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known.find(|other| looks_like(address, other))
}

/// Whether an address looks like a known one, but belongs to another organisation.
pub fn looks_like(address: &str, known: &str) -> bool {
    if same_address(address, known) || same_organisation(address, known) {
        return false;
    }
    let (Some((name, host)), Some((their_name, their_host))) = (parts(address), parts(known)) else { return false };
    if host == their_host {
        // At a public mail host, only the local part identifies the sender.
        return is_near(&skeleton(&name), &skeleton(&their_name));
    }
    if skeleton(&host) == skeleton(&their_host) {
        return true;
    }
    let (own, theirs) = (skeleton(&label(&host)), skeleton(&label(&their_host)));
    // gmai1.com imitates gmail.com, while another public host does not.
    if is_public(&host) {
        return false;
    }
    // An added word imitates a name too: shop-pay.example or shop.example.evil.example for shop.example.
    let has_word = || {
        let mut words = host.rsplit_once('.').map_or(&*host, |(rest, _)| rest).split(['.', '-']);
        own.starts_with(&theirs) || own.ends_with(&theirs) || words.any(|word| skeleton(word) == theirs)
    };
    theirs.chars().count() >= FEW && (is_near(&own, &theirs) || has_word())
}

fn parts(address: &str) -> Option<(String, String)> {
    let (name, host) = address.trim().rsplit_once('@')?;
    // Full-width letters are not normalised here: such a name only imitates the known one.
    Some((fold(&unmasked(name)), host.to_lowercase()))
}

fn label(host: &str) -> String {
    organisation(host).split('.').next().unwrap_or_default().to_owned()
}

/// Reduces a name to one letter for each group of confusable characters, without accents and punctuation.
fn skeleton(name: &str) -> String {
    let letters = nfkc(&unmasked(name))
        .chars()
        .map(|c| latin_lookalike(c).unwrap_or(c))
        .filter(|c| c.is_alphanumeric())
        .collect();
    let pairs = CONFUSABLE.split(' ').map(|pair| pair.split_at(pair.len() - 1));
    pairs.fold(letters, |name: String, (from, to)| name.replace(from, to))
}

/// Latin letters, each before the Greek, Cyrillic and accented letters that resemble it.
const LOOKALIKES: &str = "\
    aаαàáâãäåāăą bƄЬ cсϲçćč dԁďđ eеєèéêëēėęě gɡğģ hһħ iіıìíîïīį jјϳ kκкķ lӏłļľĺ mм nոñńņňп oоοσօòóôõöøōő \
    pрρþ qԛ rгŕřŗ sѕśşšș tтτţťț uυսùúûüūůűų vνѵ yуγýÿ";

/// The Latin letter that another letter resembles, even in a word of one script.
fn latin_lookalike(c: char) -> Option<char> {
    let row = LOOKALIKES.split(' ').find(|row| row.chars().skip(1).any(|other| other == c))?;
    row.chars().next()
}

/// Whether two names differ in at most one character, or two in long names. Counts swapped neighbours as one.
fn is_near(a: &str, b: &str) -> bool {
    let shorter = a.chars().count().min(b.chars().count());
    shorter >= FEW && strsim::osa_distance(a, b) <= if shorter >= MANY { 2 } else { 1 }
}
