//! The port: sending text messages.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use communications::{OutgoingSms, SmsError, SmsSender};
use https_client::{CallLimits, HttpsClient};
use reqwest::Url;

use crate::settings::{SettingsFault, TwilioSettings};
use crate::{callback_url, response};

const LIMITS: CallLimits = CallLimits {
    connecting: Duration::from_secs(8),
    call: Duration::from_secs(15),
    max_response_bytes: 64 * 1024,
    // A message must not be lost because Twilio closed an idle connection just then.
    reuse_connections: false,
};

/// Sends text messages through an account at Twilio.
pub struct TwilioSms {
    client: HttpsClient,
    messages: Url,
    callback_base: Url,
    settings: TwilioSettings,
}

impl TwilioSms {
    /// Prepares to call Twilio; no call is made yet.
    pub fn new(settings: TwilioSettings) -> Result<Self, SettingsFault> {
        settings.check()?;
        Ok(Self {
            client: HttpsClient::new(LIMITS, settings.extra_ca_pem.as_deref())?,
            messages: settings.messages_url()?,
            callback_base: settings.callback_base()?,
            settings,
        })
    }
}

#[async_trait]
impl SmsSender for TwilioSms {
    fn from(&self) -> &str {
        &self.settings.from
    }

    async fn answer(&self, sms: &OutgoingSms) -> Result<Option<String>, SmsError> {
        let TwilioSettings { account_sid, auth_token, from, .. } = &self.settings;
        let callback = callback_url::of_message(&self.callback_base, sms);
        let form = [
            ("To", sms.to.as_str()),
            ("From", from),
            ("Body", sms.text.as_str()),
            ("StatusCallback", callback.as_str()),
        ];
        let request = self.client.post(self.messages.clone()).basic_auth(account_sid, Some(auth_token));
        response::outcome(self.client.send(request.form(&form)).await, auth_token)
    }
}

impl fmt::Debug for TwilioSms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwilioSms").field("settings", &self.settings).finish_non_exhaustive()
    }
}
