//! All native tests in one binary, so that the engine is linked once. `cargo test --test suite plan::` runs one file.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, dead_code)]

#[path = "../kit/cases.rs"]
mod cases;
mod confirmations;
#[path = "../conformance/mod.rs"]
mod conformance;
#[path = "../../build.rs"]
mod data;
#[path = "../kit/faults.rs"]
mod faults;
#[path = "../kit/mod.rs"]
mod kit;
#[path = "../kit/mailbox.rs"]
mod mailbox;
#[path = "../kit/needles.rs"]
mod needles;
#[path = "../kit/peers.rs"]
mod peers;
#[path = "../kit/post.rs"]
mod post;
#[path = "../kit/quantised.rs"]
mod quantised;
#[path = "../../fuzz/src/lib.rs"]
mod targets;

mod analysis;
mod attacks;
mod bands;
mod borrowed_names;
mod broken_mail;
mod budget;
mod decisions;
mod edits_and_dates;
mod embeddings;
mod encoder_head;
mod endpoints;
mod engine;
mod forged_mail;
mod fuzz;
mod golden;
mod growth;
mod headlines;
mod hidden;
mod hostile_text;
mod import_cycles;
mod import_merge;
mod imports;
mod inbox;
mod index;
mod json;
mod judging;
mod layers;
mod listing_and_edits;
mod mail;
mod mail_entries;
mod mail_parts;
mod mailboxes;
mod masking;
mod memory_decay;
mod memory_lifecycle;
mod merging;
mod model_costs;
mod model_mail;
mod model_questions;
mod names;
mod notes;
mod once_wrong;
mod organisations;
mod owner_actions;
mod packs;
mod plan;
mod prefetch;
mod probes;
mod prompts;
mod provisional;
mod questions;
mod readings;
mod records;
mod repeats;
mod replies;
mod requests;
mod rereading;
mod retrieval;
mod reviews;
mod rules;
mod search_answers;
mod search_ranking;
mod seed_figures;
mod senders;
mod sending;
mod sessions;
mod shown_updates;
mod shown_values;
mod simulation;
mod sleep_merges;
mod sleep_rules;
mod sleeping;
mod source_documents;
mod standing;
mod statements;
mod steering;
mod store_memory;
mod store_model;
mod summaries;
mod syncing;
mod transfer;
mod trust_histories;
mod values;
mod vectors;
mod views;
mod word_lists;
mod zones;
