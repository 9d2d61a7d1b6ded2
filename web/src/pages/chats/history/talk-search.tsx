import { CloseButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { topicKey } from '../../../api/chats.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { useFocusBack } from '../../../ui/use-focus-back.ts';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import css from '../search.module.css';

const ChatHits = lazyPart(
  async () => (await import('./message-hits.tsx')).ChatHits,
  <RowsSkeleton rows={2} />,
);

const typingMs = 200;

/** Searches within one chat, shown instead of its history until a result is chosen. */
export function TalkSearch(props: {
  botId: number;
  chatId: number;
  /** The open topic; 0 for all, undefined if none was chosen. */
  topic: number | undefined;
  onClose: () => void;
}) {
  const t = useT();
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), typingMs);
  const field = useRef<HTMLInputElement>(null);
  useFocusBack(true);
  // Autofocus is not used, because the earlier focus must be remembered.
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <div className={css.bar}>
        <SearchField
          ref={field}
          label={t.chats.searchHere}
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            if (event.key === 'Escape') props.onClose();
          }}
        />
        <CloseButton size="lg" aria-label={t.chats.endSearch} onClick={props.onClose} />
      </div>
      <ChatHits
        chatKey={topicKey(props.botId, props.chatId, props.topic)}
        q={q}
        onGo={props.onClose}
      />
    </>
  );
}
