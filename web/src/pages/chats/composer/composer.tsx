import { type RefObject, useEffect, useRef, useState } from 'react';
import { topicKey } from '../../../api/chats.ts';
import { isOffline, isStopped } from '../../../api/client/error.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { useMay, useSession } from '../../../shared/use-session.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import css from '../chats.module.css';
import { ButtonsField, type DraftButton, draftButtons } from './buttons-field.tsx';
import { ComposerAbout } from './composer-about.tsx';
import { ComposerField } from './composer-field.tsx';
import { ComposerFile } from './composer-file.tsx';
import { ComposerPreview } from './composer-preview.tsx';
import type { ComposerProps } from './composer-props.ts';
import { TargetChoice, useSendTarget } from './composer-target.tsx';
import { FormatBar } from './format-bar.tsx';
import { keptEntities, markdownOf } from './stored-format.ts';
import { ReplyList } from '../replies/reply-list.tsx';
import { useSavedReplies } from '../replies/use-saved-replies.ts';
import { OpenQuestions } from '../questions/open-questions.tsx';
import { ScheduledList } from '../../../shared/scheduled/scheduled-list.tsx';
import { tomorrowMorning } from '../../../ui/forms/moment-field.tsx';
import { ScheduleField } from './schedule-field.tsx';
import { useTellWriting } from '../inbox/writing.tsx';
import { useDraft } from './use-draft.ts';
import { isNote, useNoteDraft } from './use-note-draft.ts';
import { useSending } from './use-sending.ts';

const RepliesDialog = lazyPart(
  async () => (await import('../replies/replies-dialog.tsx')).RepliesDialog,
);

export function Composer(props: ComposerProps) {
  const t = useT();
  const may = useMay('chats', 'send');
  if (!may) return <div className={css.composer}>{t.chats.readOnly}</div>;
  if (props.bot.disabled) return <div className={css.composer}>{t.chats.disabledBot}</div>;
  return (
    <>
      <OpenQuestions botId={props.bot.id} chatId={props.chatId} />
      <ScheduledList botId={props.bot.id} chatId={props.chatId} />
      <ComposerForm {...props} />
    </>
  );
}

