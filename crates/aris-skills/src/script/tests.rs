use super::*;
use crate::entry_point::{has_main_guard, is_called};

#[test]
fn shebangs() {
    for (line, program, args) in [
        ("#!/bin/bash -e", "bash", vec!["-e"]),
        ("#! /usr/bin/env python3", "python3", vec![]),
        (
            "#!/usr/bin/env -S uv run --script",
            "uv",
            vec!["run", "--script"],
        ),
        ("#!/usr/bin/env -S A=1 node", "node", vec![]),
        ("#!/bin/sh\r", "sh", vec![]),
    ] {
        let found = Shebang::of(&Text::new(format!("{line}\nx\n").as_bytes())).expect(line);
        assert_eq!(
            (found.program.as_str(), found.args),
            (program, args.iter().map(|arg| (*arg).to_owned()).collect()),
            "{line}"
        );
        assert_eq!(found.ends_in_cr, line.ends_with('\r'));
    }
    assert!(Shebang::of(&Text::new(b" #!/bin/sh")).is_none());
}

#[test]
fn main_guards() {
    for (source, expected) in [
        ("if __name__ == \"__main__\":\n    main()\n", true),
        ("if __name__=='__main__': main()\n", true),
        (
            "if __name__ == '__main__':\n    raise SystemExit(main())\n",
            true,
        ),
        (
            "if __name__ == '__main__':\n    raise SystemExit('import me')\n",
            false,
        ),
        (
            "if __name__ == '__main__':\n    # no\n    raise RuntimeError\n",
            false,
        ),
        (
            "if __name__ == '__main__':\n    x = 1\n    raise SystemExit(x)\n",
            true,
        ),
        ("if __name__ == '__main__':\n", false),
        ("    if __name__ == '__main__':\n        main()\n", false),
        ("x = 1\n", false),
    ] {
        assert_eq!(
            has_main_guard(&Text::new(source.as_bytes())),
            expected,
            "{source:?}"
        );
    }
}

#[test]
fn calls_of_a_name() {
    for (line, expected) in [
        ("python3 scripts/x.py", true),
        ("uv run x.py", true),
        ("/usr/bin/bash \"$D/x.py\"", true),
        ("see x.py", false),
        ("pythonx x.py", false),
        ("my-bash x.py", false),
    ] {
        let at = line.find("x.py").expect("name");
        assert_eq!(is_called(line, at), expected, "{line}");
    }
    let far = format!("bash {}x.py", "-".repeat(90));
    assert!(!is_called(&far, far.len() - 4));
}
