//! Countries and their time zones, as far as reminders need them.

mod names;
mod table;

use kernel::TimeZone;

/// A country, found by its code or one of its English names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    code: &'static str,
    zones: &'static [&'static str],
}

impl Country {
    /// Finds a country by its ISO 3166 code of two or three letters or one of its English names, however they
    /// are written: "St Lucia", "the Bahamas", "BOSNIA & HERZEGOVINA", "Korea (the Republic of)".
    ///
    /// ```
    /// use communications::Country;
    /// assert_eq!(Country::find(" australia ").unwrap().code(), "AU");
    /// assert_eq!(Country::find("nz").unwrap().code(), "NZ");
    /// assert!(Country::find("Atlantis").is_none());
    /// ```
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let found = names::find(text).and_then(|place| table::COUNTRIES.get(place));
        found.map(|&(code, _, zones)| Self { code, zones })
    }

    /// Its ISO 3166 code of two letters.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// The time zones of the country, one for each local time.
    pub fn zones(self) -> impl Iterator<Item = TimeZone> {
        self.zones.iter().filter_map(|name| TimeZone::parse(name).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_of_the_table_is_known() {
        for (code, _, zones) in table::COUNTRIES {
            let country = Country::find(code).unwrap();
            assert_eq!(country.zones().count(), zones.len(), "{code}");
        }
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
