import type { Bot } from '../api/client/types.ts';
import { isUnreached } from './backend-words.ts';

/** The state of a bot, the same on every page; problems come first. */
export const conditions = {
  stuck: 'bad',
  backendPaused: 'bad',
  backendUnreached: 'bad',
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

export function conditionOf(bot: BotCondition): Condition {
  if (bot.disabled) return 'disabled';
  if (!bot.running && bot.last_error !== '') return 'stuck';
  if (bot.backend_status === 'paused') return 'backendPaused';
  if (bot.backend_status === 'failing') {
    return isUnreached(bot) ? 'backendUnreached' : 'backendFailing';
  }
  if (!bot.running) return 'starting';
  return bot.last_error === '' ? 'running' : 'shaky';
}
