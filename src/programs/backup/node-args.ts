/**
 * Arguments of Node.js for the process that takes a backup. All that it holds are pieces of data that have just come and are soon sent: with the
 * usual size of the young generation, 16 MiB, V8 kept three times as much of them as is on its way.
 */
export const BACKUP_NODE_ARGS: readonly string[] = [
  "--max-semi-space-size=1",
  "--heap-growing-percent=40",
  "--v8-pool-size=1",
];
