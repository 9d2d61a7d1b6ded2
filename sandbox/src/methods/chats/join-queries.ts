import { badRequest } from '../../api-error.ts';
import { type Decision, decideQuery, isOpen, showWebApp } from '../../world/chats/join-queries.ts';
import type { JoinQueryRecord } from '../../world/chats/join-records.ts';
import { findChat } from '../../world/chats/rooms.ts';
import type { Call, MethodTable } from '../call.ts';

const tooOld = 'query is too old and response timeout expired or query ID is invalid';
const decisions = ['approve', 'decline', 'queue'] as const satisfies Decision[];

/** Returns the query that this bot received, while it can still be answered. */
function queryOf(call: Call): JoinQueryRecord {
  const { state } = call.world;
  const query = state.joinQueries?.get(call.params.text('chat_join_request_query_id'));
  const guards = query && findChat(state, query.chatId)?.guardBotId === call.bot.id;
  if (!query || !guards || query.botId !== call.bot.id || !isOpen(query)) throw badRequest(tooOld);
  return query;
}

function answerChatJoinRequestQuery(call: Call): true {
  const given = call.params.required('result');
  const decision = decisions.find((one) => one === given);
  if (!decision) throw badRequest('invalid chat join request query result specified');
  decideQuery(call.world, queryOf(call), decision);
  return true;
}

/** The web app is shown once; the next answer is final. */
function sendChatJoinRequestWebApp(call: Call): true {
  const url = call.params.required('web_app_url');
  const wrong = (reason: string) => badRequest(`Web App URL '${url}' is invalid: ${reason}`);
  if (!URL.canParse(url)) throw wrong('Wrong HTTP URL');
  if (new URL(url).protocol !== 'https:') throw wrong('Only HTTPS links are allowed');
  const query = queryOf(call);
  if (query.status !== 'waiting') throw badRequest(tooOld);
  showWebApp(call.world, query, url);
  return true;
}

export const joinQueryMethods: MethodTable = {
  answerchatjoinrequestquery: answerChatJoinRequestQuery,
  sendchatjoinrequestwebapp: sendChatJoinRequestWebApp,
};
