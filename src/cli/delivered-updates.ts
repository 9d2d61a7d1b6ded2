import type { Command } from './command.ts';
import type { DeliveredUpdate, Gets } from '../api-types.ts';
import { momentArgument } from './arguments.ts';
import { type Column, formatTime, printResult, printRows } from './output.ts';

export interface UpdateOptions {
  search?: string;
  state?: string;
  since?: number;
  until?: number;
}

const longestText = 40;

/** Adds the options that choose updates. */
export const withUpdateFilter = (command: Command) =>
  command
    .option('--search <words>', 'words of the name or the text, or an ID')
    .option('--state <state>', 'delivered, waiting, retrying, failed or unknown')
    .option('--since <when>', 'received from this time on: 2h, 1d or 2026-01-31', momentArgument)
    .option('--until <when>', 'received before this time', momentArgument);

export const filterOf = ({ search, state, since, until }: UpdateOptions) => ({
  ...(search === undefined ? {} : { q: search }),
  ...(state === undefined ? {} : { state }),
  ...(since === undefined ? {} : { since: new Date(since * 1_000).toISOString() }),
  ...(until === undefined ? {} : { until: new Date(until * 1_000).toISOString() }),
});

/** Adds the command that lists updates with what became of each. */
export function addUpdateCommands(about: (name: string, description: string) => Command): void {
  withUpdateFilter(about('updates', 'list updates with what became of each, newest first')).run(
    async (context, bot: number, options: UpdateOptions & { app?: string }) => {
      type Asked = Gets['/api/deliveries/updates']['query'];
      const query = { bot_id: bot, app: options.app, ...filterOf(options) } as Asked;
      const page = await context.withApi((api) => api.get('/api/deliveries/updates', query));
      if (context.output.json) {
        printResult(context.output, page, '');
        return;
      }
      printRows(context.output, page.updates, columns, 'No updates match.');
      if (page.next > 0) {
        const reached = formatTime(page.reached_at);
        context.output.note(`There are more before ${reached}: narrow it with --until.`);
      }
    },
  );

  about('show', 'show the attempts of one update')
    .argument('<position>', 'position from "deliveries updates"', Number)
    .option('--curl', 'print the last request as a curl command, without secrets')
    .run(
      async (
        context,
        bot: number,
        position: number,
        { app, curl }: { app?: string; curl?: true },
      ) => {
        const query = { bot_id: bot, position, app };
        const update = await context.withApi((api) => api.get('/api/deliveries/update', query));
        const last = update.attempts.at(-1);
        if (curl && last) context.output.line(last.curl);
        else if (context.output.json) printResult(context.output, update, '');
        else printRows(context.output, update.attempts, attemptColumns, 'No attempt is stored.');
      },
    );
}

type Attempt = Gets['/api/deliveries/update']['response']['attempts'][number];

const columns: Column<DeliveredUpdate>[] = [
  { title: 'POSITION', value: (update) => String(update.position) },
  { title: 'TIME', value: (update) => formatTime(update.received_at, true) },
  { title: 'FROM', value: (update) => update.person },
  { title: 'TEXT', value: (update) => (update.text || update.kind).slice(0, longestText) },
  { title: 'STATE', value: (update) => update.state },
  { title: 'ATTEMPTS', value: (update) => String(update.tries) },
  { title: 'RESPONSE', value: (update) => update.error || resultOf(update) },
];

const resultOf = ({ response, status }: DeliveredUpdate) =>
  status === 0 ? '' : `${status} ${response}`.trim();

const attemptColumns: Column<Attempt>[] = [
  { title: 'TIME', value: (attempt) => formatTime(attempt.started_at, true) },
  { title: 'RESPONSE', value: (attempt) => attempt.error || `answered ${attempt.status}` },
  { title: 'DURATION', value: (attempt) => `${attempt.duration_ms} ms` },
  { title: 'BODY', value: (attempt) => attempt.answer.trim().split('\n', 1)[0] ?? '' },
];
