import type { NewRoute } from '../../api/routes.ts';
import type { Bot } from '../../api/client/types.ts';

type Some = Pick<Bot, 'id' | 'disabled' | 'running' | 'last_error'>;

/** Returns the defaults of a new route: bots that run or are starting, if there are any. */
export function emptyRoute(bots: readonly Some[]): NewRoute {
  const isDown = (bot: Some) => bot.disabled || (!bot.running && bot.last_error !== '');
  const [source, target] = bots.toSorted(
    (left, right) => Number(isDown(left)) - Number(isDown(right)),
  );
  return {
    source_bot_id: source?.id ?? 0,
    target_bot_id: target?.id ?? source?.id ?? 0,
    action: 'forward',
    condition_type: 'all',
    condition_value: '',
    source_chat_id: 0,
    return_mode: 'reply',
    enabled: true,
    description: '',
  };
}
