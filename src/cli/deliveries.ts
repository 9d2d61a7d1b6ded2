import type { Command } from './command.ts';
import type { ApiClient } from '../api.ts';
import type {
  BackendCheck,
  DeadLetter,
  DeliveriesDiscardRequest,
  DeliveryAttempt,
  DeliveryQueues,
  DeliveryQueuesRetryQueue,
} from '../api-types.ts';
import { defaultApp } from '../core/apps/app.ts';
import { reason } from '../core/reasons/reason.ts';
import { RelayError } from '../errors.ts';
import { findApp, nameArgument } from './apps.ts';
import { idArgument } from './arguments.ts';
import { asTyped } from './as-typed.ts';
import { UsageError } from './ask.ts';
import type { CommandContext } from './context.ts';
import { addUpdateCommands } from './delivered-updates.ts';
import { type Column, formatTime, printResult, printRows } from './output.ts';

interface OfApp {
  app?: string;
}

interface ListOptions extends OfApp {
  limit?: number;
}

interface LetterOptions extends OfApp {
  allDead?: true;
}

export function addDeliveryCommands(program: Command): void {
  const deliveries = program.command('deliveries').description('list, retry and replay deliveries');
  /** Adds a command about the backend of a bot, or of one of its apps. */
  const about = (name: string, description: string) =>
    deliveries
      .command(name)
      .description(description)
      .argument('<bot>', 'bot ID', idArgument)
      .option('--app <app>', 'app with a webhook; default: the bot itself', nameArgument);
  addUpdateCommands(about);
  addAttemptCommand(about);
  addQueueCommands(about);
  addLetterCommands(about);

  about('check', 'check whether the backend can be reached')
    .option('--send', 'send a test update, which the backend must accept')
    .addHelpText('after', '\nThe exit code is 1 if the check fails.\n')
    .run(async (context, bot: number, options: OfApp & { send?: true }) => {
      const { app, send: deliver = false } = options;
      const check = await context.withApi(async (api) => {
        await requireBackend(api, bot, app);
        return api.post('/api/bots/check-backend', { query: { id: bot, app, deliver } });
      });
      printResult(context.output, check, `The backend of ${whose(bot, app)} ${resultOf(check)}.`);
      if (check.error !== '') context.fail();
    });
}

type About = (name: string, description: string) => Command;

function addAttemptCommand(about: About): void {
  withLimit(about('list', 'list delivery attempts, newest first'))
    .option('--failed', 'only failed attempts')
    .option('--delivered', 'only successful attempts')
    .run(
      async (context, bot: number, options: ListOptions & { failed?: true; delivered?: true }) => {
        const { app, limit, failed, delivered } = options;
        if (failed && delivered) throw new UsageError('Use --failed or --delivered, not both.');
        const status = failed ? 'failed' : delivered ? 'delivered' : undefined;
        const query = { bot_id: bot, app, limit, status } as const;
        const { rows, hasBackend } = await context.withApi(async (api) => {
          const backends = await api.get('/api/backends', { bot_id: bot });
          const hasBackend = backends.some((backend) => backend.app === (app ?? defaultApp));
          return { rows: await api.get('/api/deliveries', query), hasBackend };
        });
        const which = failed ? 'failed attempts' : delivered ? 'successful attempts' : 'attempts';
        const advice = hasBackend
          ? `Check the backend with "bot-relay deliveries check ${target(bot, app)}".`
          : 'It has no backend.';
        printRows(
          context.output,
          rows,
          attemptColumns,
          `No ${which} yet for ${whose(bot, app)}. ${advice}`,
        );
      },
    );
}

function addQueueCommands(about: About): void {
  about('queues', 'list retry queues: chats that wait after a failed delivery').run(
    async (context, bot: number, { app }: OfApp) => {
      const answer = await context.withApi((api) =>
        api.get('/api/deliveries/queues', { bot_id: bot, app }),
      );
      if (context.output.json) {
        printResult(context.output, answer, '');
        return;
      }
      printRows(
        context.output,
        answer.retry_queues,
        [
          { title: 'QUEUE', value: (one) => one.queue },
          { title: 'WAITING', value: (one) => String(one.waiting) },
          { title: 'ATTEMPTS', value: (one) => String(one.attempts) },
          { title: 'NEXT ATTEMPT', value: (one) => nextAttempt(one, answer) },
          { title: 'LAST ERROR', value: (one) => one.reason },
        ],
        `No retry queues for ${whose(bot, app)}.`,
      );
      if (answer.queues > answer.retry_queues.length) {
        context.output.note(
          `Showing the first ${answer.retry_queues.length} of ${answer.queues} retry queues.`,
        );
      }
      noteTheRest(context, answer, target(bot, app));
    },
  );

  about('retry', 'retry queues now')
    .argument('[queue]', 'queue from "deliveries queues"; default: all')
    .run(async (context, bot: number, queue: string | undefined, { app }: OfApp) => {
      const query = { bot_id: bot, app, queue };
      const { answer, isPaused, isServed } = await context.withApi(async (api, isServed) => {
        const { backend_status } = await api.get('/api/deliveries/queues', { bot_id: bot, app });
        const answer = await api.post('/api/deliveries/retry-now', { query });
        return { answer, isPaused: backend_status === 'paused', isServed };
      });
      const { queues } = answer;
      printResult(
        context.output,
        answer,
        queues === 0
          ? `No retry queues for ${whose(bot, app)}.`
          : `${counted(queues, 'retry queue')} of ${whose(bot, app)} ${queues === 1 ? 'is' : 'are'} due now.`,
      );
      if (queues > 0 && isPaused && !context.output.json) {
        context.output.note(
          'Backend down: one update is tried first, which may be from another chat. The others follow once the backend accepts it.',
        );
      }
      if (queues > 0) noteWhatFollows(context, isServed, target(bot, app));
    });
}

