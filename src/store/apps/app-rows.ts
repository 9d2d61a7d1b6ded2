import type { Vault } from '../../core/access/vault.ts';
import type { AppFormat, AppMode, AppRecord, AppSettings } from '../../core/apps/app.ts';
import type { AppFilter } from '../../core/apps/app-filter.ts';
import type { PacingValue } from '../../core/apps/pacing.ts';
import { createSealedCache } from '../access/sealed-cache.ts';
import type { Step } from '../engine.ts';
import { updateRow } from '../sql/write-row.ts';

/** A row of `apps`, as the queries read it. */
export interface AppRow {
  id: number;
  bot_id: number;
  name: string;
  has_token: number;
  mode: AppMode;
  backend_url: string;
  secret_sealed: string;
  filter: string;
  exclusive: number;
  priority: number;
  own_replies: number;
  keep_pending: number;
  urgent: string;
  per_topic: number;
  pacing: PacingValue;
  patience: number;
  format: AppFormat;
  methods: string;
  disabled: number;
  created_at: number;
  updated_at: number;
}

export const appColumns = `id, bot_id, name, case when token_hash is null then 0 else 1 end as has_token,
  mode, backend_url, secret_sealed, filter, exclusive, priority, own_replies, keep_pending, per_topic,
  urgent, pacing, patience, format, methods, disabled,
  created_at, updated_at`;

/** Leaves out the sealed columns. */
export function appFromRow(row: AppRow): Omit<AppRecord, 'backend_url' | 'secret_token'> {
  const { backend_url: _, secret_sealed: __, has_token, filter, ...stored } = row;
  return {
    ...stored,
    ...readFilter(filter),
    hasToken: has_token === 1,
    exclusive: row.exclusive === 1,
    own_replies: row.own_replies === 1,
    keep_pending: row.keep_pending === 1,
    urgent: JSON.parse(row.urgent) as string[],
    per_topic: row.per_topic === 1,
    methods: JSON.parse(row.methods) as string[],
    disabled: row.disabled === 1,
  };
}

type Filter = Pick<AppRecord, 'filter' | 'formerChats'>;

/**
 * The former IDs of chats are stored with a filter, because updates from before a move have them.
 */
export function readFilter(stored: string): Filter {
  const { former_chats: formerChats, ...filter } = JSON.parse(stored) as AppFilter & {
    former_chats?: NonNullable<Filter['formerChats']>;
  };
  return { filter, ...(formerChats ? { formerChats } : {}) };
}

/** Drops former IDs of chats that are no longer in the filter. */
export function storedFilter({ filter, formerChats = [] }: Filter): string {
  const kept = formerChats.filter(([, chatId]) => filter.chat_ids?.includes(chatId));
  return JSON.stringify(kept.length === 0 ? filter : { ...filter, former_chats: kept });
}

/** Reads and writes apps with their sealed columns. */
export interface AppCodec {
  toRecord(row: AppRow): AppRecord;
  write(
    id: number,
    settings: AppSettings & Pick<AppRecord, 'formerChats'>,
    nowMs: number,
  ): Step<AppRow>;
}

export function createAppCodec(vault: Vault): AppCodec {
  const opened = createSealedCache(vault);
  const addressContext = (id: number) => `apps:${id}:backend_url`;
  const secretContext = (id: number) => `apps:${id}:secret`;

  return {
    toRecord: (row) =>
      Object.freeze({
        ...appFromRow(row),
        backend_url: opened.open(row.backend_url, addressContext(row.id)),
        secret_token: opened.open(row.secret_sealed, secretContext(row.id)),
      }),
    *write(id, settings, nowMs) {
      const columns = {
        mode: settings.mode,
        backend_url: vault.seal(settings.backend_url, addressContext(id)),
        secret_sealed: vault.seal(settings.secret_token, secretContext(id)),
        filter: storedFilter(settings),
        exclusive: settings.exclusive ? 1 : 0,
        priority: settings.priority,
        own_replies: settings.own_replies ? 1 : 0,
        keep_pending: settings.keep_pending ? 1 : 0,
        urgent: JSON.stringify(settings.urgent),
        per_topic: settings.per_topic ? 1 : 0,
        pacing: settings.pacing,
        patience: settings.patience,
        format: settings.format,
        methods: JSON.stringify(settings.methods),
        updated_at: nowMs,
      };
      const row = yield* updateRow<AppRow>('apps', id, columns, appColumns);
      return row as AppRow;
    },
  };
}
