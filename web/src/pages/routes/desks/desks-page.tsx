import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { botName, botsQuery } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { checkDesk, type Desk, deleteDesk, desksQuery } from '../../../api/desks.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useMay, useMayAddBots } from '../../../shared/use-session.ts';
import { useChatNames } from '../../../shared/use-chat-names.ts';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import { lazyDialog } from '../../../ui/feedback/lazy-dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { Page, Panel } from '../../../ui/page.tsx';
import { State } from '../../../ui/state.tsx';
import { showInMiddle } from '../../../ui/show-in-middle.ts';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { problemWords } from './problem-words.ts';

const DeskEditor = lazyDialog(async () => (await import('./desk-editor.tsx')).DeskEditor);

/** Support desks: the forums in which teams answer the customers of bots. */
export function DesksPage() {
  const t = useT();
  const { desks: words } = t;
  const may = useMay('bots', 'manage');
  const mayAddBots = useMayAddBots();
  const bots = useQuery(botsQuery);
  const query = useQuery(desksQuery);
  const [isAdding, setAdding] = useState(false);
  const taken = new Set(query.data?.flatMap((desk) => desk.bot_ids));
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  const hasDesks = Boolean(query.data?.length);
  return (
    <Page title={words.title} lead={words.hint} actions={may && hasDesks ? add : null}>
      <Loaded query={bots} skeleton={<RowsSkeleton rows={2} height={90} />}>
        {(known) => (
          <Loaded query={query} skeleton={<RowsSkeleton rows={2} height={90} />}>
            {(desks) => (
              <Panel>
                {desks.map((desk) => (
                  <DeskRow key={desk.id} desk={desk} taken={taken} bots={known} may={may} />
                ))}
                {hasDesks ? null : (
                  <EmptyState icon="group" title={words.none} hint={words.noneHint}>
                    {known.length > 0 ? may && add : null}
                    {known.length === 0 && mayAddBots ? (
                      <LinkButton to="/bots">{t.nav.bots}</LinkButton>
                    ) : null}
                  </EmptyState>
                )}
              </Panel>
            )}
          </Loaded>
        )}
      </Loaded>
      <DeskEditor
        bots={bots.data ?? []}
        taken={taken}
        opened={isAdding}
        onClose={() => setAdding(false)}
      />
    </Page>
  );
}

function DeskRow(props: { desk: Desk; bots: Bot[]; taken: ReadonlySet<number>; may: boolean }) {
  const { desk, bots, may, taken } = props;
  const isAsked = useSearch({ from: '/frame/desks' }).desk === desk.id;
  const { desks: words, common, reasons } = useT();
  const [isAsking, setAsking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const format = useFormat();
  const titleOf = useChatNames([desk.desk_bot_id]);
  const nameOf = (id: number) => {
    const bot = bots.find((one) => one.id === id);
    return bot ? botName(bot) : String(id);
  };
  const refreshes = [desksQuery.queryKey];
  const check = useAction({
    run: checkDesk,
    refreshes,
    done: ({ problems }) =>
      problems.map((one) => problemWords(one, reasons)).join(' ') || words.checked,
  });
  const remove = useAction({
    run: deleteDesk,
    refreshes,
    done: () => {
      setAsking(false);
      return words.deleted;
    },
  });
  return (
    <Group
      justify="space-between"
      mt="xs"
      ref={isAsked ? showInMiddle : null}
      data-asked={isAsked || undefined}
    >
      <div>
        <Text fw={600}>{desk.name}</Text>
        <Text size="sm" c="dimmed">
          {words.serves(desk.bot_ids.map(nameOf).join(', '))}
          {' · '}
          {words.inForum(titleOf(desk.chat_id) ?? String(desk.chat_id), nameOf(desk.desk_bot_id))}
        </Text>
        <DeskState desk={desk} />
        {desk.rating_count === 0 ? null : (
          <Text size="sm" c="dimmed">
            {words.rated(format.number(desk.rating_average), desk.rating_count)}
          </Text>
        )}
      </div>
      {may ? (
        <Group gap="xs">
          <Button variant="default" loading={check.isPending} onClick={() => check.mutate(desk)}>
            {words.check}
          </Button>
          <Button variant="default" onClick={() => setEditing(true)}>
            {common.edit}
          </Button>
          <Button variant="default" onClick={() => setAsking(true)}>
            {common.delete}
          </Button>
        </Group>
      ) : null}
      <DeskEditor
        bots={bots}
        taken={taken}
        desk={desk}
        opened={isEditing}
        onClose={() => setEditing(false)}
      />
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate(desk)}
        title={words.delete}
        confirmLabel={words.delete}
        busy={remove.isPending}
      >
        {words.deleteText}
      </Confirm>
    </Group>
  );
}

/** "Works" is said of the time of the last check only. */
function DeskState({ desk }: { desk: Desk }) {
  const { desks: words, reasons } = useT();
  const { checked_at: at, problem, problems, waiting_customers: waiting } = desk;
  if (problem !== '') {
    return <State tone="bad">{`${words.waiting(waiting)}: ${problemWords(desk, reasons)}`}</State>;
  }
  if (problems.length > 0) {
    return <State tone="bad">{problems.map((one) => problemWords(one, reasons)).join(' ')}</State>;
  }
  if (at === '') return <State tone="idle">{words.unchecked}</State>;
  return (
    <State tone="ok">
      {words.works} · {words.lastCheck} <TimeAgo at={at} />
    </State>
  );
}
