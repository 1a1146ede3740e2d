//! The form of the reminder policy.

use std::collections::HashSet;

use communications::{
    ModelConsent, PolicyChange, ReminderPolicy, ReminderSettings, ReminderSettingsChange, Step, StepFault,
};
use invoices::PromisePeriod;
use kernel::clock::date_text;
use kernel::{Field, FieldErrors, FieldSource as _, Named as _, TimeZone};

use crate::forms::{FormFields, FormReader};

/// The maximum number of rows of steps that are read: those of the longest policy, and empty ones.
const MAX_ROWS: usize = 40;

/// The initial values of the form.
pub(super) fn values(settings: &ReminderSettings) -> Vec<(String, String)> {
    let ReminderSettings { policy, time_zone, promise_days } = settings;
    let mut values = vec![
        ("timezone".to_owned(), time_zone.name().to_owned()),
        ("promise_days".to_owned(), promise_days.to_string()),
    ];
    if policy.backlog {
        values.push(("backlog".to_owned(), "true".to_owned()));
    }
    let holidays: Vec<String> = policy.holidays.iter().map(|day| date_text(*day)).collect();
    values.push(("holidays".to_owned(), holidays.join("\n")));
    if let Some(host) = &policy.language_model_host {
        values.push(("language_model".to_owned(), host.clone()));
    }
    for (row, step) in policy.steps.iter().enumerate() {
        values.push((format!("steps.{row}.days"), step.key.days.to_string()));
        values.push((format!("steps.{row}.channel"), step.key.channel.as_str().to_owned()));
        values.push((format!("steps.{row}.tone"), step.tone.as_str().to_owned()));
    }
    values
}

/// Reads the form. A setting that the form did not contain stays as it is. To start reminders, a time zone
/// must be sent, which confirms it. The form has the consent to a language model only if one is set.
pub(super) fn read(
    fields: &FormFields,
    is_start: bool,
    model_host: Option<&str>,
) -> Result<ReminderSettingsChange, FieldErrors> {
    let mut reader = FormReader::new(fields);
    let steps = read_steps(fields, &mut reader);
    let time_zone = reader.text("timezone", |text| TimeZone::parse(text.trim()));
    if time_zone.is_missing() && (is_start || time_zone == Field::Null) {
        reader.fault("timezone", "is required: confirm it to start reminders");
    }
    let holidays = match reader.text("holidays", ReminderPolicy::parse_holidays) {
        Field::Null => Some(Vec::new()),
        other => other.value(),
    };
    let promise_days = reader.text("promise_days", PromisePeriod::parse_days);
    let model_consent = model_host.map(|host| match fields.get("language_model") {
        "" => ModelConsent::Withdrawn,
        ticked => {
            // The owner consents only to the host that the page showed.
            if ticked != host {
                reader.fault("language_model", "is about another server now: read it and tick it again");
            }
            ModelConsent::Given { host: host.to_owned() }
        }
    });
    let faults = reader.into_faults();
    if !faults.is_empty() {
        return Err(faults);
    }
    let backlog = Some(!fields.get("backlog").is_empty());
    let started = is_start.then_some(true);
    Ok(ReminderSettingsChange {
        policy: PolicyChange { steps, started, backlog, holidays, model_consent },
        time_zone: time_zone.value(),
        promise_days: promise_days.value(),
    })
}

/// The steps of the rows whose days are filled in.
fn read_steps(fields: &FormFields, reader: &mut FormReader<'_>) -> Option<Vec<Step>> {
    let rows = reader.objects("steps", MAX_ROWS, read_step).value()?;
    if rows.iter().any(|row| matches!(row, EnteredStep::Faulty)) {
        return None;
    }
    let steps: Vec<(usize, Step)> = fields.places("steps").into_iter().zip(rows).filter_map(filled).collect();
    match ReminderPolicy::ordered(steps.iter().map(|(_row, step)| *step).collect()) {
        Ok(steps) => Some(steps),
        Err(fault) => {
            let row = if fault == StepFault::Twice { repeated(&steps) } else { None };
            let field = row.map_or_else(|| "steps".to_owned(), |row| format!("steps.{row}.days"));
            reader.fault(&field, fault);
            None
        }
    }
}

fn filled((row, entered): (usize, EnteredStep)) -> Option<(usize, Step)> {
    match entered {
        EnteredStep::Step(step) => Some((row, step)),
        EnteredStep::Empty | EnteredStep::Faulty => None,
    }
}

/// The first row with the day and channel of a row above it.
fn repeated(steps: &[(usize, Step)]) -> Option<usize> {
    let mut above = HashSet::new();
    steps.iter().find(|(_row, step)| !above.insert(step.key)).map(|(row, _step)| *row)
}

