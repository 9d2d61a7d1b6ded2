/*
 * Fault 7: requests made from the OpenAPI document, and to the gateway, the hooks and pages, most of
 * them wrong in some way. Secrets are planted beforehand.
 */
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { Agent, request } from 'undici';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import {
  type PlatformCall,
  type Update,
  sentMessage,
  startHeldPlatform,
} from '../invariants/support/held-platform.ts';
import { startSink } from '../invariants/support/sink.ts';
import { brokenRequests, gatewayRequests, oddUpdates } from '../property/gateway-requests.ts';
import {
  fittingRequestsTo,
  type HostileRequest,
  isStream,
  operationsOf,
  requestsTo,
} from '../property/hostile-requests.ts';
import { withoutNames } from '../support/openapi.ts';
import { seeded } from '../support/seeded.ts';
import { adminKey, launchService, type ServiceProcess } from '../support/service-process.ts';
import { masterKey, plant, type Planted } from './support/planted.ts';
import { atMost, counted, type FaultOptions, type FaultResult, isSo } from './result.ts';

const atOnce = 8;
const answerMs = 30_000;
/** Hostile requests to each endpoint in one round, and as many that fit; a quarter of all go to the gateway. */
const perRound = 3;
const updatesPerRound = 30;
/** The platform's own failures, which are passed on. */
const ofThePlatform = new Set(['platform_unreachable', 'platform_timeout']);
const heapGrowth = 0.15;
const heapSlackMb = 12;

/** With the sandbox its endpoints are asked as well; what it makes stays in memory. */
export const runFuzzWithSandbox = (options: FaultOptions) =>
  runFuzz({ ...options, requests: Math.ceil(options.requests / 5) }, 'on');

