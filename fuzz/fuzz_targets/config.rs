//! Reads configurations made of arbitrary bytes: each ends in frequencies that are finite, or in an error that names its key.
//! It stands apart because nothing is rotated here; coverage finds the combinations of keys that chance does not.
//!
//! ```text
//! cargo +nightly fuzz run config -- -max_total_time=60 -max_len=400 -len_control=0
//! ```

#![no_main]

#[path = "../../tests/config/law.rs"]
mod law;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    law::hugging_face(data);
    law::gguf(data);
    law::onnx(data);
});
