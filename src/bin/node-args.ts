/**
 * Arguments of Node.js for every program of the image. What a pass or a request leaves behind dies at once; without the first V8 keeps up to
 * 48 MiB for that in a program that rests. Without the second V8 waits longer before it collects the old
 * generation: an agent that led 100 databases held 99 MiB of garbage, most of it memory of Node.js that V8 does not count. The third
 * gives V8 one more thread to collect with, instead of four: the other processors are for engines and proxies.
 */
export const NODE_ARGS: readonly string[] = [
  "--max-semi-space-size=4",
  "--heap-growing-percent=40",
  "--v8-pool-size=1",
];
