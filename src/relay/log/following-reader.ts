/*
 * A kind of reader that follows the log on the node that runs the bot, with one loop for each of
 * its readers.
 *
 * Invariants: operations on one bot run in turn; each reader has one loop. If the kind is off, none
 * of its readers remains to hold back retention.
 */
import type { ReaderKind } from '../../core/log/reader-kinds.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { ReaderRepository } from '../../store/log/readers.ts';
import { createKeyedMutex } from '../async/mutex.ts';
import { withTimeout } from '../async/with-timeout.ts';
import { type FollowDeps, type Following, followLog, type Handler } from './follow-log.ts';
import type { LogReader } from './log-readers.ts';

export interface FollowingDeps extends FollowDeps {
  readers: Pick<LogRepository, 'openReader' | 'readers'> & Pick<ReaderRepository, 'removeKind'>;
}

export interface FollowingKind {
  kind: ReaderKind;
  /**
   * True if the settings of the service turn the kind on; `readersOf` checks the bot's own
   * settings.
   */
  isOn: boolean;
  /** Returns the stored names of the bot's readers of this kind. */
  readersOf(bot: BotRecord): string[];
  /** Creates the handler of what comes after the reader's position. */
  begin(botId: number, reader: string): Handler;
}

/** A handler that works outside the service may hang, so a stop waits only this long. */
const stopWithinMs = 1_000;

export function createFollowingReader(deps: FollowingDeps, kind: FollowingKind): LogReader {
  const { clock, readers } = deps;
  const loops = new Map<number, Map<string, Following>>();
  const mutex = createKeyedMutex();
  const readersOf = (bot: BotRecord) => (kind.isOn && !bot.disabled ? kind.readersOf(bot) : []);

  async function end(botId: number, reader: string): Promise<void> {
    const own = loops.get(botId);
    const loop = own?.get(reader);
    own?.delete(reader);
    if (own?.size === 0) loops.delete(botId);
    if (loop) await withTimeout(clock, stopWithinMs, loop.stop());
  }

  const endAllBut = async (botId: number, wanted: readonly string[]): Promise<void> => {
    const unwanted = [...(loops.get(botId)?.keys() ?? [])].filter((one) => !wanted.includes(one));
    await Promise.all(unwanted.map((reader) => end(botId, reader)));
  };

  const stop = (botId: number) => mutex(botId, () => endAllBut(botId, []));

  return {
    async start() {
      if (!kind.isOn) await readers.removeKind(kind.kind);
    },
    isActive: (bot, reader) => readersOf(bot).includes(reader),
    async prepare(bot) {
      for (const reader of readersOf(bot)) await readers.openReader(bot.id, reader, clock.now());
    },
    run: {
      apply: (bot) =>
        mutex(bot.id, async () => {
          const wanted = readersOf(bot);
          await endAllBut(bot.id, wanted);
          for (const reader of wanted) {
            const own = loops.get(bot.id) ?? new Map<string, Following>();
            loops.set(bot.id, own);
            if (own.has(reader)) continue;
            const begin = () => kind.begin(bot.id, reader);
            own.set(reader, followLog(deps, { botId: bot.id, reader, isKept: true }, begin));
          }
        }),
      stop,
      async stopAll() {
        await Promise.all([...loops.keys()].map(stop));
        await mutex.idle();
      },
    },
    onMoved: (botId, reader) => loops.get(botId)?.get(reader)?.wake(),
  };
}
