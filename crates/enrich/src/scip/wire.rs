//! Protocol Buffers as they lie in a file, read: fields of a message, and the
//! messages of a stream one by one.

use std::io::{self, Read};

/// Why bytes are no message.
#[derive(Debug)]
pub enum WireError {
    Malformed(&'static str),
    Io(io::Error),
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WireError::Malformed(why) => f.write_str(why),
            WireError::Io(error) => error.fmt(f),
        }
    }
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl<'b> Field<'b> {
    pub const fn bytes(self) -> Option<&'b [u8]> {
        match self {
            Field::Bytes(bytes) => Some(bytes),
            Field::Number(_) => None,
        }
    }

    pub fn text(self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub const fn number(self) -> Option<u64> {
        match self {
            Field::Number(number) => Some(number),
            Field::Bytes(_) => None,
        }
    }
}

/// The fields of a message, each with its number.
#[derive(Debug, Clone)]
pub struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    pub const fn new(bytes: &'b [u8]) -> Self {
        Fields { rest: bytes }
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else {
                return Err(WireError::Malformed("a number is cut off"));
            };
            self.rest = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::Malformed("a number without end"))
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8], WireError> {
        let length = usize::try_from(length).ok().filter(|length| *length <= self.rest.len());
        let Some(length) = length else { return Err(WireError::Malformed("a field is cut off")) };
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<(u64, Field<'b>), WireError> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Field::Number(self.varint()?),
            1 => Field::Bytes(self.take(8)?),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Bytes(self.take(4)?),
            _ => return Err(WireError::Malformed("a field of an unknown kind")),
        };
        Ok((key >> 3, value))
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u64, Field<'b>), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// A list of numbers that is packed into one field.
pub fn numbers(bytes: &[u8]) -> Result<Vec<u64>, WireError> {
    let mut fields = Fields::new(bytes);
    let mut all = Vec::new();
    while !fields.rest.is_empty() {
        all.push(fields.varint()?);
    }
    Ok(all)
}

/// The fields of the outermost message, from a stream; of each only its own bytes
/// are in memory.
#[derive(Debug)]
pub struct Stream<R> {
    input: R,
    largest: u64,
}

impl<R: Read> Stream<R> {
    /// Fields with more bytes than `largest` are refused.
    pub const fn new(input: R, largest: u64) -> Self {
        Stream { input, largest }
    }

    /// The next field and its bytes; none at the end.
    pub fn next_field(&mut self) -> Result<Option<(u64, Vec<u8>)>, WireError> {
        let Some(key) = self.varint(true)? else { return Ok(None) };
        let cut_off = || WireError::Malformed("the file is cut off");
        let length = match key & 7 {
            0 => {
                self.varint(false)?;
                0
            }
            1 => 8,
            2 => self.varint(false)?.ok_or_else(cut_off)?,
            5 => 4,
            _ => return Err(WireError::Malformed("a field of an unknown kind")),
        };
        if length > self.largest {
            return Err(WireError::Malformed("a part is too large"));
        }
        // Grown as bytes arrive: a length alone costs nothing.
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes).map_err(WireError::Io)?;
        if (bytes.len() as u64) < length {
            return Err(cut_off());
        }
        Ok(Some((key >> 3, bytes)))
    }

    fn varint(&mut self, may_end: bool) -> Result<Option<u64>, WireError> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let mut byte = [0];
            let n_read = self.input.read(&mut byte).map_err(WireError::Io)?;
            if n_read == 0 {
                return if may_end && shift == 0 {
                    Ok(None)
                } else {
                    Err(WireError::Malformed("the file is cut off"))
                };
            }
            value |= u64::from(byte[0] & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte[0] & 0x80 == 0 {
                return Ok(Some(value));
            }
        }
        Err(WireError::Malformed("a number without end"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_encoding_guide() {
        let bytes = [
            &[0x12, 0x07][..],
            b"testing",
            &[0x1a, 0x03, 0x08, 0x96, 0x01],
            &[0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05],
        ]
        .concat();
        let fields: Vec<_> = Fields::new(&bytes).map(Result::unwrap).collect();
        assert_eq!(fields[0], (2, Field::Bytes(b"testing")));
        assert_eq!(
            Fields::new(fields[1].1.bytes().unwrap()).next().unwrap().unwrap(),
            (1, Field::Number(150))
        );
        assert_eq!(numbers(fields[2].1.bytes().unwrap()).unwrap(), [3, 270, 86_942]);
        let mut stream = Stream::new(bytes.as_slice(), 100);
        assert_eq!(stream.next_field().unwrap().unwrap(), (2, b"testing".to_vec()));
        assert_eq!(stream.next_field().unwrap().unwrap().0, 3);
        assert_eq!(stream.next_field().unwrap().unwrap().0, 6);
        assert!(stream.next_field().unwrap().is_none());
        let mut stream = Stream::new(&bytes[..5], 100);
        assert!(stream.next_field().is_err());
        assert!(Stream::new(bytes.as_slice(), 3).next_field().is_err());
    }
}
