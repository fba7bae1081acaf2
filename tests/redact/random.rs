//! Random parts of samples, the same in every run, so that no real-looking secret is stored.

/// Draws characters; a seed always gives the same.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: &str) -> Random {
        let hash = seed
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        Random(hash | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % bound as u64).unwrap()
    }

    fn draw(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }

    /// Replaces `{x12}` by twelve characters of the alphabet `x`.
    pub(crate) fn fill(&mut self, template: &str) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            let spec = rest[open + 1..].split('}').next().unwrap();
            let class = spec.chars().next().unwrap_or(' ');
            let length = spec.get(1..).and_then(|length| length.parse().ok());
            filled.push_str(&rest[..open]);
            match (alphabet(class), length) {
                (Some(alphabet), Some(length)) => {
                    filled.push_str(&self.draw(&alphabet, length));
                    rest = &rest[open + spec.len() + 2..];
                }
                _ => {
                    filled.push('{');
                    rest = &rest[open + 1..];
                }
            }
        }
        filled.push_str(rest);
        filled
    }
}

const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

fn alphabet(class: char) -> Option<String> {
    Some(match class {
        'a' => [SMALL, CAPITALS, DIGITS].concat(),
        'l' => SMALL.to_owned(),
        's' => [SMALL, DIGITS].concat(),
        'c' => [CAPITALS, DIGITS].concat(),
        't' => [CAPITALS, "234567"].concat(),
        'd' => DIGITS.to_owned(),
        'h' => "0123456789abcdef".to_owned(),
        'H' => "0123456789ABCDEF".to_owned(),
        'u' => [SMALL, CAPITALS, DIGITS, "_-"].concat(),
        'b' => [SMALL, CAPITALS, DIGITS, "+/"].concat(),
        'r' => [SMALL, CAPITALS, DIGITS, "./"].concat(),
        'p' => [SMALL, CAPITALS, DIGITS, "!#%*+-"].concat(),
        _ => return None,
    })
}
