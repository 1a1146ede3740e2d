//! Names, goods and services to make records of.

/// First names.
pub(crate) const FIRST_NAMES: [&str; 12] = [
    "Ada", "Grace", "Barbara", "Edsger", "Niklaus", "Tony", "Zoë", "Jürgen", "Søren", "Chloé", "Łukasz",
    "Nguyễn",
];

/// Last names.
pub(crate) const LAST_NAMES: [&str; 12] = [
    "Lovelace",
    "Hopper",
    "Liskov",
    "Dijkstra",
    "Wirth",
    "Hoare",
    "Müller",
    "O'Brien",
    "Ångström",
    "García",
    "Wójcik",
    "Văn",
];

/// What is invoiced.
pub(crate) const GOODS: [&str; 10] = [
    "Consulting",
    "Hosting, monthly",
    "Design of a logo",
    "Translation, per page",
    "Support hours",
    "Licence, one seat",
    "Training day",
    "Travel",
    "Photographs",
    "Repair of a bicycle",
];

/// Tax rates, in ten-thousandths of a percent.
pub(crate) const TAX_RATES: [i64; 4] = [0, 100_000, 150_000, 200_000];
