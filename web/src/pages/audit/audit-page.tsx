import { Button, Menu, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auditExport, type AuditFilter, auditOf } from '../../api/audit.ts';
import { botName, botsQuery, namesOf } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { PagedList } from '../../shared/paged-list.tsx';
import { useExport } from '../../shared/use-export.ts';
import { AuditDetail, AuditLine } from './audit-line.tsx';
import css from './audit.module.css';

const pageSize = 50;
const dayMs = 86_400_000;

export function AuditPage() {
  const { audit, chats } = useT();
  const bots = useQuery(botsQuery).data ?? [];
  const [action, setAction] = useState('');
  const [kind, setKind] = useState('');
  const [botId, setBotId] = useState('');
  const [days, setDays] = useState('');
  const filter = filterOf({ action, kind, botId, days });
  const nameOf = namesOf(bots);
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
        <PagedList
          queryKey={['audit', filter]}
          pageSize={pageSize}
          read={(before, signal) =>
            auditOf({ ...filter, limit: pageSize, before_id: before }, signal)
          }
          numberOf={(entry) => entry.id}
          leadWidth={20}
          empty={<EmptyState icon="ledger" title={audit.empty} hint={audit.emptyHint} />}
          row={(entry) => <AuditLine entry={entry} nameOf={nameOf} />}
          detail={(entry) => <AuditDetail entry={entry} />}
        />
      </Panel>
    </Page>
  );
}

/** Builds the filter. Days are counted from a whole hour, so that the same choice gives the same query. */
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
    ...(kind === '' ? {} : { actor_kind: kind as AuditFilter['actor_kind'] }),
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
      // In an object, numeric keys would come first, before "all".
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
  const exportIt = useExport();
  const get = (format: 'csv' | 'jsonl') =>
    exportIt({ address: auditExport(props.filter, format), name: `audit.${format}` });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="file" size={16} />}>
          {audit.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => get('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => get('jsonl')}>JSON lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
