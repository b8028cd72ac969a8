//! The `paper_illustration_image2` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(
        &paper_illustration_image2::SPEC,
        paper_illustration_image2::run,
    )
}
