import pg from 'pg';

/** The driver's view of a connection; its types cover only a part of it. */
interface Wire extends NodeJS.EventEmitter {
  stream: { destroy(): void };
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: unknown): void;
}

interface Driver {
  host?: string;
  port: number;
  ssl?: unknown;
  sslNegotiation?: string;
  processID: number;
  secretKey: unknown;
  connection: Wire;
}

const deadlineMs = 5_000;

/**
 * Asks the server to stop the statement of a connection: otherwise it continues after its client is
 * gone. The request needs a separate connection; if none can be opened, nothing happens.
 */
export function cancelStatement(url: string, running: pg.PoolClient): void {
  const { processID, secretKey } = running as unknown as Driver;
  const asking = new pg.Client({ connectionString: url }) as unknown as Driver;
  const { connection: wire, host, port, ssl } = asking;
  const timer = setTimeout(end, deadlineMs);
  timer.unref();
  function end(): void {
    clearTimeout(timer);
    wire.stream.destroy();
  }
  const send = () => wire.cancel(processID, secretKey);
  wire.on('error', end);
  // The server answers nothing and closes.
  wire.on('end', end);
  wire.on('sslconnect', send);
  wire.on('connect', () => {
    if (!ssl) send();
    else if (asking.sslNegotiation !== 'direct') wire.requestSsl();
  });
  if (host?.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
}
