/*
 * Holds and merges the calls of apps with `pacing: on`.
 *
 * Invariants: before the first 429 of a chat nothing waits; nothing is sent in a flood wait that
 * this node knows of; at most one edit of a message is in flight, and the newest held one wins; a
 * call whose caller went away, or got an answer, is not sent.
 */
import type { Clock } from '../../clock.ts';
import { isPassing, type PacedClass } from '../../core/messages/send-class.ts';
import type { PacedOutcome } from '../../core/stats/pacing-metrics.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { FloodWaits, PacedChat } from './flood-waits.ts';
import { HeldCalls } from './held-calls.ts';
import type { PacedCall, PacedEnd, Sent } from './paced-call.ts';

export interface PacerDeps {
  clock: Clock;
  floodWaits: Pick<FloodWaits, 'accepted' | 'delayMs' | 'spend'>;
  /** Telegram answered 429; the flood wait begins before this returns. */
  onRefused(call: PacedCall, retryAfterSeconds: number): void;
  count(botId: number, app: string, outcome: PacedOutcome): void;
}

/** An edit that waited for so long is not overtaken by messages. */
const overtakenForMs = 10_000;

/** A caller that waits for its answer. */
interface Caller {
  call: PacedCall;
  send: Send;
  wasHeld: boolean;
  /** Set when its chat first had to wait: the end of its patience, by the monotonic clock. */
  deadlineAt: number | undefined;
  /** Undoes what holding it took; undefined unless it is held. */
  release: (() => void) | undefined;
  end(end: PacedEnd): void;
  fail(error: unknown): void;
}

/** One request to Telegram: a call, or edits of a message of which only the newest is sent. */
interface Send {
  pacedClass: PacedClass;
  /** The oldest first. */
  callers: Caller[];
  /** `behind` another edit of its message, `queued` in its chat, or `in flight`. */
  state: 'behind' | 'queued' | 'in flight';
  /** When it last entered the queue of its chat, by the monotonic clock. */
  queuedAt: number;
  /** The edits of its message, in their order; only the first may be queued or in flight. */
  edits: Send[] | undefined;
}

interface ChatQueue {
  sends: Send[];
  cancelTimer: () => void;
}

export class Pacer {
  readonly #deps: PacerDeps;
  readonly #held = new HeldCalls();
  readonly #chats = new Map<string, ChatQueue>();
  /** The key is the message. */
  readonly #edits = new Map<string, Send[]>();
  #isClosed = false;

  constructor(deps: PacerDeps) {
    this.#deps = deps;
  }

  /** Resolves when the call ended; rejects if it was not sent. */
  run(call: PacedCall): Promise<PacedEnd> {
    if (call.gone.aborted) return Promise.resolve({ kind: 'ended' });
    if (isPassing(call.pacedClass)) return this.#pass(call);
    return new Promise((end, fail) => {
      const { pacedClass, messages } = call;
      const [message] = messages;
      if (pacedClass === 'delete') this.#cancelEdits(call);
      const edits =
        pacedClass === 'edit' && message !== undefined ? this.#editsOf(call, message) : undefined;
      const send: Send = { pacedClass, callers: [], state: 'queued', queuedAt: 0, edits };
      const held = { wasHeld: false, deadlineAt: undefined, release: undefined };
      const caller: Caller = { call, send, ...held, end, fail };
      const last = edits?.at(-1);
      if (last && last.state !== 'in flight' && isSame(last, call)) {
        this.#merge(caller, last);
        return;
      }
      send.callers.push(caller);
      edits?.push(send);
      if (last) {
        send.state = 'behind';
        this.#hold(caller);
      } else this.#enter(send);
    });
  }

