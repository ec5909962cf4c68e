//! What the encodings are, what they look like, what they do to a real model's queries and keys, and how fast they are.
//! Run it with `cargo run --release --example gallery`; the pictures go to `target/gallery`.

mod angles;
mod axis;
mod colours;
mod curves;
mod encodings;
mod heat;
mod model;
mod overview;
mod panels;
mod pictures;
mod random;
mod score;
mod speed;

use std::error::Error;
use std::time::Instant;

/// Every part of the gallery may refuse: an encoding, a drawing, a file.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let start = Instant::now();
    let encodings = encodings::all()?;
    encodings::print(&encodings);
    pictures::draw_all(&encodings)?;
    model::report()?;
    speed::report()?;
    println!("Done in {:.1} s.", start.elapsed().as_secs_f64());
    Ok(())
}
