//! A run's folder, and programs that replace Slurm's.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use aris_attempt::format::{Command as Cmd, SPEC_SCHEMA, Spec};
use aris_attempt::prepare;
use aris_queue::manifest::Slurm;
use aris_slurm::{Access, SlurmEngine, Wave};
use tempfile::TempDir;

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = TempDir::with_prefix("slurm run ").expect("a folder");
        // Processes on the test bed's nodes may belong to other users.
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), mode).expect("mode");
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a program, a shell script with this body.
    pub(crate) fn program(&self, name: &str, body: &str) {
        let part = self.at("part");
        std::fs::create_dir_all(self.at("bin")).expect("created");
        let text = format!("#!/bin/sh\nhere='{}'\n{body}\n", self.path().display());
        std::fs::write(&part, text).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&part, mode).expect("executable");
        // Copied by another process, so that no child of this one can have it open for writing.
        let target = self.at("bin").join(name);
        let copied = Command::new("cp").arg("-p").arg(&part).arg(target).status();
        assert!(copied.is_ok_and(|status| status.success()));
    }

    /// An engine whose commands are this place's programs.
    pub(crate) fn engine(&self) -> SlurmEngine {
        self.engine_of(Some(self.at("bin")))
    }

    /// An engine with the commands in this folder, or with those on the `PATH`.
    pub(crate) fn engine_of(&self, commands: Option<PathBuf>) -> SlurmEngine {
        SlurmEngine::new(Access {
            commands,
            environment: std::env::vars_os().collect(),
            task_program: vec![String::from(env!("CARGO_BIN_EXE_slurm_task"))],
            run: self.path().to_path_buf(),
        })
    }

    /// A wave of prepared attempts, one for each command.
    pub(crate) fn wave(&self, token: &str, commands: &[&str]) -> Wave {
        let attempts = commands.iter().enumerate().map(|(number, command)| {
            let folder = self.attempt(token, number);
            prepare(&folder, &self.spec(token, number, command)).expect("prepared");
            folder
        });
        Wave {
            token: String::from(token),
            run: self.path().to_path_buf(),
            attempts: attempts.collect(),
            gpus: 0,
            cpus: None,
            mem_mib: None,
            time_limit_ms: Some(600_000),
            throttle: None,
            nice: 0,
            options: Slurm {
                mem: Some(String::from("64")),
                ..Slurm::default()
            },
        }
    }

    pub(crate) fn attempt(&self, token: &str, number: usize) -> PathBuf {
        self.at(&format!("a/{token}/{number}/1"))
    }

    pub(crate) fn spec(&self, token: &str, number: usize, command: &str) -> Spec {
        Spec {
            schema: String::from(SPEC_SCHEMA),
            id: format!("job {number}"),
            attempt: 1,
            command: Cmd::Shell(String::from(command)),
            setup: Vec::new(),
            cwd: self.path().to_path_buf(),
            env: BTreeMap::new(),
            outputs: Vec::new(),
            output_wait_ms: 0,
            time_limit_ms: Some(600_000),
            notice: None,
            kill_grace_ms: 5000,
            linger_ms: 1000,
            oom_patterns: Vec::new(),
            log: self.at(&format!("{token}.{number}.log")),
            leases: Vec::new(),
            ledger: None,
            cards: 0,
        }
    }
}
