//! Plays one client of a database with redis-rs, as recorder.ts does with libraries of Node.js.
//!
//!     recorder HOST PORT CLIENT [default|several|once]
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection};
use redis::{cmd, Client, Cmd, FromRedisValue, RedisResult, Value};

const SLICE_NS: i64 = 4_000_000_000;
const REGISTERS: u64 = 3;
const ATTEMPTS: usize = 4;

struct Recorder {
    name: String,
    connection: ConnectionManager,
    client: Client,
    /// A connection with a WATCH must not become another one unnoticed.
    exchanging: Option<MultiplexedConnection>,
    sends_again: bool,
    dice: u64,
}

fn main() -> RedisResult<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    let ended = is_over.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        ended.store(true, Ordering::Relaxed);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut recorder = Recorder::connect().await?;
        let mut number = 0;
        while !is_over.load(Ordering::Relaxed) {
            recorder.operate(number).await;
            number += 1;
        }
        Ok(())
    })
}

impl Recorder {
    async fn connect() -> RedisResult<Self> {
        let args: Vec<String> = std::env::args().collect();
        let client = Client::open(format!("redis://{}:{}", args[1], args[2]))?;
        let sends_again = args.get(4).is_none_or(|attempts| attempts == "several");
        let connection = if sends_again {
            let config = ConnectionManagerConfig::new().set_response_timeout(Some(Duration::from_secs(10)));
            ConnectionManager::new_with_config(client.clone(), config).await?
        } else {
            ConnectionManager::new(client.clone()).await?
        };
        let dice = now() as u64 | 1;
        Ok(Self { name: args[3].clone(), connection, client, exchanging: None, sends_again, dice })
    }

    async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let mut connection = self.connection.clone();
        if !self.sends_again {
            return command.query_async(&mut connection).await;
        }
        let mut answer = command.query_async(&mut connection).await;
        for _ in 1..ATTEMPTS {
            if !answer.as_ref().is_err_and(|error| error.is_connection_dropped()) { break; }
            answer = command.query_async(&mut connection).await;
        }
        answer
    }

    async fn operate(&mut self, number: u64) {
        let begin = now();
        let slice = begin / SLICE_NS;
        let register = format!("register-{}-{slice}", self.random() % REGISTERS);
        let list = format!("list-{slice}");
        let value = format!("{}-{number}", self.name);
        match self.random() % 100 {
            0..30 => {
                let got: RedisResult<Option<String>> = self.ask(cmd("GET").arg(&register)).await;
                self.emit(&register, begin, got.map(|read| get(&read)), None);
            }
            30..55 => {
                let act = format!(r#"{{"kind":"set","value":"{value}"}}"#);
                let set: RedisResult<()> = self.ask(cmd("SET").arg(&register).arg(&value)).await;
                self.emit(&register, begin, set.map(|()| act.clone()), Some(&act));
            }
            55..75 => {
                let unknown = format!(r#"{{"kind":"exchange","to":"{value}"}}"#);
                let swapped = self.swap(&register, &value).await;
                if swapped.is_err() {
                    self.exchanging = None;
                }
                self.emit(&register, begin, swapped, Some(&unknown));
            }
            75..93 => {
                let unknown = format!(r#"{{"kind":"append","value":"{value}"}}"#);
                let length: RedisResult<i64> = self.ask(cmd("RPUSH").arg(&list).arg(&value)).await;
                let act = length.map(|length| format!(r#"{{"kind":"append","value":"{value}","length":{length}}}"#));
                self.emit(&list, begin, act, Some(&unknown));
            }
            _ => {
                let values: RedisResult<Vec<String>> = self.ask(cmd("LRANGE").arg(&list).arg(0).arg(-1)).await;
                let act = values.map(|values| format!(r#"{{"kind":"read-list","values":{values:?}}}"#));
                self.emit(&list, begin, act, None);
            }
        }
    }

    async fn swap(&mut self, key: &str, to: &str) -> RedisResult<String> {
        let mut connection = match &self.exchanging {
            Some(connection) => connection.clone(),
            None => self.client.get_multiplexed_async_connection().await?,
        };
        self.exchanging = Some(connection.clone());
        let _: () = cmd("WATCH").arg(key).query_async(&mut connection).await?;
        let from: Option<String> = cmd("GET").arg(key).query_async(&mut connection).await?;
        let mut transaction = redis::pipe();
        transaction.atomic().cmd("SET").arg(key).arg(to);
        let answer: Value = transaction.query_async(&mut connection).await?;
        Ok(match answer {
            Value::Nil => get(&from),
            _ => format!(r#"{{"kind":"compare-and-set","from":{},"to":"{to}"}}"#, text(&from)),
        })
    }

    /// Prints what was done; with an error, what may have been done.
    fn emit(&self, key: &str, begin: i64, done: RedisResult<String>, unknown: Option<&str>) {
        let (end, act) = match &done {
            Ok(act) => (format!(r#""end":{},"#, now()), act.as_str()),
            Err(error) => {
                eprintln!("{}: {error}", self.name);
                let Some(act) = unknown else { return };
                (String::new(), act)
            }
        };
        let mut output = std::io::stdout().lock();
        let line = format!(r#"{{"client":"{}","key":"{key}","begin":{begin},{end}"act":{act}}}"#, self.name);
        if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
            std::process::exit(0); // who reads it has ended
        }
    }

    /// The generator xorshift64.
    fn random(&mut self) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice
    }
}

fn get(value: &Option<String>) -> String {
    format!(r#"{{"kind":"get","value":{}}}"#, text(value))
}

fn text(value: &Option<String>) -> String {
    value.as_ref().map_or("null".into(), |value| format!("{value:?}"))
}

/// The steady clock that all processes of the machine share.
fn now() -> i64 {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes into the struct that it is given
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut at) };
    at.tv_sec * 1_000_000_000 + at.tv_nsec
}
