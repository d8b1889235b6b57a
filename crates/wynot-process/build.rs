//! Says on other systems that there is no wynot for them, instead of hundreds of errors about what they do not have.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if system != "linux" {
        println!(
            "cargo::error=wynot runs on Linux only, not on {system}: its tests are contained by namespaces, \
             ptrace and seccomp. Use a Linux machine, a container (packaging/Containerfile) or WSL."
        );
    }
}
