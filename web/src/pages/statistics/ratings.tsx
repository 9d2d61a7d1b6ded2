import type { Stats } from '../../api/activity.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts } from './facts.tsx';

/** Ratings of customers; nothing for bots whose customers gave none. */
export function Ratings(props: { stats: Stats }) {
  const { by_assignee: byAssignee, by_rating: byRating, ...all } = props.stats.ratings;
  const { statistics } = useT();
  const format = useFormat();
  if (all.count === 0) return null;
  const words = ({ average, count }: { average: number; count: number }) =>
    `${format.number(Math.round(average * 100) / 100)} · ${statistics.ratingCount(count)}`;
  const stars = byRating.map((times, index) => {
    const full = index + 1;
    const drawn = `${'★'.repeat(full)}${'☆'.repeat(5 - full)}`;
    const label = (
      <span role="img" aria-label={statistics.stars(full)}>
        {drawn}
      </span>
    );
    return [label, format.number(times)] as const;
  });
  const people = byAssignee.map(
    (one) => [one.assignee?.name ?? statistics.ratingNobody, words(one)] as const,
  );
  return (
    <Panel title={statistics.ratings}>
      <Facts facts={[[statistics.ratingAverage, words(all)], ...stars.toReversed(), ...people]} />
    </Panel>
  );
}
