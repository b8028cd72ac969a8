//! Cases of `paper_illustration_image2`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

/// 12 × 8 pixels in 8-bit grey, without two equal rows.
const PICTURE: &[u8] = include_bytes!("picture.png");

/// Settings for which 12 pixels are enough: 10 mm are about 12 pixels at 30 dpi.
const ENOUGH: [&str; 4] = ["--print-width", "10", "--min-dpi", "30"];

pub(crate) const CASES: Cases = Cases {
    helper: "paper_illustration_image2",
    project: || {
        Project::new()
            .file("v1.png", PICTURE)
            .file("text.png", "no picture")
    },
    calls: &[
        Call {
            what: "an accepted image",
            args: &[
                "finalize",
                "--best-image",
                "v1.png",
                ENOUGH[0],
                ENOUGH[1],
                ENOUGH[2],
                ENOUGH[3],
            ],
            code: 0,
        },
        Call {
            what: "a figure that is not final",
            args: &["verify"],
            code: 1,
        },
        Call {
            what: "a label that is none",
            args: &["finalize", "--best-image", "v1.png", "--label", "a}b"],
            code: 2,
        },
        Call {
            what: "an absent workspace",
            args: &["preflight", "--project", "absent"],
            code: 3,
        },
        Call {
            what: "an absent image",
            args: &["finalize", "--best-image", "absent.png"],
            code: 3,
        },
        Call {
            what: "an image that is none",
            args: &["finalize", "--best-image", "text.png"],
            code: 4,
        },
    ],
    incomplete: &[&[], &["finalize"]],
    open_ended: false,
    unwritable: &[Unwritable {
        what: "a file where the figures go",
        prepare: |project| project.write("figures", "in the way"),
        args: &[
            "finalize",
            "--best-image",
            "v1.png",
            ENOUGH[0],
            ENOUGH[1],
            ENOUGH[2],
            ENOUGH[3],
        ],
    }],
    hostile: &[Hostile {
        path: "v1.png",
        args: &[
            "finalize",
            "--best-image",
            "v1.png",
            ENOUGH[0],
            ENOUGH[1],
            ENOUGH[2],
            ENOUGH[3],
        ],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
