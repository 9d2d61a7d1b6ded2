import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Kept, Order, Ready, Server } from './postgres-keeper.ts';

interface Keeper extends Kept {
  /** Starts PostgreSQL, once. */
  start(): Promise<Server>;
  /** Ends PostgreSQL as a crash does, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A separate process, which ends after `stop` or with the process that started it. */
export async function startKeeper(kind: 'fast' | 'durable' = 'fast'): Promise<Keeper> {
  const keeper = fork(fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)), [kind]);
  const gone = once(keeper, 'exit');
  const answer = async <T>(order?: Order): Promise<T> => {
    const answered = once(keeper, 'message') as Promise<[T]>;
    if (order !== undefined) keeper.send(order);
    const [told] = await Promise.race([
      answered,
      gone.then(() => {
        throw new Error('PostgreSQL could not be started; its keeper said why above');
      }),
    ]);
    return told;
  };
  const kept = await answer<Kept>();
  let server: Promise<Server> | undefined;
  return {
    ...kept,
    start: () => (server ??= answer<Server>('start')),
    restart: () => answer<void>('restart'),
    async stop() {
      if (keeper.connected) keeper.disconnect();
      await gone;
    },
  };
}

/** A keeper whose PostgreSQL is started. */
export async function startPostgres(
  kind: 'fast' | 'durable' = 'fast',
): Promise<Ready & Pick<Keeper, 'restart' | 'stop'>> {
  const keeper = await startKeeper(kind);
  return { ...keeper, ...(await keeper.start()) };
}
