/**
 * Arguments of Node.js for every program of the image. What a pass or a request leaves behind dies at once; without them V8 keeps up to
 * 48 MiB for that in a program that rests.
 */
export const NODE_ARGS: readonly string[] = ["--max-semi-space-size=4"];
