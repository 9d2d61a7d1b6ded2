import type { ReactionType } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { isReaction, setReaction } from '../world/messages/reactions.ts';
import type { Call, MethodTable } from './call.ts';
import { knownMessage, roomOf } from './target.ts';

const answerSeconds = 900;
const inlineAnswerSeconds = 60;
const tooOld = 'query is too old and response timeout expired or query ID is invalid';

function answerCallbackQuery(call: Call): true {
  const { params, world } = call;
  const query = world.state.callbacks.get(params.text('callback_query_id'));
  if (!query || query.botId !== call.bot.id || world.now() - query.createdAt > answerSeconds) {
    throw badRequest(tooOld);
  }
  const text = params.text('text');
  if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
  const showAlert = params.flag('show_alert');
  const url = params.text('url');
  query.answered = { showAlert, ...(text && { text }), ...(url && { url }) };
  world.changed({ type: 'callback_answered', userId: query.userId, text, showAlert });
  return true;
}

function checkResult(result: unknown): void {
  const wrong = (reason: string) => badRequest(`can't parse inline query result: ${reason}`);
  if (result === null || typeof result !== 'object' || Array.isArray(result)) {
    throw wrong('Inline query result must be an object');
  }
  for (const name of ['type', 'id']) {
    if (!(name in result)) throw wrong(`Can't find field "${name}"`);
  }
}

function answerInlineQuery(call: Call): true {
  const { params, world } = call;
  const query = world.state.inlineQueries.get(params.text('inline_query_id'));
  if (
    !query ||
    query.botId !== call.bot.id ||
    world.now() - query.createdAt > inlineAnswerSeconds
  ) {
    throw badRequest(tooOld);
  }
  if (!params.isJson('results')) throw badRequest("can't parse JSON encoded inline query results");
  const results = params.json('results') ?? [];
  if (!Array.isArray(results)) throw badRequest('expected an Array of inline query results');
  if (results.length > 50) throw badRequest('too many inline query results specified');
  for (const result of results as unknown[]) checkResult(result);
  const ids = results.map((result: unknown) => (result as { id?: unknown } | null)?.id);
  if (ids.some((id) => typeof id !== 'string' || id === '' || Buffer.byteLength(id) > 64)) {
    throw badRequest('RESULT_ID_INVALID');
  }
  if (new Set(ids).size !== ids.length) throw badRequest('RESULT_ID_DUPLICATE');
  query.results = results;
  return true;
}

function readReaction(given: unknown): ReactionType {
  const wrong = (reason: string) => badRequest(`can't parse ReactionType: ${reason}`);
  if (given === null || typeof given !== 'object') throw wrong('expected an Object');
  const { type, emoji, custom_emoji_id } = given as Record<string, unknown>;
  if (type === undefined) throw wrong('Can\'t find field "type"');
  if (type === 'emoji' && typeof emoji !== 'string') throw wrong('Can\'t find field "emoji"');
  if (type === 'custom_emoji' && custom_emoji_id === undefined) {
    throw wrong('Can\'t find field "custom_emoji_id"');
  }
  if (type !== 'emoji' && type !== 'custom_emoji') throw wrong('invalid reaction type specified');
  return given as ReactionType;
}

function setMessageReaction(call: Call): true {
  const given = call.params.json('reaction', 'reaction types') ?? [];
  if (!Array.isArray(given)) throw badRequest('expected an Array of ReactionType');
  const reactions = given.map(readReaction);
  const room = roomOf(call);
  const record = knownMessage(call, room, call.params.integer('message_id'));
  if (!record) throw badRequest('message to react not found');
  if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY');
  if (!reactions.every(isReaction)) throw badRequest('REACTION_INVALID');
  setReaction(call.world, room, record, call.bot.id, reactions);
  return true;
}

export const answerMethods: MethodTable = {
  answercallbackquery: answerCallbackQuery,
  answerinlinequery: answerInlineQuery,
  setmessagereaction: setMessageReaction,
};
