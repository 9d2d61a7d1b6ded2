import { useState } from 'react';
import { withQuery } from '../../api/client.ts';
import type { Message } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import css from './chats.module.css';

/** Media shown where it stands; what cannot be shown is named. */
export function MessageMedia(props: { message: Message }) {
  const { message } = props;
  const { chats } = useT();
  const [failed, setFailed] = useState(false);
  const kind = (message.media_type ?? 'document') as keyof typeof chats.kinds;
  const label = chats.kinds[kind] ?? kind;
  const src = withQuery('/api/media', { bot_id: message.bot_id, file_id: message.file_id });
  if (failed || message.file_id === undefined) {
    return (
      <span className={css.chip}>
        <Icon name={kind === 'photo' ? 'image' : 'file'} />
        {label}
      </span>
    );
  }
  const fail = () => setFailed(true);
  switch (kind) {
    case 'photo':
    case 'sticker':
      return (
        <a
          href={src}
          target="_blank"
          rel="noreferrer"
          aria-label={`${chats.openOriginal}: ${label}`}
        >
          <img className={css.media} src={src} alt={message.text || label} onError={fail} />
        </a>
      );
    case 'video':
    case 'animation':
    case 'video_note':
      return <video className={css.media} src={src} controls preload="metadata" onError={fail} />;
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
