//! Numbers packed tight: an arithmetic decoder whose chances follow what it has read.
//! As plain bytes the weights would add 18 KB gzipped to the wasm file.
//!
//! `examples/fit` packs; this only unpacks. Bytes that run out read as zeros, so that damage is never a panic.

/// The stream being read.
pub struct Unpacker<'a> {
    bytes: std::slice::Iter<'a, u8>,
    range: u32,
    code: u32,
}

impl<'a> Unpacker<'a> {
    /// Begins to read.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut s = Self { bytes: bytes.iter(), range: u32::MAX, code: 0 };
        for _ in 0..4 {
            s.code = s.code << 8 | s.next();
        }
        s
    }

    fn next(&mut self) -> u32 {
        self.bytes.next().copied().map_or(0, u32::from)
    }

    fn settle(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
    }

    /// A number below `n`, each as likely as the other.
    pub fn uniform(&mut self, n: u32) -> u32 {
        self.range /= n.max(1);
        let v = (self.code / self.range).min(n.saturating_sub(1));
        self.code = self.code.wrapping_sub(v * self.range);
        self.settle();
        v
    }
}

/// How likely each bit of a number is, after those before it. `N` is one more than the highest number.
pub struct Chances<const N: usize>([u16; N], [u8; N]);

impl<const N: usize> Chances<N> {
    /// Nothing known yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self([1 << 15; N], [0; N])
    }

    /// Reads a number of so many bits.
    pub fn read(&mut self, from: &mut Unpacker<'_>, bits: u32) -> u32 {
        let mut at = 1usize;
        for _ in 0..bits {
            let zero = (from.range >> 16) * u32::from(self.of_zero(at));
            let bit = from.code >= zero;
            if bit {
                from.code -= zero;
                from.range -= zero;
            } else {
                from.range = zero;
            }
            self.learn(at, bit);
            from.settle();
            at = at << 1 | usize::from(bit);
        }
        at as u32 - (1 << bits)
    }

    /// How likely the bit at a place is 0, in parts of 65,536; the packer asks this.
    pub fn of_zero(&self, at: usize) -> u16 {
        self.0[at]
    }

    /// Takes note of the bit at a place. The first bits teach most.
    pub fn learn(&mut self, at: usize, bit: bool) {
        let (p, seen) = (&mut self.0[at], &mut self.1[at]);
        let by = RATE[usize::from(*seen)];
        *seen = (*seen + 1).min(RATE.len() as u8 - 1);
        *p = if bit { *p - (*p >> by) } else { *p + ((u16::MAX - *p) >> by) };
        *p = (*p).clamp(64, u16::MAX - 64);
    }
}

/// By how many bits a chance's distance to what was seen is shifted.
const RATE: [u8; 16] = [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 6];
