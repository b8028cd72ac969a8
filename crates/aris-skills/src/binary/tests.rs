use proptest::prelude::*;

use super::*;

/// The header of a 64-bit little-endian ELF file.
fn elf_for(machine: u16) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..6].copy_from_slice(&[0x7F, b'E', b'L', b'F', 2, 1]);
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes
}

#[test]
fn headers() {
    let of = |bytes: &[u8]| Binary::of(bytes).map(|found| (found.format, found.machine));
    assert_eq!(of(&elf_for(62)), Some((Format::Elf, Some(Machine::X86_64))));
    assert_eq!(
        of(&elf_for(183)),
        Some((Format::Elf, Some(Machine::Aarch64)))
    );
    assert_eq!(of(b"\x7FELF"), Some((Format::Elf, None)));
    let mut mach = vec![0xCF, 0xFA, 0xED, 0xFE, 0x0C, 0, 0, 1];
    mach.resize(32, 0);
    assert_eq!(of(&mach), Some((Format::MachO, Some(Machine::Aarch64))));
    assert_eq!(
        of(&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2]).map(|found| found.1),
        Some(Some(Machine::Universal))
    );
    assert_eq!(
        of(&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52]),
        None,
        "a Java class"
    );
    let mut pe = b"MZ".to_vec();
    pe.resize(0x3C, 0);
    pe.extend([0x40, 0, 0, 0]);
    pe.extend(b"PE\0\0\x64\x86");
    pe.resize(0x58, 0);
    assert_eq!(of(&pe), Some((Format::Pe, Some(Machine::X86_64))));
    assert_eq!(of(b"MZ is how this text begins"), None);
    assert_eq!(of(b"#!/bin/sh\n"), None);
}

#[test]
fn our_own_test_program_is_an_elf_file() {
    let path = std::env::current_exe().expect("path");
    let bytes = aris_fs::read(&path, aris_fs::READ_LIMIT).expect("read");
    if cfg!(target_os = "linux") {
        let found = Binary::of(&bytes).expect("a program");
        assert_eq!(found.format, Format::Elf);
        assert_eq!(
            found.machine.and_then(Machine::word),
            Some(std::env::consts::ARCH)
        );
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(magic in 0_usize..7, rest in proptest::collection::vec(any::<u8>(), 0..300)) {
        let magics: [&[u8]; 7] = [
            b"\x7FELF\x02\x01", b"\x7FELF\x01\x02", b"\xCF\xFA\xED\xFE", b"\xFE\xED\xFA\xCE", b"\xCA\xFE\xBA\xBE", b"MZ", b"",
        ];
        let bytes = [magics[magic], &rest].concat();
        let _read = Binary::of(&bytes);
    }
}
