// Used if the system reports no number.
const assumedOpenFiles = 8_192;
// All backends may be at one address, and for that Linux has about 28,000 local ports by default.
// Ports of closed connections stay taken for a minute.
const mostConnections = 16_384;

/**
 * Returns how many connections to backends this process may have open: a quarter of its open files.
 * The rest is for one poll per bot, clients, calls to Telegram and the database, whose numbers are
 * not known at start.
 */
export function mostBackendConnections(openFiles = openFilesLimit()): number {
  return Math.min(mostConnections, Math.max(16, Math.floor(openFiles / 4)));
}

let readLimit: number | undefined;

/** Returns the limit of `ulimit -n`, which is read once: the report takes some milliseconds. */
function openFilesLimit(): number {
  readLimit ??= readOpenFilesLimit();
  return readLimit;
}

function readOpenFilesLimit(): number {
  // Exclude the network, because the report would look up the names of all addresses.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : assumedOpenFiles;
}
