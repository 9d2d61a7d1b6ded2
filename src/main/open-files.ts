// Where the system names no number.
const assumedOpenFiles = 8_192;
// All backends may be behind one address, and towards that Linux has about 28,000 local ports unless told
// otherwise. Ports of closed connections stay taken for a minute.
const mostConnections = 16_384;

/**
 * Connections to backends that this process may have open: a quarter of its open files. The rest is for
 * one poll per bot, clients, calls to the platform and the database, whose numbers are not known at start.
 */
export function mostBackendConnections(openFiles = openFilesLimit()): number {
  return Math.min(mostConnections, Math.max(16, Math.floor(openFiles / 4)));
}

/** `ulimit -n`. */
function openFilesLimit(): number {
  // Otherwise the report looks up the names of all addresses.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : assumedOpenFiles;
}
