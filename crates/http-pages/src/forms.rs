//! Forms: reading what was sent, checking that a page of ours sent it, and doing its work once.

pub(crate) mod fields;
pub(crate) mod page_error;
pub(crate) mod reader;
pub(crate) mod same_origin;
pub(crate) mod submit;
pub(crate) mod upload;

pub(crate) use fields::FormFields;
pub(crate) use page_error::PageError;
pub(crate) use reader::FormReader;
pub(crate) use submit::{Done, FormError, check_version, submit};
