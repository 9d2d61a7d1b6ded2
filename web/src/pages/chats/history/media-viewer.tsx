import { ActionIcon } from '@mantine/core';
import { useEffect, useState } from 'react';
import { mediaAddress } from '../../../api/messages.ts';
import type { Message } from '../../../api/client/types.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { speakerName } from './history-items.ts';
import css from '../viewer.module.css';

/** Shows one picture as large as possible; arrow keys show the next and the previous one. */
export function MediaViewer(props: {
  /** All loaded messages of the chat. */
  messages: Message[];
  start: Message;
  onClose: () => void;
}) {
  const t = useT();
  const format = useFormat();
  const pictures = props.messages.filter(
    (message) => message.media_type === 'photo' && message.file_id !== undefined,
  );
  const [id, setId] = useState(props.start.id);
  const at = pictures.findIndex((message) => message.id === id);
  const shown = pictures[at] ?? props.start;
  const [before, after] = at < 0 ? [] : [pictures[at - 1], pictures[at + 1]];
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.key === 'ArrowLeft' && before) setId(before.id);
      if (event.key === 'ArrowRight' && after) setId(after.id);
    }
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [before, after]);
  const src = mediaAddress(shown.bot_id, shown.file_id ?? '');
  return (
    <Dialog
      onClose={props.onClose}
      size="auto"
      title={`${speakerName(shown)} · ${format.dateTime(shown.date * 1_000)}`}
    >
      <div className={css.viewer}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t.chats.previousPicture}
          disabled={!before}
          onClick={() => before && setId(before.id)}
        >
          <Icon name="left" />
        </ActionIcon>
        <figure>
          <img src={src} alt={shown.text || t.chats.kinds.photo} />
          {shown.text === '' ? null : <figcaption>{shown.text}</figcaption>}
        </figure>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t.chats.nextPicture}
          disabled={!after}
          onClick={() => after && setId(after.id)}
        >
          <Icon name="right" />
        </ActionIcon>
      </div>
      <a href={src} target="_blank" rel="noreferrer">
        {t.chats.openOriginal}
      </a>
    </Dialog>
  );
}
