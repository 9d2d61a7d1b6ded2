import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createConnections } from '../../../src/store/postgres/connections.ts';

/** One message of the protocol. */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(body, 'latin1');
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

// An error that nobody listens for would end the process, and here the run of all tests.
it('a pool of connections outlives a server that ends a connection in the moment it is open', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const signedIn = message('R', '\0\0\0\0');
      const ready = message('Z', 'I');
      const ended = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');
      socket.end(Buffer.concat([signedIn, ready, ended]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const connections = createConnections(`postgres://relay:x@127.0.0.1:${port}/relay`);
  onTestFinished(() => connections.end());
  const lane = connections.lane({ max: 1, waitMs: 1_000 });
  for (let time = 0; time < 3; time++) {
    await expect(lane.use((run) => run('select 1', 1_000))).rejects.toThrow();
  }
});
