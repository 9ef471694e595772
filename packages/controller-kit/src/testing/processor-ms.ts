/** Processor time of this process so far, in milliseconds: what other processes do is not in it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
