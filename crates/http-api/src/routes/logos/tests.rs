use actix_web::http::Method;
use actix_web::test::TestRequest;
use kernel::{LogoKey, LogoKind, SystemRandom};

use crate::test_app::TestApp;

/// An app with one stored logo, whose bytes are text.
async fn app_with_logo() -> (TestApp, LogoKey) {
    let app = TestApp::new().await;
    let key = LogoKey::generate(LogoKind::Png, &SystemRandom::default());
    let picture = b"a picture".to_vec();
    app.state.logos.put(&key, picture).await.unwrap();
    (app, key)
}

#[actix_web::test]
async fn logo_is_served_without_a_key_to_be_cached_and_only_as_an_image() {
    let (app, key) = app_with_logo().await;
    for method in [Method::GET, Method::HEAD] {
        let request = TestRequest::with_uri(&format!("/logos/{key}")).method(method);
        let reply = app.send(request).await;
        assert_eq!(reply.status, 200);
        let header = |name: &str| reply.headers.get(name).unwrap().to_str().unwrap();
        assert_eq!(header("content-type"), "image/png");
        assert_eq!(header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("content-security-policy"), "default-src 'none'; sandbox");
        assert_eq!(header("cross-origin-resource-policy"), "cross-origin");
        assert_eq!(header("etag"), format!("\"{key}\""));
    }
}

#[actix_web::test]
async fn cached_logo_is_not_modified() {
    let (app, key) = app_with_logo().await;
    let with = |tags: String| {
        let request = TestRequest::with_uri(&format!("/logos/{key}"));
        app.send(request.insert_header(("if-none-match", tags)))
    };
    for tags in ["*".to_owned(), format!("\"{key}\""), format!("\"x\", W/\"{key}\"")] {
        let reply = with(tags).await;
        assert_eq!((reply.status, reply.body.as_str()), (304, ""));
        assert!(reply.headers.contains_key("etag"));
    }
    for tags in ["\"x\"", "", "rubbish"] {
        assert_eq!(with(tags.to_owned()).await.status, 200, "{tags}");
    }
}

#[actix_web::test]
async fn unknown_logo_is_not_found() {
    let (app, _) = app_with_logo().await;
    let name = "a".repeat(32);
    for path in [
        format!("/logos/{name}.png"),
        format!("/logos/{name}.svg"),
        "/logos/x".to_owned(),
        "/logos/".to_owned(),
        "/logos".to_owned(),
        "/logos/..%2f..%2fmaster.key".to_owned(),
        "/logos/%2e%2e/master.key".to_owned(),
        format!("/logos/%00{name}.png"),
    ] {
        let reply = app.send(TestRequest::with_uri(&path)).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.body.contains("NOT_FOUND"), "{}", reply.body);
    }
    let post = TestRequest::post().uri(&format!("/logos/{name}.png"));
    assert_eq!(app.send(post).await.status, 405);
}
