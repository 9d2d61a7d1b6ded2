import { ActionIcon, Button, CloseButton, ColorInput, Skeleton, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addTag, chatTagsQuery, removeTag } from '../../../api/tags.ts';
import type { Bot, Tag } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useFocusAfter } from '../../../ui/use-focus-back.ts';
import css from '../person.module.css';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

const swatches = [
  '#0a776c',
  '#2f6fb5',
  '#7a4fb5',
  '#b5487a',
  '#b42318',
  '#b26a00',
  '#4d7c0f',
  '#5b6b73',
];

export function PersonTags(props: { bot: Bot; chatId: number; userId: number }) {
  const { bot, chatId, userId } = props;
  const t = useT();
  const may = useMay('notes', 'manage');
  const client = useQueryClient();
  const tags = useQuery(chatTagsQuery(chatId));
  const mine = tags.data?.filter((tag) => tag.user_id === userId);
  const refresh = () => void client.invalidateQueries({ queryKey: ['tags', chatId] });
  const restore = useAction({ run: addTag, refreshes: [['tags', chatId]] });
  const remove = useAction({
    run: (tag: Tag) => removeTag(tag.id),
    refreshes: [['tags', chatId]],
    done: (_gone, tag) => ({
      words: t.chats.tagRemoved(tag.tag),
      undo: () =>
        restore.mutate({
          chat_id: chatId,
          user_id: userId,
          bot_id: bot.id,
          tag: tag.tag,
          color: tag.color,
        }),
    }),
  });
  return (
    <SideSection title={t.chats.tags}>
      {tags.isPending ? <Skeleton height={26} mb={12} /> : null}
      {tags.isError ? <ErrorBox error={tags.error} onRetry={() => void tags.refetch()} /> : null}
      {mine?.length === 0 ? <p className={css.small}>{t.chats.noTags}</p> : null}
      <ul className={css.tags}>
        {mine?.map((tag) => (
          <li key={tag.id} className={css.tag}>
            <span className={css.tagDot} style={{ background: tag.color }} />
            {tag.tag}
            {may ? (
              <CloseButton
                size="xs"
                aria-label={t.chats.removeTag(tag.tag)}
                onClick={() => remove.mutate(tag)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {may ? <TagForm bot={bot} chatId={chatId} userId={userId} onAdded={refresh} /> : null}
    </SideSection>
  );
}

function TagForm(props: { bot: Bot; chatId: number; userId: number; onAdded: () => void }) {
  const t = useT();
  const [opened, setOpened] = useState(false);
  const opener = useFocusAfter(opened);
  const [tag, setTag] = useState('');
  const [color, setColor] = useState(swatches[0] ?? '#0a776c');
  const add = useAction({
    run: addTag,
    done: (made) => {
      setTag('');
      setOpened(false);
      props.onAdded();
      return t.chats.tagAdded(made.tag);
    },
  });
  if (!opened) {
    return (
      <Button
        ref={opener}
        size="compact-sm"
        variant="light"
        leftSection={<Icon name="tag" size={15} />}
        onClick={() => setOpened(true)}
      >
        {t.chats.addTag}
      </Button>
    );
  }
  function onSubmit(): void {
    const { bot, chatId, userId } = props;
    add.mutate({ chat_id: chatId, user_id: userId, bot_id: bot.id, tag: tag.trim(), color });
  }
  return (
    <form onSubmit={withoutReload(onSubmit)} style={{ display: 'grid', gap: 10 }}>
      <TextInput
        label={t.chats.tagName}
        required
        withAsterisk={false}
        autoFocus
        maxLength={64}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
        rightSection={
          <ActionIcon
            type="submit"
            variant="subtle"
            aria-label={t.common.add}
            loading={add.isPending}
          >
            <Icon name="check" size={16} />
          </ActionIcon>
        }
      />
      <ColorInput
        label={t.chats.tagColor}
        swatches={swatches}
        swatchesPerRow={8}
        value={color}
        onChange={setColor}
      />
      <Button w="fit-content" size="compact-sm" variant="default" onClick={() => setOpened(false)}>
        {t.common.cancel}
      </Button>
    </form>
  );
}
