/*
 * Archives messages that clients send through the gateway. Telegram's response contains the
 * message; if it has only an ID (copies), the request and the stored original are used.
 */
import { type AppRecord, defaultApp } from '../../core/apps/app.ts';
import {
  type AnswerFacts,
  editsMessages,
  makesMessages,
  readAnswer,
  refusedTopic,
} from '../../core/messages/answer-facts.ts';
import { appAuthor } from '../../core/messages/author.ts';
import { messageOfBot } from '../../core/messages/archive-facts.ts';
import { listParameter, object, text } from '../../core/log/wire.ts';
import { refusalIn } from '../../core/reasons/platform.ts';
import type { AppActivity } from '../../relay/apps/app-activity.ts';
import type { Publish } from '../../relay/events/relay-events.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { CaptureQueue } from './capture-queue.ts';
import { integerParam, type Params, textParam } from './params.ts';

/** A finished call that was passed through. */
export interface PassedCall {
  bot: BotRecord;
  /** The app that called; undefined for the default one. */
  app: AppRecord | undefined;
  method: string;
  status: number;
  retryAfterSeconds: number | undefined;
  answer: Buffer | undefined;
  /** True if the relay paces the call. */
  isPaced: boolean;
  /** Replies wait until the send with this ID ends; undefined for other calls. */
  sendId: string | undefined;
  /** Reads the parameters; undefined if the request was too large to copy. */
  params: () => Promise<Params>;
}

export interface CaptureDeps {
  activity: Pick<AppActivity, 'sent' | 'rateLimited'>;
  queue: CaptureQueue;
  store: Pick<Store, 'messages'>;
  now: () => number;
  /** Every send, edit, copy and forward is published, so that the rate limiter counts them. */
  events: Publish;
}

const reportableMethods =
  /^(send(?!chataction)|copy|forward|edit|deletemessages?$|stopmessagelivelocation$|(un)?pin(all)?chatmessages?$|\w+forumtopic$)/i;
const reported = /^(send(?!chataction)|copy|forward|edit(?!(general)?forumtopic))/i;
/** Their answers do not name the chat. */
const needsChat = /^(copymessages?|forwardmessages|createforumtopic)$/i;
const namesOnlyIds = /^(copymessages?|forwardmessages)$/i;

/** Says whether the response to a method is read. */
export function isReportable(method: string): boolean {
  return reportableMethods.test(method);
}

/** Resolves with false if there was nothing to store. */
export async function capture(deps: CaptureDeps, call: PassedCall): Promise<boolean> {
  const { app, bot, method, status } = call;
  const answer = parse(call.answer);
  const result = status === 200 && answer?.ok === true ? answer.result : undefined;
  const needsParams = result === undefined || result === true || needsChat.test(method);
  const params = needsParams ? await call.params().catch(() => ({})) : {};
  const facts = readAnswer(method, params, result);
  const gone = refusedTopic(params, refusalIn(text(answer?.description)));
  if (gone) facts.archive.topics = [gone];
  if (namesOnlyIds.test(method)) await addCopies(deps, bot, params, result, facts);
  const chatId = facts.archive.messages[0]?.chatId ?? chatIdOf(params);
  const retryAfterSeconds = call.retryAfterSeconds ?? retryAfterOf(answer);
  if (status === 429) {
    const refusal = { chatId: chatId ?? 0, retryAfterSeconds: retryAfterSeconds ?? 1 };
    deps.activity.rateLimited(bot.id, app?.id ?? 0, refusal);
  }
  const isNew = makesMessages(method);
  if (isNew) deps.activity.sent(bot.id, app?.id ?? 0, messagesIn(result));

  if (reported.test(method)) {
    const by = { app: app?.name ?? defaultApp, isPaced: call.isPaced };
    const passed = { ...by, chatId, method, status, retryAfterSeconds };
    deps.events.publish('passedThrough', bot.id, passed);
  }
  const { messages, pin, topics } = facts.archive;
  if (messages.length === 0 && !facts.deleted && !pin && !topics) return false;
  const sentBy = app?.own_replies && isNew ? { sentBy: app.id } : {};
  const author = isNew ? { author: appAuthor(app) } : {};
  const answers = isNew || editsMessages(method) ? ({ answeredBy: 'automatic' } as const) : {};
  const send = call.sendId === undefined ? {} : { sendId: call.sendId };
  deps.queue.add({ botId: bot.id, answer: facts, ...author, ...answers, ...sentBy, ...send });
  return true;
}

function parse(answer: Buffer | undefined): Record<string, unknown> | undefined {
  if (!answer) return undefined;
  try {
    return object(JSON.parse(answer.toString('utf8')));
  } catch {
    return undefined;
  }
}

async function addCopies(
  deps: CaptureDeps,
  bot: BotRecord,
  params: Params,
  result: unknown,
  facts: AnswerFacts,
): Promise<void> {
  const chatId = chatIdOf(params);
  const fromChatId = integerParam(params.from_chat_id, 0);
  const sourceIds =
    params.message_ids === undefined ? [params.message_id] : listParameter(params.message_ids);
  const made = (Array.isArray(result) ? result : [result])
    .map((item) => integerParam(object(item)?.message_id, 0))
    .filter((id) => id > 0);
  // Telegram skips messages it does not find; then the IDs cannot be matched.
  if (chatId === undefined || made.length === 0 || made.length !== sourceIds.length) return;
  facts.archive.messages = [];
  // The original may have been sent a moment ago.
  await deps.queue.flush();
  for (const [index, id] of made.entries()) {
    const source = await deps.store.messages.get(
      bot.id,
      fromChatId,
      integerParam(sourceIds[index], 0),
    );
    const copy = messageOfBot(bot, {
      chatId,
      id,
      text: params.caption === undefined ? (source?.text ?? '') : textParam(params.caption),
      date: Math.floor(deps.now() / 1000),
      mediaType: source?.media_type ?? null,
      fileId: source?.file_id ?? null,
      threadId: integerParam(params.message_thread_id, 0) || null,
    });
    facts.archive.messages.push(copy);
  }
}

const messagesIn = (result: unknown): number =>
  [result].flat().filter((item) => object(item)?.message_id !== undefined).length;

export function chatIdOf(params: Params): number | undefined {
  const given = textParam(params.chat_id).trim();
  return /^-?\d{1,16}$/.test(given) ? Number(given) : undefined;
}

function retryAfterOf(answer: Record<string, unknown> | undefined): number | undefined {
  const seconds = object(answer?.parameters)?.retry_after;
  return typeof seconds === 'number' ? seconds : undefined;
}
