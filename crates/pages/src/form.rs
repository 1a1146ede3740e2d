//! Forms: their fields with labels, values and faults.

use kernel::FieldErrors;

use crate::texts::ENGLISH;

/// The data of a form: its token, and the values and faults of its fields.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// The form token, the value of the hidden field `once`; empty if the form has none.
    pub form_token: String,
    values: Vec<(String, String)>,
    faults: FieldErrors,
}

/// A field with its label, value and fault.
#[derive(Debug, Clone)]
pub struct FormField {
    /// Also the id of the element, to which the summary of faults links.
    pub name: String,
    pub label: String,
    /// The legend of the group that contains the field, if the form has several groups of the same fields.
    pub group: Option<String>,
    pub value: String,
    pub error: Option<String>,
    pub hint: Option<String>,
    pub control: Control,
    /// What a browser may fill in (HTML, "Autofill"): `email`, `current-password`.
    pub autocomplete: Option<&'static str>,
    /// The id of the `datalist` on the page whose values are suggested.
    pub suggestions: Option<&'static str>,
    /// Whether the page opens with the focus on this field.
    pub has_focus: bool,
}

/// How a field is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// One line, with its HTML input type: `text`, `tel`, `url`, `date`, `search`.
    Line(&'static str),
    /// One line for an e-mail address. Its HTML input type is not `email`: browsers would send another
    /// spelling of a domain that is not ASCII, and refuse to send a local part that is not.
    Email,
    /// One line for a decimal number.
    Number,
    /// One line whose text is hidden and which the page never fills in.
    Secret,
    /// Several lines of text.
    Lines,
    /// One choice from a drop-down list.
    Select(Vec<Choice>),
    /// One choice of a few, shown as radio buttons.
    Radios(Vec<Choice>),
    /// Any choices of a few, shown as check boxes.
    Boxes(Vec<Choice>),
    File,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

/// A button of a form with several: the value of the field `action`, and the label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    pub action: String,
    pub label: String,
}

/// A line of the summary of faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The name of the field, if the form shows it.
    pub field: Option<String>,
    pub text: String,
}

impl Form {
    /// A form that is shown for the first time, with the values of the record that it changes.
    #[must_use]
    pub fn new(form_token: String, values: Vec<(String, String)>) -> Self {
        Self { form_token, values, faults: FieldErrors::default() }
    }

    /// A form that is shown again with its faults. `values` are the submitted values.
    #[must_use]
    pub fn refused(form_token: String, values: Vec<(String, String)>, faults: FieldErrors) -> Self {
        Self { form_token, values, faults }
    }

    /// The value of a field; empty when there is none.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        self.values.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    /// Whether this is one of the values of a field, as with check boxes.
    #[must_use]
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.values.iter().any(|(given, kept)| given == name && kept == value)
    }

    /// Whether the form is shown again with faults.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// A field with its value and its fault.
    #[must_use]
    pub fn field(&self, name: &str, label: &str, control: Control) -> FormField {
        let fault = self.faults.iter().find(|fault| fault.field == name);
        FormField {
            name: name.to_owned(),
            label: label.to_owned(),
            group: None,
            value: if control == Control::Secret { String::new() } else { self.value(name).to_owned() },
            error: fault.map(|fault| sentence(name, label, &fault.message)),
            hint: None,
            control,
            autocomplete: None,
            suggestions: None,
            has_focus: false,
        }
    }

    /// The choices of a field, each a value and its label; the form's values are selected.
    #[must_use]
    pub fn choices<'a>(
        &self,
        name: &str,
        choices: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Vec<Choice> {
        let choice = |(value, label): (&str, &str)| Choice {
            value: value.to_owned(),
            label: label.to_owned(),
            is_chosen: self.has(name, value),
        };
        choices.into_iter().map(choice).collect()
    }

    /// The summary of faults: those of the fields that are shown, then any others.
    #[must_use]
    pub fn problems<'a>(&self, shown: impl IntoIterator<Item = &'a FormField>) -> Vec<Problem> {
        let shown: Vec<&FormField> = shown.into_iter().collect();
        let of_fields = shown
            .iter()
            .filter_map(|field| Some(Problem { field: Some(field.name.clone()), text: field.problem()? }));
        let others = self.faults.iter().filter(|fault| shown.iter().all(|field| field.name != fault.field));
        let others = others
            .map(|fault| Problem { field: None, text: sentence(&fault.field, &fault.field, &fault.message) });
        of_fields.chain(others).collect()
    }
}

impl FormField {
    #[must_use]
    pub fn in_group(self, legend: &str) -> Self {
        Self { group: Some(legend.to_owned()), ..self }
    }

