//! Makes a fuzz target of a property of `shellmate::fuzz`.
//!
//! With the feature `run` a target is a program of libFuzzer. Without it the target is only compiled, so that `cargo lint` sees a
//! property that has changed on a machine without the tools for fuzzing.

#[cfg(feature = "run")]
pub use libfuzzer_sys::fuzz_target as target;

#[cfg(not(feature = "run"))]
#[macro_export]
macro_rules! target {
    (|$input:ident: $type:ty| $property:expr) => {
        fn main() -> std::process::ExitCode {
            let _: fn($type) = |$input| $property;
            eprintln!("this target was built without libFuzzer; build it with --features run");
            std::process::ExitCode::FAILURE
        }
    };
}
