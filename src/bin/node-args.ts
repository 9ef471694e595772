/**
 * Arguments of Node.js for every program of the image. What a pass or a request leaves behind dies at once; without the first V8 keeps up to
 * 48 MiB for that in a program that rests. What survives a pass is much, and nearly the same in the next one; without the second V8 lets a heap
 * grow to twice that before it collects all of it, and the memory of Node.js with it, of which V8 does not know.
 */
export const NODE_ARGS: readonly string[] = ["--max-semi-space-size=4", "--heap-growing-percent=40"];