export async function runFuzz(
  options: Omit<FaultOptions, 'createDatabase'>,
  sandbox: 'on' | 'off' = 'off',
): Promise<FaultResult> {
  const { database, seed, requests, say } = options;
  const beganAt = performance.now();
  const random = seeded(seed);
  // Answers are asked for in any order, so they must not change which requests are made.
  const randomAnswers = seeded(seed + 1);
  const [platform, sink] = await Promise.all([startHeldPlatform(), startSink()]);
  platform.onCall = (call) => answerOddly(call, randomAnswers);
  const service = await launchService(database, {
    TELEGRAM_API_URL: platform.url,
    RELAY_PUBLIC_URL: 'http://relay.example.com',
    RELAY_SECRET_KEY: masterKey,
    RELAY_SANDBOX: sandbox,
    RELAY_LOG_LEVEL: 'trace',
    RELAY_RATE_PER_KEY: '1000000',
    RELAY_RATE_PER_ADDRESS: '1000000',
  });
  const agent = new Agent({ connections: atOnce * 2 });
  const problems = new Map<string, string[]>([
    ['5xx', []],
    ['no answer', []],
    ['secrets', []],
  ]);
  const report = (kind: string, line: string) => {
    const lines = problems.get(kind) as string[];
    if (lines.length < 20) say(`${kind}: ${line}`);
    lines.push(line);
  };
  const heap: number[] = [];
  let asked = 0;
  let dealt = 1_000;
  let refused = 0;
  let ofPlatform = 0;
  let slowestMs = 0;
  let isOver = false;

  function keyOf(planted: Planted): string {
    const share = random();
    return share < 0.5 ? adminKey : share < 0.8 ? planted.readKey : planted.sendKey;
  }

  async function ask(one: HostileRequest, planted: Planted, key: string): Promise<void> {
    const query = one.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const path = one.path + (query.length > 0 ? `?${query.join('&')}` : '');
    // What Telegram answers reaches whoever has the token, as it is.
    const isGateway = planted.tokens.some((token) => unescaped(one.path).includes(`/bot${token}/`));
    const what = `${one.method} ${path.slice(0, 200)} (${one.wrong}) ${one.body?.slice(0, 300) ?? ''}`;
    const startedAt = performance.now();
    try {
      const answer = await request(service.address + path, {
        dispatcher: agent,
        method: one.method as 'GET',
        headers: { ...one.headers, ...(one.withKey ? { authorization: `Bearer ${key}` } : {}) },
        ...(one.body === undefined ? {} : { body: one.body }),
        signal: AbortSignal.timeout(answerMs),
      });
      const text = await answer.body.text();
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      const status = answer.statusCode;
      if (status >= 400 && status < 500) refused++;
      if (status >= 500 && ofThePlatform.has(codeOf(text))) ofPlatform++;
      else if (status >= 500 && one.path !== '/readyz') {
        report('5xx', `${status} ${text.slice(0, 300)} to ${what}`);
      }
      // A manager may see what a manager has set.
      const mayShow = status < 400 && (one.withKey ? key === adminKey : isGateway);
      const shown = mayShow
        ? planted.sealedIn(text)
        : planted.foundIn(text).filter((secret) => one.withKey || !path.includes(secret));
      if (shown.length > 0) report('secrets', `${shown.join()} in ${status} to ${what}`);
    } catch (error) {
      report('no answer', `${String(error)} to ${what}`);
    }
    asked++;
  }

  /** Sent as it is; an answer or the end of the connection will do. */
  async function askBroken(text: string): Promise<void> {
    const { hostname, port } = new URL(service.address);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.end(text);
    const isClosed = await Promise.race([
      once(socket, 'close').then(() => true),
      pause(answerMs, false, { ref: false }),
    ]);
    socket.destroy();
    if (!isClosed) report('no answer', `to ${JSON.stringify(text.slice(0, 80))}`);
    if (/^HTTP\/1.1 5/.test(answer)) report('5xx', `${answer.slice(0, 200)} to broken HTTP`);
    asked++;
  }

  async function watchHeap(): Promise<void> {
    while (!isOver) {
      const text = await service.request('/metrics').then(
        (answer) => answer.text(),
        () => '',
      );
      const used = /^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1];
      if (used) heap.push(Number(used) / 2 ** 20);
      await pause(200);
    }
  }

  try {
    const planted = await plant(service, platform, sink.url);
    const document = withoutNames(
      (await (await service.request('/openapi.json')).json()) as OpenApiDocument,
    );
    const operations = operationsOf(document);
    const tried = new Set<(typeof operations)[number]>();
    // Otherwise the search might find nothing because it looks for the wrong words.
    const isSearchRight =
      planted.foundIn(await (await service.request('/api/bots')).text()).length > 0;
    const events = listen(service, planted.readKey);
    const watching = watchHeap();
    for (let round = 0; asked < requests; round++) {
      if (round > 0) await planted.restore();
      const sample = { seed: seed + round, numRuns: perRound };
      for (const made of fc.sample(oddUpdates, { ...sample, numRuns: updatesPerRound })) {
        const update = { update_id: ++dealt, ...made } as Update;
        platform.deal(planted.tokens[0] as string, update);
      }
      const gateway = { ...sample, numRuns: operations.length * Math.ceil((2 * perRound) / 3) };
      // Each operation, and each broken request, has its turn before an operation has another.
      const jobs = [
        ...brokenRequests.map((text) => ({ at: random(), run: () => askBroken(text) })),
        ...operations.flatMap((target) => {
          const made = [
            ...fc.sample(requestsTo(target), sample),
            // An accepted stream stays open.
            ...(isStream(target) ? [] : fc.sample(fittingRequestsTo(target), sample)),
          ];
          return shuffled(made.filter(isHarmless), random).map((one, turn) => {
            const key = keyOf(planted);
            const run = () => {
              tried.add(target);
              return ask(one, planted, key);
            };
            return { at: turn + random(), run };
          });
        }),
        ...fc.sample(gatewayRequests(planted), gateway).map((one) => {
          const key = keyOf(planted);
          return { at: random() * 2 * perRound, run: () => ask(one, planted, key) };
        }),
      ].sort((a, b) => a.at - b.at);
      jobs.length = Math.min(jobs.length, requests - asked);
      await inParallel(jobs.map(({ run }) => run));
      if (round % 10 === 0) say(`${asked} requests, heap ${Math.round(heap.at(-1) ?? 0)} MB`);
    }
    isOver = true;
    await watching;
    const heard = await events.end();
    const isReady = (await service.request('/readyz')).status === 200;
    const metrics = await (await service.request('/metrics')).text();
    const { code, stdout, stderr } = await service.stop();
    const refusals = planted.refusals.join('\n');
    const log = stdout + stderr;
    for (const [place, text] of Object.entries({ events: heard, metrics, refusals, log })) {
      for (const secret of planted.foundIn(text)) {
        const at = text.indexOf(secret);
        report('secrets', `${secret} in ${place}: ${text.slice(Math.max(0, at - 200), at + 80)}`);
      }
    }
    const mark = (name: string, kind: string) => {
      const details = problems.get(kind) as string[];
      return { ...atMost(name, details.length, 0), details: details.slice(0, 20) };
    };
    return {
      fault: sandbox === 'on' ? '7: fuzz with the sandbox' : '7: fuzz',
      engine: database.dialect,
      seed,
      seconds: (performance.now() - beganAt) / 1_000,
      readers: {},
      marks: [
        counted('requests', asked),
        counted('operations of the API', operations.length),
        atMost('operations never asked', operations.length - tried.size, 0),
        counted('refused with 4xx', refused),
        counted('odd updates taken in', platform.confirmed(planted.tokens[0] as string).size),
        counted('events heard', heard.split('\n\n').length - 1),
        counted('502 and 504 that name the platform', ofPlatform),
        mark('answered with 5xx', '5xx'),
        mark('without an answer', 'no answer'),
        mark('secrets shown to those who may not see them', 'secrets'),
        isSo('secrets shown to a manager', isSearchRight),
        counted('slowest answer', `${Math.round(slowestMs)} ms`),
        ...(sandbox === 'on' ? [] : heapMarks(heap)),
        isSo('ready in the end', isReady),
        { name: 'exit', value: String(code), limit: '0', ok: code === 0 },
      ],
    };
  } finally {
    isOver = true;
    await service.crash();
    await agent.destroy();
    await Promise.all([platform.close(), sink.close()]);
  }
}

