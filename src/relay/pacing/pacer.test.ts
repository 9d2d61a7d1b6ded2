import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import type { PacedClass } from '../../core/messages/send-class.ts';
import { FloodWaits } from './flood-waits.ts';
import { mostHeldBytesOfBot, mostHeldOfChat } from './held-calls.ts';
import type { PacedCall, Sent } from './paced-call.ts';
import { Pacer } from './pacer.ts';

const methods: Record<PacedClass, string> = {
  message: 'sendMessage',
  edit: 'editMessageText',
  draft: 'sendMessageDraft',
  action: 'sendChatAction',
  delete: 'deleteMessage',
};

type Given = Partial<PacedCall> & { onEnd?: () => void };

/** A pacer whose calls are answered by `answer`, at once unless it waits. */
function create() {
  const clock = createManualClock();
  const floodWaits = new FloodWaits(clock.monotonic);
  const sent: string[] = [];
  const counts: string[] = [];
  const ends: string[] = [];
  const script: { answer: (name: string) => Sent | Promise<Sent> } = { answer: taken };
  const pacer = new Pacer({
    clock,
    floodWaits,
    onRefused: (call, seconds) => void floodWaits.refused(call, call.pacedClass, seconds * 1_000),
    count: (_botId, app, outcome) => void counts.push(`${app} ${outcome}`),
  });
  function call(name: string, pacedClass: PacedClass, { onEnd = () => {}, ...given }: Given = {}) {
    const gone = new AbortController();
    const end = (how: string) => {
      ends.push(`${name}: ${how}`);
      onEnd();
    };
    void pacer
      .run({
        botId: 1,
        chat: '5',
        app: 'agent',
        method: methods[pacedClass],
        pacedClass,
        messages: [],
        patienceMs: 20_000,
        bytes: 10,
        gone: gone.signal,
        async send() {
          sent.push(name);
          return script.answer(name);
        },
        ...given,
      })
      .then(
        ({ kind, ...rest }) => end(kind === 'merged' ? `merged ${JSON.stringify(rest)}` : kind),
        ({ retryAfterSeconds, code }) => end(`${code} ${retryAfterSeconds ?? ''}`.trim()),
      );
    return gone;
  }
  /** Makes the chat wait from now on. */
  async function flood(seconds: number) {
    script.answer = () => ({ kind: 'refused', retryAfterSeconds: seconds });
    call('typing', 'draft');
    await clock.advance(0);
    script.answer = taken;
    for (const list of [sent, ends, counts]) list.length = 0;
  }
  return { clock, pacer, sent, counts, ends, script, call, flood };
}

function taken(name: string): Sent {
  return { kind: 'ended', isAccepted: true, answer: { status: 200, body: Buffer.from(name) } };
}

const edit = (id: number, given: Given = {}) => ({ messages: [String(id)], ...given });

