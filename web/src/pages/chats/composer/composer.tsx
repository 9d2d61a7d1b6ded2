import {
  ActionIcon,
  Button,
  CloseButton,
  FileButton,
  Progress,
  Textarea,
  Tooltip,
} from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { isOffline, isStopped } from '../../../api/client/error.ts';
import { editMessage, sendMedia, sendMessage } from '../../../api/messages.ts';
import { randomText } from '../../../api/client/random-text.ts';
import type { Bot, Message } from '../../../api/client/types.ts';
import { useMay, useSession } from '../../../shared/use-session.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { errorDetail, errorWords } from '../../../shared/error-words.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Said } from '../../../ui/feedback/said.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import css from '../chats.module.css';
import { TargetChoice, useSendTarget } from './composer-target.tsx';
import { type Account, speakerName } from '../history/history-items.ts';
import { shortOf } from '../history/message-words.ts';
import { useDraft } from './use-draft.ts';

const longest = 4_096;
const maxCaptionLength = 1_024;

/** One message being sent. */
interface Sending {
  words: string;
  file: File | null;
  answered: Message | undefined;
  /** The target that was chosen for it. */
  chosen: string | undefined;
}

export function Composer(props: {
  bot: Bot;
  chatId: number;
  replyTo: Message | undefined;
  /** The message being edited, instead of a new one. */
  editing: Message | undefined;
  /** The business accounts through which messages of this chat arrive. */
  accounts: ReadonlyMap<string, Account>;
  /** The last used target: the connection of an account, or ''. */
  latestTarget: string;
  /** Called with the text being sent; with undefined when it arrived or failed. */
  onSending: (text: string | undefined) => void;
  /** Called with the message that was replied to: the user may have chosen another one by then. */
  onSent: (message: Message, answered: Message | undefined) => void;
  onEdited: (message: Message) => void;
  onCancel: () => void;
}) {
  const { bot, chatId, editing, replyTo } = props;
  const t = useT();
  const may = useMay('send');
  const me = useSession().id;
  const field = useRef<HTMLTextAreaElement>(null);
  const { giveBack, isHere, setText, text } = useDraft(`${me}:${bot.id}:${chatId}`, editing?.text);
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const to = useSendTarget(replyTo, props.latestTarget);
  // Each text has one key: pressing twice, or again after a lost response, sends it once.
  const attempt = useRef(randomText());
  const upload = useRef(new AbortController());
  function deliver({ answered, file, words }: Sending): Promise<Message> {
    if (editing) return editMessage(editing, words);
    const target = {
      bot_id: bot.id,
      chat_id: chatId,
      ...(answered ? { reply_to_message_id: answered.id } : {}),
      ...(to.connection === '' ? {} : { business_connection_id: to.connection }),
    };
    if (!file) return sendMessage({ ...target, text: words }, attempt.current);
    upload.current = new AbortController();
    setShare(0);
    return sendMedia({ ...target, caption: words.trim() }, file, {
      signal: upload.current.signal,
      onProgress: setShare,
    });
  }
  function noticeElsewhere(error: unknown, { file }: Sending): void {
    if (!isStopped(error)) {
      toast(errorWords(error, t), { tone: 'bad', detail: errorDetail(error, t) });
    } else if (file) toast(t.chats.uploadLeft(file.name), { tone: 'bad' });
  }
  const send = useAction({
    run: async (sending: Sending) => {
      if (isEmptiedBy(sending)) props.onSending(sending.words);
      try {
        return await deliver(sending);
      } catch (error) {
        props.onSending(undefined);
        if (isEmptiedBy(sending)) giveBack(sending.words);
        // If the user has opened another chat, the error appears there.
        if (!isHere()) noticeElsewhere(error, sending);
        throw error;
      }
    },
    quiet: true,
    done: (message, sending) => {
      // Text or files added since are not sent yet, so keep them.
      if (sending.file) setText((now) => (now === sending.words ? '' : now));
      setFile((now) => (now === sending.file ? null : now));
      if (text === '' || sending.file) to.release(sending.chosen);
      attempt.current = randomText();
      if (editing) props.onEdited(message);
      else props.onSent(message, sending.answered);
    },
  });
  /** A sent text is cleared at once, so that new text stays; it returns if sending fails. */
  const isEmptiedBy = (sending: Sending) => !sending.file && !editing;
  useEffect(() => {
    if (replyTo || editing) field.current?.focus();
  }, [replyTo, editing]);
  useEffect(() => () => upload.current.abort(), []);

  const account = to.connection === '' ? undefined : props.accounts.get(to.connection);
  const newWords = account ? t.chats.writeFor(account.owner) : t.chats.write;
  const words = editing ? t.chats.editing : newWords;
  const isEmpty = text.trim() === '' && !file;
  const isSame = editing !== undefined && text === editing.text;
  function submit(): void {
    if (isEmpty || isSame || send.isPending) return;
    const sending = { words: text, file, answered: replyTo, chosen: to.chosen };
    if (isEmptiedBy(sending)) setText('');
    send.mutate(sending);
  }
  if (!may) return <div className={css.composer}>{t.chats.readOnly}</div>;
  if (bot.disabled) return <div className={css.composer}>{t.chats.disabledBot}</div>;
  const wasStopped = isStopped(send.error);
  return (
    <form className={css.composer} onSubmit={withoutReload(submit)}>
      {send.error && !wasStopped ? (
        <ErrorBox error={send.error} hint={isOffline(send.error) ? t.chats.sendKept : undefined} />
      ) : null}
      <About {...props} />
      {editing ? null : (
        <TargetChoice
          accounts={props.accounts}
          connection={to.connection}
          fixed={replyTo !== undefined}
          onChoose={(connection) => {
            to.choose(connection);
            attempt.current = randomText();
          }}
        />
      )}
      {file ? (
        <Attached
          file={file}
          share={send.isPending ? share : undefined}
          onRemove={() => {
            if (send.isPending) upload.current.abort();
            else setFile(null);
          }}
        />
      ) : null}
      <div className={css.composerRow}>
        <Textarea
          ref={field}
          aria-label={words}
          placeholder={file ? t.chats.caption : words}
          autosize
          minRows={1}
          maxRows={8}
          maxLength={file ? maxCaptionLength : longest}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            to.hold();
            attempt.current = randomText();
          }}
          onPaste={(event) => {
            const [pasted] = event.clipboardData.files;
            if (pasted && bot.manage_enabled && !editing) setFile(pasted);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && (replyTo || editing)) props.onCancel();
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              submit();
            }
          }}
        />
        {bot.manage_enabled && !editing ? (
          <FileButton onChange={setFile}>
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
        <ActionIcon
          type="submit"
          size={36}
          aria-label={editing ? t.common.save : t.chats.send}
          loading={send.isPending}
        >
          <Icon name={editing ? 'check' : 'send'} />
        </ActionIcon>
      </div>
    </form>
  );
}

/** The message being replied to or edited. */
function About(props: {
  replyTo: Message | undefined;
  editing: Message | undefined;
  onCancel: () => void;
}) {
  const { editing } = props;
  const t = useT();
  const message = editing ?? props.replyTo;
  if (!message) return null;
  return (
    <div className={css.replying}>
      <Icon name={editing ? 'edit' : 'reply'} size={16} />
      <Said
        who={editing ? t.chats.editing : t.chats.replyingTo(speakerName(message))}
        words={shortOf(message, t)}
      />
      <CloseButton size="sm" aria-label={t.common.cancel} onClick={props.onCancel} />
    </div>
  );
}

function Attached(props: { file: File; share: number | undefined; onRemove: () => void }) {
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