enum EnteredStep {
    Step(Step),
    Empty,
    Faulty,
}

fn read_step(row: &mut FormReader<'_>) -> EnteredStep {
    let mut text = |name: &'static str| row.text(name, |text| Ok::<_, &str>(text.trim().to_owned())).value();
    let (days, channel, tone) = (text("days"), text("channel"), text("tone"));
    let Some(days) = days else {
        return EnteredStep::Empty;
    };
    match Step::check(&days, channel.as_deref().unwrap_or("email"), tone.as_deref()) {
        Ok(step) => EnteredStep::Step(step),
        Err(fault) => {
            match fault {
                StepFault::Form => row.fault("days", "must be a whole number, such as -3 or 7"),
                StepFault::Days => row.fault("days", words_behind(&fault)),
                StepFault::Channel(_) | StepFault::NoCalls => row.fault("channel", fault),
                StepFault::Tone(_) => row.fault("tone", fault),
                StepFault::Twice | StepFault::Count => row.fault("days", fault),
            }
            EnteredStep::Faulty
        }
    }
}

/// The label of the field already mentions the days.
fn words_behind(fault: &StepFault) -> String {
    fault.to_string().replace("must have days from", "must be from")
}

#[cfg(test)]
mod tests {
    use communications::Tone;
    use time::macros::date;

    use super::*;

    fn sent(form: &str, is_start: bool) -> Result<ReminderSettingsChange, Vec<String>> {
        let fields = FormFields::parse(form.as_bytes()).unwrap();
        let names = |faults: FieldErrors| faults.iter().map(|fault| fault.field.clone()).collect();
        read(&fields, is_start, None).map_err(names)
    }

    #[test]
    fn rows_without_days_are_left_out_and_the_tone_may_be_the_usual_one() {
        let form = "steps.0.days=7&steps.0.channel=sms&steps.0.tone=final&steps.1.days=&steps.1.channel=email\
                    &steps.2.days=-3&steps.2.channel=email&steps.2.tone=&timezone=Australia%2FSydney\
                    &holidays=2026-12-25%0D%0A2026-01-01&promise_days=10&backlog=true";
        let sent = sent(form, true).unwrap();
        let steps = sent.policy.steps.unwrap();
        assert_eq!(steps.iter().map(Step::to_string).collect::<Vec<_>>(), ["-3:email", "7:sms:final"]);
        assert_eq!(steps.first().map(|step| step.tone), Some(Tone::Friendly));
        assert_eq!(sent.policy.holidays.unwrap(), [date!(2026 - 01 - 01), date!(2026 - 12 - 25)]);
        assert_eq!((sent.policy.started, sent.policy.backlog), (Some(true), Some(true)));
        assert_eq!((sent.promise_days, sent.time_zone.unwrap().name()), (Some(10), "Australia/Sydney"));
    }

    #[test]
    fn consent_is_to_the_host_that_was_shown_and_needs_a_language_model() {
        let consent = |form: &str, host| {
            let fields = FormFields::parse(form.as_bytes()).unwrap();
            read(&fields, false, host).map(|sent| sent.policy.model_consent).map_err(|_faults| "refused")
        };
        let (ticked, host) = ("language_model=models.example.com", "models.example.com");
        let given = ModelConsent::Given { host: host.to_owned() };
        assert_eq!(consent(ticked, Some(host)), Ok(Some(given)));
        assert_eq!(consent("", Some(host)), Ok(Some(ModelConsent::Withdrawn)));
        assert_eq!(consent(ticked, Some("other.example.com")), Err("refused"));
        assert_eq!(consent(ticked, None), Ok(None));
    }

    #[test]
    fn faults_name_their_fields() {
        let faults = |form: &str| sent(form, false).map(|_| ()).unwrap_err();
        assert_eq!(faults("steps.0.days=x"), ["steps.0.days"]);
        assert_eq!(faults("steps.0.days=400"), ["steps.0.days"]);
        assert_eq!(faults("steps.0.days=1&steps.0.channel=voice"), ["steps.0.channel"]);
        assert_eq!(faults("steps.0.days=1&steps.0.tone=rude"), ["steps.0.tone"]);
        assert_eq!(faults("steps.0.days="), ["steps"]);
        assert_eq!(faults("steps.0.days=7&steps.1.days=1&steps.2.days=&steps.3.days=1"), ["steps.3.days"]);
        assert_eq!(faults("holidays=christmas"), ["holidays"]);
        assert_eq!(faults("promise_days=366&timezone=Mars"), ["timezone", "promise_days"]);
        assert_eq!(sent("promise_days=1", true).map(|_| ()).unwrap_err(), ["timezone"]);
        assert!(sent("promise_days=1", false).is_ok());
    }
}
