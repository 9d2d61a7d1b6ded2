import { useEffect, useRef, useState } from 'react';
import { isStopped } from '../../../api/client/error.ts';
import { randomText } from '../../../api/client/random-text.ts';
import type { Message, SentMessage } from '../../../api/client/types.ts';
import { editMessage, sendMedia, sendMessage } from '../../../api/messages.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { errorDetail, errorWords } from '../../../shared/error-words.ts';
import { useAction } from '../../../shared/use-action.ts';
import { toast } from '../../../ui/feedback/toast.tsx';
import { type DraftButton, keyboardOf } from './buttons-field.tsx';
import type { ComposerProps } from './composer-props.ts';
import type { Entity } from './stored-format.ts';

/** One message being sent. */
export interface Sending {
  words: string;
  /** True if the words are Markdown. */
  isFormatted: boolean;
  /** Formatting that an edit keeps. */
  entities: readonly Entity[];
  buttons: readonly DraftButton[];
  file: File | null;
  answered: Message | undefined;
  /** The target that was chosen for it. */
  chosen: string | undefined;
  /** The saved reply that was chosen for it. */
  reply: number | undefined;
  /** Unix seconds; undefined to send it at once. */
  sendAt: number | undefined;
}

interface SendingOptions {
  /** The business connection to send through; '' for the bot itself. */
  connection: string;
  isHere: () => boolean;
  giveBack: (words: string) => void;
  onDone: (sending: Sending) => void;
}

/** Sends or edits, and says how far an upload is. */
export function useSending(props: ComposerProps, options: SendingOptions) {
  const { bot, chatId, editing, topic } = props;
  const t = useT();
  const format = useFormat();
  const [share, setShare] = useState(0);
  // Each text has one key: pressing twice, or again after a lost response, sends it once.
  const attempt = useRef(randomText());
  const upload = useRef(new AbortController());
  useEffect(() => () => upload.current.abort(), []);

  function deliver({
    answered,
    buttons,
    entities,
    file,
    isFormatted,
    sendAt,
    words,
  }: Sending): Promise<SentMessage> {
    const reply_markup = keyboardOf(buttons);
    const format = isFormatted ? { format: 'markdown' as const } : {};
    const said = {
      text: words,
      ...format,
      ...(entities.length > 0 ? { entities: entities.map((entity) => ({ ...entity })) } : {}),
      ...(reply_markup ? { reply_markup } : {}),
    };
    if (editing) return editMessage(editing, said);
    const thread = topic || (answered?.message_thread_id ?? 0);
    const target = {
      bot_id: bot.id,
      chat_id: chatId,
      ...(thread === 0 ? {} : { message_thread_id: thread }),
      ...(answered ? { reply_to_message_id: answered.id } : {}),
      ...(sendAt === undefined ? {} : { send_at: sendAt }),
      ...(options.connection === '' ? {} : { business_connection_id: options.connection }),
    };
    if (!file) return sendMessage({ ...target, ...said }, attempt.current);
    upload.current = new AbortController();
    setShare(0);
    return sendMedia({ ...target, caption: words.trim(), ...format }, file, {
      signal: upload.current.signal,
      onProgress: setShare,
    });
  }

  function noticeElsewhere(error: unknown, { file }: Sending): void {
    if (!isStopped(error)) {
      toast(errorWords(error, t), { tone: 'bad', detail: errorDetail(error, t) });
    } else if (file) toast(t.chats.uploadLeft(file.name), { tone: 'bad' });
  }

  /** A sent text is cleared at once, so that new text stays; it returns if sending fails. */
  const isEmptiedBy = (sending: Sending) => !sending.file && !editing;
  const send = useAction({
    run: async (sending: Sending) => {
      const isShown = isEmptiedBy(sending) && sending.sendAt === undefined;
      if (isShown) props.onSending(sending.words);
      try {
        return await deliver(sending);
      } catch (error) {
        props.onSending(undefined);
        if (isEmptiedBy(sending)) options.giveBack(sending.words);
        // If the user has opened another chat, the error appears there.
        if (!options.isHere()) noticeElsewhere(error, sending);
        throw error;
      }
    },
    refreshes: [['scheduled', bot.id]],
    quiet: true,
    done: (message, sending) => {
      options.onDone(sending);
      attempt.current = randomText();
      if (editing) props.onEdited(message);
      else if (message.send_at !== undefined) {
        props.onCancel();
        return t.scheduled.added(format.dateTime(message.send_at * 1_000));
      } else props.onSent(message, sending.answered);
      return undefined;
    },
  });
  return {
    send,
    share: send.isPending ? share : undefined,
    isEmptiedBy,
    /** The next send is another one than that before. */
    renew: () => {
      attempt.current = randomText();
    },
    stopUpload: () => upload.current.abort(),
  };
}
