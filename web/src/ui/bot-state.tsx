import type { Bot } from '../api/types.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';
import { answersNow, isAnswer, seenAgo } from './backend-words.ts';
import { conditionOf, conditions } from './bot-condition.ts';
import { hostOf } from './host-of.ts';
import { State, type Tone } from './state.tsx';
import { useNow } from './time-ago.tsx';

export function BotState(props: { bot: Bot }) {
  const { bots } = useT();
  const condition = conditionOf(props.bot);
  return <State tone={conditions[condition]}>{bots.conditions[condition]}</State>;
}

const backendTones: Record<Bot['backend_status'], Tone> = {
  '': 'idle',
  ok: 'ok',
  unknown: 'idle',
  failing: conditions.backendFailing,
  paused: conditions.backendPaused,
};

/** Whether the backend of a bot takes updates; `tookMs` is how long it took to answer just now. */
export function BackendState(props: { bot: Bot; tookMs?: number | undefined }) {
  const { backend_error, backend_status: status } = props.bot;
  const { bot } = useT();
  const format = useFormat();
  const now = useNow();
  if (status === '') return <span>{withoutState()}</span>;
  if (status === 'failing' && backend_error !== '' && !isAnswer(backend_error)) {
    return <State tone="bad">{bot.backendStates.unreached}</State>;
  }
  if (status !== 'ok')
    return <State tone={backendTones[status]}>{bot.backendStates[status]}</State>;
  const took = props.tookMs === undefined ? '' : `, ${format.duration(props.tookMs)}`;
  const ago = seenAgo(props.bot.backend_seen_at, now, format);
  return (
    <State tone={answersNow(props.bot, now) ? 'ok' : 'idle'}>
      {`${bot.backendStates.ok} ${ago}${took}`}
    </State>
  );

  function withoutState(): string {
    const { backend_url, proxy_enabled } = props.bot;
    if (backend_url === '') return bot.backendStates[''];
    return proxy_enabled ? hostOf(backend_url) : bot.backendOff(hostOf(backend_url));
  }
}
