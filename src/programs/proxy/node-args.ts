/**
 * Arguments of Node.js for the process of a proxy. What a reply leaves behind dies at once; without them thousands of clients make
 * V8 keep 128 MiB for that. What lives is copied while everything else waits: of thousands of clients that connect, all does.
 */
export const PROXY_NODE_ARGS: readonly string[] = ["--max-semi-space-size=4"];
