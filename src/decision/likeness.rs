//! Whether an address only looks like one that is known, as whoever means to rob somebody chooses it.
//!
//! It never says who somebody is.

use crate::language::{fold, unmasked};
use crate::model::{organisation, same_address, same_organisation};

/// Letters of a name, below which any two may look alike.
const FEW: usize = 5;

/// The known address that another one looks like and is not.
pub(super) fn look_alike<'a>(address: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (name, host) = parts(address)?;
    let mut others = known.filter(|other| !same_address(address, other) && !same_organisation(address, other));
    others.find(|other| {
        let Some((their_name, their_host)) = parts(other) else { return false };
        if host == their_host {
            // At a host of everybody's, the name is all there is.
            return is_near(&seen(&name), &seen(&their_name));
        }
        // Where both have the name of one host at two places, such as shop.example and shop.top, they look alike.
        let (own, theirs) = (seen(without_top(&host)), seen(label(&their_host)));
        let is_long = own.chars().count() >= FEW && theirs.chars().count() >= FEW;
        // A word more makes another name of it: shop.example and shop-pay.example.
        let has_word = || without_top(&host).split(['.', '-']).any(|word| seen(word) == theirs);
        is_long && (is_near(&seen(label(&host)), &theirs) || own.starts_with(&theirs) || has_word())
    })
}

fn parts(address: &str) -> Option<(String, String)> {
    let (name, host) = address.trim().rsplit_once('@')?;
    Some((fold(&unmasked(name)), fold(&unmasked(host))))
}

/// The part of a host's name that its owner has chosen.
fn label(host: &str) -> &str {
    let domain = organisation(host);
    let start = host.len().saturating_sub(domain.len());
    host[start..].split('.').next().unwrap_or_default()
}

fn without_top(host: &str) -> &str {
    host.rsplit_once('.').map_or(host, |(rest, _)| rest)
}

/// What the eye sees of a name: letters that look alike are one.
fn seen(name: &str) -> String {
    let bare: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    bare.replace('0', "o").replace(['1', 'i', '|'], "l").replace("rn", "m").replace("vv", "w")
}

/// Whether two long names are the same but for one letter: another, one more or two that changed places.
fn is_near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() < FEW || b.len() < FEW || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    let rest = |of: &[char]| of.iter().skip(1).copied().collect::<Vec<char>>();
    let swapped = || a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..];
    rest(a) == rest(b) || a == rest(b) || rest(a) == b || swapped()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_looks_like_a_known_one_is_told_from_others() {
        for (address, known, alike) in [
            ("ann@northwlnd.example", "ann@northwind.example", true),
            ("ann@northwind.top", "ann@northwind.example", true),
            ("ann@northwind-pay.example", "ann@northwind.example", true),
            ("ann@northwind.example.evil.top", "ann@northwind.example", true),
            ("ann@my-northwind.example", "ann@northwind.example", true),
            ("ann@nоrthwind.example", "ann@northwind.example", true),
            ("ann@norhtwind.example", "ann@northwind.example", true),
            ("ann.1ee@gmail.com", "ann.lee@gmail.com", true),
            ("minji.kirn@naver.com", "minji.kim@naver.com", true),
            ("ann@northwind.example", "bo@northwind.example", false),
            ("ann@mail.northwind.example", "ann@northwind.example", false),
            ("ann@southbank.example", "ann@northwind.example", false),
            ("bo@gmail.com", "al@gmail.com", false),
            ("dana@gmail.com", "dani.roth@gmail.com", false),
            ("ann@ferry.example", "ann@fern.example", false),
            ("pay@kiln-and-clay.example", "orders@kilnandclay.example", true),
            ("accounts@kilnandc1ay.example", "orders@kilnandclay.example", true),
            ("account@heukgarna.example", "order@heukgama.example", true),
            ("account@heukgmaa.example", "order@heukgama.example", true),
            ("accounts@frobisher-stead-client.example", "a.frobisher@frobisherstead.example", true),
            ("tom@ellis-events.example", "orders@kilnandclay.example", false),
            ("dana@oakbroom-hire.example", "dana@oakroom.example", false),
            ("x@kiln.example", "orders@kilnandclay.example", false),
        ] {
            assert_eq!(look_alike(address, [known].into_iter()).is_some(), alike, "{address} {known}");
        }
    }
}
