//! gzip, zlib and zstd, undone with a bound on what comes out.

use model::{Error, ErrorCode, Result};
use std::io::{self, BufRead, Read};

/// How a body or file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Gzip,
    Zlib,
    Zstd,
}

impl Compression {
    /// By the name a header gives; none for one that is not known.
    pub fn from_name(name: &str) -> Option<Compression> {
        match name.trim().to_ascii_lowercase().as_str() {
            "" | "identity" | "none" => Some(Compression::None),
            "gzip" | "x-gzip" => Some(Compression::Gzip),
            "deflate" | "zlib" => Some(Compression::Zlib),
            "zstd" => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// By how a file begins.
    pub fn of(beginning: &[u8]) -> Compression {
        match beginning {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// What is read out of `packed`, as it is wanted.
pub fn reader<'r>(
    packed: impl BufRead + Send + 'r,
    how: Compression,
) -> Result<Box<dyn Read + Send + 'r>> {
    Ok(match how {
        Compression::None => Box::new(packed),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
        Compression::Zlib => Box::new(flate2::bufread::ZlibDecoder::new(packed)),
        Compression::Zstd => {
            let mut decoder =
                zstd::Decoder::with_buffer(packed).map_err(|error| damaged(&error))?;
            // A frame may ask for a window of gigabytes.
            decoder.window_log_max(27).map_err(|error| damaged(&error))?;
            Box::new(decoder)
        }
    })
}

/// All of `packed`, of which at most `most` bytes come out.
pub fn unpack(packed: &[u8], how: Compression, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = reader(packed, how)?.take(most as u64 + 1);
    reader.read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    if bytes.len() > most {
        return Err(Error::new(
            ErrorCode::TransformError,
            format!("the body unpacks to more than {most} bytes"),
        )
        .suggest("send smaller batches"));
    }
    Ok(bytes)
}

fn damaged(error: &io::Error) -> Error {
    Error::new(ErrorCode::TransformError, format!("cannot unpack: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn what_was_packed_comes_out() {
        let text = b"spans".repeat(1000);
        let zstd = zstd::encode_all(&text[..], 3).unwrap();
        for packed in [gzip(&text), zstd] {
            let how = Compression::of(&packed);
            assert_eq!(unpack(&packed, how, 10_000).unwrap(), text);
        }
    }

    #[test]
    fn a_bomb_is_refused_after_the_bound() {
        let zeros = vec![0; 50 << 20];
        for packed in [gzip(&zeros), zstd::encode_all(&zeros[..], 3).unwrap()] {
            assert!(packed.len() < 200_000);
            let refused = unpack(&packed, Compression::of(&packed), 1 << 20).unwrap_err();
            assert!(refused.message().contains("more than"), "{refused}");
        }
    }

    #[test]
    fn cut_and_damaged_bodies_are_errors() {
        let packed = gzip(b"spans");
        assert!(unpack(&packed[..packed.len() - 3], Compression::Gzip, 100).is_err());
        assert!(unpack(b"no zstd", Compression::Zstd, 100).is_err());
    }
}