describe('the pacer', () => {
  it('sends nothing for a caller that went away before its turn', async () => {
    const { clock, sent, ends, call } = create();
    const gone = AbortSignal.abort();
    call('late', 'message', { gone });
    call('late typing', 'action', { gone });
    await clock.advance(0);
    expect([sent, ends]).toEqual([[], ['late: ended', 'late typing: ended']]);
  });

  it('holds nothing before the first 429', async () => {
    const { clock, sent, counts, call } = create();
    for (let at = 0; at < 50; at++) call(`m${at}`, at % 2 === 0 ? 'message' : 'draft');
    await clock.advance(0);
    expect(sent).toHaveLength(50);
    expect(counts).toEqual([]);
  });

  it('holds and repeats the call that met the 429, and sends nothing to its chat meanwhile', async () => {
    const { clock, sent, ends, script, call } = create();
    const refused = { kind: 'refused', retryAfterSeconds: 5 } as const;
    script.answer = (name) => (sent.length === 1 ? refused : taken(name));
    call('first', 'message');
    await clock.advance(0);
    call('second', 'message');
    call('typing', 'action');
    call('draft', 'draft');
    call('deletion', 'delete');
    call('elsewhere', 'message', { chat: '6' });
    await clock.advance(4_999);
    expect(sent).toEqual(['first', 'elsewhere']);
    expect(ends).toEqual(['typing: dropped', 'draft: dropped', 'elsewhere: ended']);
    await clock.advance(1);
    expect(sent.slice(2)).toEqual(['first', 'deletion']);
    // Nothing was accepted before the 429, so messages are as slow as Telegram advises.
    await clock.advance(1_050);
    expect(sent.slice(4)).toEqual(['second']);
  });

  it('answers 429 with what is left when the patience of a call ends', async () => {
    const { clock, sent, ends, counts, call, flood } = create();
    await flood(100);
    call('patient', 'message');
    call('impatient', 'message', { patienceMs: 0 });
    await clock.advance(0);
    expect(ends).toEqual(['impatient: rate_limited 100']);
    await clock.advance(20_000);
    expect(ends[1]).toBe('patient: rate_limited 80');
    await clock.advance(100_000);
    expect(sent).toEqual([]);
    expect(counts).toEqual(['agent held', 'agent held', 'agent refused', 'agent refused']);
  });

  it('sends only the newest held edit of a message, and answers all callers with it', async () => {
    const { clock, sent, ends, counts, call, flood } = create();
    await flood(10);
    for (const name of ['a', 'b', 'c']) call(name, 'edit', edit(7));
    call('buttons', 'edit', edit(7, { method: 'editMessageReplyMarkup' }));
    call('other', 'edit', edit(8));
    await clock.advance(60_000);
    expect(sent).toEqual(['c', 'other', 'buttons']);
    expect(ends.slice(0, 3)).toEqual([
      'c: ended',
      `a: merged ${JSON.stringify({ answer: { status: 200, body: Buffer.from('c') } })}`,
      `b: merged ${JSON.stringify({ answer: { status: 200, body: Buffer.from('c') } })}`,
    ]);
    expect(counts.filter((count) => count === 'agent merged')).toHaveLength(2);
  });

  it('merges edits while one is in flight, also without a flood wait, and keeps those of others apart', async () => {
    const { clock, sent, ends, script, call } = create();
    const answered = Promise.withResolvers<Sent>();
    script.answer = (name) => (name === 'a' ? answered.promise : taken(name));
    for (const name of ['a', 'b', 'c']) call(name, 'edit', edit(7));
    call('of another app', 'edit', edit(7, { app: 'notes' }));
    await clock.advance(60_000);
    expect(sent).toEqual(['a']);
    answered.resolve(taken('a'));
    await clock.advance(0);
    expect(sent).toEqual(['a', 'c', 'of another app']);
    expect(ends.map((end) => end.split(' ', 2).join(' '))).toEqual([
      'a: ended',
      'c: ended',
      'b: merged',
      'of another',
    ]);
  });

  it('lets a later edit take the place of the one that met the 429', async () => {
    const { clock, sent, ends, script, call } = create();
    const answered = Promise.withResolvers<Sent>();
    script.answer = (name) => (name === 'a' ? answered.promise : taken(name));
    call('a', 'edit', edit(7));
    call('b', 'edit', edit(7));
    answered.resolve({ kind: 'refused', retryAfterSeconds: 3 });
    await clock.advance(3_000);
    expect(sent).toEqual(['a', 'b']);
    expect(ends).toHaveLength(2);
  });

  it('cancels held edits of a message that is deleted', async () => {
    const { clock, sent, ends, call, flood } = create();
    await flood(5);
    call('a', 'edit', edit(7));
    call('b', 'edit', edit(7));
    call('of another message', 'edit', edit(8));
    call('deletion', 'delete', { messages: ['6', '7'], method: 'deleteMessages' });
    await clock.advance(0);
    expect(ends).toEqual(['a: cancelled', 'b: cancelled']);
    await clock.advance(30_000);
    expect(sent).toEqual(['deletion', 'of another message']);
  });

  it('does not send a call whose caller went away, and sends the edit before it instead', async () => {
    const { clock, sent, ends, call, flood } = create();
    await flood(5);
    const message = call('message', 'message');
    call('a', 'edit', edit(7));
    const newest = call('b', 'edit', edit(7));
    const only = call('c', 'edit', edit(8));
    for (const gone of [message, newest, only]) gone.abort();
    await clock.advance(30_000);
    expect(sent).toEqual(['a']);
    expect(ends).toEqual(['message: ended', 'b: ended', 'c: ended', 'a: ended']);
  });

  it('holds a hundred calls of a chat and a thousand of a bot, and the newest edit in any case', async () => {
    const { clock, sent, ends, call, flood } = create();
    await flood(5);
    call('oldest', 'edit', edit(7));
    for (let at = 1; at < mostHeldOfChat; at++) call(`m${at}`, 'message');
    call('one more', 'message');
    call('newest', 'edit', edit(7));
    await clock.advance(0);
    expect(ends).toEqual(['one more: rate_limited 5', 'oldest: rate_limited 5']);
    for (let chat = 10; chat < 20; chat++) {
      await floodOf(String(chat));
      for (let at = 0; at < mostHeldOfChat; at++)
        call(`${chat} ${at}`, 'message', { chat: String(chat) });
    }
    await clock.advance(0);
    expect(ends.filter((end) => end.startsWith('19 '))).toHaveLength(mostHeldOfChat);
    expect(sent).toEqual([]);

    async function floodOf(chat: string) {
      call('draft', 'draft', {
        chat,
        send: () => Promise.resolve({ kind: 'refused', retryAfterSeconds: 5 }),
      });
      await clock.advance(0);
    }
  });

  it('holds no more bytes of a bot than its part, so that others have room', async () => {
    const { clock, ends, call, flood } = create();
    await flood(5);
    call('half', 'message', { bytes: mostHeldBytesOfBot / 2 });
    call('more', 'message', { bytes: mostHeldBytesOfBot / 2 + 1 });
    call('rest', 'message', { bytes: mostHeldBytesOfBot / 2 });
    await clock.advance(0);
    expect(ends).toEqual(['more: rate_limited 5']);
  });

  it('answers every held call when it closes', async () => {
    const { clock, pacer, sent, ends, call, flood } = create();
    await flood(5);
    call('message', 'message');
    call('a', 'edit', edit(7));
    call('b', 'edit', edit(7, { app: 'notes' }));
    pacer.close();
    call('late', 'message');
    await clock.advance(30_000);
    expect(sent).toEqual([]);
    expect(ends).toEqual([
      'b: shutting_down',
      'a: shutting_down',
      'message: shutting_down',
      'late: shutting_down',
    ]);
  });
});

