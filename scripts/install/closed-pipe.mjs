// Loaded before each program that setup.mjs starts: one whose reader has seen enough, as `| head` does, ends without a stack trace.
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
