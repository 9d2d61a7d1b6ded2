import type { PlatformCall } from './held-platform.ts';

export const [shop, helper] = ['7601:AAshop', '7602:AAhelper'];
export const forumId = -1_007_600;
const rights = ['can_manage_topics', 'can_delete_messages', 'can_pin_messages'];
const card = 'Here since';

export const steps = ['create', 'card', 'pin', 'answer', 'first', 'reopen', 'second'] as const;

export type Step = (typeof steps)[number];

/** The forum and the customers' chats as Telegram has them, with the order of what came in. */
export function createForum() {
  let lastId = 100;
  let life = 0;
  const topics = new Map<number, { customer: string; texts: string[]; replies: number[] }>();
  const sequences = new Map<string, { what: string; life: number }[]>();
  const heard = new Map<string, number>();

  const topicOf = (call: PlatformCall) => topics.get(Number(call.params['message_thread_id']));

  function stepOf(call: PlatformCall): { step: Step; about: string } | undefined {
    const { method, token, params } = call;
    const words = (params['text'] ?? '') as string;
    if (token === shop) {
      return method === 'sendMessage' ? { step: 'answer', about: words } : undefined;
    }
    if (method === 'createForumTopic') return { step: 'create', about: String(params['name']) };
    if (method === 'pinChatMessage')
      return { step: 'pin', about: pinned.get(Number(params['message_id'])) ?? '' };
    const about = topicOf(call)?.customer ?? '';
    if (method === 'reopenForumTopic') return { step: 'reopen', about };
    if (words.includes(card)) return { step: 'card', about };
    if (words.endsWith(' first')) return { step: 'first', about };
    return words.endsWith(' second') ? { step: 'second', about } : undefined;
  }
  const pinned = new Map<number, string>();

  /** Does what a call asks for, and returns Telegram's answer. */
  function execute(call: PlatformCall): [status: number, body: object] {
    const { method, token, params } = call;
    const ok = (result: unknown): [number, object] => [200, { ok: true, result }];
    const named = stepOf(call);
    if (named && named.step !== 'answer') {
      const sequence = sequences.get(named.about) ?? [];
      sequences.set(named.about, [...sequence, { what: named.step, life }]);
    }
    if (method === 'getChat') return ok({ id: forumId, type: 'supergroup', is_forum: true });
    if (method === 'getChatMember') {
      const may = Object.fromEntries(rights.map((right) => [right, true]));
      return ok({ status: 'administrator', user: { id: 1 }, ...may });
    }
    if (method === 'createForumTopic') {
      const message_thread_id = ++lastId;
      topics.set(message_thread_id, { customer: String(params['name']), texts: [], replies: [] });
      return ok({ message_thread_id, name: params['name'], icon_color: 7_322_096 });
    }
    if (method !== 'sendMessage') return ok(true);
    const words = String(params['text']);
    const message_id = ++lastId;
    const chat = { id: Number(params['chat_id']), type: 'private', first_name: 'A' };
    const result = { message_id, date: 1_790_000_000, chat, text: words };
    if (token === shop) {
      heard.set(words, (heard.get(words) ?? 0) + 1);
      return ok(result);
    }
    const topic = topicOf(call);
    if (!topic) {
      const description = 'Bad Request: message thread not found';
      return [400, { ok: false, error_code: 400, description }];
    }
    topic.texts.push(words);
    const { message_id: replied } = (params['reply_parameters'] ?? {}) as { message_id?: number };
    if (replied !== undefined && words.includes('Nobody knows')) topic.replies.push(replied);
    pinned.set(message_id, topic.customer);
    return ok({
      ...result,
      chat: forumChat,
      message_thread_id: Number(params['message_thread_id']),
    });
  }

  return {
    stepOf,
    execute,
    topics,
    sequences,
    heard,
    nextLife: () => void life++,
    nextId: () => ++lastId,
  };
}

export const forumChat = { id: forumId, type: 'supergroup', title: 'Team', is_forum: true };
