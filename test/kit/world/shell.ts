import { spawn } from "node:child_process";
import { once } from "node:events";

/** What a typed line printed, and how it ended. */
export interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One bash in which lines are typed one after another, as a person does: variables and the folder stay. */
export interface Shell extends AsyncDisposable {
  /** Standard output of a line that must succeed, without the last newline. */
  (line: string): Promise<string>;
  /** The whole outcome of a line, whatever it is. */
  run(line: string): Promise<Typed>;
}

/** Starts a bash in `cwd` with `env` as its whole environment. */
export function startShell(cwd: string, env: Readonly<Record<string, string | undefined>>): Shell {
  const bash = spawn("bash", ["--noprofile", "--norc"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(bash, "close");
  const printed = reader(bash.stdout);
  const complained = reader(bash.stderr);
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  const typed = async (line: string): Promise<Typed> => {
    count += 1;
    const mark = `--typed-${count}--`;
    bash.stdin.write(`${line}\nstatus=$?; echo "${mark}" >&2; echo "${mark}$status"\n`);
    const [stdout, stderr] = await Promise.all([printed(mark), complained(mark)]);
    return { code: Number(stdout.after), stdout: stdout.before.trimEnd(), stderr: stderr.before.trimEnd() };
  };
  // one reads what is printed at a time
  const run = (line: string): Promise<Typed> => {
    const outcome = last.then(() => typed(line));
    last = outcome.catch(() => undefined); // its own caller has seen the failure
    return outcome;
  };
  const succeed = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await run(line);
    if (code !== 0) throw new Error(`$ ${line}\nended with ${code}\n${stdout}\n${stderr}`);
    return stdout;
  };
  return Object.assign(succeed, {
    run,
    async [Symbol.asyncDispose]() {
      bash.stdin.end();
      await ended;
    },
  });
}

type ReadTo = (mark: string) => Promise<{ readonly before: string; readonly after: string }>;

/** Reads a stream up to a line with a mark; rejects when the stream ends before it. */
function reader(stream: NodeJS.ReadableStream): ReadTo {
  const lines = stream.setEncoding("utf8")[Symbol.asyncIterator]();
  let rest = "";
  return async (mark) => {
    for (;;) {
      const at = rest.indexOf(mark);
      const end = at < 0 ? -1 : rest.indexOf("\n", at);
      if (end >= 0) {
        const found = { before: rest.slice(0, at), after: rest.slice(at + mark.length, end) };
        rest = rest.slice(end + 1);
        return found;
      }
      const next = await lines.next();
      if (next.done === true) throw new Error(`the shell ended; its last words: ${rest.slice(-2_000)}`);
      rest += next.value;
    }
  };
}
