import type { Store } from '../../store/store.ts';

/** Reads the state that a request is about to change, by the fields of the request. */
export type StateReader = (store: Store, fields: Record<string, unknown>) => Promise<unknown>;

const id = (fields: Record<string, unknown>, name = 'id') => Number(fields[name] ?? 0);

export const stateOf = {
  bot: (store, fields) => store.bots.get(id(fields)),
  app: (store, fields) => store.apps.get(id(fields)),
  alert: (store, fields) => store.alertLog.get(id(fields)),
  alertChannel: (store, fields) => store.alertChannels.get(id(fields)),
  route: (store, fields) => store.routes.get(id(fields)),
  desk: (store, fields) => store.desks.get(id(fields)),
  key: async (store, fields) => (await store.apiKeys.list()).find((one) => one.id === id(fields)),
  user: async (store, fields) => (await store.users.list()).find((one) => one.id === id(fields)),
  member: (store, fields) =>
    store.members.get(id(fields, 'bot_id'), id(fields, 'chat_id'), id(fields, 'user_id')),
  chat: (store, fields) =>
    store.chats.get(id(fields, 'bot_id'), id(fields, 'chat_id'), id(fields, 'message_thread_id')),
  warnSettings: (store, fields) =>
    store.warnings.settings(id(fields, 'bot_id'), id(fields, 'chat_id')),
  message: (store, fields) =>
    store.messages.get(id(fields, 'bot_id'), id(fields, 'chat_id'), id(fields, 'message_id')),
  savedReply: (store, fields) => store.savedReplies.get(id(fields)),
  tag: (store, fields) => store.tags.get(id(fields)),
  tagByLabel: async (store, fields) =>
    (await store.tags.ofUser(id(fields, 'chat_id'), id(fields, 'user_id'), null)).find(
      (tag) => tag.tag === fields['tag'],
    ),
  llmConfig: async (store) => {
    const text = await store.settings.get('llm');
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  },
} satisfies Record<string, StateReader>;
