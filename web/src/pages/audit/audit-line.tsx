import type { AuditEntry } from '../../api/audit.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { JsonView } from '../../ui/text/json-view.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { useChatNames } from '../../shared/use-chat-names.ts';
import css from '../../ui/rows.module.css';
import { auditAction, auditSubject } from './audit-subject.ts';

const icons: Record<string, IconName> = { key: 'key', user: 'user', local: 'gear' };

export function AuditLine(props: { entry: AuditEntry; nameOf: (botId: number) => string }) {
  const { entry } = props;
  const t = useT();
  const titleOf = useChatNames([entry.bot_id]);
  const named = (id: number) => titleOf(id) ?? String(id);
  const words = auditAction(entry, t.audit.actions);
  const about = [
    auditSubject(entry),
    entry.bot_id === 0 ? '' : props.nameOf(entry.bot_id),
    entry.chat_id === 0 ? '' : named(entry.chat_id),
    entry.user_id === 0 || entry.user_id === entry.chat_id ? '' : named(entry.user_id),
  ].filter(Boolean);
  return (
    <>
      <Icon name={icons[entry.actor.kind] ?? 'user'} />
      <span className={css.main}>
        {words ?? <span className="mono">{entry.action}</span>}
        {about.map((name, at) => (
          <span key={at} className={css.sub}>
            {' · '}
            <bdi>{name}</bdi>
          </span>
        ))}
      </span>
      <span className={css.sub}>
        <bdi>{t.access.actors[entry.actor.name] ?? entry.actor.name}</bdi> ·{' '}
        <TimeAgo at={entry.at} />
      </span>
    </>
  );
}

export function AuditDetail(props: { entry: AuditEntry }) {
  const { action, address, after, before, input } = props.entry;
  const { audit } = useT();
  return (
    <>
      <span className={css.sub}>
        <span className="mono">{action}</span>
        {address === '' ? null : ` · ${audit.from(address)}`}
      </span>
      <Part name={audit.input} value={input} />
      <Part name={audit.before} value={before} />
      <Part name={audit.after} value={after} />
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
