//! The texts of sign-in and of the security settings.

use super::audit::{self, AuditTexts};

texts! {
    /// The texts of the pages of owners who are not signed in yet.
    pub struct SignInTexts;
    pub(super) const ENGLISH_SIGN_IN;

    /// The title on pages without a company.
    service = "Countinghouse",
    sign_in = "Sign in",
    sign_out = "Sign out",
    email = "Email",
    password = "Password",
    password_hint = "At least 10 characters. A few words make a good password.",
    /// Follows the label "Password".
    wrong_login = "or e-mail is not right",
    wrong_password = "is not right",
    password_changed = "Your password was changed. Sign in with the new one.",
    forgot_password = "Forgot your password?",
    reset_why = "We will e-mail you a link to choose a new password.",
    send_link = "Send me a link",
    reset_sent =
        "If there is an account with this e-mail address, a link is on its way to it. It works for one hour.",
    choose_password = "Choose a password",
    set_password = "Set password",
    reset_ends_sessions = "Every browser that is signed in will be signed out.",
    reset_used = "This link was used already or withdrawn. Ask for a new one if you need it.",
    reset_expired = "This link has expired. Ask for a new one.",
    enter_code = "Enter a code",
    code = "Code",
    code_hint =
        "The six digits that your authenticator shows, or a recovery code. If you have lost both, ask the \
         operator of this service to turn two-step sign-in off.",
    /// Follows the label "Code".
    wrong_code = "is not right, or was used already",
    other_login = "Sign in with another e-mail address",
    confirm = "Confirm it is you",
    confirm_why = "We ask for this before changes that affect security or money.",
    confirm_either = "Enter your password or a code.",
    confirm_button = "Confirm",
    invited: fn(&str, &str) -> String = |company, email| {
        format!("You are the owner of the invoicing account of {company}. You will sign in as {email}.")
    },
    invitation_expired = "This invitation has expired",
    invitation_expired_why = "Invitations can be accepted for seven days.",
    send_new_one = "Send me a new one",
    invitation_sent = "A new invitation is on its way to the e-mail address of the account.",
    invitation_used =
        "This invitation was used already or withdrawn. Sign in, or ask for a new password there.",
}

texts! {
    /// The texts of the security settings.
    pub struct SecurityTexts;
    pub(super) const ENGLISH_SECURITY;

    security = "Security",
    new_password = "New password",
    change_password = "Change password",
    changing_ends_sessions = "Every other browser that is signed in will be signed out.",
    second_factor = "Two-step sign-in",
    is_off = "Off. If you turn it on, signing in also asks for a code from an authenticator app on your \
              phone.",
    is_on: fn(&str, u64) -> String =
        |since, left| format!("On since {since}. Recovery codes left: {left}."),
    set_up = "Set up",
    set_up_again = "Set up again",
    scan = "Scan this code with your authenticator app:",
    or_type = "Or type this secret into it:",
    code_of_authenticator = "Code from your authenticator",
    turn_on = "Turn on",
    turn_off = "Turn off",
    new_codes = "New recovery codes",
    recovery_codes = "Recovery codes",
    keep_codes =
        "Each of these codes works once in place of your authenticator. Keep them in a safe place: they are \
         not shown again.",
    done = "I have saved them",
    sessions = "Sessions",
    browser = "Browser",
    address = "Address",
    signed_in_at = "Signed in",
    last_seen_at = "Last used",
    this_browser = "This browser",
    end = "End",
    end_others = "End all others",
    audit = "Activity",
    no_entries = "Everything that you or the operator do that affects security or money is listed here.",
    at = "When",
    actor = "Who",
    what = "What",
    older = "Older",
    operator = "Operator",
    entry: AuditTexts = audit::ENGLISH,
    change: fn(Option<&str>, Option<&str>) -> String = |before, after| match (before, after) {
        (None, None) => String::new(),
        (Some(before), None) => format!("before: {before}"),
        (None, Some(after)) => format!("after: {after}"),
        (Some(before), Some(after)) => format!("before: {before}, after: {after}"),
    },
    zone: fn(&str) -> String = |zone| format!("Times are in the time zone {zone}."),
}
