import type { AppMode, AppRecord } from '../../core/apps/app.ts';
import type { AppFilter } from '../../core/apps/app-filter.ts';

/** A row of `apps`, as the queries read it. */
export interface AppRow {
  id: number;
  bot_id: number;
  name: string;
  has_token: number;
  mode: string;
  backend_url: string;
  secret_sealed: string;
  filter: string;
  exclusive: number;
  priority: number;
  own_replies: number;
  methods: string;
  disabled: number;
  created_at: number;
  updated_at: number;
}

export const appColumns = `id, bot_id, name, case when token_hash is null then 0 else 1 end as has_token,
  mode, backend_url, secret_sealed, filter, exclusive, priority, own_replies, methods, disabled,
  created_at, updated_at`;

/** Leaves out the sealed columns. */
export function appFromRow(row: AppRow): Omit<AppRecord, 'backend_url' | 'secret_token'> {
  return {
    id: row.id,
    bot_id: row.bot_id,
    name: row.name,
    hasToken: row.has_token === 1,
    mode: row.mode as AppMode,
    ...readFilter(row.filter),
    exclusive: row.exclusive === 1,
    priority: row.priority,
    own_replies: row.own_replies === 1,
    methods: JSON.parse(row.methods) as string[],
    disabled: row.disabled === 1,
    created_at: row.created_at,
    updated_at: row.updated_at,
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
