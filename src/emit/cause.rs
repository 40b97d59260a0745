//! Draws the automaton of a cause as a part of another drawing.

use super::graph::{GraphEdge, GraphState};
use super::svg::Picture;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, Guard};
use tsl_synth_core::model::Parity;
use tsl_synth_formats::edge_labels::parity_labels;

/// Automata with more states are not drawn beside a trace.
const MOST_STATES: usize = 12;

/// A drawing that is part of another one.
#[derive(Clone, Debug)]
pub struct PartDrawing {
    /// An `svg` element.
    pub svg: String,
    /// Its width and height in pixels.
    pub size: (usize, usize),
    /// A sentence that describes the drawing.
    pub caption: String,
}

/// The automaton of a cause; `None` if it is too large to be drawn beside the trace.
pub fn cause_drawing(alphabet: &Alphabet, automaton: &Parity) -> Option<PartDrawing> {
    if automaton.edges.len() > MOST_STATES {
        return None;
    }
    let edges = || automaton.edges.iter().flatten();
    let is_safety = edges().all(|edge| edge.priority % 2 == 0);
    let is_buchi = edges().all(|edge| edge.priority <= 1);
    let labels = parity_labels(alphabet, automaton);
    let states = automaton.edges.enumerate().zip(labels).map(|((id, edges), labels)| {
        let edge = |(edge, label): (&tsl_synth_core::model::ParityEdge, String)| GraphEdge {
            guard: if label == "true" { "1".into() } else { label },
            actions: match edge.priority {
                _ if is_safety => Vec::new(),
                0 if is_buchi => vec!["accepting".into()],
                _ if is_buchi => Vec::new(),
                priority => vec![format!("priority {priority}")],
            },
            next: edge.next.index(),
            letters: Guard::TRUE,
            chosen: Vec::new(),
        };
        GraphState {
            name: format!("{}", id.index()),
            letter: Vec::new(),
            start: id == automaton.initial,
            sink: false,
            edges: edges.iter().zip(labels).map(edge).collect(),
        }
    });
    let picture = Picture::new(&states.collect::<Vec<_>>())?;
    let accepted = if is_safety {
        "every infinite run is accepted"
    } else if is_buchi {
        "accepted are runs that take accepting edges infinitely often"
    } else {
        "accepted are runs whose least priority that comes infinitely often is even"
    };
    let caption = format!("The cause as an automaton over inputs; {accepted}.");
    Some(PartDrawing { svg: picture.part(&caption), size: picture.size(), caption })
}
