//! Numbers as people write them, and as they are read.

use super::Number;

impl Number {
    /// Bits of the number that a text stands for, in values of so many bits: `0x` and its bits, or the number itself, which for
    /// floats is rounded to the nearest; none if it is no such number.
    pub fn read(self, text: &str, width: u32) -> Option<u64> {
        let most = u64::MAX.checked_shr(u64::BITS - width.min(u64::BITS)).unwrap_or(0);
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            return u64::from_str_radix(digits, 16).ok().filter(|&bits| is_hexadecimal && bits <= most);
        }
        match (self, self.float()) {
            // the standard library rounds once
            (Self::F32, _) => text.parse::<f32>().ok().map(|value| value.to_bits().into()),
            (_, Some(float)) => text.parse::<f64>().ok().map(|value| float.nearest(value).into()),
            (Self::I32, _) => text.parse::<i32>().ok().map(|value| value.cast_unsigned().into()),
            _ => text.parse::<u64>().ok().filter(|&bits| bits <= most),
        }
    }

    /// The number that bits stand for, in as few digits as tell it from all others of its kind.
    pub fn written(self, bits: u64) -> String {
        match (self, self.float()) {
            (Self::F32, _) => format!("{:?}", f32::from_bits(bits as u32)),
            // the upper half of such a float
            (Self::Bf16, _) => format!("{:?}", f32::from_bits((bits as u32) << 16)),
            (_, Some(float)) => format!("{:?}", float.value(bits as u32)),
            (Self::I32, _) => (bits as u32).cast_signed().to_string(),
            _ => bits.to_string(),
        }
    }

    /// Bits of a value in hexadecimal: `0x3f800000`.
    pub fn hexadecimal(bits: u64, width: u32) -> String {
        format!("0x{bits:0digits$x}", digits = width.div_ceil(4) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (number, text, bits) in [
            (Number::F32, "1.5", 0x3fc0_0000),
            (Number::F32, "-0", 0x8000_0000),
            (Number::F32, "inf", 0x7f80_0000),
            (Number::F32, "1e-45", 1),
            (Number::Bf16, "1.5", 0x3fc0),
            (Number::Bf16, "-inf", 0xff80),
            (Number::Bf16, "3.4e38", 0x7f80),
            (Number::Bf16, "1e-40", 1),
            (Number::F16, "65504", 0x7bff),
            (Number::F16, "65519.9", 0x7bff),
            (Number::F16, "65520", 0x7c00),
            (Number::F16, "6e-8", 1),
            (Number::F16, "1.00048828125", 0x3c00),
            (Number::F16, "1.0004882812501", 0x3c01),
            (Number::I32, "-2", 0xffff_fffe),
            (Number::U32, "0x10", 16),
            (Number::Word, "7", 7),
        ] {
            assert_eq!(number.read(text, number.width().unwrap_or(3)), Some(bits), "{number} {text}");
            assert_eq!(number.read(&number.written(bits), 32), Some(bits), "{number} {text}");
        }
        let nan = |number: Number| number.read("nan", 32).map(|bits| number.written(bits));
        assert_eq!([nan(Number::F32), nan(Number::F16)], [Some("NaN".into()), Some("NaN".into())]);
        for (number, text) in [
            (Number::Word, "8"),
            (Number::I32, "0x1ffffffff"),
            (Number::F32, "one"),
            (Number::U32, "-1"),
            (Number::U32, "0x+1"),
        ] {
            assert_eq!(number.read(text, number.width().unwrap_or(3)), None, "{number} {text}");
        }
        assert_eq!(Number::hexadecimal(1, 16), "0x0001");
    }
}
