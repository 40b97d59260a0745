//! A layered drawing of a directed graph with labeled edges, from left to right.
//!
//! The method of Sugiyama, Tagawa and Toda 1981 ("Methods for visual understanding of hierarchical system structures")
//! in the phases of Gansner, Koutsofios, North and Vo 1993 ("A technique for drawing directed graphs"): edges that
//! close cycles are reversed (`ranks`), nodes get ranks, long edges become chains of dummies, columns are ordered so
//! that few edges cross (`order`), and rows are chosen by isotonic regression within each column (`place`). Departures:
//! the label of an edge is a dummy with a box in a column of its own, and a loop is a part of its node, so that no
//! label overlaps another label, a node, or an edge that it does not belong to.
//!
//! The layout is deterministic and depends on the numbering of nodes and edges: equal graphs have equal drawings. Time
//! is O(rounds · (nodes + dummies) · log) with a fixed number of rounds; a long edge has a dummy in each column that it
//! passes.

mod order;
mod place;
mod ranks;

use place::Placed;

/// Graphs that need more items (nodes, labels and bends) are not drawn.
const MOST_ITEMS: usize = 60_000;

/// The extent of a box in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: i32,
    /// From top to bottom.
    pub height: i32,
}

/// A box in a drawing; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// The left side.
    pub x: i32,
    /// The top side.
    pub y: i32,
    /// Its extent.
    pub size: Size,
}

impl Rect {
    /// Whether two boxes have a common inner point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x < other.x + other.size.width
            && other.x < self.x + self.size.width
            && self.y < other.y + other.size.height
            && other.y < self.y + self.size.height
    }
}

/// A directed graph; its first node is drawn in the leftmost column.
#[derive(Clone, Debug, Default)]
pub struct LayoutGraph {
    /// The boxes of the nodes, which may grow in the drawing to give room to the ends of edges.
    pub nodes: Vec<Size>,
    /// The edges: source, target, and the extent of the label (zero for none). At most one loop per node.
    pub edges: Vec<(usize, usize, Size)>,
}

/// An edge in a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The points of the edge. It is straight between two points of equal height; otherwise it is a curve that is
    /// horizontal at both points. A loop has four points: the ends of a Bézier curve and its control points between
    /// them.
    pub points: Vec<(i32, i32)>,
    /// Whether it is a loop.
    pub is_loop: bool,
    /// The box of its label; `None` for an edge without one.
    pub label: Option<Rect>,
}

/// A drawing of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The extent of the whole drawing, with its margin.
    pub size: Size,
    /// The box of each node.
    pub nodes: Vec<Rect>,
    /// The curve and the label of each edge.
    pub routes: Vec<Route>,
    /// How many pairs of edges cross.
    pub crossings: usize,
}

