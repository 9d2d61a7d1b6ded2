import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { cancelQuestion, openQuestionsQuery, type Question } from '../../../api/questions.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { sendErrorWords } from '../../../shared/error-words.ts';
import css from '../../../shared/scheduled/scheduled.module.css';
import { useAction } from '../../../shared/use-action.ts';
import { useMay } from '../../../shared/use-session.ts';
import { Said } from '../../../ui/feedback/said.tsx';
import { Icon } from '../../../ui/icon.tsx';

/** The questions of the chat that wait for an answer; nothing if there are none. */
export function OpenQuestions(props: { botId: number; chatId: number }) {
  const { questions: words } = useT();
  const rows = useQuery(openQuestionsQuery(props.botId, props.chatId)).data ?? [];
  const [isOpen, setOpen] = useState(false);
  if (rows.length === 0) return null;
  return (
    <section className={css.list} aria-label={words.title}>
      <UnstyledButton className={css.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="press" size={16} />
        {words.count(rows.length)}
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
      </UnstyledButton>
      {isOpen ? rows.map((row) => <QuestionRow key={row.id} row={row} />) : null}
    </section>
  );
}

function QuestionRow({ row }: { row: Question }) {
  const t = useT();
  const { questions: words } = t;
  const format = useFormat();
  const may = useMay('chats', 'send');
  const cancel = useAction({
    run: () => cancelQuestion(row.id),
    refreshes: [['questions', row.bot_id]],
    done: ({ state }) => (state === 'cancelled' ? words.cancelled : words.ended),
  });
  return (
    <div className={css.row}>
      <div className={css.what}>
        <div className={css.when}>{words.expires(format.dateTime(Date.parse(row.expires_at)))}</div>
        <Said who={row.asked_by.name} words={row.text} />
        {row.options.length > 0 ? <div>{row.options.join(' · ')}</div> : null}
        {row.send_state === 'failed' ? (
          <div className={css.error}>
            {sendErrorWords(row.send_error, row.send_error_detail, t)}
          </div>
        ) : null}
      </div>
      {may ? (
        <Tooltip label={words.cancel}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.cancel}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(undefined)}
          >
            <Icon name="cross" />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </div>
  );
}
