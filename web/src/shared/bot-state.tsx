import type { BackendCheck } from '../api/deliveries.ts';
import type { Bot } from '../api/client/types.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';
import { answersNow, oddAnswer, seenAgo } from './backend-words.ts';
import { backendCondition, conditionOf, conditions } from './bot-condition.ts';
import { hostOf } from '../ui/text/host-of.ts';
import { State } from '../ui/state.tsx';
import { useNow } from '../ui/text/time-ago.tsx';

export function BotState(props: { bot: Bot }) {
  const { bots } = useT();
  const condition = conditionOf(props.bot);
  return <State tone={conditions[condition]}>{bots.conditions[condition]}</State>;
}

/** Shows whether the backend of a bot accepts updates, and the result of a check. */
export function BackendState(props: { bot: Bot; check?: BackendCheck | undefined }) {
  const { backend_status: status } = props.bot;
  const t = useT();
  const { bot, bots } = t;
  const format = useFormat();
  const now = useNow();
  if (status === '') return <span>{withoutState()}</span>;
  const condition = backendCondition(props.bot);
  if (condition) return <State tone={conditions[condition]}>{bots.conditions[condition]}</State>;
  if (status !== 'ok') return <State tone="idle">{bot.backendUnchecked}</State>;
  const odd = oddAnswer(props.check, t, format);
  if (odd !== '') return <State tone="idle">{odd}</State>;
  const took = props.check ? format.duration(props.check.duration_ms) : '';
  const ago = seenAgo(props.bot.backend_seen_at, now, format);
  return (
    <State tone={answersNow(props.bot, now) ? 'ok' : 'idle'}>
      {bot.backendAnswered(ago, took)}
    </State>
  );

  function withoutState(): string {
    const { backend_url, proxy_enabled } = props.bot;
    if (backend_url === '') return bot.backendNone;
    return proxy_enabled ? hostOf(backend_url) : bot.backendOff(hostOf(backend_url));
  }
}
