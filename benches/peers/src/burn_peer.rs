//! burn's rotary module on its CPU backends in plain Rust, `flex` and the older `ndarray`: f32, neighbours paired, heads
//! outermost.
//!
//! It is built of tensor operations (a product with 2 × 2 signs, a product with the table, a sum), so it allocates
//! several times the size of its input on every call.

use burn::nn::RotaryEncodingConfig;
use burn::tensor::{Device, Tensor, TensorData};
use posenc::Pairing;

use crate::case::{BASE, Case, DIM, FIRST, HEADS, Order, Plan, TOKENS};
use crate::ours;

/// burn makes its own table from f32 angles, which drift by about 1e-7 of the position.
const SLACK: f32 = 5e-3;

/// The backends that were built in.
fn devices() -> Vec<(&'static str, Device)> {
    vec![
        ("burn-flex", Device::flex()),
        #[cfg(feature = "burn-ndarray")]
        ("burn-ndarray", ndarray()),
    ]
}

#[cfg(feature = "burn-ndarray")]
#[expect(deprecated, reason = "programs in the field still use it")]
fn ndarray() -> Device {
    Device::ndarray()
}

/// All backends and sizes; false if one went wrong.
pub(crate) fn measure(plan: &Plan) -> bool {
    let mut good = true;
    for (peer, device) in devices() {
        for tokens in TOKENS {
            let (pairing, order) = (Pairing::Interleaved, Order::HeadMajor);
            let case = Case { peer, pairing, order, tokens, threads: plan.threads, slack: SLACK };
            good &= one(plan, &case, &device);
        }
    }
    good
}

fn one(plan: &Plan, case: &Case, device: &Device) -> bool {
    if plan.only.as_ref().is_some_and(|text| !case.name::<f32>().contains(text)) {
        return true;
    }
    let Ok(rope) = ours::rotary(case) else { return false };
    let input = ours::input::<f32>(case.elements());
    let config = RotaryEncodingConfig::new(FIRST + case.tokens, DIM).with_theta(BASE as f32);
    let module = config.init(device);
    let data = TensorData::new(input.clone(), [1, HEADS, case.tokens, DIM]);
    let x = Tensor::<4>::from_data(data, device);
    ours::compare(
        case,
        &rope,
        &input,
        || Ok(module.apply(x.clone(), FIRST)),
        |y| y.into_data().to_vec().map_err(|error| format!("{error:?}")),
    )
}
