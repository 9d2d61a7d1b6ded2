import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useLostSince } from '../../shared/use-lost-since.ts';
import css from './shell.module.css';

/** While the service is unreachable, the page says that its data is outdated. */
export function LostBanner() {
  const { live } = useT();
  const format = useFormat();
  const since = useLostSince();
  return (
    <div className={css.lostPlace} role="alert">
      {since === undefined ? null : (
        <div className={css.lost}>
          <Icon name="warn" />
          <span>
            <strong>{live.lost}</strong> {live.lostSince(format.exactTime(since))}
          </span>
        </div>
      )}
    </div>
  );
}
