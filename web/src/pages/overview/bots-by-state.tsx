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

/** How many there are of each kind, as one bar and in words. */
export function BotsByState(props: { bots: Bot[] }) {
  const { bots } = props;
  const { overview } = useT();
  const format = useFormat();
  const now = useNow(10_000);
  const present = (Object.keys(conditions) as Condition[]).flatMap((condition) => {
    const count = bots.filter((bot) => conditionOf(bot) === condition).length;
    return count === 0 ? [] : [{ condition, count, tone: conditions[condition] }];
  });
  const forwarding = bots.filter((bot) => bot.backend_status !== '');
  const healthy = forwarding.filter((bot) => answersNow(bot, now)).length;
  const isFailing = forwarding.some((bot) => ['failing', 'paused'].includes(bot.backend_status));
  const backends = isFailing ? 'bad' : healthy === forwarding.length ? 'ok' : 'idle';
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
            <State tone={backends}>{overview.backends}</State>
            <b className="tabular">
              {overview.someOf(format.number(healthy), format.number(forwarding.length))}
            </b>
          </li>
        ) : null}
      </ul>
    </Panel>
  );
}
