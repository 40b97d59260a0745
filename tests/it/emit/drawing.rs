//! Drawings of machines: no label overlaps a label or a state, names add no elements, and drawings are deterministic.

use super::examples;
use crate::gallery::{every, folder, gallery};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use tsl_synth_emit::layout::{Drawing, LayoutGraph, Rect, Size, layout};
use tsl_synth_emit::{EmitOptions, Lang, emit};
use tsl_synth_service::{EmitRequest, Emitted, FailureKind, Session, SpecLanguage, SpecRequest};
use tsl_synth_testkit::{Rng, skip};

/// The emitted text of a specification of the gallery: its controller, or a counter-strategy if it is unrealizable.
fn emitted(path: &Path, lang: Lang) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a specification");
    let language = SpecLanguage::of_ending(path).expect("a specification");
    let mut request = EmitRequest::new(SpecRequest::text(language, path.to_string_lossy(), text), lang);
    let mut report = Session::new().emit(&request);
    if let Err(failure) = &report
        && matches!(failure.kind, FailureKind::NoStrategy { .. })
    {
        request.what = Emitted::CounterStrategy;
        report = Session::new().emit(&request);
    }
    match report {
        Ok(report) => Some(report.main().text().expect("text").to_owned()),
        Err(failure) => {
            println!("{}: {:?}", path.display(), failure.kind);
            None
        }
    }
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let from = element.find(&format!(" {name}=\"")).expect(name) + name.len() + 3;
    &element[from..from + element[from..].find('"').expect("a quote")]
}

/// The boxes of a class.
fn boxes(svg: &str, class: &str) -> Vec<Rect> {
    let start = format!("<rect class=\"{class}\"");
    let elements =
        svg.match_indices(&start).map(|(at, _)| &svg[at..at + svg[at..].find('>').expect("an end")]);
    let number = |element: &str, name: &str| attribute(element, name).parse().expect("a number");
    elements
        .map(|element| Rect {
            x: number(element, "x"),
            y: number(element, "y"),
            size: Size { width: number(element, "width"), height: number(element, "height") },
        })
        .collect()
}

fn disjoint(name: &str, boxes: &[Rect], size: Size) {
    for (i, a) in boxes.iter().enumerate() {
        let inside = a.x >= 0 && a.y >= 0;
        let inside = inside && a.x + a.size.width <= size.width && a.y + a.size.height <= size.height;
        assert!(inside, "{name}: {a:?} is not inside of {size:?}");
        for b in &boxes[i + 1..] {
            assert!(!a.overlaps(b), "{name}: {a:?} overlaps {b:?}");
        }
    }
}

#[test]
fn no_label_of_the_gallery_overlaps_a_label_or_a_state() {
    let (mut drawn, mut labels) = (0, 0);
    for path in every(4, 0) {
        let Some(svg) = emitted(&path, Lang::Svg) else { continue };
        let name = path.display().to_string();
        let (states, mut all) = (boxes(&svg, "state-box"), boxes(&svg, "label-box"));
        assert!(!states.is_empty() && !all.is_empty(), "{name}");
        labels += all.len();
        all.extend(states);
        let head = &svg[..svg.find('>').expect("an element")];
        let number = |name: &str| attribute(head, name).parse().expect("a number");
        disjoint(&name, &all, Size { width: number("width"), height: number("height") });
        if drawn % 4 == 0 {
            assert_eq!(emitted(&path, Lang::Svg).as_ref(), Some(&svg), "{name}: drawn twice");
        }
        drawn += 1;
    }
    assert!(drawn >= 12 && labels >= 50, "{drawn} drawings with {labels} labels");
}

/// The segments between the points of the route of an edge; none for a loop.
fn segments(drawing: &Drawing, edge: usize) -> Vec<((i32, i32), (i32, i32))> {
    let route = &drawing.routes[edge];
    if route.is_loop { Vec::new() } else { route.points.windows(2).map(|pair| (pair[0], pair[1])).collect() }
}

