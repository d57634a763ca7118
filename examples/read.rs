//! Prints what is read from each line of the input. A line may begin with a time and a tab: the reference.

use memfold::{
    language::{Reference, values},
    model::{Time, Zone},
};
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let (at, text) = line.split_once('\t').unwrap_or(("", &line));
        let at = at.parse::<Time>().ok().map(|now| Reference { now, zone: Zone::from_minutes(540) });
        println!("{text}");
        for found in values(text, at) {
            println!("    {:<28} {:?}", found.span.of(text), found.value);
        }
    }
}
