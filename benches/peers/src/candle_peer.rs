//! candle's three rotary operations, called as a model calls them.
//!
//! Each allocates and zeroes its output on every call, and computes in the element type, with tables of that type.

use candle_core::{Device, Tensor};
use candle_nn::rotary_emb::{rope, rope_i, rope_thd};
use half::{bf16, f16};
use posenc::Pairing;

use crate::case::{Case, DIM, Dtype, HEADS, Order, Plan, TOKENS};
use crate::ours;

type Operation = fn(&Tensor, &Tensor, &Tensor) -> candle_core::Result<Tensor>;

const OPERATIONS: [(&str, Pairing, Order, Operation); 3] = [
    ("candle-rope", Pairing::Halves, Order::HeadMajor, rope),
    ("candle-rope-thd", Pairing::Halves, Order::TokenMajor, rope_thd),
    ("candle-rope-i", Pairing::Interleaved, Order::HeadMajor, rope_i),
];

/// All operations, element types and sizes; false if one went wrong.
pub(crate) fn measure(plan: &Plan) -> bool {
    let mut good = true;
    for (peer, pairing, order, operation) in OPERATIONS {
        for tokens in TOKENS {
            let case = Case { peer, pairing, order, tokens, threads: plan.threads, slack: 0.0 };
            good &= one::<f32>(plan, &case, operation);
            good &= one::<bf16>(plan, &case, operation);
            good &= one::<f16>(plan, &case, operation);
        }
    }
    good
}

fn one<T: Dtype>(plan: &Plan, case: &Case, operation: Operation) -> bool {
    if !plan.wants::<T>(case) {
        return true;
    }
    let Ok(rope) = ours::rotary(case) else { return false };
    let Some(tables) = rope.tables() else { return false };
    let input = ours::input::<T>(case.elements());
    match tensors(case, input.clone(), ours::rows(tables)) {
        Ok([x, cos, sin]) => ours::compare(
            case,
            &rope,
            &input,
            || operation(&x, &cos, &sin).map_err(|error| error.to_string()),
            |y| y.flatten_all().and_then(|y| y.to_vec1()).map_err(|error| error.to_string()),
        ),
        Err(error) => {
            eprintln!("# {}: {error}", case.name::<T>());
            false
        }
    }
}

fn tensors<T: Dtype>(case: &Case, x: Vec<T>, [cos, sin]: [Vec<T>; 2]) -> candle_core::Result<[Tensor; 3]> {
    let shape = match case.order {
        Order::TokenMajor => (1, case.tokens, HEADS, DIM),
        Order::HeadMajor => (1, HEADS, case.tokens, DIM),
    };
    let table = |values| Tensor::from_vec(values, (case.tokens, DIM / 2), &Device::Cpu);
    Ok([Tensor::from_vec(x, shape, &Device::Cpu)?, table(cos)?, table(sin)?])
}
