/*
 * The connections to backends, of all readers of the process. Readers with the same backend host share
 * idle ones; how many a reader uses at a time, its plan decides.
 *
 * Invariants: no more are open than `most`. While readers wait, they take turns: one without a connection
 * goes first, and the last quarter is only for such, so slow backends of a few bots hold up nobody else.
 * Idle connections are closed for those that wait, the longest idle first.
 */
import type { Client } from 'undici';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';

/** To an address that users name; `certificate` is PEM that is trusted as well, '' for none. */
export type OpenConnection = (origin: string, certificate: string) => Client;

export interface Host {
  readonly origin: string;
  readonly certificate: string;
  /** The same for hosts that may share connections. */
  readonly key: string;
}

/** Who sends over the connections. */
export interface ConnectionUser {
  readonly host: Host;
  /** Connections that it uses at the moment. */
  readonly inUse: number;
  /** What is left of its turn, while others wait. */
  turn: { attempts: number; untilMs: number };
  /** It waited for this connection, and its turn begins. */
  begin(connection: Connection): void;
  /** It waited in vain: there cannot be one. */
  refused(error: unknown): void;
}

export interface Connection {
  readonly host: Host;
  readonly dispatcher: Client;
  isIdle: boolean;
  /** Among the idle ones. */
  older: Connection | undefined;
  newer: Connection | undefined;
}

const turnAttempts = 16;
const turnMs = 2_000;
/** For how many of those that wait idle ones are closed in one go. */
const roomAtOnce = 32;
/** How soon more are opened after the system refused one, and which part of all of them. */
const recoverMs = 1_000;
const recoverSteps = 8;

export function hostOf(url: string, certificate: string): Host {
  const { origin } = new URL(url);
  return { origin, certificate, key: `${origin} ${certificate}` };
}

export class ConnectionPool {
  readonly #open: OpenConnection;
  readonly #most: number;
  /** Once so many are in use, only those that use none get one. */
  readonly #shared: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Idle ones of each host, the one used last at the end. */
  readonly #idle = new Map<string, Connection[]>();
  #oldest: Connection | undefined;
  #newest: Connection | undefined;
  /** Those that use no connection, and those that want another one, each in the order of their turns. */
  readonly #first = new Set<ConnectionUser>();
  readonly #more = new Set<ConnectionUser>();
  #isServing = false;
  /** Below `most` for a while after the system refused a connection. */
  #limit: number;
  #cancelRecovery: (() => void) | undefined;
  #size = 0;
  #idleSize = 0;
  #closing = 0;

