//! An event as bytes: a protobuf message in TFRecord framing.
//!
//! ```text
//! record   length u64 | masked CRC-32C of the length u32 | message | masked CRC-32C of the message u32     little-endian
//! Event    1 wall_time double | 2 step int64 | 3 file_version string | 5 summary Summary
//! Summary  1 value Value, repeated
//! Value    1 tag string | 2 simple_value float
//! ```
//!
//! Two small messages of a format that does not change: written by hand they are fewer lines than their `.proto` files and a
//! generator would be.

/// What readers know the format by.
const FILE_VERSION: &str = "brain.Event:2";

/// Figures of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Event {
    /// Seconds since 1970.
    pub(super) wall_time: f64,
    pub(super) step: i64,
    pub(super) scalars: Vec<(String, f32)>,
}

impl Event {
    /// As a record.
    pub(super) fn to_record(&self) -> Vec<u8> {
        let mut summary = Vec::new();
        for (tag, value) in &self.scalars {
            let mut entry = Vec::new();
            put_bytes(&mut entry, 1, tag.as_bytes());
            entry.push(key(2, FIXED32));
            entry.extend(value.to_le_bytes());
            put_bytes(&mut summary, 1, &entry);
        }
        let mut message = self.begin();
        put_bytes(&mut message, 5, &summary);
        framed(&message)
    }

    /// The record that has to be a file's first.
    pub(super) fn version_record(wall_time: f64) -> Vec<u8> {
        let mut message = Self { wall_time, ..Self::default() }.begin();
        put_bytes(&mut message, 3, FILE_VERSION.as_bytes());
        framed(&message)
    }

    fn begin(&self) -> Vec<u8> {
        let mut message = vec![key(1, FIXED64)];
        message.extend(self.wall_time.to_le_bytes());
        message.push(key(2, VARINT));
        put_varint(&mut message, self.step as u64);
        message
    }
}

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

fn key(field: u8, wire_type: u8) -> u8 {
    field << 3 | wire_type
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.push(key(field, BYTES));
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u64).to_le_bytes();
    let mut record = length.to_vec();
    record.extend(masked(crc32c(&length)).to_le_bytes());
    record.extend(message);
    record.extend(masked(crc32c(message)).to_le_bytes());
    record
}

/// Sums are masked so that the sum of bytes that hold sums themselves is no special one.
fn masked(sum: u32) -> u32 {
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), which is not the CRC-32 of our own files.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| TABLE[usize::from(sum as u8 ^ byte)] ^ sum >> 8)
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_rfc_3720() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(crc32c(&ascending), 0x46dd_794e);
    }

    /// The bytes were put together by hand from the format, the sums by an independent CRC-32C.
    #[test]
    fn an_event_has_its_bytes() {
        let event = Event { wall_time: 1.0, step: 300, scalars: vec![("a".into(), 0.5)] };
        let message = [
            &[0x09][..],
            &1f64.to_le_bytes(),
            &[0x10, 0xac, 0x02],
            &[0x2a, 10, 0x0a, 8, 0x0a, 1, b'a', 0x15],
            &0.5f32.to_le_bytes(),
        ]
        .concat();
        let record = event.to_record();
        assert_eq!(record[..8], 24u64.to_le_bytes());
        assert_eq!(record[12..36], message);
        assert_eq!(record.len(), 40);
        // The sum of an eight-byte length is in every record: 24 has this one.
        assert_eq!(record[8..12], masked(crc32c(&record[..8])).to_le_bytes());
    }
}