    /// The fault as the summary shows it, away from the field.
    fn problem(&self) -> Option<String> {
        let error = self.error.as_deref()?;
        let in_group = |group: &String| (ENGLISH.problem_in)(group, error);
        Some(self.group.as_ref().map_or_else(|| error.to_owned(), in_group))
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[must_use]
    pub fn autocomplete(self, kind: &'static str) -> Self {
        Self { autocomplete: Some(kind), ..self }
    }

    #[must_use]
    pub fn suggestions(self, list: &'static str) -> Self {
        Self { suggestions: Some(list), ..self }
    }

    /// The ids of the elements that describe the field.
    #[must_use]
    pub fn described_by(&self) -> String {
        let error = self.error.iter().map(|_| format!("{}-error", self.name));
        let hint = self.hint.iter().map(|_| format!("{}-hint", self.name));
        error.chain(hint).collect::<Vec<_>>().join(" ")
    }
}

/// The sentence of a fault, from label and message: "Quantity must be above 0".
fn sentence(name: &str, label: &str, message: &str) -> String {
    (ENGLISH.fault)(name, message).unwrap_or_else(|| format!("{label} {message}"))
}

#[cfg(test)]
mod tests {
    use askama::Template;
    use kernel::PublicUrls;

    use super::*;
    use crate::dashboard::{Dashboard, Section};
    use crate::texts::{ENGLISH, Texts};

    #[derive(Template)]
    #[template(
        ext = "html",
        source = r#"{% extends "dashboard.html" %}{% import "forms.html" as forms %}
{% block title_start %}{% call forms::title_start(problems) %}{% endcall %}{% endblock %}
{% block content %}<form method="post">{% call forms::summary(problems) %}{% endcall %}
{% call forms::form_token(form_token) %}{% endcall %}{% for f in fields %}{% call forms::field(f) %}{% endcall %}{% endfor %}
{% call forms::buttons(buttons) %}{% endcall %}</form>{% endblock %}"#
    )]
    struct Sample {
        t: &'static Texts,
        layout: Dashboard,
        form_token: String,
        problems: Vec<Problem>,
        fields: Vec<FormField>,
        buttons: Vec<Button>,
    }

    #[test]
    fn every_control_has_its_label_and_its_fault() {
        let values = [("name", "<script>"), ("kind", "b")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let form = Form::refused("0199".to_owned(), values, FieldErrors::one("name", "is too long"));
        let two = || form.choices("kind", [("a", "A"), ("b", "B")]);
        let controls = [
            Control::Line("text"),
            Control::Email,
            Control::Number,
            Control::Secret,
            Control::Lines,
            Control::Select(two()),
            Control::Radios(two()),
            Control::Boxes(two()),
            Control::File,
        ];
        let fields: Vec<_> =
            controls.into_iter().map(|control| form.field("name", "Name", control)).collect();
        let urls = PublicUrls::new("https://books.example.com");
        let sample = Sample {
            t: &ENGLISH,
            layout: Dashboard::new("Example", Section::Overview, "Sample", &urls, &ENGLISH),
            form_token: form.form_token.clone(),
            problems: form.problems(&fields),
            fields,
            buttons: vec![Button { action: "save".to_owned(), label: "Save".to_owned() }],
        };
        let html = sample.render().unwrap();
        let count = |text: &str| html.matches(text).count();
        assert!(html.contains("<title>Error: Sample – Example</title>"), "{html}");
        assert_eq!(count("Name is too long"), 2 * 9, "at the field and in the summary: {html}");
        assert_eq!((count("for=\"name\""), count("<legend>Name</legend>")), (7, 2), "{html}");
        assert_eq!((count("<script>"), count("selected>B"), count(" checked> B")), (0, 1, 2), "{html}");
        assert!(html.contains(r#"<input type="hidden" name="once" value="0199">"#), "{html}");
        assert!(html.contains(r#"<button name="action" value="save">Save</button>"#), "{html}");
        assert!(html.contains(r#"<input type="text" inputmode="email" "#), "{html}");
    }

    #[test]
    fn values_and_faults_stand_at_their_fields_and_secrets_are_left_out() {
        let mut faults = FieldErrors::one("amount", "must be above 0");
        faults.add("version", "is required");
        let values = [("amount", "-1"), ("password", "hunter2"), ("events", "a"), ("events", "b")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let form = Form::refused("once".to_owned(), values, faults);
        let amount = form.field("amount", "Amount", Control::Number).hint("In AUD.");
        assert_eq!((&*amount.value, amount.error.as_deref()), ("-1", Some("Amount must be above 0")));
        assert_eq!(amount.described_by(), "amount-error amount-hint");
        let password = form.field("password", "Password", Control::Secret);
        assert_eq!((&*password.value, password.error.as_deref()), ("", None));
        let chosen: Vec<bool> =
            form.choices("events", [("b", "B"), ("c", "C")]).iter().map(|choice| choice.is_chosen).collect();
        assert_eq!(chosen, [true, false]);
        let problems = form.problems([&password, &amount]);
        assert_eq!(
            problems[0],
            Problem { field: Some("amount".to_owned()), text: "Amount must be above 0".to_owned() }
        );
        assert_eq!(problems[1], Problem { field: None, text: "version is required".to_owned() });
    }
}
