//! Forms: reads the fields, checks that a page of this service sent them, and carries out each form once.

pub(crate) mod fields;
pub(crate) mod page_error;
pub(crate) mod reader;
pub(crate) mod same_origin;
pub(crate) mod separators;
pub(crate) mod submit;
pub(crate) mod upload;
pub(crate) mod whole_form;

pub(crate) use fields::FormFields;
pub(crate) use page_error::{PageError, PageResult};
pub(crate) use reader::FormReader;
pub(crate) use separators::without_separators;
pub(crate) use submit::{Done, FormError, sent_version, submit};
