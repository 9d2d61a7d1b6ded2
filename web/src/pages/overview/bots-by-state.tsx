import { Link } from '@tanstack/react-router';
import type { Bot } from '../../api/client/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { answersNow } from '../../shared/backend-words.ts';
import { type Condition, conditionOf, conditions } from '../../shared/bot-condition.ts';
import { Panel } from '../../ui/page.tsx';
import { State } from '../../ui/state.tsx';
import { useNow } from '../../ui/text/time-ago.tsx';
import css from './overview.module.css';

/** The number of bots per state, as a bar and in words. */
export function BotsByState(props: { bots: Bot[] }) {
  const { bots } = props;
  const { overview } = useT();
  const format = useFormat();
  const now = useNow(10_000);
  const present = (Object.keys(conditions) as Condition[]).flatMap((condition) => {
    const count = bots.filter((bot) => conditionOf(bot) === condition).length;
    return count === 0 ? [] : [{ condition, count, tone: conditions[condition] }];
  });
  // A disabled bot forwards nothing, so the state of its backend is unknown.
  const forwarding = bots.filter((bot) => !bot.disabled && bot.backend_status !== '');
  const healthy = forwarding.filter((bot) => answersNow(bot, now)).length;
  const failing = forwarding.filter((bot) => ['failing', 'paused'].includes(bot.backend_status));
  const silent = forwarding.length - healthy - failing.length;
  const why = [
    failing.length === 0 ? '' : overview.backendsFailing(failing.length),
    silent === 0 ? '' : overview.backendsSilent(silent),
  ];
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
        {present.map(({ condition, count, tone }) => (
          <i key={condition} data-tone={tone} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className={css.states}>
        {present.map(({ condition, count, tone }) => (
          <li key={condition}>
            <State tone={tone}>{overview.states[condition]}</State>
            <b className="tabular">{format.number(count)}</b>
          </li>
        ))}
        {forwarding.length > 0 ? (
          <li>
            <State tone={failing.length > 0 ? 'bad' : silent > 0 ? 'idle' : 'ok'}>
              {overview.backends}
            </State>
            <b className="tabular">
              {overview.someOf(format.number(healthy), format.number(forwarding.length))}
            </b>
            <span className={css.why}>{why.filter(Boolean).join(' · ')}</span>
          </li>
        ) : null}
      </ul>
    </Panel>
  );
}
