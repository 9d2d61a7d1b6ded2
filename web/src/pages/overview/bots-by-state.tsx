import { Link } from '@tanstack/react-router';
import type { Bot } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { State, type Tone } from '../../ui/state.tsx';
import css from './overview.module.css';

type Group = 'running' | 'starting' | 'troubled' | 'disabled';

const tones: Record<Group, Tone> = {
  running: 'ok',
  starting: 'warn',
  troubled: 'bad',
  disabled: 'idle',
};

function groupOf(bot: Bot): Group {
  if (bot.disabled) return 'disabled';
  if (bot.running) return 'running';
  return bot.last_error === '' ? 'starting' : 'troubled';
}

/** How many there are of each kind, as one bar and in words. */
export function BotsByState(props: { bots: Bot[] }) {
  const { bots } = props;
  const { overview } = useT();
  const format = useFormat();
  const counts = { running: 0, starting: 0, troubled: 0, disabled: 0 };
  for (const bot of bots) counts[groupOf(bot)] += 1;
  const present = (Object.keys(counts) as Group[]).filter((group) => counts[group] > 0);
  const forwarding = bots.filter((bot) => bot.backend_status !== '');
  const healthy = forwarding.filter((bot) => bot.backend_status === 'ok').length;
  return (
    <Panel
      title={overview.bots}
      actions={
        <Link to="/bots" className={css.all}>
          {overview.allBots(format.number(bots.length))}
        </Link>
      }
    >
      <div className={css.bar} aria-hidden="true">
        {present.map((group) => (
          <i key={group} data-tone={tones[group]} style={{ flexGrow: counts[group] }} />
        ))}
      </div>
      <ul className={css.states}>
        {present.map((group) => (
          <li key={group}>
            <State tone={tones[group]}>{overview.states[group]}</State>
            <b className="tabular">{format.number(counts[group])}</b>
          </li>
        ))}
        {forwarding.length > 0 ? (
          <li>
            <State tone={healthy === forwarding.length ? 'ok' : 'bad'}>{overview.backends}</State>
            <b className="tabular">
              {overview.someOf(format.number(healthy), format.number(forwarding.length))}
            </b>
          </li>
        ) : null}
      </ul>
    </Panel>
  );
}
