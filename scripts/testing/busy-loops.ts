import { spawn } from "node:child_process";

/** Keeps that many processors busy until it is disposed of. */
export function busyLoops(count: number): Disposable {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ["-e", LOOP], { stdio: "ignore" }));
  return {
    [Symbol.dispose]: () => {
      for (const loop of loops) loop.kill("SIGKILL");
    },
  };
}

/** It ends soon after the process that started it, however that ends. */
const LOOP = "const parent = process.ppid; while (process.ppid === parent);";
