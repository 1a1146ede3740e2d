//! Links between the pages of a list.

/// The links of a page of a list: to the first page, unless this is it, and to the next one, if there is one.
#[derive(Debug, Clone, Default)]
pub struct PageLinks {
    pub first: Option<String>,
    pub next: Option<String>,
}
