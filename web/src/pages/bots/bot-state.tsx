import type { Bot } from '../../api/types.ts';
import type { Messages } from '../../i18n/en.ts';
import { useT } from '../../i18n/use-t.tsx';
import { State, type Tone } from '../../ui/state.tsx';

/** One word for how a bot is; what needs a person comes before what merely is. */
export function stateOf(bot: Bot, t: Messages): { tone: Tone; words: string } {
  if (bot.disabled) return { tone: 'idle', words: t.bots.disabled };
  if (bot.backend_status === 'failing') return { tone: 'warn', words: t.bots.backendFailing };
  if (bot.running && bot.last_error === '') return { tone: 'ok', words: t.bots.running };
  if (bot.running) return { tone: 'warn', words: t.bots.running };
  if (bot.last_error !== '') return { tone: 'bad', words: t.bots.failing };
  return { tone: 'warn', words: t.bots.stopped };
}

export function BotState(props: { bot: Bot }) {
  const { tone, words } = stateOf(props.bot, useT());
  return <State tone={tone}>{words}</State>;
}
