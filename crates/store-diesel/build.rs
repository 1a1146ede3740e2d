//! Rebuilds the crate when a migration is added: the macro that embeds them notices changes of known ones only.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
