import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A kubectl on this machine. */
export interface KubectlBinary {
  readonly path: string;
  /** `v1.33.2`, as it says itself. */
  readonly version: string;
}

/** What goes to a kubectl besides its arguments. */
export interface CallOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** It is ended by force after this time, and its standard error then says so; 30 s when absent. */
  readonly timeoutMs?: number;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A kubectl bound to one cluster. A line is split at blanks; arguments that hold blanks follow it. */
export interface Kubectl {
  readonly version: string;
  /** Standard output of a call that must succeed. */
  (line: string, ...rest: readonly string[]): Promise<string>;
  /** The whole outcome, whatever it is. */
  run(line: string, rest?: readonly string[], options?: CallOptions): Promise<Outcome>;
  /** Standard output of a call that must succeed, with a document on its standard input. */
  given(stdin: string, line: string, ...rest: readonly string[]): Promise<string>;
  /** Standard error of a call that must fail. */
  refused(line: string, ...rest: readonly string[]): Promise<string>;
  /** Standard error of a call that must fail, with a document on its standard input. */
  refusedGiven(stdin: string, line: string): Promise<string>;
  /** A call that goes on; the caller ends it. */
  start(line: string): ChildProcess;
}

const PATIENCE_MS = 30_000;
/** A bundle brings definitions: a real API server on a machine at work has needed more than 30 s for them. */
const DOCUMENT_PATIENCE_MS = 120_000;

/** The minor version, to tell apart what older ones cannot do. */
export function minorOf(version: string): number {
  return Number(/^v1\.(\d+)/.exec(version)?.[1] ?? 0);
}

/** `binary` with the cluster of `kubeconfig`; `home` keeps its caches. */
export function bindKubectl(binary: KubectlBinary, kubeconfig: string, home: string): Kubectl {
  const start = (
    args: readonly string[],
    { stdin, env = {}, timeoutMs = PATIENCE_MS }: CallOptions = {},
  ): ChildProcess => {
    const child = spawn(binary.path, args, {
      env: { PATH: process.env["PATH"], HOME: home, KUBECONFIG: kubeconfig, TZ: "UTC", ...env },
      timeout: timeoutMs,
    });
    child.stdin.end(stdin);
    return child;
  };
  const run = async (line: string, rest: readonly string[] = [], options: CallOptions = {}): Promise<Outcome> => {
    const child = start([...words(line), ...rest], options);
    if (child.stdout === null || child.stderr === null) throw new Error("kubectl was started without pipes");
    const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    const end =
      signal === null ? "" : `ended by ${signal}, which it gets after ${options.timeoutMs ?? PATIENCE_MS} ms\n`;
    return { code: code ?? -1, stdout, stderr: `${stderr}${end}` };
  };
  const expectSuccess = async (line: string, rest: readonly string[], options: CallOptions = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(line, rest, options);
    if (code !== 0) throw new Error(`kubectl ${line} ${rest.join(" ")} ended with ${code}:\n${stderr}${stdout}`);
    return stdout;
  };
  const expectFailure = async (line: string, rest: readonly string[], options: CallOptions = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(line, rest, options);
    if (code === 0) throw new Error(`kubectl ${line} ${rest.join(" ")} should fail, but printed:\n${stdout}`);
    return stderr;
  };
  return Object.assign((line: string, ...rest: readonly string[]) => expectSuccess(line, rest), {
    version: binary.version,
    run,
    given: (stdin: string, line: string, ...rest: readonly string[]) =>
      expectSuccess(line, rest, { stdin, timeoutMs: DOCUMENT_PATIENCE_MS }),
    refused: (line: string, ...rest: readonly string[]) => expectFailure(line, rest),
    refusedGiven: (stdin: string, line: string) => expectFailure(line, [], { stdin }),
    start: (line: string) => start(words(line)),
  });
}

function words(line: string): string[] {
  return line.split(" ").filter((word) => word !== "");
}
