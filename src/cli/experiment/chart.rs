//! Charts as SVG.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use tsl_synth_experiments::Chart;

/// Size of a picture in pixels.
const SIZE: (u32, u32) = (1000, 600);

/// Draws a chart.
///
/// # Errors
/// When the library that draws it fails.
pub(crate) fn draw(chart: &Chart) -> Result<String> {
    let mut svg = String::new();
    let failed = |error: &dyn std::fmt::Display| anyhow!("{error}");
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(|e| failed(&e))?;
        let points = || chart.lines.iter().flat_map(|(_, points)| points);
        let most = |of: &dyn Fn(&(f64, f64)) -> f64| points().map(of).fold(f64::MIN_POSITIVE, f64::max);
        let (right, top) = (most(&|p| p.0), most(&|p| p.1).max(1.0));
        let mut context = ChartBuilder::on(&root)
            .caption(&chart.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(54)
            .build_cartesian_2d(0.0..right, 0.0..top * 1.02)
            .map_err(|e| failed(&e))?;
        context
            .configure_mesh()
            .x_desc(chart.x.as_str())
            .y_desc(chart.y.as_str())
            .draw()
            .map_err(|e| failed(&e))?;
        for (i, (name, points)) in chart.lines.iter().enumerate() {
            let color = Palette99::pick(i).to_rgba();
            context
                .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))
                .map_err(|e| failed(&e))?
                .label(name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], color.stroke_width(2)));
        }
        context
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()
            .map_err(|e| failed(&e))?;
        root.present().map_err(|e| failed(&e))?;
    }
    Ok(svg)
}