function ComposerForm(props: ComposerProps) {
  const { bot, chatId, editing, replyTo, topic } = props;
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(
    `${useSession().id}:${bot.id}:${chatId}${topic === 0 ? '' : `:${topic}`}`,
    editing?.text,
  );
  const { giveBack, isHere, setText, text } = draft;
  const tellWriting = useTellWriting(topicKey(bot.id, chatId, topic));
  const [file, setFile] = useState<File | null>(null);
  const [isFormatted, setFormatted] = useState(false);
  const [sendAt, setSendAt] = useState<number>();
  /** What an edit keeps of the formatting, which the text itself does not show. */
  const [entities, setEntities] = useState(editing?.entities ?? []);
  const [isPreviewed, setPreviewed] = useState(false);
  const [buttons, setButtons] = useState<DraftButton[]>(() => draftButtons(editing));
  const replies = useSavedReplies({
    bot,
    facts: { person: replyTo ?? props.person, chat: props.title },
    text,
    offered: !editing && !file,
    setText: write,
  });
  const to = useSendTarget(replyTo, props.latestTarget);
  const { isEmptiedBy, renew, send, share, stopUpload } = useSending(props, {
    connection: to.connection,
    isHere,
    giveBack,
    onDone: (sending) => {
      replies.onSent(sending.reply);
      // Text or files added since are not sent yet, so keep them.
      if (sending.file) setText((now) => (now === sending.words ? '' : now));
      setFile((now) => (now === sending.file ? null : now));
      setSendAt(undefined);
      setButtons((now) => (now === sending.buttons ? [] : now));
      if (text === '' || sending.file) to.release(sending.chosen);
    },
  });
  useEffect(() => {
    if (replyTo || editing) field.current?.focus();
  }, [replyTo, editing]);

  const note = useNoteDraft(props, { ...draft, hasFile: file !== null, setText: write });
  const isEmpty = (text.trim() === '' && !file) || note.isEmpty;
  const isSame = editing !== undefined && text === editing.text && !isFormatted;
  function submit(): void {
    if (isEmpty || isSame || send.isPending || note.isPending || note.obstacle) return;
    if (note.isMeant) {
      note.save();
      return;
    }
    const chosen = { answered: replyTo, chosen: to.chosen, reply: replies.chosen() };
    const sending = { words: text, isFormatted, entities, buttons, file, sendAt, ...chosen };
    if (isEmptiedBy(sending)) setText('');
    setPreviewed(false);
    send.mutate(sending);
  }
  function write(words: string): void {
    setEntities((now) => keptEntities({ text, entities: now }, words));
    setText(words);
    replies.onText(words);
    if (words.trim() !== '' && bot.manage_enabled && !draft.isHeld && !isNote(words)) tellWriting();
    to.hold();
    renew();
  }
  function toggleFormatting(): void {
    if (entities.length > 0) setText(markdownOf({ text, entities }));
    setEntities([]);
    setFormatted(!isFormatted);
    renew();
  }
  return (
    <form className={css.composer} onSubmit={withoutReload(submit)}>
      {send.error && !isStopped(send.error) ? (
        <ErrorBox error={send.error} hint={isOffline(send.error) ? t.chats.sendKept : undefined} />
      ) : null}
      {note.hint ? <p role="status">{t.people[note.hint]}</p> : null}
      <ComposerAbout {...props} />
      {editing ? null : (
        <TargetChoice
          accounts={props.accounts}
          connection={to.connection}
          fixed={replyTo !== undefined}
          onChoose={(connection) => {
            to.choose(connection);
            renew();
          }}
        />
      )}
      {file ? (
        <ComposerFile
          file={file}
          share={share}
          onRemove={() => (send.isPending ? stopUpload() : setFile(null))}
        />
      ) : null}
      {sendAt === undefined ? null : (
        <ScheduleField
          value={sendAt}
          onChange={(at) => {
            setSendAt(at);
            renew();
          }}
        />
      )}
      {isFormatted ? (
        <Formatting
          field={field}
          text={text}
          setText={write}
          buttons={buttons}
          takesButtons={!file}
          isPreviewed={isPreviewed}
          setPreviewed={setPreviewed}
          onButtons={setButtons}
          renew={renew}
        />
      ) : null}
      <Replies bot={bot} replies={replies} />
      <ComposerField
        ref={field}
        replies={replies.list}
        onKey={replies.onKey}
        {...props}
        account={props.accounts.get(to.connection)}
        text={text}
        onText={write}
        file={file}
        onFile={setFile}
        isFormatted={isFormatted}
        onFormatted={toggleFormatting}
        isLater={sendAt !== undefined}
        onLater={() => {
          setSendAt(sendAt === undefined ? tomorrowMorning() : undefined);
          renew();
        }}
        note={{
          ...note,
          toggle() {
            note.toggle();
            field.current?.focus();
          },
        }}
        isPending={send.isPending || note.isPending}
        onSubmit={submit}
      />
    </form>
  );
}

function Replies(props: Pick<ComposerProps, 'bot'> & { replies: SavedReplies }) {
  const { bot, replies } = props;
  return (
    <>
      {replies.list ? (
        <ReplyList {...replies.list} onManage={() => replies.setManages(true)} />
      ) : null}
      {replies.manages ? (
        <RepliesDialog bot={bot} onClose={() => replies.setManages(false)} />
      ) : null}
    </>
  );
}
type SavedReplies = ReturnType<typeof useSavedReplies>;

/** What belongs to a formatted text: its preview, its buttons and the bar of styles. */
function Formatting(props: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  setText: (text: string) => void;
  buttons: DraftButton[];
  takesButtons: boolean;
  isPreviewed: boolean;
  setPreviewed: (isPreviewed: boolean) => void;
  onButtons: (buttons: DraftButton[]) => void;
  renew: () => void;
}) {
  const { buttons, isPreviewed, onButtons, takesButtons } = props;
  const hasButtons = buttons.length > 0;
  return (
    <>
      {isPreviewed ? <ComposerPreview text={props.text} /> : null}
      {takesButtons && hasButtons ? (
        <ButtonsField
          buttons={buttons}
          onChange={(next) => {
            onButtons(next);
            props.renew();
          }}
        />
      ) : null}
      <FormatBar
        field={props.field}
        setText={props.setText}
        isPreviewed={isPreviewed}
        onPreview={() => props.setPreviewed(!isPreviewed)}
        hasButtons={hasButtons}
        takesButtons={takesButtons}
        onButtons={() => onButtons(hasButtons ? [] : [{ text: '', value: '' }])}
      />
    </>
  );
}
