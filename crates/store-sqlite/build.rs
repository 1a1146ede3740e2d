//! Rebuilds the crate when a migration is added, since the macro that embeds them notices only changes of
//! known ones.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
