import { pushReader } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { LogReader } from '../log/log-readers.ts';
import { forwards, type Pushers } from './pushers.ts';

/** Forwards to the bot's backend. */
export const createPushReader = (pushers: Pushers): LogReader => ({
  isActive: (bot, reader) => reader === pushReader && forwards(bot),
  prepare: pushers.prepare,
  run: { apply: pushers.apply, stop: pushers.stop, stopAll: pushers.stopAll },
  onMoved: pushers.onRemoteChange,
  insteadOfRemoving: reason('push_is_no_consumer'),
});
