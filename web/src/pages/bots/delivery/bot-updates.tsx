import { Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { App } from '../../../api/apps.ts';
import { refreshOn } from '../../../api/client/refresh-on.ts';
import type { Bot } from '../../../api/client/types.ts';
import {
  type DeliveredUpdate,
  attemptsPerPage,
  type UpdateFilter,
  updatesOf,
} from '../../../api/deliveries.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { PagedList } from '../../../shared/paged-list.tsx';
import { useMay } from '../../../shared/use-session.ts';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { Panel } from '../../../ui/page.tsx';
import rows from '../../../ui/rows.module.css';
import { State, type Tone } from '../../../ui/state.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import css from './delivery.module.css';
import { ReplayMatching } from './replay-matching.tsx';
import { UpdateDetail } from './update-detail.tsx';
import { useQueueName } from './use-queue-name.ts';

interface Fields {
  q: string;
  state: string;
  /** Days in the form of the field; '' for none. */
  from: string;
  until: string;
  order: string;
}

const typingMs = 250;
const nothing: Fields = { q: '', state: '', from: '', until: '', order: 'newest' };

/** Every update for the backend, once, with its state and its attempts. */
export function BotUpdates(props: { bot: Bot; app: string; apps: readonly App[] }) {
  const { app, bot } = props;
  const { deliveries } = useT();
  const format = useFormat();
  const may = useMay('bots', 'manage');
  const [fields, setFields] = useState(nothing);
  const [settled] = useDebouncedValue(fields, typingMs);
  const { order } = settled;
  const filter = filterOf(settled);
  const isFiltered = Object.keys(filter).length > 0;
  const reached = order === 'oldest' ? deliveries.reachedAhead : deliveries.reached;
  return (
    <Panel
      flush
      title={deliveries.updates}
      hint={deliveries.updatesHint}
      actions={may && isFiltered ? <ReplayMatching bot={bot} app={app} filter={filter} /> : null}
    >
      <Filters fields={fields} onChange={(some) => setFields({ ...fields, ...some })} />
      <PagedList
        queryKey={['deliveries', bot.id, 'updates', app, settled]}
        meta={refreshOn(['delivery', 'received'], bot.id)}
        isSearch={isFiltered}
        pageSize={attemptsPerPage}
        read={async (cursor, signal) => {
          const page = await updatesOf(bot.id, app, { ...filter, order, cursor }, signal);
          const { next, reached_at, updates } = page;
          const isPartial = next > 0 && updates.length < attemptsPerPage;
          return {
            items: updates,
            next,
            ...(isPartial ? { reached: reached(format.dateTime(reached_at)) } : {}),
          };
        }}
        numberOf={(update) => update.position}
        empty={
          <EmptyState
            icon="send"
            title={isFiltered ? deliveries.noMatch : deliveries.noUpdates}
            hint={isFiltered ? deliveries.noMatchHint : deliveries.noUpdatesHint}
          />
        }
        row={(update) => <UpdateLine update={update} botId={bot.id} />}
        detail={(update) => <UpdateDetail update={update} bot={bot} app={app} apps={props.apps} />}
      />
    </Panel>
  );
}

function filterOf({ q, state, from, until }: Fields): UpdateFilter {
  const startOf = (day: string, more = 0) => {
    const at = new Date(`${day}T00:00`);
    at.setDate(at.getDate() + more);
    return at.toISOString();
  };
  return {
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(state === '' ? {} : { state }),
    ...(from === '' ? {} : { since: startOf(from) }),
    // The last day is meant as a whole.
    ...(until === '' ? {} : { until: startOf(until, 1) }),
  };
}

function Filters(props: { fields: Fields; onChange: (some: Partial<Fields>) => void }) {
  const { fields, onChange } = props;
  const { deliveries } = useT();
  const choice = { size: 'xs', allowDeselect: false } as const;
  const labels = { '': deliveries.allStates, ...deliveries.states };
  return (
    <div className={css.filters}>
      <SearchField
        size="xs"
        label={deliveries.search}
        value={fields.q}
        onChange={(q) => onChange({ q })}
      />
      <Select
        {...choice}
        aria-label={deliveries.state}
        data={Object.entries(labels).map(([value, label]) => ({ value, label }))}
        value={fields.state}
        onChange={(state) => onChange({ state: state ?? '' })}
      />
      {(['from', 'until'] as const).map((name) => (
        <TextInput
          key={name}
          size="xs"
          type="date"
          aria-label={deliveries[name]}
          title={deliveries[name]}
          value={fields[name]}
          onChange={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      ))}
      <Select
        {...choice}
        aria-label={deliveries.order}
        data={Object.entries(deliveries.orders).map(([value, label]) => ({ value, label }))}
        value={fields.order}
        onChange={(order) => onChange({ order: order ?? 'newest' })}
      />
    </div>
  );
}

const tones: Record<DeliveredUpdate['state'], Tone> = {
  delivered: 'ok',
  waiting: 'idle',
  retrying: 'warn',
  failed: 'bad',
  unknown: 'idle',
};

export function UpdateLine(props: { update: DeliveredUpdate; botId: number }) {
  const { update } = props;
  const { deliveries, reasons } = useT();
  const queueName = useQueueName(props.botId);
  const { error, error_detail, response, state, status, text, tries } = update;
  // The status is already shown.
  const isTold = error === '' || error_detail?.code === 'backend_answered';
  const last = isTold
    ? [status > 0 ? String(status) : '', response].filter(Boolean).join(' ')
    : reasonWords(error, error_detail, reasons);
  return (
    <>
      <State tone={tones[state]}>{deliveries.states[state]}</State>
      <span className={rows.main}>
        <strong>
          <bdi>{update.person || queueName(update.queue)}</bdi>
        </strong>
        <span className={css.words}>
          {' '}
          <bdi>{text || update.kind}</bdi>
        </span>
        <span className={css.result}>
          {tries > 0 ? deliveries.tries(tries) : deliveries.noAttemptYet}
          {last === '' ? null : (
            <>
              {' · '}
              <bdi>{last}</bdi>
            </>
          )}
        </span>
      </span>
      <span className={rows.sub}>
        <TimeAgo at={update.received_at} />
      </span>
    </>
  );
}
