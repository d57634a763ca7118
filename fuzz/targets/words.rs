#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| memfold_fuzz::words(data));
