import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { serve } from '../../support/local-server.ts';

export interface Update {
  update_id: number;
  message: { text: string; chat: { id: number } };
}

/**
 * A backend that writes down what it took; `answer` may refuse or take its time. Where a slow machine
 * may have a bot go from node to node, it drops repeats, as backends should.
 */
export async function startBackend(dropsRepeats: boolean) {
  const known = new Set<number>();
  const backend = {
    url: '',
    taken: [] as string[],
    asked: [] as string[],
    answer: (() => 200) as (update: Update) => number | Promise<number>,
  };
  const { url, close } = await serve(async (request, response) => {
    const update = (await json(request)) as Update;
    backend.asked.push(update.message.text);
    const status = await backend.answer(update);
    if (status === 200 && !(dropsRepeats && known.has(update.update_id))) {
      backend.taken.push(update.message.text);
      known.add(update.update_id);
    }
    response.writeHead(status).end();
  });
  onTestFinished(close);
  backend.url = `${url}/`;
  return backend;
}
