/* Passes the calls of apps with `pacing: on`: reads where a call goes, and answers what was not sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defaultApp } from '../../core/apps/app.ts';
import { listParameter } from '../../core/log/wire.ts';
import type { WordCall } from '../../core/markdown/markdown-calls.ts';
import { type PacedClass, pacedClassOf } from '../../core/messages/send-class.ts';
import { RelayError } from '../../errors.ts';
import type { AppActivity } from '../../relay/apps/app-activity.ts';
import type { PacedEnd, Sent } from '../../relay/pacing/paced-call.ts';
import type { Pacer } from '../../relay/pacing/pacer.ts';
import type { Store } from '../../store/store.ts';
import { drain, hasUnreadBody } from '../drain.ts';
import { type GatewayCaller, requireEnabled } from './callers.ts';
import { badRequest, type Envelope, failure, success } from './envelope.ts';
import { longestRead } from './bodies-in-memory.ts';
import { decompress, type Params, queryOf, readParams, textParam } from './params.ts';
import { sendRaw } from './send-envelope.ts';
import type { PassOutcome } from './upstream.ts';

export interface PacedPassingDeps {
  activity: Pick<AppActivity, 'rateLimited'>;
  store: Pick<Store, 'apps' | 'bots'>;
  pacer: Pick<Pacer, 'run' | 'close'>;
}

/** A call that the relay wrote in place of the one it received. */
export interface Rewritten {
  params: Params;
  contentType: string;
}

/** A call that is passed on. */
export interface Passed {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: GatewayCaller;
  path: string;
  method: string;
  /** The body, if it was read completely. */
  body: Buffer | undefined;
  /** Set if the relay wrote the body. */
  rewritten?: Rewritten;
  /** Set if the call is made as several, or as another one. */
  inParts?: readonly [WordCall, ...WordCall[]];
}

export interface Transmission extends Passed {
  isPaced: boolean;
}

// Telegram knows no longer name of a chat or message, and deletes no more messages in one call.
const longestName = 128;
const mostMessages = 100;

/** Undefined if the call passes at once. */
export function pacingOf({ bot, app }: GatewayCaller, method: string) {
  const { pacing, patience } = app ?? bot;
  if (pacing === 'off') return undefined;
  const pacedClass = pacedClassOf(method);
  return pacedClass && { pacedClass, patienceMs: patience * 1_000 };
}

export async function paramsOf({
  request: { raw, url },
  body,
  rewritten,
}: Pick<Passed, 'request' | 'body' | 'rewritten'>): Promise<Params> {
  if (rewritten) return rewritten.params;
  const { 'content-encoding': encoding, 'content-type': type } = raw.headers;
  const plain = await decompress(encoding, body ?? Buffer.alloc(0), longestRead);
  return readParams(queryOf(url), type, plain);
}

export async function passPaced(
  deps: PacedPassingDeps & { transmit(call: Transmission): Promise<PassOutcome> },
  passed: Passed,
  how: { pacedClass: PacedClass; patienceMs: number; start: Buffer },
): Promise<void> {
  const { request, reply, caller, method, body } = passed;
  const { bot, app, mask } = caller;
  const params = await paramsOf(passed).catch((): Params => ({}));
  const chat = chatOf(params) || (body ? '' : chatInForm(how.start));
  const gone = new AbortController();
  const onClose = () => gone.abort(new Error('the client went away'));
  reply.raw.once('close', onClose);
  if (reply.raw.destroyed) onClose();
  const limited = (retryAfterSeconds: number) => {
    const chatId = /^-?\d{1,16}$/.test(chat) ? Number(chat) : 0;
    deps.activity.rateLimited(bot.id, app?.id ?? 0, { chatId, retryAfterSeconds });
  };

  async function send(wasHeld: boolean): Promise<Sent> {
    if (wasHeld) await requireEnabled(deps.store, caller);
    const outcome = await deps.transmit({ ...passed, isPaced: chat !== '' });
    if (outcome.kind !== 'refused') return endOf(outcome);
    const retryAfterSeconds = secondsOf(outcome);
    limited(retryAfterSeconds);
    return { kind: 'refused', retryAfterSeconds };
  }

  try {
    // Nothing is known about a call that names no chat, so it passes at once.
    const end: PacedEnd =
      chat === ''
        ? await send(false).then(() => ({ kind: 'ended' }))
        : await deps.pacer.run({
            botId: bot.id,
            chat,
            app: app?.name ?? defaultApp,
            method,
            pacedClass: how.pacedClass,
            messages: messagesOf(how.pacedClass, params),
            patienceMs: how.patienceMs,
            bytes: how.start.length,
            gone: gone.signal,
            send,
          });
    if (end.kind === 'ended') return;
    const { status, body: text, ...rest } = envelopeFor(end);
    sendRaw(reply, { status, body: mask ? mask.hide(text) : text, ...rest });
  } catch (error) {
    if (error instanceof RelayError && error.code === 'rate_limited') {
      limited(error.retryAfterSeconds ?? 1);
    }
    if (hasUnreadBody(request.raw)) await drain(request.raw);
    throw error;
  } finally {
    reply.raw.off('close', onClose);
  }
}