#[test]
fn random_graphs_are_drawn_without_overlaps() {
    let mut random = Rng(7);
    for round in 0..300 {
        let nodes = 1 + random.below(14);
        let size = |random: &mut Rng, least: usize| Size {
            width: i32::try_from(least + random.below(120)).expect("small"),
            height: i32::try_from(least + random.below(60)).expect("small"),
        };
        let mut graph = LayoutGraph::default();
        graph.nodes.extend((0..nodes).map(|_| size(&mut random, 20)));
        for from in 0..nodes {
            for to in 0..nodes {
                if random.below(4) == 0 {
                    let label = if random.below(5) == 0 { Size::default() } else { size(&mut random, 1) };
                    graph.edges.push((from, to, label));
                }
            }
        }
        let drawing = layout(&graph).expect("a small graph");
        assert_eq!(layout(&graph), Some(drawing.clone()));
        let mut all = drawing.nodes.clone();
        all.extend(drawing.routes.iter().filter_map(|route| route.label));
        disjoint(&format!("graph {round}"), &all, drawing.size);
        for (i, &(from, to, label)) in graph.edges.iter().enumerate() {
            let (route, name) = (&drawing.routes[i], format!("graph {round}, edge {i}"));
            assert_eq!(route.label.map(|rect| rect.size), (label.height > 0).then_some(label), "{name}");
            // The route begins at one node and ends at the other.
            let touches = |node: usize, (x, y): (i32, i32)| {
                let Rect { x: left, y: top, size } = drawing.nodes[node];
                (left..=left + size.width).contains(&x) && (top..=top + size.height).contains(&y)
            };
            let ends = (route.points[0], route.points[route.points.len() - 1]);
            assert!(touches(from, ends.0) && touches(to, ends.1), "{name}: {ends:?}");
            // Within the columns routes have only horizontal segments; these overlap no node and no label.
            for (a, b) in segments(&drawing, i).into_iter().filter(|(a, b)| a.1 == b.1) {
                let line =
                    Rect { x: a.0.min(b.0), y: a.1, size: Size { width: (a.0 - b.0).abs(), height: 0 } };
                for (node, rect) in drawing.nodes.iter().enumerate() {
                    assert!(!rect.overlaps(&line), "{name} runs through node {node}");
                }
                for rect in drawing.routes.iter().filter_map(|route| route.label) {
                    assert!(!rect.overlaps(&line), "{name} runs through a label");
                }
            }
        }
    }
}

#[test]
fn what_is_too_large_is_not_drawn() {
    let nodes = vec![Size { width: 10, height: 10 }; 600];
    let label = Size { width: 10, height: 10 };
    let edges = (0..600).flat_map(|a| (0..600).step_by(3).map(move |b| (a, b, label))).collect();
    assert_eq!(layout(&LayoutGraph { nodes, edges }), None);
}

#[test]
fn names_stay_text() {
    for example in examples::all() {
        let files = emit(&example.input(), &EmitOptions::new(Lang::Svg)).expect("a drawing");
        let svg = files[0].text().expect("text");
        let elements: Vec<&str> = svg
            .split('<')
            .skip(1)
            .map(|part| part.split([' ', '>', '/']).find(|word| !word.is_empty()).unwrap_or_default())
            .collect();
        let known = ["svg", "title", "desc", "style", "rect", "g", "path", "text", "tspan", "circle"];
        for element in elements {
            assert!(known.contains(&element), "{}: <{element}", example.name);
        }
        assert!(!svg.contains("javascript:") || !svg.contains("href"), "{}", example.name);
        assert!(svg.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{}", example.name);
        assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count(), "{}", example.name);
    }
}

/// Points of a path made of `M`, `H` and `C`.
fn path_points(path: &str) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |end| end + 1);
        let numbers: Vec<f64> = rest[1..end].split(' ').map(|n| n.parse().expect("a number")).collect();
        let last = points.last().copied().unwrap_or_default();
        match (command, numbers.as_slice()) {
            ('M', &[x, y]) => points.push((x, y)),
            ('H', &[x]) => points.push((x, last.1)),
            ('C', &[a, b, c, d, x, y]) => curve(&mut points, [last, (a, b), (c, d), (x, y)]),
            _ => panic!("{path}"),
        }
        rest = &rest[end..];
    }
    points
}

