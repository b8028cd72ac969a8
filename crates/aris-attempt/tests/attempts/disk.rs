//! Full disks.

use std::process::{Command, Stdio};

use aris_attempt::Watch;
use aris_attempt::format::{EXIT, Ending};

use crate::place::{Place, ended, line_of, until};

/// A small file system; `None`, with a message, if this user may not mount one.
struct Small<'a> {
    place: &'a Place,
}

impl<'a> Small<'a> {
    fn mounted(place: &'a Place) -> Option<Self> {
        std::fs::create_dir(place.attempt()).expect("created");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k,nr_inodes=64", "small"])
            .arg(place.attempt())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            Some(Self { place })
        } else {
            println!("skipped: this user may not mount a small file system");
            None
        }
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let status = Command::new("umount")
            .arg("--lazy")
            .arg(self.place.attempt())
            .status();
        assert!(status.is_ok_and(|status| status.success()));
    }
}

#[test]
fn an_exit_record_waits_until_the_disk_has_room() {
    let place = Place::new();
    let Some(_small) = Small::mounted(&place) else {
        return;
    };
    let mut watch = Watch::new().expect("a watch");
    place.start(
        &mut watch,
        &place.spec(
            "echo here >ready; until [ -e go ]; do sleep 0.01; done; echo over >over; exit 6",
        ),
    );
    line_of(&place.at("ready"));
    until("the start", || place.attempt().join("start.json").exists());
    let filler = place.attempt().join("filler");
    std::fs::write(&filler, vec![0_u8; 1 << 20]).expect_err("full");
    std::fs::write(place.at("go"), "").expect("written");
    line_of(&place.at("over"));
    // The runner and the attempt are still there.
    assert!(!place.attempt().join(EXIT).exists());
    std::fs::remove_file(&filler).expect("removed");
    assert_eq!(ended(&mut watch).ending, Ending::Code(6));
}
