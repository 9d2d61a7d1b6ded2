/* Checks whether a desk bot may do what it has to, and stores what it found. */
import type { Clock } from '../../clock.ts';
import type { EventBus } from '../../core/ports.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { checkForum } from './check-forum.ts';

export interface DeskCheckDeps {
  store: Pick<Store, 'bots' | 'desks'>;
  telegram: TelegramClient;
  clock: Clock;
  events: EventBus;
  wakeSends(botIds: ReadonlySet<number>): void;
}

export type DeskCheck = (deskId: number) => Promise<readonly Reason[]>;

/** If nothing is missing, what waited is sent at once. */
export function createDeskCheck(deps: DeskCheckDeps): DeskCheck {
  const { clock, events, store, telegram } = deps;
  return async (deskId) => {
    const desk = await store.desks.get(deskId);
    const bot = desk && (await store.bots.get(desk.desk_bot_id));
    if (!bot) return [];
    const problems = await checkForum(telegram, bot, desk.chat_id);
    await store.desks.noteCheck(desk, problems, clock.now());
    if (problems.length === 0) deps.wakeSends(await store.desks.takeUp(clock.now(), deskId));
    if (JSON.stringify(problems) !== JSON.stringify(desk.problems)) {
      events.publish('bot', bot.id, { change: 'updated' });
    }
    return problems;
  };
}
