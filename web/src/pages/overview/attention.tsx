import { Button } from '@mantine/core';
import { botName } from '../../api/bots.ts';
import type { Bot } from '../../api/types.ts';
import { useMay } from '../../app/shell/use-session.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Panel } from '../../ui/page.tsx';
import { useToggleBot } from '../bots/use-toggle-bot.ts';
import css from './overview.module.css';

/** What a person has to do something about, the worst first, each with its one click. */
export function Attention(props: { bots: Bot[] }) {
  const { overview } = useT();
  const waiting = props.bots
    .map((bot) => ({ bot, weight: weightOf(bot) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((left, right) => right.weight - left.weight);
  return (
    <Panel flush title={overview.attention}>
      {waiting.length === 0 ? (
        <EmptyState icon="check" title={overview.allWell} hint={overview.allWellHint} />
      ) : (
        <ul className={css.todo} style={{ marginTop: 12 }}>
          {waiting.map(({ bot }) => (
            <Todo key={bot.id} bot={bot} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function weightOf(bot: Bot): number {
  if (bot.disabled) return 1;
  if (!bot.running && bot.last_error !== '') return 4;
  if (bot.backend_status === 'failing') return 3;
  return bot.last_error === '' ? 0 : 2;
}

function Todo(props: { bot: Bot }) {
  const { bot } = props;
  const { overview } = useT();
  const format = useFormat();
  const may = useMay('manage');
  const toggle = useToggleBot();
  const why = bot.disabled
    ? overview.stoppedByYou
    : bot.backend_status === 'failing'
      ? overview.backendFails(format.number(bot.pending_updates))
      : bot.last_error;
  return (
    <li>
      <Avatar id={bot.id} name={botName(bot)} size={34} square />
      <div>
        <div className={css.todoName}>{botName(bot)}</div>
        <div className={css.todoWhy}>{why}</div>
      </div>
      {bot.disabled && may ? (
        <Button
          size="compact-sm"
          variant="light"
          loading={toggle.isPending}
          onClick={() => toggle.mutate(bot)}
        >
          {overview.start}
        </Button>
      ) : (
        <LinkButton
          size="compact-sm"
          variant="light"
          to="/bots/$botId"
          params={{ botId: String(bot.id) }}
        >
          {overview.open}
        </LinkButton>
      )}
    </li>
  );
}
