//! Sinusoids of real coordinates: the timesteps of diffusion models, and positions that are no whole numbers.

use alloc::vec::Vec;

use super::Sinusoidal;
use super::placing::Spots;
use super::waves::Axis;
use crate::Element;
use crate::error::{Result, check_length, zeros};

/// Real coordinates in the place of positions.
impl Sinusoidal {
    /// The rows of real coordinates, such as timesteps: `[coordinates, features]`.
    ///
    /// ```
    /// use posenc::{Divisor, Order, Sinusoidal};
    ///
    /// // Stable Diffusion: cosines first, and the divisor is the whole half.
    /// let encoding = Sinusoidal::with_divisor(320, 10_000.0, Divisor::HalfLess(0.0))?.with_order(Order::CosSin);
    /// let row = encoding.table_at(&[123.456_f32])?;
    /// assert_eq!(row[160], f64::from(123.456_f32).sin() as f32);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    pub fn table_at<P: Copy + Into<f64>>(&self, coordinates: &[P]) -> Result<Vec<f32>> {
        let mut table = zeros("table", &[coordinates.len(), self.features])?;
        self.write_at(&mut table, coordinates)?;
        Ok(table)
    }

    /// [`write`](Self::write) for real coordinates.
    ///
    /// Coordinates of up to 31 binary digits, as f32 and whole positions are, have the accuracy of whole numbers. With the
    /// other digits of an f64, cosine and sine are within 2^-50 of the true ones, times the magnitude, before they are
    /// rounded. Under [`Precision::Single`], coordinates are rounded to f32.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if `out` is not one row for each coordinate, [`Error::Number`] if a coordinate is larger than
    /// 2^31 in size or makes an angle of more than 2^33 radians, or is no number. Nothing is written then.
    pub fn write_at<T: Element, P: Copy + Into<f64>>(&self, out: &mut [T], coordinates: &[P]) -> Result<()> {
        let (coordinates, axis) = self.check_real(out, coordinates)?;
        self.set(out, Spots::Real(&coordinates, &axis), 0);
        Ok(())
    }

    /// [`add`](Self::add) for real coordinates.
    ///
    /// ```
    /// let mut x = [1.0_f32, 1.0];
    /// posenc::Sinusoidal::new(2, 10_000.0)?.add_at(&mut x, &[0.5])?;
    /// assert_eq!(x[0], 1.0 + 0.5_f64.sin() as f32);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    pub fn add_at<T: Element, P: Copy + Into<f64>>(&self, x: &mut [T], coordinates: &[P]) -> Result<()> {
        let (coordinates, axis) = self.check_real(x, coordinates)?;
        self.sum(x, Spots::Real(&coordinates, &axis), 0);
        Ok(())
    }

    /// [`write_at`](Self::write_at), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    #[cfg(feature = "rayon")]
    pub fn par_write_at<T: Element, P: Copy + Into<f64>>(&self, out: &mut [T], coordinates: &[P]) -> Result<()> {
        let (coordinates, axis) = self.check_real(out, coordinates)?;
        let spots = Spots::Real(&coordinates, &axis);
        crate::parallel::rows(out.len(), self.features, out, &|first, out: &mut [T]| self.set(out, spots, first));
        Ok(())
    }

    /// [`add_at`](Self::add_at), on the rayon pool of the caller.
    ///
    /// ```
    /// let encoding = posenc::Sinusoidal::new(2, 10_000.0)?;
    /// let mut x = [0.0_f32; 2];
    /// encoding.par_write_at(&mut x, &[0.0])?;
    /// encoding.par_add_at(&mut x, &[0.0])?;
    /// assert_eq!(x, [0.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    #[cfg(feature = "rayon")]
    pub fn par_add_at<T: Element, P: Copy + Into<f64>>(&self, x: &mut [T], coordinates: &[P]) -> Result<()> {
        let (coordinates, axis) = self.check_real(x, coordinates)?;
        let spots = Spots::Real(&coordinates, &axis);
        crate::parallel::rows(x.len(), self.features, x, &|first, x: &mut [T]| self.sum(x, spots, first));
        Ok(())
    }

    fn check_real<T, P: Copy + Into<f64>>(&self, x: &[T], coordinates: &[P]) -> Result<(Vec<f64>, Axis<'_>)> {
        check_length("rows", coordinates.len().saturating_mul(self.features), x.len())?;
        let (coordinates, axis) = (coordinates.iter().map(|&x| x.into()).collect(), Axis::new(&self.frequencies)?);
        let coordinates: Vec<f64> = coordinates;
        axis.check("coordinate", coordinates.iter().copied())?;
        Ok((coordinates, axis))
    }
}