  constructor(options: { open: OpenConnection; most: number; clock: Clock; logger: Logger }) {
    this.#open = options.open;
    this.#most = Math.max(1, options.most);
    this.#shared = lessQuarter(this.#most);
    this.#limit = this.#most;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  /** Undefined when there is none: the user waits, and gets one by `begin`. */
  take(user: ConnectionUser): Connection | undefined {
    const isShort = this.#first.size > 0 || this.#more.size > 0;
    const found = isShort ? this.#inTurn(user) : (this.#takeIdle(user) ?? this.#openFor(user));
    if (!found) this.#wait(user);
    return found;
  }

  /** It has nothing more to send. */
  leave(user: ConnectionUser): void {
    this.#first.delete(user);
    this.#more.delete(user);
  }

  /** After a whole answer another request may follow. */
  giveBack(connection: Connection, isWhole: boolean): void {
    if (isWhole) this.#addIdle(connection);
    else this.#close(connection);
    this.#serveSoon();
  }

  /** The system has no room for another one: none is opened for a moment, and idle ones are closed. */
  exhausted(): void {
    this.#limit = 0;
    this.closeIdle();
    if (this.#cancelRecovery) return;
    this.#logger.warn(
      { connections: this.#size },
      'too many open files: connections to backends wait; raise the limit (ulimit -n)',
    );
    this.#recoverLater();
  }

  closeIdle(): void {
    while (this.#oldest) this.#close(this.#oldest);
  }

  /** While others wait, a user goes on for as long as its turn lasts, over what is idle. */
  #inTurn(user: ConnectionUser): Connection | undefined {
    const { turn } = user;
    if (turn.attempts <= 0 || this.#clock.monotonic() >= turn.untilMs) return undefined;
    turn.attempts--;
    return this.#takeIdle(user);
  }

  #wait(user: ConnectionUser): void {
    if (user.inUse === 0) {
      this.#more.delete(user);
      this.#first.add(user);
    } else if (!this.#first.has(user)) this.#more.add(user);
    this.#serveSoon();
  }

  /** In the next iteration: until then those whose turn lasts use what they gave back. */
  #serveSoon(): void {
    if (this.#isServing || (this.#first.size === 0 && this.#more.size === 0)) return;
    this.#isServing = true;
    setImmediate(() => this.#serve());
  }

  #serve(): void {
    this.#isServing = false;
    for (const waiting of [this.#first, this.#more]) {
      for (const user of waiting) {
        try {
          const connection = this.#takeIdle(user) ?? this.#openFor(user);
          if (!connection) {
            this.#makeRoom(waiting, this.#limitOf(user));
            return;
          }
          waiting.delete(user);
          user.turn = { attempts: turnAttempts - 1, untilMs: this.#clock.monotonic() + turnMs };
          user.begin(connection);
        } catch (error) {
          this.leave(user);
          user.refused(error);
        }
      }
    }
  }

  /** For those that may open one and find none at their host. */
  #makeRoom(waiting: Iterable<ConnectionUser>, limit: number): void {
    let room = Math.min(limit - this.#inUse, roomAtOnce);
    let free = limit - this.#size + this.#closing;
    for (const { host } of waiting) {
      if (room-- <= 0) return;
      if (this.#idle.get(host.key)?.length) continue;
      for (free--; free < 0 && this.#oldest; free++) this.#close(this.#oldest);
    }
  }

  get #inUse(): number {
    return this.#size - this.#idleSize - this.#closing;
  }

  #limitOf({ inUse }: ConnectionUser): number {
    return inUse === 0 ? this.#limit : lessQuarter(this.#limit);
  }

  #openFor(user: ConnectionUser): Connection | undefined {
    if (this.#size >= this.#limitOf(user)) return undefined;
    const { host } = user;
    const dispatcher = this.#open(host.origin, host.certificate);
    const connection: Connection = {
      host,
      dispatcher,
      isIdle: false,
      older: undefined,
      newer: undefined,
    };
    dispatcher.on('disconnect', () => {
      if (connection.isIdle) this.#close(connection);
    });
    this.#size++;
    return connection;
  }

  #takeIdle({ host, inUse }: ConnectionUser): Connection | undefined {
    if (inUse > 0 && this.#inUse >= this.#shared) return undefined;
    const connection = this.#idle.get(host.key)?.pop();
    if (connection) this.#unlink(connection);
    return connection;
  }

  #addIdle(connection: Connection): void {
    const { key } = connection.host;
    const ofHost = this.#idle.get(key);
    if (ofHost) ofHost.push(connection);
    else this.#idle.set(key, [connection]);
    connection.isIdle = true;
    this.#idleSize++;
    connection.older = this.#newest;
    if (this.#newest) this.#newest.newer = connection;
    else this.#oldest = connection;
    this.#newest = connection;
  }

  #unlink(connection: Connection): void {
    const { older, newer } = connection;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    connection.isIdle = false;
    this.#idleSize--;
    connection.older = undefined;
    connection.newer = undefined;
  }

  /** It counts until its socket is closed. */
  #close(connection: Connection): void {
    const { dispatcher, host, isIdle } = connection;
    const ofHost = this.#idle.get(host.key);
    if (isIdle) {
      this.#unlink(connection);
      ofHost?.splice(ofHost.indexOf(connection), 1);
    }
    if (ofHost?.length === 0) this.#idle.delete(host.key);
    const closed = () => {
      this.#closing--;
      this.#size--;
      this.#serveSoon();
    };
    const close = () => {
      this.#closing++;
      (isIdle ? dispatcher.close() : dispatcher.destroy()).then(closed, closed);
    };
    if (!isIdle && isConnecting(dispatcher)) {
      // Its socket lives until then, even if the client is destroyed.
      dispatcher.once('connect', close);
      dispatcher.once('connectionError', close);
    } else close();
  }

  #recoverLater(): void {
    this.#cancelRecovery = this.#clock.after(recoverMs, () => {
      const step = Math.ceil(this.#most / recoverSteps);
      this.#limit = Math.min(this.#most, Math.max(this.#limit, this.#size) + step);
      this.#cancelRecovery = undefined;
      if (this.#limit < this.#most) this.#recoverLater();
      this.#serveSoon();
    });
  }
}

function lessQuarter(count: number): number {
  return count - (count >> 2);
}

function isConnecting({ stats }: Client): boolean {
  return !stats.connected && stats.pending > 0;
}
