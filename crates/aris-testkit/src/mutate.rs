//! Random changes of inputs: bytes and pieces of files are cut, doubled, repeated and mixed.

use fastrand::Rng;

/// Longest input, in bytes.
const LARGEST: usize = 64 << 10;

/// Bytes that make parsers take another path.
const TURNS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b"\\",
    b"\"",
    b"'",
    b"`",
    b"#",
    b"%",
    b"&",
    b"*",
    b"|",
    b",",
    b":",
    b"- ",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\t",
    b"\0",
    b"---\n",
    b"<",
    b">",
    b"$",
    b"@",
    b"0",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"\xff",
    b"\xef\xbb\xbf",
    "\u{2028}".as_bytes(),
    "\u{1d54f}".as_bytes(),
    "e\u{301}".as_bytes(),
];

/// Makes new inputs from others. The same seed gives the same inputs.
pub struct Mutator<'s> {
    random: Rng,
    seeds: &'s [Vec<u8>],
}

impl<'s> Mutator<'s> {
    /// Inputs made from `seeds`, which must not be empty.
    pub fn new(seed: u64, seeds: &'s [Vec<u8>]) -> Self {
        Self {
            random: Rng::with_seed(seed),
            seeds,
        }
    }

    fn seed(&mut self) -> &'s [u8] {
        &self.seeds[self.random.usize(..self.seeds.len())]
    }

    /// A random piece of `bytes`, mostly short.
    pub fn piece<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let start = self.random.usize(..=bytes.len());
        let most = 1 << self.random.u32(0..12);
        let end = bytes.len().min(start + self.random.usize(..=most));
        &bytes[start..end]
    }

    /// The next input.
    pub fn input(&mut self) -> Vec<u8> {
        let mut bytes = self.seed().to_vec();
        for _ in 0..=self.random.u32(0..6) {
            let at = self.random.usize(..=bytes.len());
            let end = at + self.piece(&bytes[at..]).len();
            let new = match self.random.u8(0..8) {
                0 => Vec::new(),
                1 => vec![self.random.u8(..)],
                2 | 3 => TURNS[self.random.usize(..TURNS.len())].to_vec(),
                4 => TURNS[self.random.usize(..TURNS.len())].repeat(1 << self.random.u32(0..12)),
                5 | 6 => {
                    let other = self.seed();
                    self.piece(other).to_vec()
                }
                _ => bytes[at..end].repeat(1 << self.random.u32(1..6)),
            };
            // Either replace the piece, or insert before it.
            let end = if self.random.bool() { end } else { at };
            bytes.splice(at..end, new);
        }
        bytes.truncate(LARGEST);
        bytes
    }
}
