import { useQuery } from '@tanstack/react-query';
import { previewQuery } from '../../../api/messages.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { FormattedText } from '../../../ui/formatted-text.tsx';
import css from './composer.module.css';

/** The messages that arrive, as the relay will send them. */
export function ComposerPreview({ text }: { text: string }) {
  const t = useT();
  const { data } = useQuery(previewQuery(text));
  if (!data) return null;
  return (
    <div className={css.preview} role="region" aria-label={t.chats.preview}>
      {data.is_file ? <p className={css.hint}>{t.chats.sentAsFile}</p> : null}
      {data.parts.map((part, index) => (
        <div key={index} className={css.part}>
          <FormattedText {...part} />
        </div>
      ))}
    </div>
  );
}
