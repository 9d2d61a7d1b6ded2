/*
 * A story that calls every endpoint once on a new service with its sandbox: Anna asks a support bot for her
 * refund. The API reference shows these requests and answers as its examples, so they are real and fit
 * together. `npm run docs` records them; examples.test.ts tells the story again and compares.
 */
import type { RecordedCall } from '../../../src/http/openapi/recorded-examples.ts';
import type { Service } from '../../../src/main.ts';
import { serve } from '../../support/local-server.ts';
import { manageAccess, setUp } from './access.ts';
import { alert } from './alerts.ts';
import { connectApps } from './apps.ts';
import { addBots, removeBots } from './bots.ts';
import { broadcast } from './broadcasts.ts';
import { talk } from './conversation.ts';
import { runDesk } from './desks.ts';
import { deliver } from './deliveries.ts';
import { moderate } from './people.ts';
import { route } from './routing.ts';
import { playInSandbox } from './sandbox.ts';
import { createTeller } from './teller.ts';
import { watch } from './watching.ts';

/** The recorded calls, by method and path. `setupToken` is the secret of the setup link. */
export async function tellStory(
  service: Pick<Service, 'address' | 'firstKey'>,
  setupToken: string,
): Promise<Record<string, RecordedCall>> {
  const teller = createTeller(service);
  let isBroken = true;
  const failed = new Set<string>();
  const retried = { anna: Promise.withResolvers<void>(), ben: Promise.withResolvers<void>() };
  const backend = await serve(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const update = Buffer.concat(chunks).toString();
    // Retries are held: none is the last before both queues were shown, and Anna's update dies first.
    const sender = update.includes('"username":"ben"') ? 'ben' : 'anna';
    if (failed.has(update)) await retried[sender].promise;
    const fails = isBroken && update.includes('order 1187');
    if (fails) failed.add(update);
    reply.writeHead(fails ? 500 : 200).end(fails ? 'database is locked' : '');
  });

  try {
    await setUp(teller, setupToken);
    const world = await addBots(teller, `${backend.url}/updates`);
    await talk(teller, world);
    await deliver(teller, world, {
      fail: (sender) => retried[sender].resolve(),
      mend() {
        isBroken = false;
      },
    });
    await connectApps(teller, world);
    await route(teller, world);
    await moderate(teller, world);
    await playInSandbox(teller, world);
    await watch(teller, world);
    await runDesk(teller, world);
    await broadcast(teller, world);
    await alert(teller, world);
    await removeBots(teller, world);
    await manageAccess(teller, world);
  } finally {
    await backend.close();
  }
  return teller.recorded;
}
