//! Protocol Buffers as they lie in a file, as far as SCIP needs them: numbers,
//! texts, messages in messages.

/// One message in the making. What has its default value is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    bytes: Vec<u8>,
}

const VARINT: u64 = 0;
const BYTES: u64 = 2;

impl Message {
    pub fn number(&mut self, field: u64, value: u64) -> &mut Self {
        if value != 0 {
            self.varint(field << 3 | VARINT);
            self.varint(value);
        }
        self
    }

    pub fn flag(&mut self, field: u64, is_set: bool) -> &mut Self {
        self.number(field, u64::from(is_set))
    }

    pub fn text(&mut self, field: u64, text: &str) -> &mut Self {
        if text.is_empty() { self } else { self.block(field, text.as_bytes()) }
    }

    /// Present even when empty, as every element of a list is.
    pub fn message(&mut self, field: u64, message: &Message) -> &mut Self {
        self.block(field, &message.bytes)
    }

    /// A list of numbers, packed.
    pub fn numbers(&mut self, field: u64, values: &[u32]) -> &mut Self {
        let mut packed = Message::default();
        for value in values {
            packed.varint(u64::from(*value));
        }
        self.block(field, &packed.bytes)
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn block(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | BYTES);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value as u8 & 0x7f) | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_encoding_guide() {
        let mut inner = Message::default();
        inner.number(1, 150);
        assert_eq!(inner.clone().finish(), [0x08, 0x96, 0x01]);
        let mut outer = Message::default();
        outer.text(2, "testing").message(3, &inner).numbers(6, &[3, 270, 86_942]);
        let expected = [
            &[0x12, 0x07][..],
            b"testing",
            &[0x1a, 0x03, 0x08, 0x96, 0x01],
            &[0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05],
        ];
        assert_eq!(outer.finish(), expected.concat());
    }
}
