import type { ReactionType } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { isReaction, setReaction } from '../world/reactions.ts';
import type { Call, MethodTable } from './call.ts';
import { messageOf, roomOf } from './target.ts';

const ANSWER_SECONDS = 900;
const INLINE_ANSWER_SECONDS = 60;
const TOO_OLD = 'query is too old and response timeout expired or query ID is invalid';

function answerCallbackQuery(call: Call): true {
  const { params, world } = call;
  const query = world.state.callbacks.get(params.text('callback_query_id'));
  if (!query || query.botId !== call.bot.id || world.now() - query.createdAt > ANSWER_SECONDS) {
    throw badRequest(TOO_OLD);
  }
  const text = params.text('text');
  if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
  const showAlert = params.flag('show_alert');
  const url = params.text('url');
  query.answered = { showAlert, ...(text && { text }), ...(url && { url }) };
  world.changed({ type: 'callback_answered', userId: query.userId, text, showAlert });
  return true;
}

function answerInlineQuery(call: Call): true {
  const { params, world } = call;
  const query = world.state.inlineQueries.get(params.text('inline_query_id'));
  if (
    !query ||
    query.botId !== call.bot.id ||
    world.now() - query.createdAt > INLINE_ANSWER_SECONDS
  ) {
    throw badRequest(TOO_OLD);
  }
  const results = params.json('results');
  if (!Array.isArray(results)) throw badRequest("can't parse results JSON array");
  if (results.length > 50) throw badRequest('RESULTS_TOO_MUCH');
  const ids = results.map((result: unknown) => (result as { id?: unknown } | null)?.id);
  if (ids.some((id) => typeof id !== 'string' || id === '' || Buffer.byteLength(id) > 64)) {
    throw badRequest('RESULT_ID_INVALID');
  }
  if (new Set(ids).size !== ids.length) throw badRequest('RESULT_ID_DUPLICATE');
  query.results = results;
  return true;
}

function setMessageReaction(call: Call): true {
  const room = roomOf(call);
  const record = messageOf(call, room, 'message to react not found');
  const given = call.params.json('reaction') ?? [];
  if (!Array.isArray(given)) throw badRequest("can't parse reaction types JSON array");
  const reactions = given as ReactionType[];
  if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY');
  if (!reactions.every((one) => typeof one === 'object' && one !== null && isReaction(one))) {
    throw badRequest('REACTION_INVALID');
  }
  setReaction(call.world, room, record, call.bot.id, reactions);
  return true;
}

export const answerMethods: MethodTable = {
  answercallbackquery: answerCallbackQuery,
  answerinlinequery: answerInlineQuery,
  setmessagereaction: setMessageReaction,
};
