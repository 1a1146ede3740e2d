//! Buckets of S3, and of servers with the same API.

use std::path::Path;
use std::sync::Arc;

use kernel::errors::Source;
use object_store::aws::AmazonS3Builder;
use object_store::{Certificate, ClientOptions, ObjectStore};

/// Opens a bucket. `AWS_ENDPOINT_URL` names another server than Amazon's; one that does not speak TLS needs
/// `AWS_ALLOW_HTTP=true`.
pub(crate) fn open(bucket: &str, extra_ca: Option<&Path>) -> Result<Arc<dyn ObjectStore>, Source> {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
    if let Some(file) = extra_ca {
        let allow_http = std::env::var("AWS_ALLOW_HTTP").is_ok_and(|value| value == "true");
        let mut options = ClientOptions::new().with_allow_http(allow_http);
        for certificate in Certificate::from_pem_bundle(&std::fs::read(file)?)? {
            options = options.with_root_certificate(certificate);
        }
        builder = builder.with_client_options(options);
    }
    Ok(Arc::new(builder.build()?))
}
