/**
 * Arguments of Node.js for the process of a proxy. What a reply leaves behind dies at once; without them thousands of clients make
 * V8 keep 128 MiB for that. What lives is copied while everything else waits: of thousands of clients that connect, all does. By default
 * V8 collects with four more threads. On two processors they kept the thread that serves clients waiting for up to 16 ms.
 */
export const PROXY_NODE_ARGS: readonly string[] = ["--max-semi-space-size=4", "--v8-pool-size=1"];
