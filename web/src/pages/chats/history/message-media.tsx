import { useState } from 'react';
import { mediaAddress } from '../../../api/messages.ts';
import type { Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from '../message.module.css';

/** Shows media in the message; other files are shown by name. */
export function MessageMedia(props: {
  message: Message;
  managed: boolean;
  onView: (message: Message) => void;
}) {
  const { message } = props;
  const { chats, common } = useT();
  const [failed, setFailed] = useState(false);
  const kind = (message.media_type ?? 'document') as keyof typeof chats.kinds;
  const label = chats.kinds[kind] ?? kind;
  if (failed || !props.managed || message.file_id === undefined) {
    return (
      <span className={css.chip}>
        <Icon name={kind === 'photo' ? 'image' : 'file'} />
        {label}
      </span>
    );
  }
  const src = mediaAddress(message.bot_id, message.file_id);
  const fail = () => setFailed(true);
  switch (kind) {
    case 'photo':
    case 'sticker':
      return (
        <button
          type="button"
          className={css.picture}
          aria-label={common.labelled(chats.openOriginal, message.text || label)}
          onClick={() => props.onView(message)}
        >
          <img className={css.media} src={src} alt={message.text || label} onError={fail} />
        </button>
      );
    case 'video':
    case 'animation':
    case 'video_note':
      return (
        <video
          className={css.media}
          src={src}
          controls
          preload="metadata"
          aria-label={label}
          onError={fail}
        />
      );
    case 'voice':
    case 'audio':
      return <audio src={src} controls preload="none" aria-label={label} onError={fail} />;
    default:
      return (
        <a className={css.chip} href={src} target="_blank" rel="noreferrer">
          <Icon name="file" />
          {label}
        </a>
      );
  }
}
