import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { ApiFailure } from './api-error.ts';
import { bindActions } from './actions/bind.ts';
import { createMovableClock, type SandboxClock, systemClock } from './clock.ts';
import { createFaults } from './faults/faults.ts';
import { createFlood } from './faults/flood.ts';
import { createUrlFetcher } from './fetch-url.ts';
import { type BotApi, handleFile, handleMethod } from './http/bot-api.ts';
import { handleControl } from './http/control-api.ts';
import { handleFrontPage } from './http/front-page.ts';
import { type Fields, readFields } from './http/fields.ts';
import { listen, type Listening, type ListenOptions } from './http/listen.ts';
import type { Call } from './methods/call.ts';
import { asText, createParams } from './methods/params.ts';
import { runMethod } from './methods/registry.ts';
import { readLines } from './persist/lines.ts';
import { packState } from './persist/pack.ts';
import { persistTo, type Persistence } from './persist/persist.ts';
import { createRandom } from './random.ts';
import type { SandboxControls } from './controls.ts';
import { createTransport } from './updates/transport.ts';
import type { Upload } from './world/messages/files.ts';
import { canPay, payForMessage } from './world/payments/paid-broadcasts.ts';
import { watchJoinQuery } from './world/chats/join-queries.ts';
import { watchPayment } from './world/payments/payments.ts';
import { schedulePollClose } from './world/messages/polls.ts';
import type { BotRecord } from './world/bot-records.ts';
import { type WorldChange, emptyState, type World, type WorldLimits } from './world/world.ts';

export interface SandboxOptions {
  /** The same seed gives the same ids, tokens and dice; without one they are unpredictable. */
  seed?: number;
  /** If set with a seed, tokens and invite links still cannot be guessed: for a port that others reach. */
  unguessable?: boolean;
  clock?: SandboxClock;
  limits?: Partial<WorldLimits>;
  /** Used for webhooks and media by address, so that an embedder can guard which addresses are reached. */
  dispatcher?: Dispatcher;
  /** Downloads media that a bot sends by URL, instead of the dispatcher; false refuses it. */
  fetchUrl?: ((url: string) => Promise<Upload>) | false;
  /** Allows only https and Telegram's four ports, as api.telegram.org does. */
  strictWebhookUrls?: boolean;
  maxBodyBytes?: number;
}

export interface Sandbox extends SandboxControls {
  ownsToken(token: string): boolean;
  /** Returns true if a long poll of this bot is waiting. */
  isPolled(botId: number): boolean;
  /** Runs a Bot API method without HTTP; throws ApiFailure. */
  call(token: string, method: string, params?: Record<string, unknown>): Promise<unknown>;
  onChange(listener: (change: WorldChange) => void): () => void;
  /** Called when something that would be saved has changed; cheaper than `onChange`. */
  onWrite(listener: () => void): () => void;
  /** Serves the Bot API, files and the control API; false if the path is none of them. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
  /** Serves only the Bot API and files, for an address whose callers must not act as any user. */
  handleBotApi(req: IncomingMessage, res: ServerResponse): boolean;
  listen(options?: ListenOptions): Promise<Listening>;
  exportState(): string;
  importState(json: string): void;
  persistTo(file: string): Promise<Persistence>;
  close(): Promise<void>;
}

