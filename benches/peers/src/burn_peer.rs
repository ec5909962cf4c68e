//! Burn's rotary encoding on its processor backend `flex`, called as a model calls it.
//!
//! Burn multiplies the pairs of each head of each token by a constant matrix of 2 × 4, which makes a tensor of twice the size,
//! multiplies that by the table in place, and adds neighbours into a third tensor. Its own tables are made in the element
//! type, where the angles of far positions are lost, so it is given ours.

use burn_core::tensor::{Device, Element, FloatDType, Tensor, TensorData};
use burn_nn::{RotaryEncoding, RotaryEncodingConfig};
use posenc::Pairing;

use crate::case::{Case, DIM, Dtype, HEADS, Order, Plan, TOKENS};
use crate::ours;

/// All sizes of one element type; false if one went wrong. Once in a process: burn fixes the type of what it creates then.
pub(crate) fn measure<T: Dtype + Element>(plan: &Plan) -> bool {
    let mut device = Device::flex();
    if let Err(error) = device.configure(FloatDType::from(<T as Element>::dtype())) {
        eprintln!("# burn, {}: {error}", T::LABEL);
        return false;
    }
    let mut good = true;
    for tokens in TOKENS {
        let (pairing, order) = (Pairing::Interleaved, Order::HeadMajor);
        let case = Case { peer: "burn-rope", pairing, order, tokens, threads: plan.threads, slack: 0.0 };
        good &= one::<T>(plan, &case, &device);
    }
    good
}

fn one<T: Dtype + Element>(plan: &Plan, case: &Case, device: &Device) -> bool {
    if !plan.wants::<T>(case) {
        return true;
    }
    let Ok(rope) = ours::rotary(case) else { return false };
    let Some(tables) = rope.tables() else { return false };
    let input = ours::input::<T>(case.elements());
    let x = Tensor::<4>::from_data(TensorData::new(input.clone(), [1, HEADS, case.tokens, DIM]), device);
    let theirs = encoding(case, ours::rows::<T>(tables), device);
    ours::compare(
        case,
        &rope,
        &input,
        || Ok(theirs.forward(x.clone())),
        |y| y.into_data().try_into_vec().map_err(|error| format!("{error:?}")),
    )
}

/// Burn's module with the given tables: a cosine and a sine for each feature, so every pair twice.
fn encoding<T: Element>(case: &Case, [cos, sin]: [Vec<T>; 2], device: &Device) -> RotaryEncoding {
    let rows = cos.into_iter().zip(sin).flat_map(|(cos, sin)| [cos, sin, cos, sin]).collect();
    let mut theirs = RotaryEncodingConfig::new(case.tokens, DIM).init(device);
    theirs.freq_complex = Tensor::from_data(TensorData::new::<T, _>(rows, [case.tokens, DIM, 2]), device);
    theirs
}
