import type { Static } from 'typebox';
import { reasonText } from '../../../core/reasons/reason.ts';
import type { ImportService, PortionReport, Taken } from '../../../manage/import/import.ts';
import { type Endpoint, post } from '../../endpoint.ts';
import { ImportBody, ImportReport } from './import-schema.ts';

export function importEndpoints({ imports }: { imports: ImportService }): Endpoint[] {
  return [
    post('Operation', '/api/import', {
      audit: { unless: ({ dry_run }) => dry_run === true, unchanged, input: withoutHistory },
      scope: 'admin',
      summary: 'Import from another service',
      description:
        'Adds what is not here yet and changes nothing else, so a repeated import is harmless. Send large histories in portions; the history in a portion is stored in one transaction. `bot-relay import` does this for a database file.',
      body: ImportBody,
      response: ImportReport,
      bodyLimitBytes: 8 * 1024 * 1024,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: async ({ caller, body: { dry_run = false, ...portion } }) =>
        view(await imports.take(caller, portion, { dryRun: dry_run })),
    }),
  ];
}

const history = ['chats', 'people', 'members', 'messages', 'tags', 'pairs'] as const;

/**
 * The audit log keeps the whole body except history: of messages, chats and people, it keeps only
 * the counts.
 */
function withoutHistory(body: Static<typeof ImportBody>) {
  const counts = history.flatMap((kind) =>
    body[kind] ? [[kind, body[kind].length] as const] : [],
  );
  const { chats = [], members = [], messages = [], pairs = [] } = body;
  const botIds = new Set([chats, members, messages, pairs].flat().map(({ bot_id }) => bot_id));
  return {
    ...body,
    ...Object.fromEntries(counts),
    ...(botIds.size === 1 ? { bot_id: [...botIds][0] } : {}),
    ...(botIds.size > 1 ? { bot_ids: [...botIds] } : {}),
  };
}

/** True if the import added nothing new. */
function unchanged(answer: unknown): boolean {
  const report = answer as Static<typeof ImportReport>;
  const taken = [
    ...report.bots,
    ...report.users,
    ...report.routes,
    ...(report.model ? [report.model] : []),
  ];
  return (
    history.every((kind) => report[kind] === 0) &&
    report.enabled.length === 0 &&
    taken.every(({ outcome }) => outcome !== 'added')
  );
}

function view(report: PortionReport): Static<typeof ImportReport> {
  return {
    ...report,
    bots: report.bots.map(viewTaken),
    users: report.users.map(viewTaken),
    routes: report.routes.map(viewTaken),
    model: report.model && viewTaken(report.model),
  };
}

function viewTaken({ problem, ...taken }: Taken) {
  return { ...taken, problem: problem ? reasonText(problem) : '', problem_detail: problem };
}
