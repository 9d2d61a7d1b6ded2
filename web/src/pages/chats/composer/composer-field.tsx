import { ActionIcon, FileButton, Textarea, Tooltip } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import css from '../chats.module.css';
import type { Account } from '../history/history-items.ts';
import { optionId } from '../replies/reply-list.tsx';
import type { ComposerProps } from './composer-props.ts';

const longest = 4_096;
const longestFormatted = 100_000;
const maxCaptionLength = 1_024;

/** The text, and the buttons beside it. */
export function ComposerField(
  props: Pick<ComposerProps, 'bot' | 'editing' | 'replyTo' | 'onCancel'> & {
    ref: Ref<HTMLTextAreaElement>;
    /** The business account that it is written for. */
    account: Account | undefined;
    text: string;
    onText: (text: string) => void;
    file: File | null;
    onFile: (file: File | null) => void;
    isFormatted: boolean;
    onFormatted: () => void;
    /** A time is set at which it is sent. */
    isLater: boolean;
    onLater: () => void;
    /** Whether the text is an internal note, and the button that makes it one and holds it so. */
    note: { isMeant: boolean; isHeld: boolean; isOffered: boolean; toggle: () => void };
    isPending: boolean;
    /** The saved replies on offer. */
    replies: { id: string; at: number; replies: readonly unknown[] } | undefined;
    /** Returns true for keys that belong to the saved replies. */
    onKey: (event: KeyboardEvent) => boolean;
    onSubmit: () => void;
  },
) {
  const { account, bot, editing, file, isFormatted, note, onFile, replies, replyTo } = props;
  const t = useT();
  const newWords = account ? t.chats.writeFor(account.owner) : t.chats.write;
  const words = editing ? t.chats.editing : newWords;
  const mayAttach = bot.manage_enabled && !editing;
  return (
    <div className={css.composerRow}>
      <Textarea
        ref={props.ref}
        aria-label={words}
        placeholder={file ? t.chats.caption : words === t.chats.write ? t.replies.hint : words}
        {...(replies && replies.replies.length > 0
          ? {
              'aria-controls': replies.id,
              'aria-activedescendant': optionId(replies.id, replies.at),
            }
          : {})}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={file ? maxCaptionLength : isFormatted ? longestFormatted : longest}
        value={props.text}
        onChange={(event) => props.onText(event.currentTarget.value)}
        onPaste={(event) => {
          const [pasted] = event.clipboardData.files;
          if (pasted && mayAttach) onFile(pasted);
        }}
        onKeyDown={(event) => {
          if (props.onKey(event)) return;
          if (event.key === 'Escape' && note.isHeld) note.toggle();
          else if (event.key === 'Escape' && (replyTo || editing)) props.onCancel();
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            props.onSubmit();
          }
        }}
      />
      <Tooltip label={t.chats.formatting}>
        <ActionIcon
          variant={isFormatted ? 'light' : 'subtle'}
          {...(isFormatted ? {} : { color: 'gray' })}
          size={36}
          aria-label={t.chats.formatting}
          aria-pressed={isFormatted}
          onClick={props.onFormatted}
        >
          <Icon name="letters" />
        </ActionIcon>
      </Tooltip>
      {mayAttach ? (
        <FileButton onChange={onFile}>
          {(button) => (
            // The preview above has its own button to close it.
            <Tooltip label={t.chats.attach} disabled={file !== null || replyTo !== undefined}>
              <ActionIcon
                {...button}
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t.chats.attach}
              >
                <Icon name="clip" />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
      ) : null}
      {editing ? null : (
        <Tooltip label={t.scheduled.sendLater}>
          <ActionIcon
            variant={props.isLater ? 'light' : 'subtle'}
            {...(props.isLater ? {} : { color: 'gray' })}
            size={36}
            aria-label={t.scheduled.sendLater}
            aria-pressed={props.isLater}
            onClick={props.onLater}
          >
            <Icon name="clock" />
          </ActionIcon>
        </Tooltip>
      )}
      {note.isOffered ? (
        <Tooltip label={t.people.internalNote}>
          <ActionIcon
            variant={note.isMeant ? 'light' : 'subtle'}
            {...(note.isMeant ? {} : { color: 'gray' })}
            size={36}
            aria-label={t.people.internalNote}
            aria-pressed={note.isMeant}
            onClick={note.toggle}
          >
            <Icon name="ledger" />
          </ActionIcon>
        </Tooltip>
      ) : null}
      <ActionIcon
        type="submit"
        size={36}
        aria-label={
          editing
            ? t.common.save
            : note.isMeant
              ? t.people.addNote
              : props.isLater
                ? t.scheduled.schedule
                : t.chats.send
        }
        loading={props.isPending}
      >
        <Icon name={editing || note.isMeant ? 'check' : 'send'} />
      </ActionIcon>
    </div>
  );
}
