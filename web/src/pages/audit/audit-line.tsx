import type { AuditEntry } from '../../api/audit.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import css from './audit.module.css';

const icons: Record<string, IconName> = { key: 'key', user: 'user', local: 'gear' };

export function AuditLine(props: {
  entry: AuditEntry;
  nameOf: (botId: number) => string;
  opened: boolean;
  onToggle: () => void;
}) {
  const { entry } = props;
  const { audit } = useT();
  const about = [
    entry.bot_id === 0 ? '' : props.nameOf(entry.bot_id),
    entry.chat_id === 0 ? '' : String(entry.chat_id),
    entry.user_id === 0 || entry.user_id === entry.chat_id ? '' : String(entry.user_id),
  ].filter(Boolean);
  return (
    <>
      <button
        type="button"
        className={css.row}
        aria-expanded={props.opened}
        onClick={props.onToggle}
      >
        <Icon name={icons[entry.actor.kind] ?? 'user'} />
        <span className={css.main}>
          <span className="mono">{entry.action}</span>
          {about.length === 0 ? null : <span className={css.sub}> · {about.join(' · ')}</span>}
        </span>
        <span className={css.sub}>
          {entry.actor.name} · <TimeAgo at={entry.at} />
        </span>
      </button>
      {props.opened ? (
        <div className={css.detail}>
          {entry.address === '' ? null : (
            <span className={css.sub}>{audit.from(entry.address)}</span>
          )}
          <Part name={audit.input} value={entry.input} />
          <Part name={audit.before} value={entry.before} />
          <Part name={audit.after} value={entry.after} />
        </div>
      ) : null}
    </>
  );
}

function Part(props: { name: string; value: unknown }) {
  if (props.value === null || props.value === undefined) return null;
  return (
    <>
      <strong>{props.name}</strong>
      <JsonView value={props.value} label={props.name} />
    </>
  );
}
