import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAction, type Sandbox } from '../../sandbox/src/index.ts';
import { pythonStreamers, streamWithPython } from '../libraries/python-bot.ts';
import { startRelayOnSandbox } from '../libraries/relay-on-sandbox.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { serve } from '../support/local-server.ts';

const sessions = 8;
const streamedForMs = 6_000;
const groupSeconds = 8;
/** A call may be on its way while the 429 to another one comes back: so long, or so much computed. */
const onTheWire = { ms: 1_500, cpuMs: 100 };

interface Seen {
  method: string;
  text: string;
  at: number;
  cpu: number;
  status: number;
  retryAfterMs: number;
}

/** The sandbox's Bot API, and every call that reached it. */
function watched() {
  const seen: Seen[] = [];
  const servePlatform = (sandbox: Sandbox) =>
    serve((req, res) => {
      const [at, cpu] = [performance.now(), cpuMs()];
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      let answer = '';
      const end = res.end.bind(res) as (...given: unknown[]) => typeof res;
      res.end = (...given: unknown[]) => {
        answer = String(given[0]);
        return end(...given);
      };
      sandbox.handle(req, res);
      res.once('finish', () => {
        const { text = '' } = JSON.parse(body || '{}') as { text?: string };
        const retryAfterMs = Number(/"retry_after":(\d+)/.exec(answer)?.[1] ?? 0) * 1_000;
        const method = req.url?.split('/').at(-1) ?? '';
        seen.push({ method, text, at, cpu, status: res.statusCode, retryAfterMs });
      });
    });
  return { seen, servePlatform };
}

