import { useState } from 'react';
import { personName, sandboxFile, type SandboxMessage } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { mediaOf } from './phone-words.ts';
import css from './phone-media.module.css';

/** A photo to show in full size. */
export interface Picture {
  src: string;
  words: string;
  title: string;
}

/** Shows the content of a message other than text; for a picture, the picture itself. */
export function PhoneMedia(props: { message: SandboxMessage; onView: (picture: Picture) => void }) {
  const { message } = props;
  const t = useT();
  const [failed, setFailed] = useState(false);
  const kind = mediaOf(message);
  if (!kind) return null;
  const photo = message.photo?.at(-1);
  if (photo && !failed) {
    const src = sandboxFile(photo.file_id);
    const words = message.caption ?? t.sandbox.photoWord;
    const title = message.from ? personName(message.from) : t.sandbox.photoWord;
    return (
      <button
        type="button"
        className={css.picture}
        aria-label={t.common.labelled(t.sandbox.openPhoto, words)}
        onClick={() => props.onView({ src, words, title })}
      >
        {/* Its size is known in advance, so nothing moves when it loads. */}
        <img
          src={src}
          width={photo.width}
          height={photo.height}
          alt={words}
          onError={() => setFailed(true)}
        />
      </button>
    );
  }
  if (message.invoice) {
    return (
      <span className={css.invoice}>
        <b>{message.invoice.title}</b>
        {message.invoice.description}
      </span>
    );
  }
  if (message.document) {
    return (
      <a className={css.fileLink} href={sandboxFile(message.document.file_id)} download>
        <Icon name="file" />
        {message.document.file_name ?? t.sandbox.media}
      </a>
    );
  }
  return (
    <span className={css.media}>
      {message.sticker?.emoji ?? <Icon name={photo ? 'image' : 'file'} size={32} />}
    </span>
  );
}

export function PictureViewer(props: { picture: Picture; onClose: () => void }) {
  const { src, title, words } = props.picture;
  return (
    <Dialog onClose={props.onClose} size="auto" title={title}>
      <img className={css.viewed} src={src} alt={words} />
    </Dialog>
  );
}