/** Without the first key, which is the one of the environment, nobody could ask on. */
const isHarmless = ({ path, query }: HostileRequest) =>
  !(/^\/api\/auth\/api-keys\/\w/.test(path) && query.some(([, value]) => value === '1'));

/** Also where it is no valid UTF-8. */
const unescaped = (path: string) =>
  path.replaceAll(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

const codeOf = (text: string) => /"code":"(\w+)"/.exec(text)?.[1] ?? '';

/** As Telegram answers, or with anything else that is JSON. */
function answerOddly(call: PlatformCall, random: () => number): void {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const { chat_id, text } = call.params;
  const fail = (error_code: number, description: string, parameters?: object) =>
    call.answer(error_code, { ok: false, error_code, description, parameters });
  if (random() < 0.2) {
    return pick([
      () => fail(400, 'Bad Request: chat not found'),
      () => fail(403, `Forbidden: bot ${call.token} was blocked by the user`),
      () => fail(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -100777 }),
    ])();
  }
  const result = pick([
    sentMessage(1, call.token, chat_id ?? 7, text ?? 'x'),
    sentMessage(2, call.token, chat_id ?? 7, text ?? 'x'),
    true,
    [],
    {},
    null,
    'text',
    [sentMessage(3, call.token, 7, 'x')],
    { id: 7, type: 'private', first_name: 'Ann' },
    { status: 'administrator', user: { id: 7, is_bot: false, first_name: 'Ann' } },
    [{ status: 'creator', user: { id: 7, is_bot: false, first_name: 'Ann' } }],
    { message_id: 'x', chat: 5, date: null },
  ]);
  call.answer(200, { ok: true, result });
}

function listen(service: ServiceProcess, key: string): { end(): Promise<string> } {
  const stop = new AbortController();
  let heard = '';
  const reading = service
    .request('/api/events', { key, signal: stop.signal })
    .then(async (answer) => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString();
    });
  reading.catch(() => {});
  return {
    async end() {
      stop.abort();
      await reading.catch(() => {});
      return heard;
    },
  };
}

async function inParallel(jobs: (() => Promise<void>)[]): Promise<void> {
  const rest = jobs.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const job of rest) await job();
    }),
  );
}

function shuffled<T>(list: T[], random: () => number): T[] {
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [list[last], list[other]] = [list[other] as T, list[last] as T];
  }
  return list;
}

/** The least used after a collection, in the second fifth of the run and in the last. */
function heapMarks(samples: readonly number[]) {
  const fifth = Math.floor(samples.length / 5);
  // A short run says nothing about growth.
  if (fifth < 25) return [];
  const least = (from: number) => Math.min(...samples.slice(from * fifth, (from + 1) * fifth));
  const [early, late] = [least(1), least(4)];
  return [
    counted('heap in the second fifth of the run', `${Math.round(early)} MB`),
    atMost('heap in the last fifth', late, early * (1 + heapGrowth) + heapSlackMb, ' MB'),
  ];
}