/** Eight answers of an agent in one group, which are streamed by edits, and the notes of a second app. */
async function streamEight(
  root: string,
  tokens: { agent: string; notes: string },
  chat_id: number,
) {
  let refusals = 0;
  const post = async (token: string, method: string, params: object) => {
    const answer = await fetch(`${root}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id, ...params }),
    });
    if (answer.status === 429) refusals++;
    return (await answer.json()) as { result?: { message_id: number } };
  };
  const calls: Promise<unknown>[] = [];
  const askedAt: number[] = [];
  const agent = async (session: number) => {
    const text = (words: string) => `answer ${session}: ${words}`;
    const begun = post(tokens.agent, 'sendMessage', { text: text('') });
    const message_id = (await begun).result?.message_id;
    for (let ms = 0; ms < streamedForMs; ms += 1_000) {
      calls.push(post(tokens.agent, 'editMessageText', { message_id, text: text(`${ms} words`) }));
      calls.push(post(tokens.agent, 'sendChatAction', { action: 'typing' }));
      await sleep(1_000);
    }
    askedAt[session] = performance.now();
    calls.push(post(tokens.agent, 'editMessageText', { message_id, text: text('done') }));
  };
  const notes = async () => {
    for (let ms = 0; ms < streamedForMs; ms += 1_500) {
      calls.push(post(tokens.notes, 'sendMessage', { text: `note ${ms}` }));
      await sleep(1_500);
    }
  };
  await Promise.all([notes(), ...Array.from({ length: sessions }, (_, id) => agent(id))]);
  await Promise.all(calls);
  return { refusals, askedAt };
}

function figuresOf(seen: readonly Seen[], askedAt: readonly number[]) {
  const waits = seen
    .filter(({ status }) => status === 429)
    .map(({ at, cpu, retryAfterMs }) => ({ from: at, fromCpu: cpu, to: at + retryAfterMs }));
  const counted = seen.filter(({ method }) => /^(sendMessage|edit)/.test(method));
  const inWait = counted.filter(({ at, cpu }) =>
    waits.some(
      ({ from, fromCpu, to }) =>
        at > from && at < to - 1 && (at > from + onTheWire.ms || cpu > fromCpu + onTheWire.cpuMs),
    ),
  );
  const finals = seen.filter(({ text, status }) => text.endsWith('done') && status === 200);
  const notes = seen.filter(({ text, status }) => text.startsWith('note') && status === 200);
  // How long each final text arrived after the end of the wait in which its app sent it.
  const lateMs = finals.flatMap(({ at, text }) => {
    const asked = askedAt[Number(/\d+/.exec(text)?.[0])] ?? 0;
    const ends = waits.filter(({ from, to }) => from < asked && asked < to).map(({ to }) => to);
    return ends.length === 0 ? [] : [at - Math.max(...ends)];
  });
  return {
    calls: counted.length,
    refusedByTelegram: waits.length,
    sentInsideWaits: inWait.length,
    finalTexts: finals.length,
    notes: notes.length,
    finalsHeld: lateMs.length,
    latestFinalMs: Math.round(Math.max(0, ...lateMs)),
  };
}

describe.each(['apart', 'together'] as const)(
  'eight streamed answers and notes in a group whose messages and edits count %s',
  (counting) => {
    async function run(pacing: 'off' | 'on' | 'no relay') {
      const { seen, servePlatform } = watched();
      let platformUrl = '';
      const relay = await startRelayOnSandbox('sqlite', {}, async (sandbox) => {
        const platform = await servePlatform(sandbox);
        platformUrl = platform.url;
        return platform;
      });
      onTestFinished(relay.close);
      const { sandbox, bot, botId } = relay;
      const owner = sandbox.createUser({ first_name: 'Ann' });
      const group = sandbox.createChat({ title: 'Agents', owner, members: [bot.id] });
      runAction(sandbox, 'flood-limits', { counting, group_seconds: groupSeconds });
      const isDirect = pacing === 'no relay';
      const tokenOf = async (name: string) => {
        if (isDirect) return bot.token;
        const settings = { bot_id: botId, name, mode: 'send', pacing, patience: 60 };
        return (await relay.call<{ token: string }>('/api/bots/apps/add', settings)).token;
      };
      const tokens = { agent: await tokenOf('agent'), notes: await tokenOf('notes') };
      seen.length = 0;
      const root = isDirect ? platformUrl : relay.address;
      const { askedAt, refusals } = await streamEight(root, tokens, group.id);
      const figures = { ...figuresOf(seen, askedAt), refusalsOfApps: refusals };
      process.stdout.write(`counted ${counting}, pacing ${pacing}: ${JSON.stringify(figures)}\n`);
      return figures;
    }

    it('all arrive with pacing, at most 2 s after a wait, and nothing is sent inside one', async () => {
      const figures = await run('on');
      expect(figures).toMatchObject({ finalTexts: sessions, notes: 4, sentInsideWaits: 0 });
      expect(figures.refusalsOfApps).toBe(0);
      expect(figures.finalsHeld).toBe(sessions);
      expect(figures.latestFinalMs).toBeLessThan(2_000);
    });

    it.each(['off', 'no relay'] as const)('lose final texts with %s', async (pacing) => {
      const figures = await run(pacing);
      expect(figures.finalTexts).toBeLessThan(sessions);
      expect(figures.sentInsideWaits).toBeGreaterThan(10);
    });
  },
);

describe.each(pythonStreamers)('%s, which streams an answer in Python,', (library) => {
  it.each(['off', 'on'] as const)(
    'ends an answer, and meets 429s only without pacing: %s',
    async (pacing) => {
      const relay = await startRelayOnSandbox('sqlite');
      onTestFinished(relay.close);
      const { address, bot, botId, sandbox } = relay;
      const owner = sandbox.createUser({ first_name: 'Ann' });
      const group = sandbox.createChat({ title: 'Agents', owner, members: [bot.id] });
      const settings = { bot_id: botId, name: 'agent', mode: 'send', pacing };
      const { token } = await relay.call<{ token: string }>('/api/bots/apps/add', settings);
      runAction(sandbox, 'flood-limits', { counting: 'together', group_seconds: 4 });

      const refusals = await streamWithPython(library, {
        apiRoot: address,
        token,
        chatId: group.id,
      });

      const texts = sandbox.history(owner, group.id).map(({ message }) => message.text);
      process.stdout.write(`${library}, pacing ${pacing}: ${refusals} refusals, ${texts.at(-1)}\n`);
      expect({ isRefused: refusals > 0, hasFinalText: texts.includes('Done.') }).toEqual({
        isRefused: pacing === 'off',
        hasFinalText: pacing === 'on',
      });
    },
  );
});

it('/stop reaches a webhook that is still answering in under 200 ms', async () => {
  const relay = await startRelayOnSandbox('sqlite');
  onTestFinished(relay.close);
  const { bot, botId, sandbox } = relay;
  const arrived: string[] = [];
  const backend = await serve((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      const { text = '' } = (JSON.parse(body) as { message: { text?: string } }).message;
      arrived.push(text);
      // The answer to the question never comes.
      if (text.startsWith('/stop')) res.end();
    });
  });
  onTestFinished(backend.close);
  await relay.call('/api/bots/update', { id: botId, long_poll_enabled: true });
  const receiving = { mode: 'webhook', backend_url: backend.url, max_connections: 1 };
  const agent = { bot_id: botId, name: 'agent', urgent: ['/stop'], ...receiving };
  await relay.call('/api/bots/apps/add', agent);
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot.id, 'A long question');
  await expect.poll(() => arrived).toEqual(['A long question']);

  // Most of several, because others use the processors meanwhile.
  const takenMs: number[] = [];
  for (let round = 0; round < 9; round++) {
    const from = performance.now();
    sandbox.say(ann, bot.id, `/stop ${round}`);
    while (!arrived.includes(`/stop ${round}`)) await sleep(1);
    takenMs.push(performance.now() - from);
  }
  const [fastest, median, slowest] = [0, 4, 8].map((at) =>
    Math.round(takenMs.toSorted((x, y) => x - y)[at] ?? 0),
  );
  process.stdout.write(
    `/stop arrived after ${fastest}, ${median}, ${slowest} ms (median between)\n`,
  );
  expect(median).toBeLessThan(200);
});
