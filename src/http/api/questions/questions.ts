import { maskAddressesIn } from '../../../core/bots/bot-token.ts';
import { questionView } from '../../../core/questions/question-view.ts';
import { Type } from 'typebox';
import { unpackReason } from '../../../core/reasons/stored.ts';
import { type QuestionService, requireSeen } from '../../../manage/questions/questions.ts';
import type { Gate } from '../../auth.ts';
import { type Endpoint, get, type Listed, post } from '../../endpoint.ts';
import { Id, Query } from '../../schemas.ts';
import {
  AskBody,
  AskHeaders,
  QuestionAnswer,
  QuestionListQuery,
  QuestionQuery,
} from './question-schema.ts';

export function questionEndpoints({
  questions,
  gate,
}: {
  questions: QuestionService;
  gate: Gate;
}): Endpoint[] {
  return [
    post('Questions', '/api/ask', {
      audit: {},
      scope: 'send',
      chats: 'reads and writes',
      summary: 'Ask a person',
      description:
        'Sends a question to a chat and returns at once; wait with `GET /api/ask`. The first allowed press or reply decides, exactly once; the message then shows the answer and by whom. No app or route sees presses and answers. The message goes through the outbox: `send_state` tells what became of it. A bot can have 1,000 open questions.',
      body: AskBody,
      headers: AskHeaders,
      response: QuestionAnswer,
      errors: [
        'bot_not_found',
        'bot_not_allowed',
        'bot_disabled',
        'conflict',
        'idempotency_mismatch',
      ],
      handler: async ({ caller, body, headers }) =>
        shown(await questions.ask(caller, body, headers['idempotency-key'])),
    }),
    get('Questions', '/api/ask', {
      scope: 'read',
      chats: 'filtered',
      summary: 'Wait for an answer',
      description:
        'Returns the question. With `timeout`, waits until it is answered, expires, is cancelled or cannot be sent.',
      query: QuestionQuery,
      response: QuestionAnswer,
      errors: ['not_found', 'bot_not_allowed'],
      async handler({ caller, query: { id, timeout = 0 }, raw, signal }) {
        const question = await questions.wait(caller, id, { timeoutMs: timeout * 1_000, signal });
        // A client that lost its key, scope or bot while it waited gets nothing.
        if (timeout > 0) {
          const right = { area: 'chats', scope: 'read' } as const;
          requireSeen(await gate.admitAgain(raw.request, right), question);
        }
        return shown(question);
      },
    }),
    get('Questions', '/api/ask/list', {
      scope: 'read',
      chats: 'filtered',
      summary: 'List questions',
      description: 'Newest first. Questions that ended are kept for 30 days or more.',
      query: QuestionListQuery,
      response: Type.Array(QuestionAnswer),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: async ({ caller, query }) =>
        (await questions.list(caller, { ...query, limit: query.limit ?? 50 })).map(shown),
    }),
    post('Questions', '/api/ask/cancel', {
      audit: {},
      scope: 'send',
      chats: 'filtered',
      summary: 'Cancel a question',
      description: 'A question that has ended stays as it is: `state` tells how it ended.',
      query: Query({ id: Id('The question.') }),
      response: QuestionAnswer,
      errors: ['not_found', 'bot_not_allowed'],
      handler: async ({ caller, query: { id } }) => shown(await questions.cancel(caller, id)),
    }),
  ];
}

function shown(question: Listed<QuestionService['list']>) {
  const { callbackError, callbackState, sendError, sendErrorDetail, sendState } = question;
  return {
    ...questionView(question),
    send_state: sendState,
    send_error: sendError,
    send_error_detail: sendErrorDetail,
    callback_state: callbackState,
    callback_error: maskAddressesIn(unpackReason(callbackError).text),
  };
}
