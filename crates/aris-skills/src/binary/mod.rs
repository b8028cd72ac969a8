//! Executable files: format and machine, read from the first bytes of an ELF, Mach-O or PE file.
//!
//! **Sources**: System V ABI, chapter 4; Apple's `mach-o/loader.h` and `mach-o/fat.h`; Microsoft's PE format.

/// The file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Linux and other Unix systems.
    Elf,
    /// macOS.
    MachO,
    /// Windows.
    Pe,
}

/// The processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// `x86_64`
    X86_64,
    /// `aarch64`
    Aarch64,
    /// 32-bit x86
    I686,
    /// 32-bit ARM
    Arm,
    /// 64-bit RISC-V
    Riscv64,
    /// Several in one file (fat Mach-O).
    Universal,
    /// Another processor, with its number from the header.
    Other(u32),
}

/// Format and machine of a program, from its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The file format.
    pub format: Format,
    /// The processor; `None` when the header is cut off.
    pub machine: Option<Machine>,
}

/// A number that no machine has in this format.
const NONE: u32 = 0;

/// The machines: first part of the target triple, and numbers in ELF, Mach-O and PE.
const MACHINES: [(Machine, &str, [u32; 3]); 6] = [
    (Machine::X86_64, "x86_64", [62, 0x0100_0007, 0x8664]),
    (Machine::Aarch64, "aarch64", [183, 0x0100_000C, 0xAA64]),
    (Machine::I686, "i686", [3, 7, 0x14C]),
    (Machine::Arm, "arm", [40, 12, 0x1C4]),
    (Machine::Arm, "armv7", [40, 12, 0x1C0]),
    (Machine::Riscv64, "riscv64gc", [243, NONE, 0x5064]),
];

impl Machine {
    /// The first part of a target triple.
    pub fn word(self) -> Option<&'static str> {
        let mut machines = MACHINES.iter();
        let found = machines.find(|(machine, ..)| *machine == self);
        found.map(|(_, word, _)| *word)
    }

    /// The machine that the first part of a target triple names.
    pub fn of_word(word: &str) -> Option<Self> {
        let mut machines = MACHINES.iter();
        let found = machines.find(|(_, known, _)| *known == word);
        found.map(|(machine, ..)| *machine)
    }

    fn of_number(format: Format, number: u32) -> Self {
        let mut machines = MACHINES.iter();
        let is_it = |numbers: [u32; 3]| number != NONE && numbers[format as usize] == number;
        let found = machines.find(|(.., numbers)| is_it(*numbers));
        found.map_or(Self::Other(number), |(machine, ..)| *machine)
    }
}

impl Binary {
    /// Reads a program's header; `None` when the bytes do not begin with a known magic number.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match *bytes.first_chunk::<4>()? {
            [0x7F, b'E', b'L', b'F'] => Some(elf(bytes)),
            [0xCE | 0xCF, 0xFA, 0xED, 0xFE] => Some(mach_o(bytes, Endian::Little)),
            [0xFE, 0xED, 0xFA, 0xCE | 0xCF] => Some(mach_o(bytes, Endian::Big)),
            [0xCA, 0xFE, 0xBA, 0xBE | 0xBF] => fat(bytes),
            [b'M', b'Z', ..] => pe(bytes),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
enum Endian {
    Little,
    Big,
}

/// The unsigned integer of `width` bytes at an offset.
fn number(bytes: &[u8], at: u64, width: usize, endian: Endian) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let field = bytes.get(at..at.checked_add(width)?)?;
    let add = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    Some(match endian {
        Endian::Big => field.iter().fold(0, add),
        Endian::Little => field.iter().rev().fold(0, add),
    })
}

fn small(bytes: &[u8], at: u64, width: usize, endian: Endian) -> Option<u32> {
    u32::try_from(number(bytes, at, width, endian)?).ok()
}

fn elf(bytes: &[u8]) -> Binary {
    let endian = match bytes.get(5) {
        Some(2) => Endian::Big,
        _ => Endian::Little,
    };
    let machine = small(bytes, 18, 2, endian);
    Binary {
        format: Format::Elf,
        machine: machine.map(|number| Machine::of_number(Format::Elf, number)),
    }
}

fn mach_o(bytes: &[u8], endian: Endian) -> Binary {
    let machine = small(bytes, 4, 4, endian);
    Binary {
        format: Format::MachO,
        machine: machine.map(|number| Machine::of_number(Format::MachO, number)),
    }
}

/// A fat Mach-O file. A Java class file has the same magic number, but in place of the number of programs a version above 44.
fn fat(bytes: &[u8]) -> Option<Binary> {
    let count = number(bytes, 4, 4, Endian::Big)?;
    (1..=30).contains(&count).then_some(Binary {
        format: Format::MachO,
        machine: Some(Machine::Universal),
    })
}

fn pe(bytes: &[u8]) -> Option<Binary> {
    let header = number(bytes, 0x3C, 4, Endian::Little)?;
    let at = usize::try_from(header).ok()?;
    if bytes.get(at..at.checked_add(4)?)? != b"PE\0\0" {
        return None;
    }
    let machine = small(bytes, header + 4, 2, Endian::Little);
    Some(Binary {
        format: Format::Pe,
        machine: machine.map(|number| Machine::of_number(Format::Pe, number)),
    })
}

#[cfg(test)]
mod tests;
