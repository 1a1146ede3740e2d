//! Rebuilds the crate when a migration is added, since the macro that embeds migrations notices only changes
//! of existing ones.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
