import { join } from "node:path";
import { until } from "#kit/testing/until";
import { onlyChildOf, programOf, startTimeOf } from "../machine/proc.ts";
import { END_WITHIN_MS, noteProcess, type Launcher, type Running } from "../machine/processes.ts";
import { runWell } from "./command.ts";

/** A machine out of namespaces. */
export interface Machine {
  readonly name: string;
  /** A process of it, by its number on this machine: its namespaces are the machine's. */
  readonly init: number;
  /** Prefix of a command that then runs in the machine's network, but with the files of this machine. */
  readonly network: readonly string[];
  /** Prefix of a command that then runs on the machine. */
  readonly inside: readonly string[];
  /** Starts a program on the machine. */
  start(name: string, command: readonly string[]): Running;
  /** Throws when what must go on has ended: its first process, and each program of a center. */
  check(): void;
  /** Ends every process of it at once. */
  cutPower(): Promise<void>;
}

/** A machine with a network and mounts of its own; what is started on it is an ordinary process of this machine. */
export async function createCenter(launcher: Launcher, assets: string, name: string): Promise<Machine> {
  const holder = launcher.start(name, ["unshare", "--net", "--mount", join(assets, "pause")]);
  await until(`${name} is there`, () => {
    holder.check();
    return programOf(holder.pid) === "pause";
  });
  const started: Running[] = [holder];
  const enter = ["nsenter", "--target", String(holder.pid), "--net", "--mount", "--"];
  const start = (program: string, command: readonly string[]): Running => {
    const running = launcher.start(program, [...enter, ...command]);
    started.push(running);
    return running;
  };
  const cutPower = async (): Promise<void> => {
    await Promise.all(started.map((running) => running.stop()));
  };
  const check = (): void => {
    for (const running of started) running.check();
  };
  return await withLoopback({ name, init: holder.pid, ...prefixes(holder.pid, enter), start, check, cutPower });
}

/**
 * A machine with processes of its own, too. All of them end when its first one does, which does nothing else and ends with the process
 * that holds it: nothing of the machine outlives a test.
 */
export async function createMachine(launcher: Launcher, assets: string, name: string): Promise<Machine> {
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const holder = launcher.start(name, ["unshare", ...namespaces, join(assets, "pause")]);
  const init = await firstProcess(holder);
  const forget = noteProcess(launcher.folder, `${name}-init`, init);
  const enter = ["nsenter", "--target", String(init), "--net", "--mount", "--pid", "--"];
  const cutPower = async (): Promise<void> => {
    await holder.stop();
    // the kernel lets the first process of a namespace go when all others are gone
    const hasEnded = (): boolean => startTimeOf(init) === undefined;
    await until(`every process of ${name} has ended`, hasEnded, { withinMs: END_WITHIN_MS });
    forget();
  };
  const start = (program: string, command: readonly string[]): Running =>
    stoppedByItsChild(launcher.start(`${name}-${program}`, [...enter, ...command]));
  const check = (): void => {
    holder.check();
  };
  return await withLoopback({ name, init, ...prefixes(init, enter), start, check, cutPower });
}

function prefixes(init: number, inside: readonly string[]): Pick<Machine, "network" | "inside"> {
  return { inside, network: ["nsenter", "--target", String(init), "--net", "--"] };
}

async function withLoopback(machine: Machine): Promise<Machine> {
  await runWell([...machine.network, "ip", "link", "set", "lo", "up"]);
  return machine;
}

async function firstProcess(holder: Running): Promise<number> {
  const found = (): number | undefined => {
    const child = onlyChildOf(holder.pid);
    return child !== undefined && programOf(child) === "pause" ? child : undefined;
  };
  await until(`${holder.name} has its first process`, () => {
    holder.check();
    return found() !== undefined;
  });
  return found() ?? 0;
}

/** A program that enters other processes' namespace starts a child and waits: the child is to be ended. */
function stoppedByItsChild(running: Running): Running {
  return {
    ...running,
    stop: async () => {
      const program = onlyChildOf(running.pid);
      if (program !== undefined) process.kill(program, "SIGKILL");
      await running.ended;
    },
  };
}
