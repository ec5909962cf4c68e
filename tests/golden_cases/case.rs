//! Cases of golden files, and the comparison with them.
//! They stand apart because two tests read such files, so that neither takes long to build.

use posenc_oracle::ulp::spacing_f32;
use serde_json::Value;

/// The cases of a golden file.
macro_rules! golden {
    ($name:literal) => {
        $crate::case::Case::all(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/", $name, ".json")))
    };
}
pub(crate) use golden;

/// One case. Fields are named by their path, as `/expect/slopes_exact`; nested lists are read as one.
pub(crate) struct Case(Value);

impl Case {
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let Ok(Value::Object(mut file)) = serde_json::from_str(text) else { panic!("not a golden file") };
        let Some(Value::Array(cases)) = file.remove("cases") else { panic!("no cases") };
        cases.into_iter().map(Self).collect()
    }

    pub(crate) fn id(&self) -> &str {
        self.text("/id")
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Value> {
        self.0.pointer(path)
    }

    pub(crate) fn field(&self, path: &str) -> &Value {
        self.get(path).unwrap_or_else(|| panic!("no {path} in {}", self.0["id"]))
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        self.field(path).as_str().unwrap()
    }

    pub(crate) fn number(&self, path: &str) -> f64 {
        self.field(path).as_f64().unwrap()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        usize::try_from(self.field(path).as_u64().unwrap()).unwrap()
    }

    pub(crate) fn numbers(&self, path: &str) -> Vec<f64> {
        leaves(self.field(path)).map(|leaf| leaf.as_f64().unwrap()).collect()
    }

    pub(crate) fn integers(&self, path: &str) -> Vec<i64> {
        leaves(self.field(path)).map(|leaf| leaf.as_i64().unwrap()).collect()
    }

    /// Values that were f32 where they were made: their decimals are the shortest that say which.
    pub(crate) fn singles(&self, path: &str) -> Vec<f32> {
        assert!(path.contains("_f32"), "{path} is not f32");
        self.numbers(path).into_iter().map(single).collect()
    }

    /// A shape, or another list of a given number of sizes.
    pub(crate) fn shape<const N: usize>(&self, path: &str) -> [usize; N] {
        let sizes: Vec<usize> = self.integers(path).into_iter().map(|size| usize::try_from(size).unwrap()).collect();
        sizes.try_into().unwrap()
    }
}

/// All values of nested lists, in order.
fn leaves(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(values) => Box::new(values.iter().flat_map(leaves)),
        leaf => Box::new(std::iter::once(leaf)),
    }
}

/// The f32 that a decimal names. The decimal has been through f64 and may have moved by a unit there, which does not
/// matter unless it lies in the middle between two f32.
pub(crate) fn single(read: f64) -> f32 {
    let value = read as f32;
    let error = (f64::from(value) - read).abs();
    assert!(error < 0.499_999_99 * spacing_f32(read), "which f32 is {read}?");
    value
}

/// Checks every case whose id does not begin with one of `skipped`, each of which must be there for a case.
pub(crate) fn check_all(cases: &[Case], skipped: &[(&str, &str)], check: impl Fn(&Case)) {
    let skips = |case: &Case| skipped.iter().filter(|(id, _)| case.id().starts_with(id)).count();
    let (left_out, handled): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| skips(case) > 0);
    for (id, reason) in skipped {
        assert!(left_out.iter().any(|case| case.id().starts_with(id)), "no case {id:?} to skip because of: {reason}");
    }
    assert!(left_out.iter().all(|case| skips(case) == 1), "a case is skipped for two reasons");
    assert!(!handled.is_empty(), "nothing is left to check");
    assert_eq!(handled.len() + left_out.len(), cases.len());
    handled.into_iter().for_each(check);
}

/// Checks values against those of a case, each within an absolute tolerance.
pub(crate) fn assert_near(what: &str, got: &[f32], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(got) - want).abs();
        assert!(
            error <= tolerance,
            "{what}, value {i}: {got}, not {want}: off by {error:e}, and {tolerance:e} is allowed"
        );
    }
}

/// [`assert_near`] for values that were f32 where they were made.
pub(crate) fn assert_near_single(what: &str, got: &[f32], want: &[f32], tolerance: f64) {
    let want: Vec<f64> = want.iter().copied().map(f64::from).collect();
    assert_near(what, got, &want, tolerance);
}

/// The largest angle, in size, of positions with frequencies.
pub(crate) fn largest_angle(positions: &[i64], frequencies: &[f64]) -> f64 {
    let position = positions.iter().map(|p| p.unsigned_abs()).max().unwrap();
    let frequency = frequencies.iter().fold(0.0_f64, |largest, f| largest.max(f.abs()));
    position as f64 * frequency
}