/// An item of a column: a node, the label of an edge, or a bend of a long edge.
#[derive(Clone, Debug)]
struct LayoutItem {
    rank: usize,
    /// The space that it needs above and below its row, in pixels.
    above: i32,
    below: i32,
    width: i32,
    what: LayoutItemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayoutItemKind {
    Node(usize),
    Label(usize),
    Bend,
}

/// A piece of an edge between neighboring columns: its two items, and the offsets from their rows at which it begins
/// and ends, in pixels.
#[derive(Clone, Debug)]
struct EdgePiece {
    left: usize,
    right: usize,
    from: i32,
    to: i32,
}

/// A graph whose items are assigned to columns.
#[derive(Clone, Debug)]
struct Columns {
    items: Vec<LayoutItem>,
    links: Vec<EdgePiece>,
    /// The items of each rank from top to bottom.
    ranks: Vec<Vec<usize>>,
    /// The items of each edge from left to right, with its ends; empty for loops.
    chains: Vec<Vec<usize>>,
    /// The first link of each chain; its other links follow that one.
    first_link: Vec<usize>,
    /// Whether an edge goes from right to left.
    reversed: Vec<bool>,
}

/// The distance of an edge from the label above it, and the free space above and below an edge, in pixels.
const BELOW_LABEL: i32 = 3;
const AROUND_EDGE: i32 = 3;
/// The height of a loop between its node and its label.
const LOOP: i32 = 22;
/// The least distance of the ends of edges at a node.
const PORT: i32 = 9;

/// Draws a graph; `None` if that needs more than `MOST_ITEMS` items.
pub fn layout(graph: &LayoutGraph) -> Option<Drawing> {
    // Both ways to break cycles are tried; the drawing with fewer crossings, then fewer items, is kept.
    let drawings =
        [ranks::NodeNumbering::Depth, ranks::NodeNumbering::Breadth].into_iter().filter_map(|search| {
            let ranked = ranks::ranks(graph, search);
            let mut columns = columns(graph, &ranked)?;
            let crossings = order::order(&mut columns);
            Some((crossings, columns.items.len(), columns))
        });
    let (crossings, _, mut columns) = drawings.min_by_key(|&(crossings, items, _)| (crossings, items))?;
    let heights = ports(graph, &mut columns);
    let placed = place::place(&columns);
    Some(drawing(graph, &columns, &placed, &heights, crossings))
}

/// The loop of each node.
fn loops(graph: &LayoutGraph) -> Vec<Option<usize>> {
    let mut loops = vec![None; graph.nodes.len()];
    for (i, &(from, to, _)) in graph.edges.iter().enumerate() {
        if from == to {
            loops[from] = Some(i);
        }
    }
    loops
}

fn columns(graph: &LayoutGraph, ranked: &ranks::RankedGraph) -> Option<Columns> {
    let loops = loops(graph);
    let mut items = Vec::new();
    for (node, size) in graph.nodes.iter().enumerate() {
        let own = loops[node].map(|edge| graph.edges[edge].2);
        items.push(LayoutItem {
            rank: ranked.ranks[node],
            // Set by `ports`.
            above: 0,
            below: 0,
            width: size.width.max(own.map_or(0, |label| label.width)),
            what: LayoutItemKind::Node(node),
        });
    }
    let mut columns = Columns {
        items,
        links: Vec::new(),
        ranks: Vec::new(),
        chains: vec![Vec::new(); graph.edges.len()],
        first_link: vec![0; graph.edges.len()],
        reversed: ranked.reversed.clone(),
    };
    for (edge, &(from, to, label)) in graph.edges.iter().enumerate() {
        if from == to {
            continue;
        }
        let (left, right) = if ranked.reversed[edge] { (to, from) } else { (from, to) };
        let (first, last) = (ranked.ranks[left], ranked.ranks[right]);
        // Labels are in odd columns, nodes in even ones.
        let middle = usize::midpoint(first, last) | 1;
        let mut chain = vec![left];
        for rank in first + 1..last {
            chain.push(columns.items.len());
            let (above, width, what) = if rank == middle && label.height > 0 {
                (label.height + BELOW_LABEL, label.width, LayoutItemKind::Label(edge))
            } else {
                (AROUND_EDGE, 0, LayoutItemKind::Bend)
            };
            columns.items.push(LayoutItem { rank, above, below: AROUND_EDGE, width, what });
        }
        chain.push(right);
        if columns.items.len() > MOST_ITEMS {
            return None;
        }
        columns.first_link[edge] = columns.links.len();
        for pair in chain.windows(2) {
            columns.links.push(EdgePiece { left: pair[0], right: pair[1], from: 0, to: 0 });
        }
        columns.chains[edge] = chain;
    }
    let last = columns.items.iter().map(|item| item.rank).max().unwrap_or(0);
    columns.ranks = vec![Vec::new(); last + 1];
    for (i, item) in columns.items.iter().enumerate() {
        columns.ranks[item.rank].push(i);
    }
    Some(columns)
}

/// Spreads the ends of edges over the sides of their nodes, in the order of the items at the other ends of their
/// pieces. Returns the heights of the nodes.
fn ports(graph: &LayoutGraph, columns: &mut Columns) -> Vec<i32> {
    let loops = loops(graph);
    let mut place = vec![0; columns.items.len()];
    for column in &columns.ranks {
        for (i, &item) in column.iter().enumerate() {
            place[item] = i;
        }
    }
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    let mut right = left.clone();
    for (i, link) in columns.links.iter().enumerate() {
        if link.right < graph.nodes.len() {
            left[link.right].push(i);
        }
        if link.left < graph.nodes.len() {
            right[link.left].push(i);
        }
    }
    let mut heights = Vec::new();
    for (node, size) in graph.nodes.iter().enumerate() {
        let most = signed(left[node].len().max(right[node].len()));
        let height = size.height.max(most * PORT + PORT);
        let own = loops[node].map_or(0, |edge| graph.edges[edge].2.height + LOOP);
        columns.items[node].above = (height + 1) / 2 + own;
        columns.items[node].below = (height + 1) / 2;
        heights.push(height);
        left[node].sort_by_key(|&link| (place[columns.links[link].left], link));
        right[node].sort_by_key(|&link| (place[columns.links[link].right], link));
        let spread = |count: usize, i: usize| (2 * signed(i) - (signed(count) - 1)) * PORT / 2;
        for (i, &link) in left[node].iter().enumerate() {
            columns.links[link].to = spread(left[node].len(), i);
        }
        for (i, &link) in right[node].iter().enumerate() {
            columns.links[link].from = spread(right[node].len(), i);
        }
    }
    heights
}

/// A count as a signed number, at most 2^20, so that sums of pixels do not overflow.
pub(super) fn signed(count: usize) -> i32 {
    i32::try_from(count.min(1 << 20)).unwrap_or(0)
}

/// The margin around the drawing, in pixels.
const MARGIN: i32 = 12;

fn drawing(
    graph: &LayoutGraph,
    columns: &Columns,
    placed: &Placed,
    heights: &[i32],
    crossings: usize,
) -> Drawing {
    let mut drawing = Drawing { crossings, ..Drawing::default() };
    let row = |item: usize| placed.rows[item] + MARGIN;
    let sides = |item: usize| {
        let (left, right) = placed.columns[columns.items[item].rank];
        (left + MARGIN, right + MARGIN)
    };
    for (node, size) in graph.nodes.iter().enumerate() {
        let (left, right) = sides(node);
        let size = Size { width: size.width, height: heights[node] };
        drawing.nodes.push(Rect {
            x: left + (right - left - size.width) / 2,
            y: row(node) - size.height / 2,
            size,
        });
    }
    for (edge, &(from, _, label)) in graph.edges.iter().enumerate() {
        let chain = &columns.chains[edge];
        if chain.is_empty() {
            drawing.routes.push(self_loop(drawing.nodes[from], label));
            continue;
        }
        let mut route = Route::default();
        for (i, &item) in chain.iter().enumerate() {
            let (left, right) = sides(item);
            let link = columns.first_link[edge] + i;
            if i == 0 {
                let y = row(item) + columns.links[link].from;
                let node = drawing.nodes[item];
                push(&mut route.points, (node.x + node.size.width, y));
                push(&mut route.points, (right, y));
            } else if i + 1 == chain.len() {
                let y = row(item) + columns.links[link - 1].to;
                push(&mut route.points, (left, y));
                push(&mut route.points, (drawing.nodes[item].x, y));
            } else {
                push(&mut route.points, (left, row(item)));
                push(&mut route.points, (right, row(item)));
            }
            if columns.items[item].what == LayoutItemKind::Label(edge) {
                let x = left + (right - left - label.width) / 2;
                let y = row(item) - BELOW_LABEL - label.height;
                route.label = Some(Rect { x, y, size: label });
            }
        }
        if columns.reversed[edge] {
            route.points.reverse();
        }
        drawing.routes.push(route);
    }
    let right = placed.columns.last().map_or(0, |column| column.1);
    drawing.size = Size { width: right + 2 * MARGIN, height: placed.height + 2 * MARGIN };
    drawing
}

/// Adds a point, unless it is the last one.
fn push(points: &mut Vec<(i32, i32)>, point: (i32, i32)) {
    if points.last() != Some(&point) {
        points.push(point);
    }
}

/// A loop on top of its node, with its label above.
fn self_loop(node: Rect, label: Size) -> Route {
    let middle = node.x + node.size.width / 2;
    let wide = (node.size.width / 4).clamp(6, 14);
    let top = node.y;
    // A cubic Bézier curve rises to three quarters of the height of its control points.
    let high = top - LOOP * 4 / 3 + 5;
    let points = vec![
        (middle - wide, top),
        (middle - wide - 8, high),
        (middle + wide + 8, high),
        (middle + wide, top),
    ];
    let x = middle - label.width / 2;
    let label = (label.height > 0).then(|| Rect { x, y: top - LOOP - label.height, size: label });
    Route { points, is_loop: true, label }
}
