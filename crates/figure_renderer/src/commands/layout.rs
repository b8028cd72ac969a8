//! `layout`: the figure with the computed positions, to be edited by hand.

use aris_cli::{Context, Sink};
use aris_figure::Figure;
use aris_fs::Form;

use super::read;
use super::render::write;
use crate::cli::LayoutArgs;
use crate::error::Error;
use crate::report::LaidOut;

pub(crate) fn run(args: &LayoutArgs, context: &Context) -> Result<LaidOut, Error> {
    let figure = read(&args.spec, context)?;
    let text = figure.placed_text();
    let output = args.output.as_ref().and_then(Sink::file);
    if let Some(output) = output {
        let path = context.absolute(output);
        let form = Form::Is(|bytes| Figure::read(bytes).is_ok());
        aris_fs::check_output(&path, form, &[&context.absolute(&args.spec)])?;
        write(&path, text.as_bytes())?;
    }
    Ok(LaidOut {
        path: output.map(|path| path.display().to_string()),
        changed: figure.is_laid_out(),
        text,
    })
}
