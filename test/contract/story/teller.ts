import type { RecordedCall } from '../../../src/http/openapi/recorded-examples.ts';
import type { Service } from '../../../src/main.ts';
import { patienceMs } from '../../support/patience.ts';

interface Call {
  query?: Record<string, string | number | boolean>;
  body?: object;
  headers?: Record<string, string>;
  /** A form with a file, instead of a body. */
  form?: Record<string, string | number>;
}

// The chapter knows the type of the answer.
type Any = Record<string, never>;

export interface IssuedBot {
  id: number;
  token: string;
}

export type Teller = ReturnType<typeof createTeller>;

/** Calls the API of a service and records the calls that are to be shown. */
export function createTeller({ address, firstKey }: Pick<Service, 'address' | 'firstKey'>) {
  const recorded: Record<string, RecordedCall> = {};
  /** Of the last sign-in. */
  let cookie = '';

  async function ask(name: string, call: Call): Promise<string> {
    const [method = 'GET', path = ''] = name.split(' ');
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(call.query ?? {})) query.set(key, String(value));
    const form = call.form && new FormData();
    for (const [key, value] of Object.entries(call.form ?? {})) form?.set(key, String(value));
    form?.set('file', new Blob([picture], { type: 'image/png' }), 'photo.png');
    const answer = await fetch(`${address}${path}${query.size > 0 ? `?${query.toString()}` : ''}`, {
      method,
      headers: {
        ...(call.headers?.['cookie'] ? {} : { authorization: `Bearer ${firstKey}` }),
        ...(call.body ? { 'content-type': 'application/json' } : {}),
        ...call.headers,
      },
      ...(form ? { body: form } : call.body ? { body: JSON.stringify(call.body) } : {}),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = bytes.toString();
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${text}`);
    cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie;
    return text;
  }

  /** Calls an endpoint and records it. */
  async function show<T = Any>(name: string, call: Call = {}): Promise<T> {
    const text = await ask(name, call);
    const isJson = /^[[{]/.test(text) && !name.includes('/export') && !binary.has(name);
    const { query, body, form } = call;
    recorded[name] = {
      ...(query ? { query } : {}),
      ...(call.headers?.['idempotency-key'] ? { headers: call.headers } : {}),
      ...(form ? { form } : {}),
      ...(body ? { body } : {}),
      ...(binary.has(name)
        ? {}
        : { response: isJson ? shortened(JSON.parse(text)) : firstLines(text, name) }),
    };
    return (isJson ? JSON.parse(text) : text) as T;
  }

  /** Repeats the call until background work is done, and records the last one. */
  async function showWhen<T>(name: string, call: Call, done: (value: T) => boolean): Promise<T> {
    return until(() => show<T>(name, call), done);
  }

  /** Calls an endpoint without recording it. */
  const hidden = async <T = Any>(name: string, call: Call = {}): Promise<T> =>
    JSON.parse(await ask(name, call)) as T;

  /** Does something in the sandbox. */
  const act = <T = Any>(action: string, body: object) =>
    show<T>(`POST /api/sandbox/${action}`, { body });

  /** Until background work is done. */
  async function until<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const value = await read();
      if (done(value)) return value;
      if (Date.now() > deadline) throw new Error(`still waiting: ${JSON.stringify(value)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** A bot of the sandbox calls the Bot API. */
  async function method<T = Any>(token: string, name: string, params: object = {}): Promise<T> {
    const answer = await fetch(`${address}/sandbox/bot${token}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const { ok, result, description } = (await answer.json()) as Record<string, unknown>;
    if (!ok) throw new Error(`${name}: ${String(description)}`);
    return result as T;
  }

  /** The first event of a chat in the stream, which is open once this resolves. */
  async function listen(chatId: number) {
    const stop = new AbortController();
    const answer = await fetch(`${address}/api/events`, {
      headers: { authorization: `Bearer ${firstKey}` },
      signal: stop.signal,
    });
    async function read(): Promise<string> {
      let text = '';
      for await (const chunk of answer.body ?? []) {
        text += Buffer.from(chunk).toString();
        const event = text
          .split('\n\n')
          .slice(0, -1)
          .find((one) => one.includes(`"chat_id":${chatId},`));
        if (event !== undefined) return `${event}\n\n`;
      }
      throw new Error('the stream ended');
    }
    return { event: read().finally(() => stop.abort()) };
  }

  return {
    recorded,
    show,
    showWhen,
    hidden,
    act,
    until,
    method,
    listen,
    session: () => ({ cookie }),
  };
}

const binary = new Set(['GET /api/media', 'GET /api/sandbox/file']);

/** The smallest picture. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** The first lines of an export, and one of the metrics. */
function firstLines(text: string, name: string): string {
  const lines = text.split('\n');
  if (name !== 'GET /metrics') return `${lines.slice(0, 2).join('\n')}\n`;
  return `${lines.filter((line) => line.includes('relay_readers')).join('\n')}\n`;
}

/** Lists of objects show their first two. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    return typeof value[0] === 'object' ? value.slice(0, 2).map(shortened) : value;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part)]));
}
