import { parentPort } from "node:worker_threads";
import { jsonLog } from "../../../../controller-kit/src/base/log.ts";
import type { Forward } from "./forwarder.ts";
import { createForwarder } from "./forwarder.ts";

// The thread of the service proxy: gets the whole table with each message, says back only what went wrong.

const port = parentPort;
if (port === null) throw new Error("forwarder-thread is to be started as a worker thread");

const forwarder = createForwarder(
  jsonLog(
    (line) => {
      port.postMessage(line);
    },
    () => new Date(),
  ),
);

let queue: Promise<void> = Promise.resolve();

port.on("message", (forwards: readonly Forward[]) => {
  // one table after the other: two at once could both open the same address
  queue = queue.then(() => forwarder.configure(forwards));
});
