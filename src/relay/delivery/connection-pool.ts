/*
 * Keeps the connections to backends for all readers of the process. Readers with the same backend
 * host share idle connections; the plan of a reader decides how many it uses at a time.
 *
 * Invariants: at most `most` connections are open. While readers wait, they take turns: a reader
 * without a connection goes first, and the last quarter is reserved for such readers, so the slow
 * backends of a few bots hold up nobody else. Idle connections are closed for waiting readers, the
 * longest idle first.
 */
import type { Client } from 'undici';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';

/**
 * Opens a connection to an address that users entered; `certificate` is PEM that is trusted as
 * well, '' for none.
 */
export type OpenConnection = (origin: string, certificate: string) => Client;

export interface Host {
  readonly origin: string;
  readonly certificate: string;
  /** Hosts with the same key may share connections. */
  readonly key: string;
}

/** Uses the connections to send. */
export interface ConnectionUser {
  readonly host: Host;
  readonly inUse: number;
  /** The rest of the user's turn while others wait. */
  turn: { attempts: number; untilMs: number };
  /** The user waited for this connection, and its turn begins. */
  begin(connection: Connection): void;
  /** The user waited in vain: no connection can be opened. */
  refused(error: unknown): void;
}

export interface Connection {
  readonly host: Host;
  readonly dispatcher: Client;
  isIdle: boolean;
  /** Neighbors in the list of idle connections. */
  older: Connection | undefined;
  newer: Connection | undefined;
}

const turnAttempts = 16;
const turnMs = 2_000;
/** Closes idle connections for at most this many waiting users at once. */
const roomAtOnce = 32;
/** After the system refused a connection, the limit grows by an eighth of `most` each second. */
const recoverMs = 1_000;
const recoverSteps = 8;

export function hostOf(url: string, certificate: string): Host {
  const { origin } = new URL(url);
  return { origin, certificate, key: `${origin} ${certificate}` };
}

export class ConnectionPool {
  readonly #open: OpenConnection;
  readonly #most: number;
  /** Once this many are in use, only users without a connection get one. */
  readonly #shared: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The idle connections of each host, the most recently used one last. */
  readonly #idle = new Map<string, Connection[]>();
  #oldest: Connection | undefined;
  #newest: Connection | undefined;
  /**
   * Waiting users without a connection, and waiting users that want another one, each in the order
   * of their turns.
   */
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

  /** Undefined if there is no connection: the user waits, and gets one through `begin`. */
  take(user: ConnectionUser): Connection | undefined {
    const isShort = this.#first.size > 0 || this.#more.size > 0;
    const found = isShort ? this.#inTurn(user) : (this.#takeIdle(user) ?? this.#openFor(user));
    if (!found) this.#wait(user);
    return found;
  }

  /** The user has nothing more to send. */
  leave(user: ConnectionUser): void {
    this.#first.delete(user);
    this.#more.delete(user);
  }

  /** A connection can be reused if its answer was read completely. */
  giveBack(connection: Connection, isWhole: boolean): void {
    if (isWhole) this.#addIdle(connection);
    else this.#close(connection);
    this.#serveSoon();
  }

  /**
   * The system has no room for another connection: opens none for a moment, and closes idle ones.
   */
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

  /** While others wait, a user may reuse idle connections until its turn ends. */
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

  /**
   * Serves in the next iteration of the event loop: until then, users whose turn lasts reuse what
   * they gave back.
   */
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

  /** Closes idle connections for users that may open one and have no idle one at their host. */
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

  /** Closes a connection, which counts until its socket is closed. */
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
      // The socket lives until it is connected or fails, even if the client is destroyed.
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
