import type { Bot } from '../api/types.ts';
import { inWords } from '../i18n/phrase.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';
import { conditionOf, conditions } from './bot-condition.ts';
import { State } from './state.tsx';

export function BotState(props: { bot: Bot }) {
  const { bots } = useT();
  const condition = conditionOf(props.bot);
  return <State tone={conditions[condition]}>{bots.conditions[condition]}</State>;
}

/** Whether the backend of a bot takes updates; `tookMs` is how long it took to answer just now. */
export function BackendState(props: { bot: Bot; tookMs?: number | undefined }) {
  const { bot, tookMs } = props;
  const { bots, phrases } = useT();
  const format = useFormat();
  const words = bots.backends[bot.backend_status];
  switch (bot.backend_status) {
    case 'ok':
      return (
        <State tone="ok">
          {tookMs === undefined ? words : `${words}, ${format.duration(tookMs)}`}
        </State>
      );
    case 'unknown':
      return <State tone="idle">{words}</State>;
    case 'failing':
      return bot.backend_error === '' ? (
        <State tone={conditions.backendFailing}>{words}</State>
      ) : (
        <State tone="bad">{inWords(bot.backend_error, phrases)}</State>
      );
    case 'paused':
      return <State tone={conditions.backendPaused}>{words}</State>;
    default:
      return <span>{words}</span>;
  }
}
