//! From the keys of a scaling, and the tensors, to frequencies.

use super::super::architecture::Scores;
use super::super::error::ConfigError;
use super::super::rope::Rule;
use super::model::Model;
use super::value::GgufTensor;
use crate::{FactorList, LongRope, Scaling, Yarn};

type Result<T> = core::result::Result<T, ConfigError>;

impl Model<'_> {
    /// The scaling, and what it makes of the scale of the scores.
    pub(super) fn scaling(&self) -> Result<(Rule, f64)> {
        let factor = match self.keys.number("rope.scaling.factor")? {
            None => self.keys.number("rope.scale_linear")?,
            factor => factor,
        };
        // Zero stands for an absent factor.
        let factor = factor.filter(|&factor| factor != 0.0);
        let kind = self.keys.text("rope.scaling.type")?;
        let (mut scalings, mut softmax_factor) = (Vec::new(), 1.0);
        if let Some(alpha) = self.keys.factor("rope.scaling.alpha")?.filter(|&alpha| alpha != 1.0) {
            scalings.push(Scaling::ntk(alpha));
        }
        match kind {
            Some("linear") | None => scalings.extend(factor.map(Scaling::linear)),
            Some("none") => {}
            Some("yarn") => {
                let (yarn, latent) = self.yarn(factor)?;
                softmax_factor = latent;
                scalings.push(yarn.into());
            }
            Some("longrope") => {}
            Some(other) => {
                let expected = "one of none, linear, yarn, longrope";
                return Err(ConfigError::value(self.keys.key("rope.scaling.type"), expected, format!("{other:?}")));
            }
        }
        let list = |tensor: GgufTensor| self.tensors.get(&tensor).cloned();
        let lists = (list(GgufTensor::RopeFactorsShort), list(GgufTensor::RopeFactorsLong));
        if let (Some(short), Some(long)) = lists {
            return Ok((self.longrope(short, long, factor)?, softmax_factor));
        }
        if kind == Some("longrope")
            || list(GgufTensor::RopeFactorsShort).or(list(GgufTensor::RopeFactorsLong)).is_some()
        {
            let absent =
                [GgufTensor::RopeFactorsShort, GgufTensor::RopeFactorsLong].map(|tensor| (tensor, list(tensor)));
            let name = absent.iter().find(|(_, list)| list.is_none()).map_or("", |(tensor, _)| tensor.name());
            return Err(ConfigError::missing(name, "a tensor with a divisor for each pair"));
        }
        scalings.extend(list(GgufTensor::RopeFreqs).map(Scaling::Divisors));
        Ok((Rule::Fixed(scalings), softmax_factor))
    }

    fn original(&self) -> Result<usize> {
        match self.keys.count("rope.scaling.original_context_length")? {
            None => self.keys.required_count("context_length"),
            Some(original) => Ok(original),
        }
    }

    fn yarn(&self, factor: Option<f64>) -> Result<(Yarn, f64)> {
        let factor = factor.ok_or_else(|| self.keys.missing("rope.scaling.factor", "a positive number"))?;
        if let Some(part) = self.keys.number("rope.scaling.yarn_ext_factor")?
            && part >= 0.0
            && part != 1.0
        {
            return Err(ConfigError::value(self.keys.key("rope.scaling.yarn_ext_factor"), "1, or nothing", part));
        }
        let beta = |key: &str, default: f64| Ok::<f64, ConfigError>(self.keys.factor(key)?.unwrap_or(default));
        let betas = (beta("rope.scaling.yarn_beta_fast", 32.0)?, beta("rope.scaling.yarn_beta_slow", 1.0)?);
        let latent = self.architecture.scores == Scores::Latent;
        let stored = self.keys.number("rope.scaling.yarn_log_multiplier")?.unwrap_or(0.0);
        // Converters store a tenth of it for models with latent attention, whose mscale is the same number.
        let all = if latent { stored / 0.1 } else { stored };
        let yarn = Yarn::new(factor, self.original()?)
            .with_betas(betas.0, betas.1)
            .with_mscale(if latent { all } else { 1.0 }, all);
        let softmax_factor = if latent { yarn.softmax_factor() } else { 1.0 };
        let yarn = match self.keys.factor("rope.scaling.attn_factor")? {
            Some(on_top) => yarn.with_attention_factor(yarn.magnitude() * on_top),
            None => yarn,
        };
        Ok((yarn, softmax_factor))
    }

    fn longrope(&self, short: Vec<f64>, long: Vec<f64>, factor: Option<f64>) -> Result<Rule> {
        if let Some(factor) = factor.filter(|&factor| factor != 1.0) {
            let expected = "1, or nothing, beside rope_factors_short and rope_factors_long";
            return Err(ConfigError::value(self.keys.key("rope.scaling.factor"), expected, factor));
        }
        let original = self.original()?;
        let magnitude = self.keys.factor("rope.scaling.attn_factor")?.unwrap_or(1.0);
        let lists = LongRope::new(short, long, 1.0, original, FactorList::Short);
        Ok(Rule::LongRope { lists, original, magnitudes: [Some(magnitude); 2] })
    }
}
