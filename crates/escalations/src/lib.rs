//! Escalations: raised when a customer needs a person, resolved when one has helped.
