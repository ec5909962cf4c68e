//! Scalings: every method against its formula, the traps that tell look-alikes apart, and what is refused.
//! They stand apart from the golden files because here parameters are drawn, and no model has them.

#[path = "scaling/certified.rs"]
mod certified;
#[path = "scaling/formulas.rs"]
mod formulas;
#[path = "scaling/refusals.rs"]
mod refusals;
#[path = "scaling/traps.rs"]
mod traps;
#[path = "scaling/xpos.rs"]
mod xpos;

/// Properties are tried on so many drawn inputs, and no file remembers them.
fn tried(cases: u32) -> proptest::prelude::ProptestConfig {
    let config = proptest::prelude::ProptestConfig::with_cases(cases);
    proptest::prelude::ProptestConfig { failure_persistence: None, ..config }
}
