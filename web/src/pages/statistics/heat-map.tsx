import type { CSSProperties } from 'react';
import type { Stats } from '../../api/activity.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import css from './statistics.module.css';

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const weekdays = [1, 2, 3, 4, 5, 6, 0];

/** Draws weekdays by hours as a table, so that screen readers can read it. */
export function HeatMap(props: { stats: Stats }) {
  const { statistics } = useT();
  const format = useFormat();
  const counts = countsOf(props.stats);
  const most = Math.max(1, ...counts.flat());
  return (
    <div className={css.heatScroll} tabIndex={0} role="region" aria-label={statistics.heat}>
      <table className={css.heat}>
        <thead>
          <tr>
            <td />
            {hours.map((hour) => (
              <th key={hour} scope="col">
                <span className={hour % 3 === 0 ? '' : 'visually-hidden'}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdays.map((day) => (
            <tr key={day}>
              <th scope="row">{format.weekday(day, 'short')}</th>
              {hours.map((hour) => {
                const count = counts[day]?.[hour] ?? 0;
                return (
                  <td
                    key={hour}
                    title={statistics.heatCell(
                      format.weekday(day, 'long'),
                      format.hour(hour),
                      count,
                    )}
                    style={{ '--heat': shadeOf(count, most) } as CSSProperties}
                  >
                    <span className="visually-hidden">{count}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div className={css.scale} aria-hidden="true">
        {statistics.less}
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <i key={share} style={{ '--heat': `${share * 100}%` } as CSSProperties} />
        ))}
        {statistics.more}
      </div>
    </div>
  );
}

/** The square root keeps small numbers visible beside large ones. */
function shadeOf(count: number, most: number): string {
  return `${Math.round(Math.sqrt(count / most) * 100)}%`;
}

function countsOf(stats: Stats): number[][] {
  const counts = Array.from({ length: 7 }, () => hours.map(() => 0));
  for (const { hour, received, sent } of stats.by_hour) {
    const at = new Date(hour);
    const row = counts[at.getDay()];
    if (row) row[at.getHours()] = (row[at.getHours()] ?? 0) + received + sent;
  }
  return counts;
}
