import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from './command.ts';
import type { ApiClient } from '../api.ts';
import type { Question } from '../api-types.ts';
import { ServiceUnreachable } from '../api-client.ts';
import { RelayError } from '../errors.ts';
import { chatArgument, expiryArgument, idArgument, idListArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import type { CommandContext } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface AskOptions {
  option?: string[];
  users?: number[];
  topic?: number;
  expires?: string;
  callback?: string;
  idempotencyKey?: string;
  wait: boolean;
  cancelOnInterrupt?: boolean;
}

/** Exit codes beside 0 for the first option and 10 + n for the n-th one. */
const exitCodes = { failed: 1, expired: 3, cancelled: 4, interrupted: 130 } as const;
const waitSeconds = 50;
const retryMs = 2_000;

export function addQuestionCommands(program: Command): void {
  program
    .command('ask')
    .description('ask a person, and wait for the answer')
    .argument('<bot>', 'bot ID', idArgument)
    .argument('<chat>', 'chat ID; group IDs are negative', chatArgument)
    .argument('<text>', 'the question')
    .option('--option <text>', 'an answer, as a button; 2 to 10. Without: a free answer', collect)
    .option(
      '--users <ids>',
      'the only people who may answer: user IDs, such as 5,7',
      idListArgument,
    )
    .option('--topic <topic>', 'topic ID', idArgument)
    .option('--expires <time>', 'such as 2h or 3d; default 24h, at most 30d', expiryArgument)
    .option('--callback <url>', 'URL to call with the answer')
    .option(
      '--idempotency-key <key>',
      'a name for this question: repeated within a day, it waits for the same one',
    )
    .option('--no-wait', 'print the ID, and do not wait')
    .option('--cancel-on-interrupt', 'cancel the question on Ctrl-C, which else leaves it open')
    .addHelpText(
      'after',
      `
Prints the answer. Exit codes: 0 for the first option or a free answer, 12 for the second option,
13 for the third and so on, 3 if it expired, 4 if it was cancelled, 1 if it could not be sent.

Example:
  bot-relay ask 1 -1001234567890 "Deploy 4.2?" --option Yes --option No && ./deploy.sh
`,
    )
    .run(async (context, botId: number, chatId: number, text: string, options: AskOptions) => {
      await context.withApi(async (api, isServed) => {
        if (!isServed) throw new UsageError('No service runs here, so nobody would be asked.');
        const { idempotencyKey } = options;
        const asked = await api.post('/api/ask', {
          body: bodyOf(botId, chatId, text, options),
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        });
        if (!options.wait) {
          printResult(context.output, asked, String(asked.id));
          return;
        }
        context.output.note(`Question ${asked.id} is open. Waiting for the answer.`);
        await end(context, api, asked.id, options.cancelOnInterrupt === true);
      });
    });

  const questions = program.command('questions').description('list, await and cancel questions');
  questions
    .command('wait')
    .description('wait for the answer to a question that was asked before')
    .argument('<id>', 'question ID', idArgument)
    .run(async (context, id: number) => {
      await context.withApi((api) => end(context, api, id, false));
    });

  questions
    .command('list')
    .description('list questions, newest first')
    .option('--bot <bot>', 'only of this bot', idArgument)
    .option('--all', 'also those that have ended')
    .run(async (context, options: { bot?: number; all?: boolean }) => {
      const listed = await context.withApi((api) =>
        api.get('/api/ask/list', {
          ...(options.bot === undefined ? {} : { bot_id: options.bot }),
          ...(options.all ? {} : { state: 'open' as const }),
        }),
      );
      printRows(
        context.output,
        listed,
        [
          { title: 'ID', value: ({ id }) => String(id) },
          { title: 'BOT', value: ({ bot_id }) => String(bot_id) },
          { title: 'CHAT', value: ({ chat_id }) => String(chat_id) },
          { title: 'STATE', value: stateOf },
          { title: 'EXPIRES', value: ({ expires_at }) => formatTime(expires_at) },
          { title: 'QUESTION', value: ({ text }) => beginning(text) },
          { title: 'ANSWER', value: ({ answer }) => beginning(answer) },
        ],
        options.all ? 'No questions yet.' : 'No open questions.',
      );
    });

  questions
    .command('cancel')
    .description('cancel a question')
    .argument('<id>', 'question ID', idArgument)
    .run(async (context, id: number) => {
      const question = await context.withApi((api) =>
        api.post('/api/ask/cancel', { query: { id } }),
      );
      printResult(context.output, question, `Question ${id} is ${question.state}.`);
    });
}

const collect = (value: string, before: string[] = []) => [...before, value];

function bodyOf(botId: number, chatId: number, text: string, options: AskOptions) {
  const { callback, expires, option, topic, users } = options;
  return {
    bot_id: botId,
    chat_id: chatId,
    text,
    ...(option ? { options: option } : {}),
    ...(users ? { user_ids: users } : {}),
    ...(topic ? { message_thread_id: topic } : {}),
    ...(expires === undefined ? {} : { expires_at: expires }),
    ...(callback === undefined ? {} : { callback_url: callback }),
  };
}

/** Waits, prints how it ended, and sets the exit code. */
async function end(
  context: CommandContext,
  api: ApiClient,
  id: number,
  cancels: boolean,
): Promise<void> {
  const { output } = context;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  if (cancels) process.once('SIGINT', interrupt);
  try {
    const question = await waitFor(context, api, id, interrupted.signal);
    printResult(output, question, question.answer || `Question ${id} is ${stateOf(question)}.`);
    const code = exitCodeOf(question);
    if (code !== 0) context.fail(code);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    const { state } = await api.post('/api/ask/cancel', { query: { id } });
    output.note(`Question ${id} is ${state}.`);
    context.fail(exitCodes.interrupted);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** A service that restarts meanwhile keeps the question, so the wait goes on, with its new key. */
async function waitFor(
  { local, output }: CommandContext,
  first: ApiClient,
  id: number,
  signal: AbortSignal,
): Promise<Question> {
  let isTold = false;
  let service: { started: string; api: ApiClient } = {
    started: local()?.started ?? '',
    api: first,
  };
  for (;;) {
    try {
      const question = await service.api.get('/api/ask', { id, timeout: waitSeconds }, signal);
      if (question.state !== 'open' || question.send_state === 'failed') return question;
    } catch (error) {
      if (signal.aborted) throw error;
      const found = local();
      const isRestarted = found !== undefined && found.started !== service.started;
      if (isRestarted) service = found;
      else if (!isPassing(error)) throw error;
      if (!isTold) output.note('The service does not answer. Trying again.');
      isTold = true;
      if (!isRestarted) await pause(retryMs, undefined, { signal });
    }
  }
}

const isPassing = (error: unknown) =>
  error instanceof ServiceUnreachable ||
  (error instanceof RelayError && ['shutting_down', 'database_unavailable'].includes(error.code));

function exitCodeOf({ answer, options, state }: Question): number {
  if (state === 'expired' || state === 'cancelled') return exitCodes[state];
  if (state === 'open') return exitCodes.failed;
  const index = options.indexOf(answer);
  return index <= 0 ? 0 : 11 + index;
}

const stateOf = ({ send_error, send_state, state }: Question) =>
  state === 'open' && send_state === 'failed' ? `not sent: ${send_error}` : state;

const beginning = (text: string) => (text.length <= 40 ? text : `${text.slice(0, 39)}…`);
