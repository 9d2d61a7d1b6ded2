/** Processor time of this process in milliseconds: unlike a clock, it does not run while others do. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
