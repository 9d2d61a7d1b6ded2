import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../support/local-server.ts';

export interface Update {
  update_id: number;
  message: {
    message_id: number;
    date: number;
    chat: { id: number; type: string; first_name: string };
    from: { id: number; is_bot: boolean; first_name: string };
    text: string;
  };
}

export interface PlatformCall {
  token: string;
  method: string;
  params: Record<string, unknown>;
  answer(status: number, body: unknown): void;
  /** A text in place of JSON, cut off before its end where told. */
  say(status: number, text: string, isCut?: boolean): void;
  /** Breaks the connection off with nothing said. */
  cut(): void;
  /** The caller went away without an answer. */
  whenGone(then: () => void): void;
}

interface Line {
  held: Update[];
  newest: number;
  confirmed: Set<number>;
  waiting: { answer(updates: Update[]): void; displace(): void } | undefined;
  webhook: { path: string; secret: string } | undefined;
}

/**
 * A platform that keeps every update until its offset is confirmed, as Telegram does, and remembers
 * what was confirmed: the judge of what a relay may have lost.
 */
export interface HeldPlatform {
  url: string;
  /** Every call but those for updates. */
  calls: PlatformCall[];
  deal(token: string, update: Update): void;
  held(token: string): number;
  confirmed(token: string): ReadonlySet<number>;
  isPolled(token: string): boolean;
  webhook(token: string): { path: string; secret: string } | undefined;
  /** Polls end so many times earlier than they ask for. */
  speed: number;
  /** Takes a call, so that it gets no other answer, when it returns true. */
  misbehave: (call: PlatformCall, held: readonly Update[]) => boolean;
  /** Called for each poll, before it is answered. */
  beforePoll: (token: string) => void;
  /** Called for each poll that another one ended with 409. */
  onConflict: (token: string) => void;
  /** Answers other methods; by default with a sent message. */
  onCall: (call: PlatformCall) => void;
  close(): Promise<void>;
}

export const idOf = (token: string) => Number(token.split(':')[0]);

export function message(
  updateId: number,
  chatId: number,
  text = `update ${updateId}`,
  type = 'private',
): Update {
  return {
    update_id: updateId,
    message: {
      message_id: updateId,
      date: 1_790_000_000,
      chat: { id: chatId, type, first_name: 'Ann' },
      from: { id: Math.abs(chatId), is_bot: false, first_name: 'Ann' },
      text,
    },
  };
}

export async function startHeldPlatform(): Promise<HeldPlatform> {
  const lines = new Map<string, Line>();
  let sent = 0;

  function lineOf(token: string): Line {
    const line = lines.get(token) ?? {
      held: [],
      newest: 0,
      confirmed: new Set<number>(),
      waiting: undefined,
      webhook: undefined,
    };
    lines.set(token, line);
    return line;
  }

  function confirm(line: Line, offset: number): void {
    // Far beyond the newest it is a leftover of ids before a jump, and confirms nothing.
    if (offset > line.newest + 10) return;
    while (line.held[0] && line.held[0].update_id < offset) {
      line.confirmed.add((line.held.shift() as Update).update_id);
    }
  }

  function poll(line: Line, call: PlatformCall): void {
    const { params, token } = call;
    const answer = (result: Update[]) => call.answer(200, { ok: true, result });
    const limit = Number(params['limit'] ?? 100);
    line.waiting?.displace();
    if (line.held.length > 0 || Number(params['timeout'] ?? 0) === 0) {
      answer(line.held.slice(0, limit));
      return;
    }
    const timer = setTimeout(
      () => waiting.answer([]),
      (Number(params['timeout']) * 1_000) / platform.speed,
    );
    const leave = () => {
      clearTimeout(timer);
      if (line.waiting === waiting) line.waiting = undefined;
    };
    const waiting = {
      answer(updates: Update[]) {
        leave();
        answer(updates.slice(0, limit));
      },
      displace() {
        leave();
        const description = 'Conflict: terminated by other getUpdates request';
        platform.onConflict(token);
        call.answer(409, { ok: false, error_code: 409, description });
      },
    };
    line.waiting = waiting;
    call.whenGone(leave);
  }

  function take(call: PlatformCall): void {
    const { token, method, params } = call;
    const line = lineOf(token);
    const ok = (result: unknown) => call.answer(200, { ok: true, result });
    if (platform.misbehave(call, line.held)) return;
    switch (method) {
      case 'getUpdates':
        if (params['offset'] !== undefined) confirm(line, Number(params['offset']));
        platform.beforePoll(token);
        return poll(line, call);
      case 'getMe':
        return ok({ id: idOf(token), is_bot: true, first_name: 'Bot', username: 'some_bot' });
      case 'setWebhook':
        line.webhook = {
          path: new URL(String(params['url'])).pathname,
          secret: String(params['secret_token']),
        };
        return ok(true);
      case 'deleteWebhook':
        line.webhook = undefined;
        return ok(true);
      case 'getWebhookInfo':
        return ok({ url: '', has_custom_certificate: false, pending_update_count: 0 });
      default:
        platform.calls.push(call);
        return platform.onCall(call);
    }
  }

  const { url, server, close } = await serve((request, response) => {
    void readText(request).then(
      (body) => take(callOf(request, response, body)),
      () => {},
    );
  });
  server.keepAliveTimeout = 60_000;

  const platform: HeldPlatform = {
    url,
    close,
    calls: [],
    deal(token, update) {
      const line = lineOf(token);
      line.held.push(update);
      line.newest = update.update_id;
      line.waiting?.answer(line.held);
    },
    held: (token) => lineOf(token).held.length,
    confirmed: (token) => lineOf(token).confirmed,
    isPolled: (token) => lineOf(token).waiting !== undefined,
    webhook: (token) => lineOf(token).webhook,
    speed: 1,
    misbehave: () => false,
    beforePoll: () => {},
    onConflict: () => {},
    onCall(call) {
      const { chat_id, text } = call.params;
      call.answer(200, { ok: true, result: sentMessage(++sent, call.token, chat_id, text) });
    },
  };

  function callOf(request: IncomingMessage, response: ServerResponse, body: string): PlatformCall {
    const url = new URL(request.url ?? '', 'http://platform');
    const [, token = '', method = ''] = /\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    return {
      token,
      method,
      params: { ...Object.fromEntries(url.searchParams), ...parsed(body) },
      answer(status, json) {
        if (response.destroyed || response.writableEnded) return;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(json));
      },
      say(status, text, isCut = false) {
        if (response.destroyed || response.writableEnded) return;
        const length = Buffer.byteLength(text) + (isCut ? 100 : 0);
        response.writeHead(status, { 'content-type': 'text/html', 'content-length': length });
        if (isCut) response.write(text, () => request.socket.destroy());
        else response.end(text);
      },
      cut: () => request.socket.destroy(),
      whenGone: (then) => void response.once('close', () => !response.writableEnded && then()),
    };
  }

  return platform;
}

export function sentMessage(id: number, token: string, chatId: unknown, text: unknown): object {
  return {
    message_id: 900_000 + id,
    date: 1_790_000_000,
    chat: { id: Number(chatId), type: 'private', first_name: 'Ann' },
    from: { id: idOf(token), is_bot: true, first_name: 'Bot', username: 'some_bot' },
    text,
  };
}

/** As Telegram does, without those of a body that is no JSON object. */
function parsed(body: string): Record<string, unknown> {
  try {
    return body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
