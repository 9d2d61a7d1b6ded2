import type { ReasonTexts } from '../reasons.ts';
import { chats } from './chats.ts';
import { decisions } from './routing.ts';

type AuthorKind = keyof typeof chats.sentBy;

const sentBy = (kind: string, name: string) => chats.sentBy[kind as AuthorKind]?.(name) ?? name;
const sendState = (state: string) =>
  decisions.sends[state as keyof typeof decisions.sends] ?? state;
const outcomeOf = (outcome: string) =>
  decisions.outcomes[outcome as keyof typeof decisions.outcomes] ?? outcome;

/** `app` is empty for the bot itself. */
const backend = ({ app }: { app: string }) => (app === '' ? '后端' : `应用 ${app} 的后端`);

/** The steps of a message through the relay. */
export const timelineReasons = {
  step_received: ({ kind }) => `已从 Telegram 收到（${kind}）。`,
  step_sent: '已发送。',
  step_sent_by: ({ kind, name }) => `${sentBy(kind, name)}。`,
  step_carries: ({ bot_id, chat_id, message_id }) =>
    `代表机器人 ${bot_id} 的聊天 ${chat_id} 中的消息 ${message_id}。`,
  step_stored: ({ position }) => `已存入日志，位置 ${position}。`,
  step_removed: ({ position }) => `位置 ${position} 的更新已按保留期限从日志中清除。`,
  step_position_unknown: '由旧版本存储或导入。无法得知其更新和接收者。',
  step_claimed: ({ app }) => `由应用 ${app} 独占：其他应用不会收到。`,
  step_claimed_by_deleted: '由已删除的应用独占：其他应用不会收到。',
  step_claimed_by_relay: '由 Bot Relay 自行处理：没有应用会收到。',
  step_routes_wait: '路由尚未读取。',
  step_routes: ({ outcome }) => `路由：${outcomeOf(outcome)}。`,
  step_route: ({ route_id }) => `匹配路由 ${route_id}。`,
  step_chosen: ({ bot_id }) => `按语义选中机器人 ${bot_id}。`,
  step_send: ({ state, bot_id, chat_id }) =>
    `通过机器人 ${bot_id} 发送到聊天 ${chat_id}：${sendState(state)}。`,
  step_send_hidden: ({ state }) => `发送到您无权查看的聊天：${sendState(state)}。`,
  for_desk: ({ desk_id, name }) => `显示于客服台 ${name || desk_id}。`,
  desk_note: '团队内部交谈：客户不会收到。',
  desk_kept_out: '未写入话题：客户已被封禁。',
  step_desk_unknown: '不再等待写入话题，其结果已不再保存。',
  step_desk_waits: '等待写入该客户的话题。',
  step_send_removed: '该路由的发送记录已按保留期限清除。',
  step_attempt_failed: (to) => `未能投递到${backend(to)}。`,
  step_delivered: ({ status, ms, ...to }) => `已投递到${backend(to)}：${status}，用时 ${ms} 毫秒。`,
  step_passed: (to) => `向${backend(to)}的投递已完成，已找不到该次尝试。`,
  step_delivery_waits: (to) => `等待${backend(to)}。`,
  step_dead: ({ attempts, ...to }) => `死信：${backend(to)}在 ${attempts} 次尝试后仍未接受。`,
  step_read: ({ app }) => `应用 ${app} 已读取。`,
  step_not_read: ({ app }) => `应用 ${app} 尚未读取。`,
  step_nobody: '没有后端或应用会收到它。',
  step_replied_by: ({ name }) => `${name} 已回复。`,
  step_answered: '机器人已回复。',
  step_answered_by: ({ kind, name }) => `已回复：${sentBy(kind, name)}。`,
} satisfies Partial<ReasonTexts>;
