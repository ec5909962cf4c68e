//! The published ways to stretch a context, as one enum.

use alloc::vec::Vec;

use super::{DynamicNtk, Frequencies, Llama3, LongRope, NtkMixed, Proportional, Yarn, check_factor};
use super::{ntk, per_pair};
use crate::error::Result;
use crate::math::Twofold;

/// How a model's frequencies were changed so that it serves a longer context.
///
/// A scaling makes other frequencies, and in some cases a magnitude; positions stay as they are. It is a pure function of
/// its parameters: where a published rule looks at the length of a sequence, the length is one of them.
///
/// ```
/// use posenc::{Frequencies, Scaling};
///
/// let plain = Frequencies::new(128, 1_000_000.0)?;
/// let linear = plain.scaled(&Scaling::linear(4.0))?;
/// assert_eq!(linear.as_slice()[1], plain.as_slice()[1] / 4.0);
/// assert_eq!(plain.scaled(&Scaling::Default)?, plain);
///
/// // Numbers of a checkpoint, one a pair.
/// let divided = plain.scaled(&Scaling::Divisors(vec![4.0; 64]))?;
/// assert_eq!(divided, linear);
/// assert_eq!(divided.scaled(&Scaling::Learned(vec![0.0; 64]))?, linear);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scaling {
    /// None: the frequencies stay as they are, to the bit.
    Default,
    /// Position interpolation: every frequency is divided by the factor. Source: Chen et al., 2023. Some engines divide the
    /// position instead, which is the same but for rounding.
    Linear {
        /// How many times longer the context is.
        factor: f64,
    },
    /// NTK-aware: the base becomes `base · factor^(width/(width − 2))`. The `alpha` of some configurations is this factor.
    Ntk {
        /// How many times slower the slowest pair turns.
        factor: f64,
    },
    /// NTK-aware with a factor that grows with the length.
    DynamicNtk(DynamicNtk),
    /// NTK-mixed: every pair is slowed down a little more than the one before.
    NtkMixed(NtkMixed),
    /// Pairs that turn often within the trained context stay, those that do not are interpolated. Also NTK-by-parts.
    Yarn(Yarn),
    /// A divisor for each pair, from one of two lists.
    LongRope(LongRope),
    /// The scaling of Llama-3.1 and its successors.
    Llama3(Llama3),
    /// Only the leading pairs turn, but the exponent counts all of them.
    Proportional(Proportional),
    /// Every frequency is multiplied by `exp(alpha_j)`, for a learned `alpha`.
    Learned(Vec<f64>),
    /// Every frequency is divided by its own number, as the tensor `rope_freqs` of GGUF files says.
    Divisors(Vec<f64>),
}

impl Scaling {
    /// Position interpolation.
    ///
    /// ```
    /// assert_eq!(posenc::Scaling::linear(8.0), posenc::Scaling::Linear { factor: 8.0 });
    /// ```
    #[must_use]
    pub fn linear(factor: f64) -> Self {
        Self::Linear { factor }
    }

    /// NTK-aware, for every length the same.
    ///
    /// ```
    /// use posenc::{Frequencies, Scaling};
    ///
    /// // The slowest of the pairs is slowed down by the factor, the fastest not at all.
    /// let plain = Frequencies::new(64, 10_000.0)?;
    /// let scaled = plain.scaled(&Scaling::ntk(4.0))?;
    /// assert_eq!(scaled.as_slice()[0], 1.0);
    /// assert!((4.0 * scaled.as_slice()[31] / plain.as_slice()[31] - 1.0).abs() < 1e-15);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn ntk(factor: f64) -> Self {
        Self::Ntk { factor }
    }

    /// YaRN with its defaults, for a context of `original_length · factor` tokens; see [`Yarn`].
    ///
    /// ```
    /// use posenc::{Frequencies, Scaling};
    ///
    /// let scaled = Frequencies::new(128, 1_000_000.0)?.scaled(&Scaling::yarn(4.0, 32_768))?;
    /// assert!((scaled.magnitude() - 1.138_629_436_111_989).abs() < 1e-15);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn yarn(factor: f64, original_length: usize) -> Self {
        Self::Yarn(Yarn::new(factor, original_length))
    }

    /// NTK-by-parts: the frequencies of YaRN with a magnitude of 1.
    ///
    /// ```
    /// use posenc::{Frequencies, Scaling};
    ///
    /// let plain = Frequencies::new(128, 1_000_000.0)?;
    /// let parts = plain.scaled(&Scaling::ntk_by_parts(4.0, 32_768))?;
    /// assert_eq!(parts.as_slice(), plain.scaled(&Scaling::yarn(4.0, 32_768))?.as_slice());
    /// assert_eq!(parts.magnitude(), 1.0);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn ntk_by_parts(factor: f64, original_length: usize) -> Self {
        Self::Yarn(Yarn::new(factor, original_length).with_attention_factor(1.0))
    }

    /// The scaling of Llama-3.1 with its defaults; see [`Llama3`].
    ///
    /// ```
    /// use posenc::{Llama3, Scaling};
    ///
    /// assert_eq!(Scaling::llama3(32.0), Scaling::Llama3(Llama3::new(32.0)));
    /// ```
    #[must_use]
    pub fn llama3(factor: f64) -> Self {
        Self::Llama3(Llama3::new(factor))
    }

    pub(super) fn apply(&self, plain: &Frequencies) -> Result<Frequencies> {
        match self {
            Self::Default => Ok(plain.clone()),
            Self::Linear { factor } => {
                let factor = Twofold::from(check_factor("linear factor", *factor)?);
                plain.with_values(plain.digits().map(|f| f.over(factor)))
            }
            Self::Ntk { factor } => ntk::aware(plain, Twofold::from(check_factor("NTK factor", *factor)?)),
            Self::DynamicNtk(dynamic) => dynamic.apply(plain),
            Self::NtkMixed(mixed) => mixed.apply(plain),
            Self::Yarn(yarn) => yarn.apply(plain),
            Self::LongRope(longrope) => longrope.apply(plain),
            Self::Llama3(llama3) => llama3.apply(plain),
            Self::Proportional(proportional) => proportional.apply(plain),
            Self::Learned(alpha) => per_pair::learned(plain, alpha),
            Self::Divisors(divisors) => per_pair::divided(plain, "divisors", divisors),
        }
    }
}

/// A scaling of each set of parameters.
macro_rules! from {
    ($($parameters:ident),*) => {
        $(impl From<$parameters> for Scaling {
            fn from(parameters: $parameters) -> Self {
                Self::$parameters(parameters)
            }
        })*
    };
}

from!(DynamicNtk, NtkMixed, Yarn, LongRope, Llama3, Proportional);
