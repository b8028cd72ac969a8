//! Draws PNG and PDF from the SVG, using only the fonts of this program.

use std::sync::{Arc, OnceLock};

use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, FontResolver, Options, Tree};

use crate::text::{FONTS, fallback};

/// Units of the canvas in an inch. **Source**: CSS, where a px is 1/96 of an inch.
pub const UNITS_PER_INCH: f64 = 96.0;
/// Points in an inch.
const POINTS_PER_INCH: f64 = 72.0;
/// Most pixels of a picture; they take 256 MiB of memory.
pub const PIXELS: f64 = (64 << 20) as f64;

/// Why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It would have more than [`PIXELS`] pixels, or none.
    #[error("it would have {width} x {height} pixels")]
    Size {
        /// Width, in pixels.
        width: String,
        /// Height, in pixels.
        height: String,
    },
    /// The drawing library refused, with this message.
    #[error("{0}")]
    Drawing(String),
}

/// The fonts, and the id of each of [`FONTS`] in the database.
struct Database {
    fonts: Arc<usvg::fontdb::Database>,
    ids: [Option<usvg::fontdb::ID>; 5],
}

fn database() -> &'static Database {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    DATABASE.get_or_init(|| {
        let mut fonts = usvg::fontdb::Database::new();
        let ids = FONTS.map(|font| {
            let source = usvg::fontdb::Source::Binary(Arc::new(font));
            fonts.load_font_source(source).first().copied()
        });
        Database {
            fonts: Arc::new(fonts),
            ids,
        }
    })
}

/// Parses the SVG. All text uses the program's fonts, whatever families the SVG names.
fn tree(svg: &str) -> Result<Tree, PictureError> {
    let Database { fonts, ids } = database();
    let options = Options {
        fontdb: Arc::clone(fonts),
        font_resolver: FontResolver {
            select_font: Box::new(move |font, _| ids[usize::from(font.weight() > 500)]),
            select_fallback: Box::new(move |character, used, _| {
                fallback(character)
                    .and_then(|index| *ids.get(index)?)
                    .filter(|font| !used.contains(font))
            }),
        },
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| PictureError::Drawing(error.to_string()))
}

/// Draws `svg` as PNG with `dpi` pixels per inch, which is also recorded in the file.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded by PIXELS; scales of pictures"
)]
pub fn png(svg: &str, dpi: f64) -> Result<Vec<u8>, PictureError> {
    let tree = tree(svg)?;
    let scale = dpi / UNITS_PER_INCH;
    let width = (f64::from(tree.size().width()) * scale).round();
    let height = (f64::from(tree.size().height()) * scale).round();
    let too_large = || PictureError::Size {
        width: format!("{width:.0}"),
        height: format!("{height:.0}"),
    };
    if !(width >= 1.0 && height >= 1.0 && width * height <= PIXELS) {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    let mut bytes = pixels
        .encode_png()
        .map_err(|error| PictureError::Drawing(error.to_string()))?;
    // Pixels per metre, inserted after signature and header, 8 + 25 bytes. **Source**: PNG, chunk pHYs.
    let per_metre = ((dpi / 0.0254).round() as u32).to_be_bytes();
    let mut chunk = Vec::from(b"pHYs");
    chunk.extend(per_metre);
    chunk.extend(per_metre);
    chunk.push(1);
    let sum = crc32fast::hash(&chunk).to_be_bytes();
    let chunk: Vec<u8> = [&9_u32.to_be_bytes()[..], &chunk, &sum].concat();
    bytes.splice(33..33, chunk);
    Ok(bytes)
}

/// Draws `svg` as a PDF of one page in the size of the canvas, with selectable text.
#[expect(clippy::cast_possible_truncation, reason = "sizes of pages")]
pub fn pdf(svg: &str, title: Option<&str>) -> Result<Vec<u8>, PictureError> {
    let tree = tree(svg)?;
    let scale = (POINTS_PER_INCH / UNITS_PER_INCH) as f32;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let page = PageSettings::from_wh(width, height);
    let (Some(page), Some(size)) = (page, Size::from_wh(width, height)) else {
        return Err(PictureError::Size {
            width: width.to_string(),
            height: height.to_string(),
        });
    };
    let mut document = krilla::Document::new();
    if let Some(title) = title {
        document.set_metadata(Metadata::new().title(String::from(title)));
    }
    let mut page = document.start_page_with(page);
    let mut surface = page.surface();
    let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
    surface.finish();
    page.finish();
    drawn
        .ok_or_else(|| PictureError::Drawing(String::from("the picture cannot be drawn as PDF")))?;
    document
        .finish()
        .map_err(|error| PictureError::Drawing(format!("{error:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_is_too_large_is_refused() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"/>"#;
        assert!(matches!(png(svg, 96.0), Err(PictureError::Size { .. })));
        assert!(matches!(png("<svg", 96.0), Err(PictureError::Drawing(_))));
    }
}
