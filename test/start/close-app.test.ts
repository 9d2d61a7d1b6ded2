import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { closerOf } from '../../src/main/close-app.ts';

/** An app whose only answer waits for the test. */
async function startApp() {
  const app = fastify();
  const close = closerOf(app);
  let finish = () => {};
  const asked = new Promise<void>((arrived) => {
    app.get('/slow', async () => {
      arrived();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return 'done';
    });
  });
  app.get('/quick', async () => 'done');
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const port = Number(new URL(address).port);
  return { close, port, asked, finish: () => finish() };
}

it('a stop closes connections that carry no request and finishes those that do', async () => {
  const { close, port, asked, finish } = await startApp();
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string) => {
    const [answer] = await once(get({ port, path, agent }), 'response');
    return text(answer);
  };
  // One over which nothing is asked, one that was used, and one in use.
  const unused = connect(port, '127.0.0.1');
  await once(unused, 'connect');
  expect(await ask('/quick')).toBe('done');
  const slow = ask('/slow');
  await asked;
  const closed = close();
  await once(unused.resume(), 'close');
  finish();
  expect(await slow).toBe('done');
  await closed;
});
