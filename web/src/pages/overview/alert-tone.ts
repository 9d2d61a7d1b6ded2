import type { Alert } from '../../api/operation.ts';
import { type BotCondition, conditionOf } from '../../shared/bot-condition.ts';

type Kind = Alert['kind'];
type Tone = 'bad' | 'warn' | 'idle';

const tones: Record<Kind, Tone> = {
  bot_refused: 'bad',
  bot_conflict: 'bad',
  bot_trouble: 'warn',
  backend_down: 'bad',
  chats_in_retry: 'warn',
  backlog: 'warn',
  dead_letters: 'bad',
  reader_failing: 'bad',
  polling_stopped: 'warn',
  unknown_sends: 'warn',
  updates_dropped: 'warn',
  route_failing: 'warn',
  route_to_disabled: 'warn',
  weak_secret: 'warn',
  webhook_moved: 'idle',
  bot_disabled: 'idle',
};

const order: readonly Tone[] = ['bad', 'warn', 'idle'];

/** Returns the same colour as the state of the bot. */
export function toneOf(kind: Kind, bot: BotCondition | undefined): Tone {
  return kind === 'bot_trouble' && bot && conditionOf(bot) === 'stuck' ? 'bad' : tones[kind];
}

/** Sorts by colour; within a colour, keeps the order of the service. */
export function mostUrgentFirst<One extends Pick<Alert, 'kind' | 'bot_id'>>(
  alerts: readonly One[],
  bots: ReadonlyMap<number, BotCondition>,
): One[] {
  const rank = ({ bot_id, kind }: One) => order.indexOf(toneOf(kind, bots.get(bot_id)));
  return alerts.toSorted((left, right) => rank(left) - rank(right));
}
