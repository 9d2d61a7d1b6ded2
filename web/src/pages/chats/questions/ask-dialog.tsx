import { Textarea } from '@mantine/core';
import { useState } from 'react';
import type { TopicKey } from '../../../api/chats.ts';
import { askQuestion } from '../../../api/questions.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import css from '../../../shared/scheduled/scheduled.module.css';
import { useAction } from '../../../shared/use-action.ts';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';
import { askedMore, AskMoreFields, type MoreDraft, nothingMore } from './ask-more-fields.tsx';

/** Asks the people of a chat, with buttons or for a free answer. */
export function AskDialog(props: { chatKey: TopicKey; onClose: () => void }) {
  const { questions: words } = useT();
  const [text, setText] = useState('');
  const [lines, setLines] = useState('');
  const [more, setMore] = useState<MoreDraft>(nothingMore);
  const options = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ask = useAction({
    run: () =>
      askQuestion({
        ...props.chatKey,
        text,
        ...(options.length > 0 ? { options } : {}),
        ...askedMore(more),
      }),
    refreshes: [['questions', props.chatKey.bot_id]],
    done: () => {
      props.onClose();
      return words.asked;
    },
    quiet: true,
  });
  return (
    <Dialog opened onClose={props.onClose} title={words.ask}>
      <form onSubmit={withoutReload(() => ask.mutate(undefined))} className={css.form}>
        <Textarea
          label={words.text}
          autosize
          maxRows={8}
          maxLength={4_096}
          value={text}
          data-autofocus
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Textarea
          label={words.options}
          description={words.optionsHint}
          autosize
          minRows={2}
          maxRows={10}
          value={lines}
          onChange={(event) => setLines(event.currentTarget.value)}
        />
        <AskMoreFields
          botId={props.chatKey.bot_id}
          draft={more}
          onChange={(part) => setMore((before) => ({ ...before, ...part }))}
        />
        <FormEnd
          submit={words.send}
          error={ask.error}
          busy={ask.isPending}
          disabled={text.trim() === '' || options.length === 1}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
