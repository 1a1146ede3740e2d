//! The layout of the pages of the dashboard.

use kernel::PublicUrls;

use crate::confirmation::Confirmation;
use crate::stylesheet;
use crate::texts::Texts;

/// The layout of the pages of the dashboard.
#[derive(Debug, Clone)]
pub struct Dashboard {
    pub(crate) stylesheet: String,
    pub(crate) company: String,
    pub(crate) title: String,
    pub(crate) heading: String,
    /// The confirmation of the form that led to the page.
    pub(crate) said: Option<&'static str>,
    /// The target of the sign-out button.
    pub(crate) sign_out: String,
    pub(crate) sections: Vec<SectionLink>,
    /// The pages of the settings, shown on each of them.
    pub(crate) settings: Vec<SectionLink>,
}

#[derive(Debug, Clone)]
pub(crate) struct SectionLink {
    pub(crate) href: String,
    pub(crate) label: &'static str,
    pub(crate) is_current: bool,
}

/// A part of the dashboard that the navigation links to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Overview,
    Invoices,
    Contacts,
    Payments,
    Escalations,
    Inbox,
    /// The settings as a whole, for any of their pages.
    Settings,
    Profile,
    Communications,
    ApiKey,
    Webhooks,
    Notifications,
    Security,
}

impl Section {
    /// The parts, in the order of the navigation.
    const MAIN: &'static [Self] =
        &[Self::Overview, Self::Invoices, Self::Contacts, Self::Inbox, Self::Escalations, Self::Settings];
    /// The pages of the settings, in the order of their navigation.
    const SETTINGS: &'static [Self] = &[
        Self::Profile,
        Self::Payments,
        Self::Communications,
        Self::ApiKey,
        Self::Webhooks,
        Self::Notifications,
        Self::Security,
    ];

    const fn path(self) -> &'static str {
        match self {
            Self::Overview => "/dashboard",
            Self::Invoices => "/dashboard/invoices",
            Self::Contacts => "/dashboard/contacts",
            Self::Payments => "/dashboard/settings/payments",
            Self::Escalations => "/dashboard/escalations",
            Self::Inbox => "/dashboard/inbox",
            Self::Settings | Self::Profile => "/dashboard/settings/profile",
            Self::Communications => "/dashboard/settings/communications",
            Self::ApiKey => "/dashboard/settings/api",
            Self::Webhooks => "/dashboard/settings/webhooks",
            Self::Notifications => "/dashboard/settings/notifications",
            Self::Security => "/dashboard/settings/security",
        }
    }

    const fn label(self, t: &Texts) -> &'static str {
        match self {
            Self::Overview => t.overview,
            Self::Invoices => t.invoicing.invoices,
            Self::Contacts => t.invoicing.contacts,
            Self::Payments => t.payment_settings.heading,
            Self::Escalations => t.account.escalations,
            Self::Inbox => t.communications.inbox,
            Self::Settings => t.settings,
            Self::Profile => t.account.profile,
            Self::Communications => t.communications.heading,
            Self::ApiKey => t.account.api_key,
            Self::Webhooks => t.account.webhooks,
            Self::Notifications => t.account.notifications,
            Self::Security => t.security.security,
        }
    }
}

impl Dashboard {
    pub(crate) fn confirm(&mut self, what: Confirmation, t: &Texts) {
        self.said = Some((t.said)(what));
    }

    /// The layout of a page: `company` is the account's name, `current` the part that contains the page.
    #[must_use]
    pub fn new(company: &str, current: Section, heading: &str, urls: &PublicUrls, t: &Texts) -> Self {
        let is_setting = Section::SETTINGS.contains(&current);
        let is_current =
            |section: Section| section == current || (section == Section::Settings && is_setting);
        let links = |sections: &[Section]| {
            let link = |section: &Section| SectionLink {
                href: urls.page(section.path()),
                label: section.label(t),
                is_current: is_current(*section),
            };
            sections.iter().map(link).collect()
        };
        Self {
            stylesheet: urls.asset(&stylesheet::NAME),
            company: company.to_owned(),
            title: (t.title)(heading, company),
            heading: heading.to_owned(),
            said: None,
            sign_out: urls.page("/logout"),
            sections: links(Section::MAIN),
            settings: if is_setting { links(Section::SETTINGS) } else { Vec::new() },
        }
    }
}
