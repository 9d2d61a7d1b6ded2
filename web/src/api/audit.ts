import { get, withQuery } from './client/client.ts';

export interface AuditEntry {
  id: number;
  at: string;
  actor: { kind: string; id: number; name: string };
  action: string;
  bot_id: number;
  chat_id: number;
  user_id: number;
  input: unknown;
  before: unknown;
  after: unknown;
  address: string;
  request_id: string;
}

export interface AuditFilter {
  action?: string;
  actor_kind?: string;
  bot_id?: number;
  since?: string;
}

export const auditOf = (
  filter: AuditFilter & { before_id?: number | undefined; limit: number },
  signal?: AbortSignal,
) => get<AuditEntry[]>('/api/adminlog', { ...filter }, signal);

export const auditExport = (filter: AuditFilter, format: 'jsonl' | 'csv') =>
  withQuery('/api/adminlog/export', { ...filter, format });
