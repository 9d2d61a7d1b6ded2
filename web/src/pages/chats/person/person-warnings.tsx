import { CloseButton } from '@mantine/core';
import { type Somebody, unwarn, type Warning, warn } from '../../../api/people.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { useAction } from '../../../shared/use-action.ts';
import css from '../person.module.css';

/** The warnings in this chat; expired ones are struck through. */
export function PersonWarnings(props: { who: Somebody; warnings: Warning[] }) {
  const { who } = props;
  const t = useT();
  const may = useMay('chats', 'manage');
  const again = useAction({
    run: (reason: string) => warn(who, reason),
    refreshes: [['people', who.bot_id]],
    done: ({ action }) => {
      // A further warning may reach the limit.
      return action ? t.people.limitReached[action] : undefined;
    },
  });
  const takeBack = useAction({
    run: (warning: Warning) => unwarn(who.bot_id, warning.id),
    refreshes: [['people', who.bot_id]],
    done: (warning) => ({
      words: t.people.warningRemoved,
      undo: () => again.mutate(warning.reason),
    }),
  });
  const here = props.warnings.filter((warning) => warning.chat_id === who.chat_id);
  if (here.length === 0) return null;
  return (
    <SideSection title={t.people.warnings}>
      <ul className={css.entries}>
        {here.map((warning) => (
          <li key={warning.id} className={css.entry} data-off={warning.active ? undefined : true}>
            <span>{warning.reason || t.people.withoutReason}</span>
            {may && warning.active ? (
              <CloseButton
                size="xs"
                aria-label={t.common.labelled(t.people.removeWarning, warning.reason.slice(0, 40))}
                onClick={() => takeBack.mutate(warning)}
              />
            ) : (
              <span />
            )}
            <span className={css.small}>
              {warning.warned_by} · <TimeAgo at={warning.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </SideSection>
  );
}
