//! Decodes a PNG completely.

use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};

/// Most pixels of a picture: ten times what print needs for a page (A4 at 600 dots per inch has 35 million).
const PIXELS: u64 = 350_000_000;

/// Most bytes that the decoder may use for one row and for text chunks.
const MEMORY: usize = 256 << 20;

/// The properties of a picture that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// In pixels.
    pub(crate) width: u32,
    /// In pixels.
    pub(crate) height: u32,
    /// Whether every pixel is the same: nothing is drawn.
    pub(crate) blank: bool,
    /// Whether it has an alpha channel or a transparent colour.
    pub(crate) transparent: bool,
}

/// Decodes a whole file, which checks the checksum of every chunk and that the picture is complete.
///
/// **Errors**: the reason, in lower case.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, String> {
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err(String::from("it is not a PNG"));
    }
    let broken = |error: png::DecodingError| format!("it is a damaged PNG: {error}");
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MEMORY });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(broken)?;
    let info = reader.info();
    let (width, height) = (info.width, info.height);
    let (has_transparency, is_interlaced) = (info.trns.is_some(), info.interlaced);
    if u64::from(width) * u64::from(height) > PIXELS {
        return Err(format!("{width} × {height} pixels are more than {PIXELS}"));
    }
    let (color, _) = reader.output_color_type();
    let transparent =
        has_transparency || matches!(color, ColorType::Rgba | ColorType::GrayscaleAlpha);
    let size = color.samples();
    let mut first: Option<Vec<u8>> = None;
    let mut blank = true;
    if is_interlaced {
        let length = reader
            .output_buffer_size()
            .ok_or_else(|| String::from("it is too large"))?;
        let mut pixels = vec![0; length];
        reader.next_frame(&mut pixels).map_err(broken)?;
        blank = is_uniform(&pixels, size, &mut first);
    } else {
        while let Some(row) = reader.next_row().map_err(broken)? {
            blank &= is_uniform(row.data(), size, &mut first);
        }
    }
    reader.finish().map_err(broken)?;
    Ok(Picture {
        width,
        height,
        blank,
        transparent,
    })
}

/// Whether all pixels, of `size` bytes each, equal the first one.
fn is_uniform(pixels: &[u8], size: usize, first: &mut Option<Vec<u8>>) -> bool {
    let mut all = pixels.chunks_exact(size);
    let Some(wanted) = first
        .clone()
        .or_else(|| all.clone().next().map(<[u8]>::to_vec))
    else {
        return true;
    };
    let uniform = all.all(|pixel| pixel == wanted.as_slice());
    *first = Some(wanted);
    uniform
}

impl Picture {
    /// Dots per inch when printed `millimetres` wide, rounded down.
    pub(crate) fn dpi(self, millimetres: u32) -> u32 {
        let dpi = u64::from(self.width) * 254 / (u64::from(millimetres.max(1)) * 10);
        u32::try_from(dpi).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, color: ColorType, pixel: impl Fn(usize) -> u8) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, width, height);
        encoder.set_color(color);
        let mut writer = encoder.write_header().expect("header");
        let length = width as usize * height as usize * color.samples();
        let pixels: Vec<u8> = (0..length).map(pixel).collect();
        writer.write_image_data(&pixels).expect("pixels");
        drop(writer);
        out
    }

    #[test]
    fn a_picture_is_decoded_whole() {
        let good = png(40, 20, ColorType::Rgb, |at| {
            u8::try_from(at % 251).unwrap_or(0)
        });
        assert_eq!(
            decode(&good),
            Ok(Picture {
                width: 40,
                height: 20,
                blank: false,
                transparent: false
            })
        );
        let blank = decode(&png(8, 8, ColorType::Rgba, |_| 255)).expect("a picture");
        assert!(blank.blank && blank.transparent);
        assert_eq!(
            Picture {
                width: 1536,
                ..blank
            }
            .dpi(157),
            248
        );
        // Every cut and every changed byte of the image data is noticed.
        for length in 0..good.len() - 12 {
            assert!(decode(&good[..length]).is_err(), "cut at {length}");
        }
        let data = good
            .windows(4)
            .position(|word| word == b"IDAT")
            .expect("data");
        for at in data..good.len() - 12 {
            let mut changed = good.clone();
            changed[at] ^= 0x41;
            assert!(decode(&changed).is_err(), "changed at {at}");
        }
        for other in [
            &b"\x89PNG\r\n\x1a\n"[..],
            b"GIF89a",
            b"",
            b"\xff\xd8\xff\xe0",
        ] {
            assert!(decode(other).is_err());
        }
    }

    #[test]
    fn a_header_that_promises_too_much_is_refused_before_memory_is_taken() {
        let mut bytes = png(1, 1, ColorType::Grayscale, |_| 0);
        bytes[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        assert!(decode(&bytes).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(at in 0usize..200, byte in 0u8..=255, cut in 0usize..200) {
            let mut bytes = png(9, 5, ColorType::Rgb, |at| u8::try_from(at % 7).unwrap_or(0));
            if let Some(slot) = bytes.get_mut(at) {
                *slot = byte;
            }
            bytes.truncate(bytes.len().saturating_sub(cut / 2));
            drop(decode(&bytes));
        }
    }
}
