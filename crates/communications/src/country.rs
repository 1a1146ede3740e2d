//! Countries, as far as reminders need them: which clocks a country has.

mod table;

use kernel::TimeZone;

/// A country that is known by its code or its English name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    code: &'static str,
    zones: &'static [&'static str],
}

/// Other names in use, with the codes of their countries.
const OTHER_NAMES: [(&str, &str); 24] = [
    ("usa", "US"),
    ("u.s.", "US"),
    ("u.s.a.", "US"),
    ("united states of america", "US"),
    ("america", "US"),
    ("uk", "GB"),
    ("u.k.", "GB"),
    ("great britain", "GB"),
    ("britain", "GB"),
    ("england", "GB"),
    ("scotland", "GB"),
    ("wales", "GB"),
    ("northern ireland", "GB"),
    ("czech republic", "CZ"),
    ("korea", "KR"),
    ("republic of korea", "KR"),
    ("holland", "NL"),
    ("the netherlands", "NL"),
    ("russian federation", "RU"),
    ("viet nam", "VN"),
    ("turkiye", "TR"),
    ("cote d'ivoire", "CI"),
    ("swaziland", "SZ"),
    ("aotearoa", "NZ"),
];

impl Country {
    /// Finds a country by its ISO 3166 code of two letters or its English name, in any case.
    ///
    /// ```
    /// use communications::Country;
    /// assert_eq!(Country::find(" australia ").unwrap().code(), "AU");
    /// assert_eq!(Country::find("nz").unwrap().code(), "NZ");
    /// assert!(Country::find("Atlantis").is_none());
    /// ```
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == text).map(|(_, code)| *code);
        let is_it = |code: &str, name: &str| {
            other.map_or_else(
                || code.eq_ignore_ascii_case(&text) || name.to_lowercase() == text,
                |other| code == other,
            )
        };
        let found = table::COUNTRIES.iter().find(|(code, name, _)| is_it(code, name));
        found.map(|&(code, _, zones)| Self { code, zones })
    }

    /// Its ISO 3166 code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// The time zones of the country, one for each clock.
    pub fn zones(self) -> impl Iterator<Item = TimeZone> {
        self.zones.iter().filter_map(|name| TimeZone::parse(name).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_of_the_table_is_known_and_names_are_found() {
        for (code, name, zones) in table::COUNTRIES {
            let country = Country::find(code).unwrap();
            assert_eq!(country.zones().count(), zones.len(), "{code}");
            assert_eq!(Country::find(name), Some(country), "{name}");
        }
        for (name, code) in OTHER_NAMES {
            assert_eq!(Country::find(&name.to_uppercase()).unwrap().code(), code, "{name}");
        }
        assert!(Country::find("").is_none() && Country::find("AQ").is_none());
    }

    #[test]
    fn country_with_several_clocks_has_several_zones() {
        assert_eq!(Country::find("US").unwrap().zones().count(), table_zones("US"));
        assert!(table_zones("US") >= 6 && table_zones("AU") >= 5 && table_zones("DE") == 1);
    }

    fn table_zones(code: &str) -> usize {
        table::COUNTRIES.iter().find(|row| row.0 == code).unwrap().2.len()
    }
}