function addLetterCommands(about: About): void {
  withLimit(about('dead', 'list dead letters: updates that failed after all retries')).run(
    async (context, bot: number, { app, limit }: ListOptions) => {
      const query = { bot_id: bot, app, limit };
      const rows = await context.withApi((api) => api.get('/api/deliveries/dead', query));
      printRows(context.output, rows, letterColumns, `No dead letters for ${whose(bot, app)}.`);
    },
  );

  /** Adds a command about dead letters. */
  const aboutLetters = (name: string, description: string) =>
    about(name, description)
      .argument('[id...]', 'dead letter IDs from "deliveries dead"', idsArgument)
      .option('--all-dead', 'all dead letters, in place of IDs');

  aboutLetters('replay', 'deliver dead letters again')
    .addHelpText(
      'after',
      '\nExamples:\n  bot-relay deliveries replay 1 17 18\n  bot-relay deliveries replay 1 --all-dead\n',
    )
    .run(async (context, bot: number, ids: number[], options: LetterOptions) => {
      const { app } = options;
      const body = whichLetters(bot, ids, options);
      const { answer, isServed } = await context.withApi(async (api, isServed) => ({
        answer: await api.post('/api/deliveries/replay', { body }),
        isServed,
      }));
      const { queued } = answer;
      printResult(
        context.output,
        answer,
        queued === 0
          ? `No dead letters to replay for ${whose(bot, app)}.`
          : `Queued ${counted(queued, 'dead letter')} of ${whose(bot, app)} for another delivery.`,
      );
      noteSkipped(context, body.ids, queued, 'not a dead letter here, or already queued');
      if (queued > 0) noteWhatFollows(context, isServed, target(bot, app));
    });

  aboutLetters('discard', 'delete dead letters')
    .option('--yes', 'skip the confirmation')
    .run(async (context, bot: number, ids: number[], options: LetterOptions & { yes?: true }) => {
      const { app } = options;
      const body = whichLetters(bot, ids, options);
      const answer = await context.withApi(async (api) => {
        // This request also fails for an unknown bot or app, before a person is asked.
        const { dead_letters } = await api.get('/api/deliveries/queues', { bot_id: bot, app });
        const count = body.ids ? await countLetters(api, bot, app, body.ids) : dead_letters;
        if (count === 0 && !body.ids) return { discarded: 0 };
        if (count > 0 && !options.yes) {
          const what = `${counted(count, 'dead letter')} of ${whose(bot, app)}`;
          await context.ask.confirm(
            `This deletes ${what}. Confirm with --yes.`,
            `Discard ${what}?`,
          );
        }
        return api.post('/api/deliveries/discard', { body });
      });
      const { discarded } = answer;
      printResult(
        context.output,
        answer,
        discarded === 0
          ? `No dead letters for ${whose(bot, app)}.`
          : `Discarded ${counted(discarded, 'dead letter')} of ${whose(bot, app)}.`,
      );
      noteSkipped(context, body.ids, discarded, 'not a dead letter here');
    });
}

/** Counts how many of these IDs are dead letters here. */
async function countLetters(
  api: ApiClient,
  bot_id: number,
  app: string | undefined,
  ids: readonly number[],
): Promise<number> {
  const found = await Promise.all(
    ids.map((id) => api.get('/api/deliveries/dead', { bot_id, app, before_id: id + 1, limit: 1 })),
  );
  return found.filter(([letter], index) => letter?.id === ids[index]).length;
}

const withLimit = (command: Command) =>
  command.option('--limit <number>', 'how many, at most 200; default 50', idArgument);

