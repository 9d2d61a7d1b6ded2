import type { AuditEntry, Gets } from '../../../src/api-types.ts';
import { addressOf, get } from './client/client.ts';

export type { AuditEntry };
export type AuditFilter = Pick<Query, 'action' | 'actor_kind' | 'bot_id' | 'since'>;

type Query = NonNullable<Gets['/api/adminlog']['query']>;

export const auditOf = (
  filter: AuditFilter & { before_id?: number | undefined; limit: number },
  signal?: AbortSignal,
) => get('/api/adminlog', { ...filter }, signal);

export const auditExport = (filter: AuditFilter, format: 'jsonl' | 'csv') =>
  addressOf('/api/adminlog/export', { ...filter, format });
