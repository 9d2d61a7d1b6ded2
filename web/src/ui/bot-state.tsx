import type { Bot } from '../api/types.ts';
import { useT } from '../i18n/use-t.tsx';
import { conditionOf, conditions } from './bot-condition.ts';
import { State } from './state.tsx';

export function BotState(props: { bot: Bot }) {
  const { bots } = useT();
  const condition = conditionOf(props.bot);
  return <State tone={conditions[condition]}>{bots.conditions[condition]}</State>;
}

/** Whether the program behind a bot takes what it is given. */
export function BackendState(props: { status: Bot['backend_status'] }) {
  const { bots } = useT();
  const words = bots.backends[props.status];
  switch (props.status) {
    case 'ok':
      return <State tone="ok">{words}</State>;
    case 'failing':
      return <State tone={conditions.backendFailing}>{words}</State>;
    case 'paused':
      return <State tone={conditions.backendPaused}>{words}</State>;
    default:
      return <span>{words}</span>;
  }
}
