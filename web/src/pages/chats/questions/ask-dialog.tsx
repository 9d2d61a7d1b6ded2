import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { TopicKey } from '../../../api/chats.ts';
import { askQuestion } from '../../../api/questions.ts';
import { useT } from '../../../i18n/use-t.tsx';
import css from '../../../shared/scheduled/scheduled.module.css';
import { useAction } from '../../../shared/use-action.ts';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

/** Asks the people of a chat, with buttons or for a free answer. */
export function AskDialog(props: { chatKey: TopicKey; onClose: () => void }) {
  const { common, questions: words } = useT();
  const [text, setText] = useState('');
  const [lines, setLines] = useState('');
  const options = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ask = useAction({
    run: () => askQuestion({ ...props.chatKey, text, ...(options.length > 0 ? { options } : {}) }),
    refreshes: [['questions', props.chatKey.bot_id]],
    done: () => {
      props.onClose();
      return words.asked;
    },
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
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {common.cancel}
          </Button>
          <Button
            type="submit"
            loading={ask.isPending}
            disabled={text.trim() === '' || options.length === 1}
          >
            {words.send}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
