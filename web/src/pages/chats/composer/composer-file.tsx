import { Button, CloseButton, Progress } from '@mantine/core';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from '../chats.module.css';

/** The file to send. */
export function ComposerFile(props: {
  file: File;
  share: number | undefined;
  onRemove: () => void;
}) {
  const { file, share } = props;
  const t = useT();
  const format = useFormat();
  return (
    <div className={css.attached}>
      <Icon name={file.type.startsWith('image/') ? 'image' : 'file'} size={16} />
      <div className={css.attachedText}>
        {file.name} · {format.bytes(file.size)}
        {share === undefined ? null : (
          <>
            {' · '}
            {share < 1 ? t.chats.uploaded(format.percent(share)) : t.chats.passingOn}
            <Progress
              mt={4}
              size="sm"
              value={share * 100}
              animated={share >= 1}
              aria-label={t.chats.uploading(file.name)}
            />
          </>
        )}
      </div>
      {share === undefined ? (
        <CloseButton size="sm" aria-label={t.common.remove} onClick={props.onRemove} />
      ) : (
        <Button size="compact-sm" variant="default" onClick={props.onRemove}>
          {t.chats.stopUpload}
        </Button>
      )}
    </div>
  );
}
