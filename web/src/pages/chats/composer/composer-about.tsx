import { CloseButton } from '@mantine/core';
import type { Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Said } from '../../../ui/feedback/said.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from '../chats.module.css';
import { speakerName } from '../history/history-items.ts';
import { shortOf } from '../history/message-words.ts';

/** The message being replied to or edited. */
export function ComposerAbout(props: {
  replyTo: Message | undefined;
  editing: Message | undefined;
  onCancel: () => void;
}) {
  const { editing } = props;
  const t = useT();
  const message = editing ?? props.replyTo;
  if (!message) return null;
  return (
    <div className={css.replying}>
      <Icon name={editing ? 'edit' : 'reply'} size={16} />
      <Said
        who={editing ? t.chats.editing : t.chats.replyingTo(speakerName(message))}
        words={shortOf(message, t)}
      />
      <CloseButton size="sm" aria-label={t.common.cancel} onClick={props.onCancel} />
    </div>
  );
}
