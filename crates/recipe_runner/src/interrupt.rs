//! Ctrl-C and SIGTERM: the engine ends, the running step goes on, and the user gets a message about that.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

/// Signals that end the engine. **Source**: POSIX; their numbers are the same on every system we build for.
const SIGNALS: [i32; 2] = [2, 15];

/// The message when the engine is told to end.
#[derive(Clone, Default)]
pub(crate) struct Interrupt(Arc<Mutex<Option<Words>>>);

/// Makes the message; only then it is known which process runs.
type Words = Box<dyn Fn() -> String + Send>;

impl Interrupt {
    /// Watches for the signals. A signal that cannot be watched ends the engine without a message, as by default.
    pub(crate) fn watched() -> Self {
        let interrupt = Self::default();
        for signal in SIGNALS {
            let words = interrupt.clone();
            let Ok((mut reader, writer)) = UnixStream::pair() else {
                continue;
            };
            if signal_hook::low_level::pipe::register(signal, writer).is_err() {
                continue;
            }
            std::thread::spawn(move || {
                if reader.read(&mut [0]).is_ok() {
                    let words = words.0.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(words) = &*words {
                        writeln!(io::stderr(), "recipe_runner: {}", words()).unwrap_or_default();
                    }
                    signal_hook::low_level::emulate_default_handler(signal).unwrap_or_default();
                }
            });
        }
        interrupt
    }

    /// Sets the message for the next signal.
    pub(crate) fn say(&self, words: impl Fn() -> String + Send + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(words));
    }

    /// Removes the message.
    pub(crate) fn say_nothing(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