/// Appends points of a Bézier curve, without its first one.
fn curve(points: &mut Vec<(f64, f64)>, [a, b, c, d]: [(f64, f64); 4]) {
    for i in 1..=24 {
        let t = f64::from(i) / 24.0;
        let u = 1.0 - t;
        let mix = |a: f64, b: f64, c: f64, d: f64| {
            u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
        };
        points.push((mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1)));
    }
}

/// The number of proper crossings between segments of different lines.
fn crossings(lines: &[Vec<(f64, f64)>]) -> usize {
    let turn =
        |a: (f64, f64), b: (f64, f64), c: (f64, f64)| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let cross = |a: &[(f64, f64)], b: &[(f64, f64)]| {
        turn(a[0], a[1], b[0]) * turn(a[0], a[1], b[1]) < 0.0
            && turn(b[0], b[1], a[0]) * turn(b[0], b[1], a[1]) < 0.0
    };
    let mut found = 0;
    for (i, first) in lines.iter().enumerate() {
        for second in &lines[i + 1..] {
            for a in first.windows(2) {
                found += second.windows(2).filter(|b| cross(a, b)).count();
            }
        }
    }
    found
}

/// The edges of an SVG drawing that are not loops, as polylines.
fn lines_of_svg(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let edges = svg.split("<g class=\"edge\" ").skip(1);
    edges
        .filter(|edge| {
            let edge = format!(" {edge}");
            attribute(&edge, "data-from") != attribute(&edge, "data-to")
        })
        .map(|edge| {
            let line = &edge[edge.find("class=\"line\"").expect("a line")..];
            path_points(attribute(line, "d"))
        })
        .collect()
}

/// The same for the `plain` format of Graphviz.
fn lines_of_plain(plain: &str) -> Vec<Vec<(f64, f64)>> {
    let mut lines = Vec::new();
    for line in plain.lines().filter(|line| line.starts_with("edge ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let count: usize = words[3].parse().expect("a number");
        if words[1] == words[2] || words[1] == "start" {
            continue;
        }
        let numbers: Vec<f64> =
            words[4..4 + 2 * count].iter().map(|word| word.parse().expect("a number")).collect();
        let controls: Vec<(f64, f64)> = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let mut points = vec![controls[0]];
        for i in (0..controls.len() - 1).step_by(3) {
            curve(&mut points, [controls[i], controls[i + 1], controls[i + 2], controls[i + 3]]);
        }
        lines.push(points);
    }
    lines
}

/// `campaigns crossings`
#[test]
#[ignore = "a measurement"]
fn crossings_beside_graphviz() {
    if Command::new("dot").arg("-V").stderr(Stdio::null()).status().is_err() {
        skip("there is no `dot`: crossings are not compared with Graphviz");
        return;
    }
    let mut rows: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for path in gallery() {
        let (Some(svg), Some(dot)) = (emitted(&path, Lang::Svg), emitted(&path, Lang::Dot)) else { continue };
        let file = std::env::temp_dir().join(format!("tsl-synth-crossings-{}.dot", std::process::id()));
        std::fs::write(&file, dot).expect("a file");
        let output = Command::new("dot").arg("-Tplain").arg(&file).output().expect("dot runs");
        std::fs::remove_file(&file).expect("a file");
        let plain = String::from_utf8(output.stdout).expect("text");
        let ours = lines_of_svg(&svg);
        let theirs = lines_of_plain(&plain);
        assert_eq!(ours.len(), theirs.len(), "{}", path.display());
        let name = path.strip_prefix(folder()).expect("in the gallery").display().to_string();
        rows.insert(name, [ours.len(), crossings(&ours), crossings(&theirs)]);
    }
    println!("{:44} {:>6} {:>9} {:>9}", "specification", "edges", "crossings", "graphviz");
    let mut sums = [0; 3];
    for (name, row) in &rows {
        if row[1] + row[2] > 0 {
            println!("{name:44} {:>6} {:>9} {:>9}", row[0], row[1], row[2]);
        }
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    println!("{:44} {:>6} {:>9} {:>9}", format!("all {}", rows.len()), sums[0], sums[1], sums[2]);
}
