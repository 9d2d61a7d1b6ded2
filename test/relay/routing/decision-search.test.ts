import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { localCaller } from '../../../src/core/access/access.ts';
import { createRoutingService } from '../../../src/relay/routing/routing-service.ts';
import { raw } from '../../../src/store/engine.ts';
import type { Store } from '../../../src/store/store.ts';
import { dialects } from '../../support/database/engines.ts';
import { openStore } from '../../support/database/store.ts';

const all = 5_300;

describe.each(dialects)('a search of decisions on %s', (dialect) => {
  let store: Store;
  let botId: number;

  beforeEach(async () => {
    store = await openStore(dialect);
    ({ id: botId } = await store.bots.insert({ token: '1:a', source: 'web' }, 1));
    const update = (text: string) =>
      JSON.stringify({ message: { message_id: 1, date: 1, chat: { id: 5 }, text } });
    await store.engine.write(function* () {
      const numbers = `with recursive n (i) as (
        select 1 union all select i + 1 from n where i < ${all})`;
      yield* raw(
        `${numbers} insert into route_decisions (bot_id, position, update_id, connection, chat_id,
           user_id, message_id, outcome, reason, asked, matched, model, created_at)
         select cast($1 as bigint), i, i, '', 5, 5, i, 'none', '', '', '[]', '', i * 1000 from n`,
        [botId],
      );
      yield* raw(
        `${numbers} insert into log (bot_id, position, update_id, kind, queue, received_at, raw)
         select cast($1 as bigint), i, i, 'message', '5', i * 1000,
           case i when 1 then cast($2 as text) else cast($3 as text) end from n`,
        [botId, update('a needle'), update('hay')],
      );
    });
  });

  const search = (beforeId?: number) =>
    createRoutingService({
      store,
      routes: { list: async () => [] },
      choose: undefined as never,
      clock: systemClock,
    }).decisions(localCaller, {
      ...{ botId, q: 'needle', limit: 10 },
      ...(beforeId === undefined ? {} : { beforeId }),
    });

  it('says where it stopped, goes on from there, and lets other work run', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const first = await search();
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
    expect(first.decisions).toEqual([]);
    const { stoppedAt } = first;
    expect(stoppedAt?.position).toBeGreaterThan(1);
    let last = first;
    // On a slow machine, a search ends earlier.
    while (last.stoppedAt) last = await search(last.stoppedAt.id);
    expect(last.decisions).toMatchObject([{ position: 1, text: 'a needle' }]);
  });
});
