import { Button, Menu, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auditExport, type AuditFilter, auditOf } from '../../api/audit.ts';
import { botName, botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { AuditLine } from './audit-line.tsx';
import css from './audit.module.css';

const pageSize = 50;
const dayMs = 86_400_000;

export function AuditPage() {
  const { audit, chats, common } = useT();
  const bots = useQuery(botsQuery).data ?? [];
  const [action, setAction] = useState('');
  const [kind, setKind] = useState('');
  const [botId, setBotId] = useState('');
  const [days, setDays] = useState('');
  const [opened, setOpened] = useState(0);
  const filter = filterOf({ action, kind, botId, days });
  const query = useInfiniteQuery({
    queryKey: ['audit', filter],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      auditOf(
        {
          ...filter,
          limit: pageSize,
          ...(pageParam === undefined ? {} : { before_id: pageParam }),
        },
        signal,
      ),
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
  });
  const entries = query.data?.pages.flat() ?? [];
  const nameOf = (id: number) => {
    const bot = bots.find((one) => one.id === id);
    return bot ? botName(bot) : `#${id}`;
  };
  return (
    <Page title={audit.title} lead={audit.lead} actions={<Export filter={filter} />}>
      <div className={css.filters}>
        <Choice label={audit.group} words={audit.groups} value={action} onChange={setAction} />
        <Choice label={audit.by} words={audit.kinds} value={kind} onChange={setKind} />
        <Choice
          label={chats.bot}
          words={{
            '': chats.allBots,
            ...Object.fromEntries(bots.map((bot) => [String(bot.id), botName(bot)])),
          }}
          value={botId}
          onChange={setBotId}
        />
        <Choice label={audit.since} words={audit.spans} value={days} onChange={setDays} />
      </div>
      <Panel flush>
        {query.isPending ? <RowsSkeleton rows={6} /> : null}
        {query.isError ? (
          <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
        {query.isSuccess && entries.length === 0 ? (
          <EmptyState icon="ledger" title={audit.empty} hint={audit.emptyHint} />
        ) : null}
        <ul className={css.rows}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <AuditLine
                entry={entry}
                nameOf={nameOf}
                opened={opened === entry.id}
                onToggle={() => setOpened(opened === entry.id ? 0 : entry.id)}
              />
            </li>
          ))}
        </ul>
        {query.hasNextPage ? (
          <div className={css.foot}>
            <Button
              variant="default"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {common.loadMore}
            </Button>
          </div>
        ) : null}
      </Panel>
    </Page>
  );
}

/** Days are counted from a whole hour, so that the same choice asks the same question. */
function filterOf(given: {
  action: string;
  kind: string;
  botId: string;
  days: string;
}): AuditFilter {
  const { action, botId, days, kind } = given;
  const now = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
  return {
    ...(action === '' ? {} : { action }),
    ...(kind === '' ? {} : { actor_kind: kind }),
    ...(botId === '' ? {} : { bot_id: Number(botId) }),
    ...(days === '' ? {} : { since: new Date(now - Number(days) * dayMs).toISOString() }),
  };
}

function Choice(props: {
  label: string;
  words: Record<string, string>;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Select
      label={props.label}
      allowDeselect={false}
      // Numbers would come first in an object, before what means all.
      data={Object.entries(props.words)
        .toSorted(([left], [right]) => Number(left !== '') - Number(right !== ''))
        .map(([value, label]) => ({ value, label }))}
      value={props.value}
      onChange={(value) => props.onChange(value ?? '')}
    />
  );
}

function Export(props: { filter: AuditFilter }) {
  const { audit } = useT();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="file" size={16} />}>
          {audit.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={auditExport(props.filter, 'csv')}>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={auditExport(props.filter, 'jsonl')}>
          JSON lines
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
