import type { Store } from '../../store/store.ts';

/** What a request asked for, checked already. */
export interface ChangeInput {
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

type Reader = (store: Store, fields: Record<string, unknown>) => Promise<unknown>;

const id = (fields: Record<string, unknown>, name = 'id') => Number(fields[name] ?? 0);

const bot: Reader = (store, fields) => store.bots.get(id(fields));
const route: Reader = (store, fields) => store.routes.get(id(fields));
const key: Reader = async (store, fields) =>
  (await store.apiKeys.list()).find((one) => one.id === id(fields));
const user: Reader = async (store, fields) =>
  (await store.users.list()).find((one) => one.id === id(fields));
const member: Reader = (store, fields) =>
  store.members.get(id(fields, 'bot_id'), id(fields, 'chat_id'), id(fields, 'user_id'));
const chat: Reader = (store, fields) =>
  store.chats.get(id(fields, 'bot_id'), id(fields, 'chat_id'));
const message: Reader = (store, fields) =>
  store.messages.get(id(fields, 'bot_id'), id(fields, 'chat_id'), id(fields, 'message_id'));

/** How the thing that an action changes is read beforehand; actions that only add have none. */
const readers: Record<string, Reader> = {
  'bots.update': bot,
  'bots.toggle-disabled': bot,
  'bots.restore-webhook': bot,
  'bots.delete': bot,
  'routes.update': route,
  'routes.delete': route,
  'auth.api-keys.toggle': key,
  'auth.api-keys.delete': key,
  'auth.users.update': user,
  'auth.users.delete': user,
  'auth.users.password': user,
  'llm-config': async (store) => {
    const text = await store.settings.get('llm');
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  },
  'tags.remove': (store, fields) => store.tags.get(id(fields)),
  'tags.add': async (store, fields) =>
    (await store.tags.ofUser(id(fields, 'chat_id'), id(fields, 'user_id'), null)).find(
      (tag) => tag.tag === fields['tag'],
    ),
  'users.ban': member,
  'users.unban': member,
  'users.kick': member,
  'users.mute': member,
  'users.unmute': member,
  'admins.promote': member,
  'admins.demote': member,
  'admins.title': member,
  'chats.warn-settings': (store, fields) =>
    store.warnings.settings(id(fields, 'bot_id'), id(fields, 'chat_id')),
  'chats.forget': chat,
  'chats.refresh': chat,
  'messages.edit': message,
  'messages.delete': message,
  'messages.pin': message,
  'messages.unpin': message,
};

export async function stateBefore(
  store: Store,
  action: string,
  { query, body }: ChangeInput,
): Promise<unknown> {
  return await readers[action]?.(store, { ...query, ...body });
}
