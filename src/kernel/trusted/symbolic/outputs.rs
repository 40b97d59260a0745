//! Questions about single outputs: whether an output depends on the inputs of the same step, and whether it is ever
//! false.

use super::model::CircuitModel;
use super::preimage::Preimage;
use super::structure::SupportLeaf;
use tsl_synth_core::base::{Limit, LimitKind, Variable};

impl CircuitModel<'_> {
    /// Whether an output depends on the inputs of the same step in some state that is reached.
    pub(crate) fn looks_at_present(&mut self, output: usize) -> Result<bool, Limit> {
        if !self.structure.outputs[output].iter().any(|leaf| matches!(leaf, SupportLeaf::Input(_))) {
            return Ok(false);
        }
        let cone = self.cone(&[output], &[])?;
        let reached = self.reached(&cone)?;
        let d = &self.diagrams;
        let read = d.cube(cone.inputs.iter().map(|&i| self.inputs[i]).collect())?;
        let function = self.output(output);
        let varies = d.minus(&d.exists(function, &read)?, &d.forall(function, &read)?)?;
        let mut states = d.and(&varies, &reached)?;
        let reset = self.reset(&cone.latches)?;
        let steps = Preimage::new(self, &cone, std::iter::empty(), Vec::new())?;
        loop {
            if d.and(&states, &reset)? != d.bottom {
                return Ok(true);
            }
            let before = d.and(&steps.of(d, &steps.leading(d, &states)?, &d.top)?, &reached)?;
            let more = d.or(&states, &before)?;
            if more == states {
                return Ok(false);
            }
            states = more;
        }
    }

    /// A shortest sequence of inputs in whose last step an output is false; `None` if it is always true.
    pub(crate) fn inputs_to_false(&mut self, output: usize) -> Result<Option<Vec<Vec<bool>>>, Limit> {
        let cone = self.cone(&[output], &[])?;
        let Some(rings) = self.rings(&cone)? else {
            return Err(Limit::new(LimitKind::Size, "the reachable states of the circuit"));
        };
        let d = &self.diagrams;
        let low = d.not(self.output(output))?;
        let steps = Preimage::new(self, &cone, std::iter::empty(), Vec::new())?;
        for (depth, ring) in rings.iter().enumerate() {
            let Some(mut literals) = d.pick(&d.and(ring, &low)?) else { continue };
            let value = |literals: &[(Variable, bool)], v: Variable| literals.contains(&(v, true));
            let read = |literals: &[(Variable, bool)]| -> Vec<bool> {
                self.inputs.iter().map(|&v| value(literals, v)).collect()
            };
            let mut inputs = vec![read(&literals)];
            for ring in rings[..depth].iter().rev() {
                let mut before = steps.answered(d, ring.clone(), &d.top)?;
                for &latch in &cone.latches {
                    let after = value(&literals, self.latches[latch].now);
                    before = if after {
                        d.and(&before, self.next(latch))?
                    } else {
                        d.minus(&before, self.next(latch))?
                    };
                }
                literals = d.pick(&before).unwrap_or_default();
                inputs.push(read(&literals));
            }
            inputs.reverse();
            return Ok(Some(inputs));
        }
        Ok(None)
    }
}