  /** Answers every call that waits: the service stops. */
  close(): void {
    this.#isClosed = true;
    const queued = [...this.#chats.values()].flatMap(({ sends }) => sends);
    const behind = [...this.#edits.values()].flat().filter(({ state }) => state === 'behind');
    // The last come first, because the end of an edit begins the next one.
    const waiting = [...queued, ...behind].reverse().flatMap(({ callers }) => [...callers]);
    for (const caller of waiting) this.#stop(caller);
  }

  /** Leaves the call out while the chat has to wait: it only shows something for seconds. */
  async #pass(call: PacedCall): Promise<PacedEnd> {
    const { floodWaits } = this.#deps;
    if (floodWaits.delayMs(call, call.pacedClass) === 0) {
      floodWaits.spend(call, call.pacedClass);
      const sent = await this.#send(call, false);
      if (sent.kind === 'ended') return { kind: 'ended' };
    }
    this.#count(call, 'dropped');
    return { kind: 'dropped' };
  }

  async #send(call: PacedCall, wasHeld: boolean): Promise<Sent> {
    const sent = await call.send(wasHeld);
    const by = { app: call.app, isPaced: true };
    if (sent.kind === 'refused') this.#deps.onRefused(call, sent.retryAfterSeconds);
    else if (sent.isAccepted) this.#deps.floodWaits.accepted(call, call.pacedClass, by);
    return sent;
  }

