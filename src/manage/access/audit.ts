import type { Clock } from '../../clock.ts';
import { type Caller, callerName, localCaller, requireBot } from '../../core/access/access.ts';
import type { Logger } from '../../logger.ts';
import type { AuditFilter, AuditRecord } from '../../store/access/audit.ts';
import type { Store } from '../../store/store.ts';
import type { StateReader } from './audit-subjects.ts';
import { maskSecrets } from './mask-secrets.ts';

/** How a change is recorded. A change that only adds something has no state before it. */
export interface AuditRule {
  before?: StateReader;
  /** The resource that `id` identifies, in the request and in the response. */
  subject?: 'bot';
  /** If set, the change removes its subject, and the response is the state before. */
  removes?: true;
  /** Returns true for a dry run, which is not recorded. */
  unless?(body: Record<string, unknown>): boolean;
  /** Returns true if the response says that nothing changed. */
  unchanged?(answer: unknown): boolean;
  /** Selects the parts of the request to record; if missing, all of it is recorded. */
  input?(body: Record<string, unknown>): Record<string, unknown>;
  /** `false` if the change is recorded elsewhere too, so that its response need not wait. */
  waits?: false;
}

export interface ChangeRequest {
  caller: Pick<Caller, 'kind' | 'id' | 'name' | 'client' | 'address'>;
  /** The name of the action, such as bots.update. */
  action: string;
  rule: AuditRule;
  /** The validated input. */
  input: { query: Record<string, unknown>; body: Record<string, unknown> };
  requestId: string;
}

interface AuditedChange extends ChangeRequest {
  before: unknown;
  after: unknown;
}

export type AuditQuery = Omit<AuditFilter, 'botIds'> & { botId?: number };

/**
 * The log of all changes and their authors. It is written in one place for all endpoints, and
 * entries never change.
 */
export interface AuditLog {
  /**
   * Does the work and then records who changed what. If recording fails, the change is not undone;
   * the failure is logged.
   */
  around<T>(request: ChangeRequest, work: () => Promise<T>): Promise<T>;
  /** Records a change without a request: a setting at start, a command on the data itself. */
  note(
    actorName: string,
    change: { action: string; before?: unknown; after?: unknown },
  ): Promise<void>;
  /** Newest first; a caller limited to bots sees changes of those bots. */
  list(caller: Caller, query: AuditQuery): Promise<AuditRecord[]>;
  pages(caller: Caller, query: AuditQuery): AsyncGenerator<AuditRecord[]>;
  /** Resolves when everything up to the call is written. */
  flush(): Promise<void>;
}

const maxJsonLength = 16_000;
const exportedAtOnce = 500;

export function createAuditLog(options: { store: Store; clock: Clock; logger: Logger }): AuditLog {
  const { store, clock, logger } = options;
  const writing = new Set<Promise<void>>();

  async function write(change: AuditedChange): Promise<void> {
    const { caller, input, rule, action, requestId } = change;
    const body = rule.input?.(input.body) ?? input.body;
    const fields: Record<string, unknown> = { ...input.query, ...body };
    const made = (change.after ?? change.before ?? {}) as Record<string, unknown>;
    try {
      await store.audit.add({
        at: clock.now(),
        actor_kind: caller.kind,
        actor_id: caller.id,
        actor_name: callerName(caller),
        action,
        bot_id: botOf(rule, fields, made),
        chat_id: idOf(fields['chat_id']) || idOf(made['chat_id']),
        user_id: idOf(fields['user_id']),
        input: asJson(fields),
        before: asJson(change.before),
        after: asJson(change.after),
        address: caller.address,
        request_id: requestId,
      });
    } catch (error) {
      logger.error(
        { err: error, action, actor: `${caller.kind} ${caller.id}`, request_id: requestId },
        'change missing in the audit log',
      );
    }
  }

  function record(change: AuditedChange): Promise<void> {
    const written = write(change).finally(() => writing.delete(written));
    writing.add(written);
    return written;
  }

  async function stateBefore({ action, rule, input }: ChangeRequest): Promise<unknown> {
    try {
      return await rule.before?.(store, { ...input.query, ...input.body });
    } catch (error) {
      logger.error({ err: error, action }, 'reading the state before a change failed');
      return undefined;
    }
  }

  const flush = async () => void (await Promise.all(writing));

  /** Returns the filter for a caller; throws 403 for a bot that the caller may not use. */
  function filterOf(caller: Caller, { botId, ...filter }: AuditQuery): AuditFilter {
    if (botId === undefined) return { ...filter, botIds: caller.botIds };
    requireBot(caller, botId);
    return { ...filter, botIds: [botId] };
  }

  async function* pagesOf(filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    await flush();
    for (let next = { ...filter, limit: exportedAtOnce }; ; ) {
      const records = await store.audit.list(next);
      if (records.length > 0) yield records;
      const last = records.at(-1);
      if (!last || records.length < exportedAtOnce) return;
      next = { ...next, beforeId: last.id };
    }
  }

  return {
    async around({ rule, ...request }, work) {
      if (rule.unless?.(request.input.body)) return work();
      const before = await stateBefore({ rule, ...request });
      const answer = await work();
      if (rule.unchanged?.(answer)) return answer;
      // The response of a deletion is the state before it.
      const change = rule.removes
        ? { before: before ?? answer, after: undefined }
        : { before, after: answer };
      const written = record({ ...request, rule, ...change });
      if (rule.waits !== false) await written;
      return answer;
    },
    note: (actorName, { action, before, after }) =>
      record({
        caller: { ...localCaller, name: actorName },
        action,
        rule: {},
        input: { query: {}, body: {} },
        requestId: '',
        before,
        after,
      }),
    flush,
    async list(caller, query) {
      const filter = filterOf(caller, query);
      await flush();
      return store.audit.list(filter);
    },
    pages: (caller, query) => pagesOf(filterOf(caller, query)),
  };
}

function botOf(
  { subject }: AuditRule,
  fields: Record<string, unknown>,
  made: Record<string, unknown>,
): number {
  const named = subject === 'bot' ? idOf(fields['id']) || idOf(made['id']) : 0;
  return (
    named ||
    idOf(fields['bot_id']) ||
    idOf(fields['source_bot_id']) ||
    idOf(made['bot_id']) ||
    idOf(made['source_bot_id'])
  );
}

function idOf(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

/** Returns JSON; '' for no value. */
function asJson(value: unknown): string {
  if (value === undefined || value === null || Buffer.isBuffer(value)) return '';
  const text = JSON.stringify(maskSecrets(value)) ?? '';
  if (text === '{}') return '';
  if (text.length <= maxJsonLength) return text;
  return JSON.stringify({ cut: true, beginning: text.slice(0, maxJsonLength).toWellFormed() });
}