const defaultLimits: WorldLimits = {
  messagesPerChat: 50_000,
  fileBytes: 256 * 1024 * 1024,
  updatesPerBot: 100_000,
};

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const callersClock = options.clock ?? systemClock;
  const clock = createMovableClock(callersClock);
  const seed = options.seed ?? randomBytes(4).readUInt32LE();
  const random = createRandom(seed);
  const faults = createFaults(createRandom(seed ^ 0x5f5e100));
  const flood = createFlood(clock);
  const dispatcher = options.dispatcher ?? new Agent({ connections: 100 });
  const fetchUrl =
    options.fetchUrl === false ? undefined : (options.fetchUrl ?? createUrlFetcher(dispatcher));
  const changes = createListeners<[change: WorldChange]>();
  const writes = createListeners();
  const tokens = new Map<string, BotRecord>();
  const servers = new Set<Listening>();
  const persistences = new Set<Persistence>();

  const world: World = {
    state: emptyState(seed),
    clock,
    random,
    limits: { ...defaultLimits, ...options.limits },
    now: () => Math.floor(clock.now() / 1000),
    watched: () => changes.size() > 0,
    changed(change) {
      if (change.type === 'bot_changed') {
        const bot = world.state.bots.get(change.botId);
        if (bot) tokens.set(bot.token, bot);
      }
      changes.tell(change);
      writes.tell();
    },
    publish(bot, kind, payload, queue) {
      transport.publish(bot, kind, payload, queue);
      writes.tell();
    },
    secret: secretsOf(options, random),
  };
  const transport = createTransport({
    world,
    callersClock,
    dispatcher,
    execute: async (bot, contentType, body) => {
      const fields = readFields('', contentType, body);
      const method = asText(fields.values['method']);
      if (/^(?:$|get|(?:set|delete)webhook$|close$|logout$)/iu.test(method)) return;
      await run(bot, method, fields);
    },
  });

  function run(bot: BotRecord, method: string, fields: Fields, signal?: AbortSignal): unknown {
    const params = createParams(fields.values, fields.uploads);
    const chat = asText(fields.values['chat_id']);
    const offersToPay = params.flag('allow_paid_broadcast') && canPay(bot);
    const isPaid = flood.check(bot.id, chat, method, offersToPay);
    const call: Call = {
      world,
      bot,
      method,
      params,
      transport,
      fetchUrl,
      strictWebhookUrls: options.strictWebhookUrls ?? false,
      signal,
    };
    writes.tell();
    const done = runMethod(call);
    if (isPaid) payOnceSent(bot, done);
    return done;
  }

  const api: BotApi = {
    get state() {
      return world.state;
    },
    clock,
    faults,
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    botByToken: (token) => tokens.get(token),
    run,
  };

  const handleBotApi = (req: IncomingMessage, res: ServerResponse) => serveBotApi(api, req, res);

  function handle(req: IncomingMessage, res: ServerResponse): boolean {
    if (handleBotApi(req, res)) return true;
    const [path, query] = pathAndQuery(req);
    if (path !== '/sandbox' && !path.startsWith('/sandbox/')) return false;
    void handleControl(sandbox, req, res, path.slice(9), query);
    return true;
  }

  const listener: RequestListener = (req, res) => {
    if (handle(req, res) || handleFrontPage(sandbox, req, res)) return;
    answerNotFound(res);
  };

  const sandbox: Sandbox = {
    ...bindActions(world),
    world,
    faults,
    flood,
    fault: (fault) => faults.add(fault).id,
    jumpUpdateIds: (botId) => jumpUpdateIds(world, botId),
    setAhead(ms) {
      clock.setAhead(ms);
      writes.tell();
    },
    ownsToken: (token) => tokens.has(token),
    isPolled: (botId) => transport.isPolled(botId),
    async call(token, method, params = {}) {
      const bot = tokens.get(token);
      if (!bot) throw new ApiFailure(401, 'Unauthorized');
      return await run(bot, method, { values: params, uploads: new Map() });
    },
    onChange: changes.add,
    onWrite: writes.add,
    handle,
    handleBotApi,
    async listen(where = {}) {
      const listening = await listen(listener, where);
      servers.add(listening);
      return listening;
    },
    exportState: () => packState(world, { withBytes: true }),
    importState(json) {
      transport.stop();
      world.state = readLines(json);
      random.restore(world.state.random);
      // A world whose clock was moved continues from there, so that its past stays in the past.
      clock.setAhead(world.state.aheadMs ?? 0);
      tokens.clear();
      resume(world, transport, tokens);
    },
    async persistTo(file) {
      const persistence = await persistTo(sandbox, file);
      persistences.add(persistence);
      return persistence;
    },
    async close() {
      transport.stop();
      await Promise.all([...servers].map((server) => server.close()));
      await Promise.all([...persistences].map((persistence) => persistence.stop()));
      if (!options.dispatcher) await dispatcher.destroy();
    },
  };
  return sandbox;
}

/** Telegram charges for what was sent. */
function payOnceSent(bot: BotRecord, sent: unknown): void {
  Promise.resolve(sent).then(
    () => payForMessage(bot),
    () => {},
  );
}

function jumpUpdateIds(world: World, botId: number): void {
  const bot = world.state.bots.get(botId);
  if (bot) bot.jumpPending = true;
}

function createListeners<Args extends unknown[] = []>() {
  const listeners = new Set<(...args: Args) => void>();
  return {
    size: () => listeners.size,
    tell(...args: Args): void {
      for (const listener of listeners) listener(...args);
    },
    /** Returns the function that removes it. */
    add(listener: (...args: Args) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function serveBotApi(api: BotApi, req: IncomingMessage, res: ServerResponse): boolean {
  const [path, query] = pathAndQuery(req);
  if (path.startsWith('/bot')) void handleMethod(api, req, res, path.slice(4), query);
  else if (path.startsWith('/file/bot')) void handleFile(api, res, path.slice(9));
  else return false;
  return true;
}

/** Knows the bots of an imported state, and continues what waited when it was exported. */
function resume(
  world: World,
  transport: ReturnType<typeof createTransport>,
  tokens: Map<string, BotRecord>,
): void {
  for (const bot of world.state.bots.values()) {
    tokens.set(bot.token, bot);
    if (bot.webhook) transport.setWebhook(bot);
  }
  for (const poll of world.state.polls.values()) schedulePollClose(world, poll);
  for (const query of world.state.joinQueries?.values() ?? []) watchJoinQuery(world, query);
  for (const payment of world.state.payments?.values() ?? []) watchPayment(world, payment);
}

function secretsOf(
  { seed, unguessable }: SandboxOptions,
  random: ReturnType<typeof createRandom>,
): World['secret'] {
  return (length) =>
    seed === undefined || unguessable
      ? randomBytes(length).toString('base64url').slice(0, length)
      : random.letters(length);
}

function answerNotFound(res: ServerResponse): void {
  res.writeHead(404, { 'content-type': 'application/json' });
  res.end('{"ok":false,"error_code":404,"description":"Not Found"}');
}

function pathAndQuery({ url = '/' }: IncomingMessage): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}
