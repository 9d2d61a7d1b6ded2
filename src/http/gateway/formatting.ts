/* Formats what apps with `format: markdown` send, before their calls are passed on. */
import { appAuthor } from '../../core/messages/author.ts';
import { formatCall, takesMarkdown, type WordCall } from '../../core/markdown/markdown-calls.ts';
import type { PartsSender } from '../../core/ports.ts';
import { RelayError } from '../../errors.ts';
import type { AppActivity } from '../../relay/apps/app-activity.ts';
import { chatIdOf } from './capture.ts';
import type { GatewayCaller } from './callers.ts';
import { envelopeOf, success } from './envelope.ts';
import { type Passed, paramsOf, type Rewritten, type Transmission } from './paced-passing.ts';
import type { Params } from './params.ts';
import { sendRaw } from './send-envelope.ts';
import type { PassOutcome } from './upstream.ts';

export interface FormattingDeps {
  activity: Pick<AppActivity, 'rateLimited'>;
  sender: Pick<PartsSender, 'sendParts'>;
}

/** How long the first of several messages waits for sending limits, without pacing. */
const maxWaitMs = 5_000;

export const isFormatted = ({ app }: GatewayCaller, method: string): boolean =>
  app?.format === 'markdown' && takesMarkdown(method);

/** Returns the call as it is passed on: formatted, if that is what it needs. */
export async function formatted(passed: Passed): Promise<Passed> {
  const { method, path } = passed;
  // A call whose parameters cannot be read passes as it is: Telegram says what is wrong with it.
  const params = await paramsOf(passed).catch((): Params => ({}));
  const calls = await formatCall({ method, params });
  const [first, ...following] = calls ?? [];
  if (!first) return passed;
  if (following.length > 0 || first.method !== method) {
    return { ...passed, inParts: [first, ...following] };
  }
  const [withoutQuery = path] = path.split('?', 1);
  return { ...passed, path: withoutQuery, ...(await written(first.params)) };
}

async function written(params: Params): Promise<{ body: Buffer; rewritten: Rewritten }> {
  if (!Object.values(params).some((value) => value instanceof File)) {
    const body = Buffer.from(JSON.stringify(params));
    return { body, rewritten: { params, contentType: 'application/json' } };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(params)) {
    if (value instanceof File) form.set(name, value, value.name);
    else form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  const body = Buffer.from(await encoded.arrayBuffer());
  return { body, rewritten: { params, contentType } };
}

/**
 * Sends a text that is more than one message, or a file, and answers with the first message. The
 * outbox makes these sends: none is repeated, and nothing follows one whose outcome is unknown.
 */
export async function passInParts(
  { activity, sender }: FormattingDeps,
  {
    reply,
    caller,
    isPaced,
    ...passed
  }: Transmission & { inParts: readonly [WordCall, ...WordCall[]] },
): Promise<PassOutcome> {
  const [first, ...following] = passed.inParts;
  const { app, bot, mask } = caller;
  const chatId = chatIdOf(first.params) ?? 0;
  const gone = new AbortController();
  const onClose = () => gone.abort(new Error('the client went away'));
  reply.raw.once('close', onClose);
  try {
    const request = {
      botId: bot.id,
      chatId,
      ...first,
      priority: 'interactive',
      origin: 'gateway',
      author: appAuthor(app),
      appId: app?.id ?? 0,
      maxWaitMs: isPaced ? (app ?? bot).patience * 1_000 : maxWaitMs,
      signal: gone.signal,
    } as const;
    const followingParams = following.map(({ params }) => params);
    const { result } = await sender.sendParts(request, followingParams);
    const { body, status } = success(result);
    sendRaw(reply, { status, body: mask ? mask.hide(body) : body });
    return { kind: 'answered', status, retryAfter: undefined, copy: undefined };
  } catch (error) {
    if (gone.signal.aborted) return { kind: 'broken' };
    const envelope = envelopeOf(error);
    if (!envelope) throw error;
    const { status, retryAfterSeconds } = envelope;
    const retryAfter = retryAfterSeconds?.toString();
    const isRefused = error instanceof RelayError && error.code === 'platform_rate_limited';
    if (isPaced && isRefused) return { kind: 'refused', status, retryAfter, copy: undefined };
    if (status === 429) {
      activity.rateLimited(bot.id, app?.id ?? 0, {
        chatId,
        retryAfterSeconds: retryAfterSeconds ?? 1,
      });
    }
    sendRaw(reply, envelope);
    return { kind: 'answered', status, retryAfter, copy: undefined };
  } finally {
    reply.raw.off('close', onClose);
  }
}