/** Telegram takes so many calls of a class, or of all, in a window of time. */
function telegramOf(clock: { monotonic(): number }, most: number, windowMs: number) {
  let window = { from: 0, calls: 0 };
  let waitUntil = 0;
  let refusedAt = 0;
  const seen = { accepted: 0, refused: 0, inWait: 0 };
  const answer = (): Sent => {
    const now = clock.monotonic();
    if (now - window.from >= windowMs) window = { from: now, calls: 0 };
    // Calls of the same moment were on the wire already.
    if (now < waitUntil && now > refusedAt) seen.inWait++;
    if (window.calls >= most) {
      const seconds = Math.ceil((window.from + windowMs - now) / 1_000);
      waitUntil = Math.max(waitUntil, now + seconds * 1_000);
      refusedAt = now;
      seen.refused++;
      return { kind: 'refused', retryAfterSeconds: seconds };
    }
    window.calls++;
    seen.accepted++;
    return { kind: 'ended', isAccepted: true, answer: { status: 200, body: Buffer.from('') } };
  };
  return { answer, seen };
}

describe('the learned rate of a chat', () => {
  it.each([
    { most: 1, windowMs: 1_000 },
    { most: 3, windowMs: 1_000 },
    { most: 20, windowMs: 15_000 },
    { most: 20, windowMs: 60_000 },
  ])(
    'meets few further 429s where Telegram takes $most calls in $windowMs ms',
    async ({ most, windowMs }) => {
      const { clock, script, call, ends } = create();
      const { answer, seen } = telegramOf(clock, most, windowMs);
      script.answer = answer;
      const patienceMs = 60_000;
      for (let id = 0; id < 4; id++) stream(id);
      const pauseMs = (8 * windowMs) / most;
      for (let ms = 0; ms < 540_000; ms += pauseMs) {
        call('note', 'message', { patienceMs });
        await clock.advance(pauseMs);
      }
      function stream(id: number) {
        const next = () => clock.after(200, () => stream(id));
        call('edit', 'edit', edit(id, { patienceMs, onEnd: next }));
      }
      expect(seen.inWait).toBe(0);
      expect(seen.refused).toBeLessThan(6);
      expect(seen.accepted).toBeGreaterThan((0.4 * most * 540_000) / windowMs);
      expect(ends.filter((end) => end.startsWith('edit: rate_limited'))).toEqual([]);
    },
  );

  it('is forgotten ten minutes after the wait', async () => {
    const { clock, sent, call, flood } = create();
    await flood(5);
    await clock.advance(5_000 + 599_000);
    for (let at = 0; at < 10; at++) call(`m${at}`, 'draft');
    await clock.advance(0);
    expect(sent).toHaveLength(1);
    await clock.advance(1_000);
    for (let at = 0; at < 10; at++) call(`m${at}`, 'draft');
    await clock.advance(0);
    expect(sent).toHaveLength(11);
  });
});
