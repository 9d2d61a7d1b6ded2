import { type Reason, reason } from '../core/reasons/reason.ts';
import { InvalidArgumentError } from 'commander';
import type { Command } from './command.ts';
import { RelayError } from '../errors.ts';
import {
  allReaderKinds,
  publicName,
  type ReaderKind,
  readerKind,
  readerKinds,
  readerName,
  readerOf,
  storedName,
} from '../core/log/reader-kinds.ts';
import { defaultApp } from '../core/apps/app.ts';
import type { ApiClient } from '../api.ts';
import type { Reader } from '../api-types.ts';
import { idArgument, momentArgument, positionArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { formatTime, printResult, printRows } from './output.ts';
import { inWords } from './words.ts';

interface RewindOptions {
  position?: number;
  since?: number;
  start?: true;
  end?: true;
}

export function addReaderCommands(program: Command): void {
  const readers = program
    .command('readers')
    .description('list, rewind and remove readers of a bot');

  readers
    .command('list')
    .description('list readers with their positions')
    .argument('<bot>', 'bot ID', idArgument)
    .run(async (context, bot: number) => {
      const answer = await context.withApi((api) => api.get('/api/bots/readers', { bot_id: bot }));
      if (context.output.json) {
        printResult(context.output, answer, '');
        return;
      }
      printRows(
        context.output,
        answer.readers,
        [
          { title: 'READER', value: (one) => one.reader },
          { title: 'POSITION', value: (one) => `${one.position} of ${answer.log_end}` },
          { title: 'BEHIND', value: (one) => String(one.behind) },
          { title: 'OLDEST', value: (one) => ageOf(one) },
          { title: 'DROPPED', value: (one) => String(one.dropped) },
          { title: 'LAST MOVED', value: (one) => formatTime(one.last_moved_at) },
          { title: 'STATE', value: stateOf },
        ],
        `Bot ${bot} has no readers yet. Turn on forwarding (--proxy on) or getUpdates (--long-poll on) with "bot-relay bots update ${bot}".`,
      );
    });

  readers
    .command('rewind')
    .description('move a reader back to read again, or forward to skip')
    .argument('<bot>', 'bot ID', idArgument)
    .argument('<reader>', `${allReaderKinds.join(', ')}, or an app name`, readerOrApp)
    .option('--position <number>', 'continue after this position', positionArgument)
    .option(
      '--since <when>',
      'continue from this time, such as 2h, 1d or 2026-01-31',
      momentArgument,
    )
    .option('--start', 'start of the log')
    .option('--end', 'end of the log: new updates only')
    .addHelpText('after', '\nExample:\n  bot-relay readers rewind 1 pull:analytics --since 2h\n')
    .run(async (context, bot: number, given: string, options: RewindOptions) => {
      const where = whereTo(options);
      const { answer, in_retry, reader } = await context.withApi(async (api) => {
        const named = await readerFor(api, bot, given);
        const body = { bot_id: bot, reader: named, ...where };
        const moved = await api.post('/api/bots/readers/rewind', { body });
        const { readers: all } = await api.get('/api/bots/readers', { bot_id: bot });
        const waiting = all.find((one) => one.reader === named)?.in_retry ?? 0;
        return { answer: moved, in_retry: waiting, reader: named };
      });
      const { position, previous_position, skipped, read_again } = answer;
      const effect =
        skipped > 0 ? `skips ${updates(skipped)}` : `reads ${updates(read_again)} again`;
      printResult(
        context.output,
        answer,
        position === previous_position && read_again === 0
          ? `${reader} of bot ${bot} is already at position ${position}.`
          : `Moved ${reader} of bot ${bot} to position ${position}: it ${effect}.`,
      );
      // They are before the new position, and are still sent.
      if (in_retry > 0 && read_again === 0) {
        context.output.note(
          `${updates(in_retry)} still ${in_retry === 1 ? 'waits' : 'wait'} in retry queues. Rewinding does not skip ${in_retry === 1 ? 'it' : 'them'}.`,
        );
      }
    });

  readers
    .command('remove')
    .description('remove an app without a token, and its position')
    .argument('<bot>', 'bot ID', idArgument)
    .argument('<consumer>', 'consumer name from "readers list"', readerArgument)
    .option('--yes', 'skip the confirmation')
    .run(async (context, bot: number, reader: string, options: { yes?: true }) => {
      const consumer = consumerOf(reader);
      const answer = await context.withApi(async (api) => {
        await requireReader(api, bot, reader);
        if (!options.yes) {
          await context.ask.confirm(
            `This removes the app ${consumer} with its position. Confirm with --yes.`,
            `Remove consumer ${consumer} of bot ${bot}?`,
          );
        }
        return api.post('/api/bots/readers/remove', { query: { bot_id: bot, consumer } });
      });
      printResult(context.output, answer, `Removed consumer ${consumer} of bot ${bot}.`);
    });
}

/** Accepts a consumer's name and its reader name; returns the reader name. */
function readerArgument(text: string): string {
  const reader = storedName(text) ?? readerOf('pull', text);
  const isKind = allReaderKinds.some((kind) => kind === text);
  if (isKind || /^[A-Za-z0-9_.-]{1,64}$/.test(readerName(reader))) return publicName(reader);
  throw new InvalidArgumentError(
    `use ${allReaderKinds.join(', ')}, or a name of at most 64 letters, digits, dots, _ and -.`,
  );
}

/** Checks the name and returns it as given: which reader an app has depends on its mode. */
function readerOrApp(text: string): string {
  readerArgument(text);
  return text;
}

async function readerFor(api: ApiClient, bot: number, given: string): Promise<string> {
  if (storedName(given) !== undefined) return readerArgument(given);
  const { readers } = await api.get('/api/bots/readers', { bot_id: bot });
  if (given === defaultApp) return readerOfBot(readers);
  const ofApp = readers.filter((one) => one.name === given);
  const found = ofApp.find(({ active }) => active) ?? ofApp[0];
  if (found) return found.reader;
  throw new RelayError('not_found', reason('no_such_reader', { bot_id: bot, reader: given }));
}

/** Returns the reader of the bot itself, which is the app `default`. */
function readerOfBot(readers: readonly Reader[]): string {
  const own = readers.filter(({ kind, name }) => name === '' && ['push', 'pull'].includes(kind));
  const active = own.filter((one) => one.active);
  const [found, second] = active.length > 0 ? active : own;
  if (found && !second) return found.reader;
  throw new UsageError(
    'default has two readers or none: use push for its backend, pull for getUpdates.',
  );
}

function consumerOf(reader: string): string {
  const stored = storedName(reader) ?? readerOf('pull', reader);
  const name = readerName(stored);
  if (name !== '' && readerKinds[readerKind(stored)].byClients) return name;
  const ofTheBot: Partial<Record<ReaderKind, Reason>> = {
    pull: reason('unnamed_consumer_stays'),
    push: reason('push_is_no_consumer'),
    routing: reason('routing_is_no_consumer'),
  };
  const why = name === '' ? ofTheBot[readerKind(stored)] : undefined;
  throw new UsageError(inWords(why ?? reason('reader_is_no_consumer', { reader })));
}

async function requireReader(api: ApiClient, bot: number, reader: string): Promise<void> {
  const { readers } = await api.get('/api/bots/readers', { bot_id: bot });
  if (readers.some((one) => one.reader === reader)) return;
  throw new RelayError(
    'not_found',
    reason('no_consumer_here', { bot, consumer: consumerOf(reader) }),
  );
}

function whereTo({ position, since, start, end }: RewindOptions): object {
  const ways = [
    ...(position === undefined ? [] : [{ position }]),
    ...(since === undefined ? [] : [{ since }]),
    ...(start ? [{ to: 'start' }] : []),
    ...(end ? [{ to: 'end' }] : []),
  ];
  const [way] = ways;
  if (way && ways.length === 1) return way;
  throw new UsageError('Set exactly one of --position, --since, --start, --end.');
}

function updates(count: number): string {
  return count === 1 ? '1 update' : `${count} updates`;
}

function ageOf({ behind, oldest_waiting_seconds: seconds }: Reader): string {
  if (behind === 0) return '';
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} h`
    : `${Math.floor(seconds / 86_400)} d`;
}

function stateOf({ active, failure, in_retry, waiting }: Reader): string {
  if (!active) return 'off';
  if (failure !== '') return `failing: ${failure}`;
  if (in_retry > 0) return 'retrying';
  return waiting ? 'client waiting' : '';
}
