/* Asks people in chats for clients: approvals, choices and short answers. */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type Caller, callersBot, requireBot } from '../../core/access/access.ts';
import {
  readableChats,
  requireReadableChat,
  requireWritableChat,
} from '../../core/access/chat-limits.ts';
import { authorOf } from '../../core/messages/author.ts';
import { newNonce } from '../../core/messages/own-buttons.ts';
import { generalTopic } from '../../core/messages/topics.ts';
import {
  type Question,
  questionLimits,
  type QuestionState,
} from '../../core/questions/question.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { NewQuestion, QuestionKey, SentQuestion } from '../../store/questions/questions.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import { checkCalledUrl } from '../../telegram/address-policy.ts';
import { keyMismatch } from '../messages/idempotency.ts';
import type { QuestionWaits } from './question-waits.ts';

export interface QuestionInput {
  bot_id: number;
  chat_id: number;
  message_thread_id?: number | undefined;
  text: string;
  options?: string[] | undefined;
  user_ids?: number[] | undefined;
  expires_at?: string | undefined;
  callback_url?: string | undefined;
}

export interface QuestionQuery {
  bot_id?: number | undefined;
  chat_id?: number | undefined;
  state?: QuestionState | undefined;
  before_id?: number | undefined;
  limit: number;
}

export interface QuestionService {
  /** Asks. Within a day, requests with the same key ask once and return the same question. */
  ask(caller: Caller, input: QuestionInput, key?: string): Promise<SentQuestion>;
  /** Returns the question when it has ended or could not be sent, at the latest after that time. */
  wait(
    caller: Caller,
    id: number,
    wait: { timeoutMs: number; signal: AbortSignal },
  ): Promise<SentQuestion>;
  /** Newest first. */
  list(caller: Caller, query: QuestionQuery): Promise<SentQuestion[]>;
  /** Returns the question, which may have ended otherwise before. */
  cancel(caller: Caller, id: number): Promise<SentQuestion>;
}

const words = { example: 'https://example.com/answers', secretField: 'the signature' };

export function createQuestionService(deps: {
  store: Pick<Store, 'bots' | 'questions'>;
  clock: Clock;
  config: Pick<Config, 'backends'>;
  waits: QuestionWaits;
  onAsked(question: Question): void;
  onEnded(question: Question): void;
}): QuestionService {
  const { clock, config, store } = deps;
  const { questions } = store;

  async function existing(caller: Caller, id: number): Promise<SentQuestion> {
    const question = await questions.get(id);
    if (!question) {
      throw new RelayError('not_found', reason('no_such_question', { question_id: id }));
    }
    requireSeen(caller, question);
    return question;
  }

  function expiryOf({ expires_at: at }: QuestionInput, now: number): number {
    const { lifetimeMs, longestLifetimeMs } = questionLimits;
    if (at === undefined) return now + lifetimeMs;
    const expiresAt = Date.parse(at);
    if (expiresAt <= now) throw invalidField('expires_at', reason('not_in_the_future'));
    if (expiresAt > now + longestLifetimeMs) {
      const days = longestLifetimeMs / 86_400_000;
      throw invalidField('expires_at', reason('too_far_ahead', { days }));
    }
    return expiresAt;
  }

  function newQuestion(
    caller: Caller,
    bot: Pick<BotRecord, 'disabled' | 'secret_token'>,
    input: QuestionInput,
    now: number,
  ): NewQuestion {
    const { bot_id: botId, callback_url: url = '', message_thread_id: topic = 0 } = input;
    const problem = url === '' ? undefined : checkCalledUrl(url, config.backends, words);
    if (problem) throw invalidField('callback_url', problem);
    // Anybody could send an unsigned approval to that address.
    if (url !== '' && bot.secret_token === '') {
      throw invalidField('callback_url', reason('calls_not_signed'));
    }
    if (bot.disabled) {
      throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: botId }));
    }
    return {
      botId,
      chatId: input.chat_id,
      threadId: topic === generalTopic ? 0 : topic,
      text: input.text,
      options: input.options ?? [],
      userIds: input.user_ids ?? [],
      askedBy: authorOf(caller),
      nonce: newNonce(randomBytes),
      expiresAt: expiryOf(input, now),
      callbackUrl: url,
    };
  }

  return {
    async ask(caller, input, key) {
      const { bot_id: botId } = input;
      const bot = await callersBot(store.bots, caller, botId);
      const once = key === undefined ? undefined : keyOf(caller, key, input);
      const now = clock.now();
      // A repeated request finds its question, also when it could not be asked any more.
      const before = once && (await questions.askedBefore(once, now));
      if (before === 'mismatch') throw keyMismatch();
      if (before !== undefined) return existing(caller, before);
      const asked = await questions.ask(newQuestion(caller, bot, input, now), once, now);
      if (asked === 'mismatch') throw keyMismatch();
      if (asked === 'full') {
        const most = questionLimits.openPerBot;
        throw new RelayError('conflict', reason('too_many_questions', { bot_id: botId, most }));
      }
      if (typeof asked === 'number') return existing(caller, asked);
      deps.onAsked(asked);
      return { ...asked, sendState: 'queued', sendError: '', sendErrorDetail: null } as const;
    },
    wait: (caller, id, { timeoutMs, signal }) =>
      deps.waits.until(
        id,
        async () => {
          const value = await existing(caller, id);
          return { value, isFinal: value.state !== 'open' || value.sendState === 'failed' };
        },
        timeoutMs,
        signal,
      ),
    async list(caller, { bot_id, chat_id: chatId, before_id: beforeId, state, limit }) {
      if (bot_id !== undefined) await callersBot(store.bots, caller, bot_id);
      const botIds = bot_id === undefined ? caller.botIds : [bot_id];
      const chatIds = readableChats(caller);
      return questions.list({ botIds, chatIds, chatId, beforeId, state, limit });
    },
    async cancel(caller, id) {
      requireWritableChat(caller, (await existing(caller, id)).chatId);
      const ended = await questions.end({ id, state: 'cancelled', nowMs: clock.now() });
      if (ended) deps.onEnded(ended);
      return existing(caller, id);
    },
  };
}

/** A question may move with its group, so it is checked again after a wait. */
export function requireSeen(caller: Caller, { botId, chatId }: Question): void {
  requireBot(caller, botId);
  requireReadableChat(caller, chatId);
}

/**
 * Keys of different callers never meet. Fields that are left out do not count, nor does their order,
 * nor the time of expiry, which moves with each try of a script.
 */
function keyOf({ id, kind }: Caller, key: string, input: QuestionInput): QuestionKey {
  const content = Object.entries(input)
    .filter(([name, value]) => value !== undefined && name !== 'expires_at')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(content);
  return { key: `${kind}:${id} ${key}`, hash: hash('sha256', text, 'base64url') };
}
