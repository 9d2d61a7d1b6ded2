import { ActionIcon, CloseButton, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { post } from '../../api/client/client.ts';
import { phoneHistoryQuery, type PhonePlace, type ShownMessage } from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../shared/use-action.ts';
import { previewOf } from './phone-words.ts';
import css from './phones.module.css';
import { withoutReload } from '../../ui/forms/without-reload.ts';

export function PhoneComposer(props: {
  place: PhonePlace;
  /** True for a new chat with a bot, which starts with /start. */
  isNew: boolean;
  keyboard: ShownMessage['keyboard'];
  replyTo: ShownMessage | undefined;
  /** The message being edited, instead of a new one. */
  editing: ShownMessage | undefined;
  /** Called with the message that was replied to or edited: the user may have chosen another one by then. */
  onDone: (about: ShownMessage | undefined) => void;
}) {
  const { editing, replyTo } = props;
  const t = useT();
  const client = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(editing?.message.text ?? '');
  const about = editing ?? replyTo;
  const { place } = props;
  const { user, chat } = place;
  const say = useAction({
    run: ({ about, words }: { words: string; about: ShownMessage | undefined }) =>
      editing
        ? post('/api/sandbox/edit', {
            body: { user, chat, text: words, message_id: editing.message.message_id },
          })
        : post('/api/sandbox/say', {
            body: {
              ...place,
              text: words,
              ...(about ? { reply_to: about.message.message_id } : {}),
            },
          }),
    refreshes: [['sandbox']],
    done: (_said, { about }) => props.onDone(about),
  });
  useEffect(() => {
    // The field gets the focus when a chat opens; on a touch screen only on request, as the keyboard covers it.
    if (replyTo || editing || hasKeyboard()) field.current?.focus({ preventScroll: true });
  }, [replyTo, editing]);
  const photo = useAction({
    run: () => post('/api/sandbox/send-media', { body: { ...place, kind: 'photo' } }),
    refreshes: [['sandbox']],
    done: (message) => {
      // Show the message at once, before the rest is refetched.
      client.setQueryData(
        phoneHistoryQuery(place).queryKey,
        (known) => known && [...known, { message, outgoing: true, pinned: false }],
      );
    },
  });
  function send(): void {
    if (text.trim() === '' || say.isPending) return;
    // The field is cleared at once, so that new text stays; a rejected text returns.
    setText('');
    say.mutate(
      { words: text, about },
      { onError: () => setText((now) => (now === '' ? text : `${text}\n${now}`)) },
    );
  }
  return (
    <>
      {about ? (
        <div className={css.composer} style={{ alignItems: 'center' }}>
          <Icon name={editing ? 'edit' : 'reply'} />
          <span className={css.quote}>{previewOf(about.message, t)}</span>
          <CloseButton aria-label={t.common.cancel} onClick={() => props.onDone(about)} />
        </div>
      ) : null}
      <Keyboard keyboard={props.keyboard} onSay={(words) => say.mutate({ words, about })} />
      {props.isNew && text === '' ? (
        <div style={{ padding: '8px 8px 0' }}>
          <button
            type="button"
            className={css.button}
            style={{ width: '100%' }}
            onClick={() => say.mutate({ words: '/start', about })}
          >
            {t.sandbox.start}
          </button>
        </div>
      ) : null}
      <form className={css.composer} onSubmit={withoutReload(send)}>
        <ActionIcon
          size="lg"
          variant="subtle"
          color="gray"
          aria-label={t.sandbox.photo}
          loading={photo.isPending}
          onClick={() => photo.mutate(undefined)}
        >
          <Icon name="image" />
        </ActionIcon>
        <Textarea
          ref={field}
          aria-label={t.sandbox.message}
          placeholder={t.sandbox.message}
          autosize
          minRows={1}
          maxRows={4}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && about) props.onDone(about);
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
          }}
        />
        <ActionIcon type="submit" size="lg" aria-label={t.sandbox.send} loading={say.isPending}>
          <Icon name="send" />
        </ActionIcon>
      </form>
    </>
  );
}

/** Returns false on a touch screen, where a focused field opens a keyboard over half of the screen. */
function hasKeyboard(): boolean {
  return matchMedia('(pointer: fine)').matches;
}

function Keyboard(props: { keyboard: ShownMessage['keyboard']; onSay: (words: string) => void }) {
  const rows = props.keyboard?.keyboard ?? [];
  if (rows.length === 0) return null;
  return (
    <div className={css.buttons} style={{ padding: '8px 8px 0', margin: 0 }}>
      {rows.map((row, at) => (
        <div key={at} className={css.buttonRow}>
          {row.map((button, column) => {
            const words = typeof button === 'string' ? button : button.text;
            return (
              <button
                key={column}
                type="button"
                className={css.button}
                onClick={() => props.onSay(words)}
              >
                {words}
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