function endOf(outcome: PassOutcome): Sent {
  const { kind } = outcome;
  if (kind === 'unreachable' || kind === 'unknown') {
    const { status, body } = noAnswer(outcome);
    return { kind: 'ended', isAccepted: false, answer: { status, body: Buffer.from(body) } };
  }
  if (kind === 'broken') return { kind: 'ended', isAccepted: false, answer: undefined };
  const { copy, status } = outcome;
  const answer = copy && { status, body: copy };
  return { kind: 'ended', isAccepted: status !== 429, answer };
}

function envelopeFor(end: Exclude<PacedEnd, { kind: 'ended' }>): Envelope {
  if (end.kind === 'dropped') return success(true);
  if (end.kind === 'cancelled') return badRequest('message to edit not found');
  if (!end.answer) return noAnswer({ kind: 'unknown', code: 'merged' });
  return { status: end.answer.status, body: end.answer.body.toString('utf8') };
}

export function noAnswer({
  kind,
  code,
}: PassOutcome & { kind: 'unreachable' | 'unknown' }): Envelope {
  return kind === 'unreachable'
    ? failure(502, `Bad Gateway: Telegram cannot be reached (${code}); nothing was sent`)
    : failure(
        504,
        `Gateway Timeout: the connection to Telegram was lost before it answered (${code}); the request may have taken effect`,
      );
}

function secondsOf({ retryAfter, copy }: PassOutcome & { kind: 'refused' }): number {
  const inHeader = Number.parseInt(retryAfter ?? '', 10);
  const seconds =
    inHeader || Number(/"retry_after":\s*(\d+)/.exec(copy?.toString('utf8') ?? '')?.[1]);
  return Number.isFinite(seconds) ? Math.max(1, seconds) : 1;
}

/** The chat as the call names it; a message of an inline bot stands for its own chat. */
export function chatOf(params: Params): string {
  const chat = nameIn(params.chat_id).toLowerCase();
  const inline = nameIn(params.inline_message_id);
  return chat || (inline && `inline ${inline}`);
}

/** A name that is too long to be one is left out: names stay in memory. */
function nameIn(value: unknown): string {
  const name = textParam(value);
  return name.length <= longestName ? name.trim() : '';
}

/**
 * Finds the chat in the beginning of a multipart body: clients write files last. The further headers
 * of the part are bounded, because a body may repeat the field thousands of times.
 */
export function chatInForm(start: Buffer): string {
  const field = /name="?chat_id"?\r\n(?:[^\r\n]{1,128}\r\n){0,3}\r\n([^\r\n]{1,64})\r\n/i;
  return (field.exec(start.toString('latin1'))?.[1] ?? '').trim().toLowerCase();
}

export function messagesOf(pacedClass: PacedClass, params: Params): string[] {
  if (pacedClass !== 'edit' && pacedClass !== 'delete') return [];
  const ids = params.message_ids === undefined ? [] : listParameter(params.message_ids);
  const single = nameIn(params.message_id) || nameIn(params.inline_message_id);
  return [single, ...ids.slice(0, mostMessages).map(nameIn)].filter((id) => id !== '');
}
