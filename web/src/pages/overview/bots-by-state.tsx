import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Bot } from '../../api/client/types.ts';
import { backendsQuery } from '../../api/deliveries.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { answersNow } from '../../shared/backend-words.ts';
import {
  backendCondition,
  type Condition,
  conditionOf,
  conditions,
} from '../../shared/bot-condition.ts';
import { Panel } from '../../ui/page.tsx';
import { State } from '../../ui/state.tsx';
import { useNow } from '../../ui/text/time-ago.tsx';
import css from './overview.module.css';

/** The number of bots per state, as a bar and in words. */
export function BotsByState(props: { bots: Bot[] }) {
  const { bots } = props;
  const { overview } = useT();
  const format = useFormat();
  const present = (Object.keys(conditions) as Condition[]).flatMap((condition) => {
    const count = bots.filter((bot) => conditionOf(bot) === condition).length;
    return count === 0 ? [] : [{ condition, count, tone: conditions[condition] }];
  });
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
      </ul>
      <BackendCount />
    </Panel>
  );
}

/**
 * Counts backends of bots and apps; a disabled one forwards nothing, so the state of its backend is
 * unknown.
 */
function BackendCount() {
  const { overview } = useT();
  const format = useFormat();
  const now = useNow(10_000);
  const { data: backends = [] } = useQuery({ ...backendsQuery(), refetchInterval: 10_000 });
  if (backends.length === 0) return null;
  const healthy = backends.filter((one) => answersNow(one, now)).length;
  const wrong = Map.groupBy(backends, backendCondition);
  const down = wrong.get('backendDown')?.length ?? 0;
  const failing = wrong.get('backendFailing')?.length ?? 0;
  const silent = backends.length - healthy - down - failing;
  return (
    <p className={css.backends}>
      <span>{overview.backends}</span>
      <b className="tabular">
        {overview.someOf(format.number(healthy), format.number(backends.length))}
      </b>
      {down === 0 ? null : (
        <State tone={conditions.backendDown}>{overview.backendsDown(down)}</State>
      )}
      {failing === 0 ? null : (
        <State tone={conditions.backendFailing}>{overview.backendsFailing(failing)}</State>
      )}
      {silent === 0 ? null : <State tone="idle">{overview.backendsSilent(silent)}</State>}
    </p>
  );
}