const attemptColumns: Column<DeliveryAttempt>[] = [
  { title: 'TIME', value: (attempt) => formatTime(attempt.started_at, true) },
  { title: 'UPDATE', value: (attempt) => String(attempt.update_id) },
  { title: 'QUEUE', value: (attempt) => attempt.queue },
  { title: 'OUTCOME', value: outcomeOf },
  { title: 'RESPONSE', value: (attempt) => attempt.error || `answered ${attempt.status}` },
  { title: 'DURATION', value: (attempt) => `${attempt.duration_ms} ms` },
];

const letterColumns: Column<DeadLetter>[] = [
  { title: 'ID', value: (letter) => String(letter.id) },
  { title: 'SINCE', value: (letter) => formatTime(letter.died_at) },
  { title: 'UPDATE', value: (letter) => String(letter.update_id) },
  { title: 'TYPE', value: (letter) => letter.kind },
  { title: 'QUEUE', value: (letter) => letter.queue },
  { title: 'ATTEMPTS', value: (letter) => String(letter.attempts) },
  { title: 'LAST ERROR', value: (letter) => letter.reason },
  { title: 'STATE', value: (letter) => (letter.replayed_at === '' ? '' : 'replaying') },
];

function outcomeOf({ delivered, replay }: DeliveryAttempt): string {
  return `${delivered ? 'delivered' : 'failed'}${replay ? ' (replay)' : ''}`;
}

/** Names the next attempt as the web UI does. */
function nextAttempt(
  { due, next_attempt_at: at }: DeliveryQueuesRetryQueue,
  { backend_status }: DeliveryQueues,
): string {
  if (due) return backend_status === 'paused' ? 'waiting for the backend' : 'now';
  const seconds = Math.max(1, Math.ceil((Date.parse(at) - Date.now()) / 1_000));
  return seconds <= 120 ? `in ${seconds} s` : formatTime(at);
}

function resultOf({ accepted, duration_ms, error, reachable, status }: BackendCheck): string {
  if (!reachable) return `cannot be reached: ${error}`;
  const answer = `${status} in ${duration_ms} ms`;
  if (accepted === undefined) return `can be reached: answered ${answer}`;
  return accepted
    ? `accepts updates: answered ${answer}`
    : `rejects the test update: ${error} (${duration_ms} ms)`;
}

/** Reports the updates that wait for the backend outside the listed queues. */
function noteTheRest(context: CommandContext, answer: DeliveryQueues, id: string): void {
  const { backend_status, dead_letters, retry_queues, pending_updates } = answer;
  const others = pending_updates - retry_queues.reduce((sum, { waiting }) => sum + waiting, 0);
  const isDown = backend_status === 'paused' ? ', which is down' : '';
  if (others > 0) {
    const verb = others === 1 ? 'waits' : 'wait';
    context.output.note(`${counted(others, 'other update')} ${verb} for the backend${isDown}.`);
  }
  if (dead_letters > 0) {
    const hint = `Dead letters: ${dead_letters}. List them with "bot-relay deliveries dead ${id}".`;
    context.output.note(asTyped(hint, context.output.command));
  }
}

function noteWhatFollows({ output }: CommandContext, isServed: boolean, id: string): void {
  const hint = isServed
    ? `See the result with "bot-relay deliveries list ${id}".`
    : 'No service is running. Start it with "bot-relay start" to deliver.';
  if (!output.json) output.note(asTyped(hint, output.command));
}

function noteSkipped(
  { output }: CommandContext,
  ids: readonly number[] | undefined,
  done: number,
  why: string,
): void {
  const skipped = (ids?.length ?? done) - done;
  if (skipped > 0) output.note(`Skipped ${counted(skipped, 'ID')}: ${why}.`);
}

const idsArgument = (text: string, ids: number[] = []) => [...ids, idArgument(text)];

function whichLetters(
  bot: number,
  ids: readonly number[],
  { allDead, app }: LetterOptions,
): DeliveriesDiscardRequest {
  if (ids.length > 0 === (allDead === true)) {
    throw new UsageError(
      `Set either IDs from "bot-relay deliveries dead ${target(bot, app)}" or --all-dead.`,
    );
  }
  return {
    bot_id: bot,
    ...(app === undefined ? {} : { app }),
    ...(allDead ? { all_dead: true } : { ids: [...new Set(ids)] }),
  };
}

/** Checks this here, because the API's error for an app without a backend names only the bot. */
async function requireBackend(api: ApiClient, bot: number, app = defaultApp): Promise<void> {
  if (app === defaultApp || (await findApp(api, bot, app)).backend_url !== '') return;
  throw new RelayError('conflict', reason('app_without_backend', { bot, app }));
}

const whose = (bot: number, app: string | undefined) =>
  app === undefined ? `bot ${bot}` : `app ${app} of bot ${bot}`;

/** The arguments for another command about the same bot and app. */
const target = (bot: number, app: string | undefined) =>
  app === undefined ? String(bot) : `${bot} --app ${app}`;

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
