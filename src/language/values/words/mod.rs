//! Parses values that start with a word: looks it up and calls the parser for its meaning.

mod english;
mod korean;
mod state;
