//! TravelPlanner (Xie et al., ICML 2024): its items as grammars of plans, and the judgment of plans by its
//! constraints.

mod grammar;
mod item;
mod judge;
mod literal;
mod plan_file;

pub use grammar::travel_grammar;
pub use item::{
    Accommodation, Attraction, Flight, LocalConstraint, Restaurant, Ride, TravelItem, travel_items,
};
pub use judge::{Judged, TravelJudgment, judge};
pub(crate) use literal::{csv, literal};
pub use plan_file::{TravelDay, travel_plans};
