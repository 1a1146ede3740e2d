//! The logs of what the servers of a cluster send to each other.

use std::collections::BTreeSet;

use testkit::citus::Cluster;

use crate::database::TestDatabase;

/// The statements that one operation made servers send to others.
#[derive(Debug, Default)]
pub(super) struct Sent {
    pub(super) servers: BTreeSet<String>,
    pub(super) by_coordinator: usize,
    pub(super) by_workers: usize,
    pub(super) is_two_phase: bool,
    /// Whether a worker was addressed with its own name of a shard.
    pub(super) names_parts: bool,
}

/// The logs of one database, from where they were last read.
pub(super) struct Logs<'a> {
    cluster: &'static Cluster,
    database: &'a str,
    /// How many lines of each server's log were read.
    read: [usize; 3],
}

impl<'a> Logs<'a> {
    pub(super) fn of(db: &'a TestDatabase) -> Self {
        let mut logs = Self { cluster: testkit::citus::cluster().unwrap(), database: name(db), read: [0; 3] };
        logs.sent();
        logs
    }

    /// The statements sent since the previous call.
    pub(super) fn sent(&mut self) -> Sent {
        let mut sent = Sent::default();
        let of_database = format!("db={} ", self.database);
        for (server, log) in self.cluster.logs().iter().enumerate() {
            // The last line may be incomplete.
            let written = log.rsplit_once('\n').map_or("", |(written, _)| written);
            let mut message = "";
            for line in written.lines().skip(self.read[server]) {
                self.read[server] += 1;
                if !line.contains(&of_database) {
                    continue;
                }
                sent.names_parts |= server > 0 && line.contains("invoices_1");
                match line.split_once("DETAIL:  on server ") {
                    // The store looks for the workers from time to time, independently of the operation.
                    Some(_) if message.contains("pg_control_system") => {}
                    // A read-only transaction may be ended after its response, during the next operation. It
                    // ends on the servers of its statements, which are counted.
                    Some(_) if ends_a_transaction(message) => {}
                    Some((_, to)) => {
                        sent.servers.insert(to.split_whitespace().next().unwrap_or_default().to_owned());
                        *if server == 0 { &mut sent.by_coordinator } else { &mut sent.by_workers } += 1;
                        sent.is_two_phase |= message.contains("issuing PREPARE TRANSACTION");
                    }
                    None => message = line,
                }
            }
        }
        sent
    }
}

fn ends_a_transaction(message: &str) -> bool {
    message.ends_with("issuing COMMIT") || message.ends_with("issuing ROLLBACK")
}

fn name(db: &TestDatabase) -> &str {
    db.url.rsplit('/').next().unwrap()
}

/// Makes each server log, on connections opened from now on, the statements that it receives and those that
/// it sends to others.
pub(super) async fn log_what_is_sent(db: &TestDatabase) {
    for setting in [
        "citus.log_remote_commands = on",
        "client_min_messages = warning",
        "log_min_messages = notice",
        "log_statement = 'all'",
    ] {
        let set = format!("ALTER DATABASE {} SET {setting}", name(db));
        let quoted = set.replace('\'', "''");
        db.execute(&format!("{set}; SELECT run_command_on_workers('{quoted}')")).await;
    }
}
