import type { Bot } from '../api/client/types.ts';
import { isAnswer } from './backend-words.ts';

/** The state of a bot, the same on every page; problems come first. */
export const conditions = {
  stuck: 'bad',
  backendDown: 'bad',
  backendFailing: 'warn',
  shaky: 'warn',
  starting: 'warn',
  running: 'ok',
  disabled: 'idle',
} as const;

export type Condition = keyof typeof conditions;

export type BotCondition = Pick<
  Bot,
  | 'disabled'
  | 'running'
  | 'last_error'
  | 'backend_status'
  | 'backend_error'
  | 'backend_error_detail'
>;

type BackendFacts = Pick<BotCondition, 'backend_status' | 'backend_error' | 'backend_error_detail'>;

/**
 * Returns the problem of a backend, of a bot or of an app. Down: nothing is sent to it for a while
 * (the circuit breaker is open), or the last delivery or check got no answer.
 */
export function backendCondition(
  backend: BackendFacts,
): 'backendDown' | 'backendFailing' | undefined {
  const { backend_error: reason, backend_error_detail: detail, backend_status: status } = backend;
  if (status === 'paused') return 'backendDown';
  if (status !== 'failing') return undefined;
  return reason !== '' && !isAnswer(detail) ? 'backendDown' : 'backendFailing';
}

export function conditionOf(bot: BotCondition): Condition {
  if (bot.disabled) return 'disabled';
  if (!bot.running && bot.last_error !== '') return 'stuck';
  const backend = backendCondition(bot);
  if (backend) return backend;
  if (!bot.running) return 'starting';
  return bot.last_error === '' ? 'running' : 'shaky';
}