  #editsOf({ botId, chat }: PacedChat, message: string): Send[] {
    const key = `${botId} ${chat} ${message}`;
    const known = this.#edits.get(key);
    if (known) return known;
    const made: Send[] = [];
    this.#edits.set(key, made);
    return made;
  }

  #merge(caller: Caller, into: Send): void {
    // The newest edit is the one that counts, so it takes the place of the oldest.
    const [oldest] = into.callers;
    if (oldest && !this.#held.hasRoomFor(caller.call)) this.#refuse(oldest, 'keep its send');
    caller.send = into;
    into.callers.push(caller);
    this.#count(caller.call, 'merged');
    this.#hold(caller);
  }

  /** Sends it at once, or when its turn comes. */
  #enter(send: Send): void {
    const { call } = send.callers[0] as Caller;
    const key = keyOf(call);
    const queue = this.#chats.get(key) ?? { sends: [], cancelTimer: () => {} };
    this.#chats.set(key, queue);
    send.state = 'queued';
    send.queuedAt = this.#deps.clock.monotonic();
    // Messages go before edits, most of which only show how an answer grows, but not forever.
    const isOvertaken = ({ pacedClass, queuedAt }: Send) =>
      pacedClass === 'edit' && send.queuedAt - queuedAt < overtakenForMs;
    const at = send.pacedClass === 'edit' ? -1 : queue.sends.findIndex(isOvertaken);
    if (at < 0) queue.sends.push(send);
    else queue.sends.splice(at, 0, send);
    this.#serve(call);
    if (send.state === 'queued') for (const caller of [...send.callers]) this.#hold(caller);
  }

  /** Begins the sends of a chat whose turn has come. */
  #serve(at: PacedChat): void {
    const key = keyOf(at);
    const queue = this.#chats.get(key);
    if (!queue) return;
    queue.cancelTimer();
    queue.cancelTimer = () => {};
    const { clock, floodWaits } = this.#deps;
    let soonestMs = Number.POSITIVE_INFINITY;
    // No later send of a class passes one that waits.
    const waiting = new Set<PacedClass>();
    for (const send of [...queue.sends]) {
      const { pacedClass } = send;
      if (waiting.has(pacedClass)) continue;
      const delayMs = floodWaits.delayMs(at, pacedClass);
      if (delayMs > 0) {
        waiting.add(pacedClass);
        soonestMs = Math.min(soonestMs, delayMs);
        continue;
      }
      floodWaits.spend(at, pacedClass);
      queue.sends.splice(queue.sends.indexOf(send), 1);
      void this.#begin(send);
    }
    if (queue.sends.length === 0) this.#chats.delete(key);
    else queue.cancelTimer = clock.after(Math.max(1, soonestMs), () => this.#serve(at));
  }

  async #begin(send: Send): Promise<void> {
    send.state = 'in flight';
    for (const caller of send.callers) caller.release?.();
    const newest = send.callers.at(-1) as Caller;
    try {
      const sent = await this.#send(newest.call, newest.wasHeld);
      if (sent.kind === 'refused') {
        this.#again(send);
        return;
      }
      newest.end({ kind: 'ended' });
      for (const { end } of send.callers.slice(0, -1)) end({ kind: 'merged', answer: sent.answer });
    } catch (error) {
      for (const { fail } of send.callers) fail(error);
    }
    this.#goOn(send);
  }

  /** Queues the send that met the 429, or a later edit that takes its place. */
  #again(send: Send): void {
    const [first] = send.callers;
    const next = send.edits?.[1];
    if (!first || !next || !isSame(next, first.call)) {
      this.#enter(send);
      return;
    }
    send.edits?.shift();
    for (const caller of send.callers) {
      caller.send = next;
      this.#count(caller.call, 'merged');
    }
    next.callers.unshift(...send.callers);
    this.#enter(next);
  }

  /** Goes on with the next edit of the same message. */
  #goOn({ callers, edits }: Send): void {
    if (!edits) return;
    edits.shift();
    const [next] = edits;
    if (next) this.#enter(next);
    else this.#dropEdits(callers[0]);
  }

  #dropEdits(caller: Caller | undefined): void {
    if (caller) this.#edits.delete(`${keyOf(caller.call)} ${caller.call.messages[0]}`);
  }

  #hold(caller: Caller): void {
    caller.release?.();
    const { call, send } = caller;
    if (this.#isClosed) return this.#stop(caller);
    if (!this.#held.hasRoomFor(call)) return this.#refuse(caller);
    this.#held.add(call);
    const onGone = () => {
      this.#remove(caller);
      caller.end({ kind: 'ended' });
    };
    call.gone.addEventListener('abort', onGone, { once: true });
    let cancelTimer = () => {};
    caller.release = () => {
      caller.release = undefined;
      this.#held.remove(call);
      call.gone.removeEventListener('abort', onGone);
      cancelTimer();
    };
    // An edit behind another one waits for Telegram's answer, not for a limit.
    if (send.state !== 'behind') {
      const now = this.#deps.clock.monotonic();
      caller.deadlineAt ??= now + call.patienceMs;
      if (!caller.wasHeld) this.#count(call, 'held');
      caller.wasHeld = true;
      cancelTimer = this.#deps.clock.after(caller.deadlineAt - now, () => this.#refuse(caller));
    }
    if (call.gone.aborted) onGone();
  }

  #stop(caller: Caller): void {
    this.#remove(caller);
    caller.fail(new RelayError('shutting_down', reason('shutting_down')));
  }

  /** Answers with what is left of the wait. */
  #refuse(caller: Caller, its: 'keep its send' | 'send too' = 'send too'): void {
    const { call } = caller;
    if (its === 'send too') this.#remove(caller);
    else {
      caller.release?.();
      caller.send.callers.splice(caller.send.callers.indexOf(caller), 1);
    }
    this.#count(call, 'refused');
    const delayMs = this.#deps.floodWaits.delayMs(call, call.pacedClass);
    const seconds = Math.max(1, Math.ceil(delayMs / 1_000));
    caller.fail(
      new RelayError('rate_limited', reason('chat_limit_reached', { seconds }), {
        retryAfterSeconds: seconds,
      }),
    );
  }

  /** Takes a caller out, and its send if no caller is left. */
  #remove(caller: Caller): void {
    const { call, send } = caller;
    caller.release?.();
    const at = send.callers.indexOf(caller);
    if (at >= 0) send.callers.splice(at, 1);
    if (send.callers.length > 0) return;
    const queue = this.#chats.get(keyOf(call));
    const place = queue?.sends.indexOf(send) ?? -1;
    if (place >= 0) {
      queue?.sends.splice(place, 1);
      this.#serve(call);
    }
    const { edits } = send;
    if (!edits) return;
    const isFirst = edits[0] === send;
    edits.splice(edits.indexOf(send), 1);
    const [next] = edits;
    if (!next) this.#dropEdits(caller);
    else if (isFirst) this.#enter(next);
  }

  #cancelEdits({ botId, chat, messages }: PacedCall): void {
    for (const message of messages) {
      const sends = this.#edits.get(`${botId} ${chat} ${message}`) ?? [];
      const waiting = sends.filter(({ state }) => state !== 'in flight').reverse();
      for (const caller of waiting.flatMap(({ callers }) => [...callers])) {
        this.#remove(caller);
        caller.end({ kind: 'cancelled' });
      }
    }
  }

  #count({ botId, app }: PacedCall, outcome: PacedOutcome): void {
    this.#deps.count(botId, app, outcome);
  }
}

const keyOf = ({ botId, chat }: PacedChat) => `${botId} ${chat}`;

/** Edits of one method and app replace each other; an edit of the buttons does not replace a text. */
function isSame({ callers }: Send, { app, method }: PacedCall): boolean {
  const other = callers[0]?.call;
  return other?.app === app && other.method.toLowerCase() === method.toLowerCase();
}
