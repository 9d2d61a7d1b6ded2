import type { ReasonTexts } from '../reasons.ts';
import { conditionReasons } from './routes.ts';

/** The number of a route, or its name on the page. */
const route = (id: unknown) => (typeof id === 'number' ? `#${id}` : String(id));

/** Why a message was routed where it was. */
export const routingReasons = {
  language_twice: ({ language }) =>
    language === '' ? '其他所有语言有两条文本' : `${language} 有两条文本`,
  bot_has_desk: ({ bot_id, desk_id, name }) =>
    `机器人 ${bot_id} 属于客服台 ${name || desk_id}。请修改该客服台，或先从中移除此机器人。`,
  forum_has_desk: ({ chat_id, desk_id, name }) =>
    `论坛 ${chat_id} 属于客服台 ${name || desk_id}。请修改该客服台。`,
  desk_bot_disabled: '客服台机器人已停用。请启用它。',
  desk_no_forum: '该聊天不是开启话题的群组。请在 Telegram 中开启话题。',
  desk_not_admin: '客服台机器人不是论坛管理员。请在 Telegram 中将其设为管理员。',
  desk_lacks_right: ({ right }) => `客服台机器人缺少权限 ${right}。请在 Telegram 中授予。`,
  no_such_route: ({ route_id }) => `找不到路由 #${route_id}。`,
  matched_routes: ({ routes }, say) =>
    routes.map(({ route_id, reason }) => `路由 ${route(route_id)}：${say(reason)}`).join('；'),
  all_of: ({ reasons }, say) => reasons.map(say).join(''),
  behind_a_drop: ({ reason }, say) => `${say(reason)}，但已被前面的路由丢弃`,
  ...conditionReasons,
  no_match: '不匹配',
  chosen_by_meaning: '按语义选中',
  not_chosen_by_meaning: '按语义未选中',
  meaning_skipped: '已跳过：其他路由已匹配',
  route_disabled: '已停用',
  message_edited: '消息已被编辑',
  message_deleted: ({ message_id }) => `消息 ${message_id} 已被删除`,
  edit_carried: '编辑已转发。',
  deletion_carried: '删除已转发。',
  edit_not_carried: '被编辑的消息未曾转发。',
  deletion_not_carried: '被删除的消息未曾转发。',
  deleted_before_choice: '消息在模型决策前被删除，因此不转发。',
  edited_while_asked: '消息在模型决策期间被编辑，将重新询问模型。',
  superseded: ({ position }) => `在模型决策前被编辑或删除，见位置 ${position}。`,
  by_account_owner: '由商业账号的所有者发送，而非客户。',
  by_account_bot: '由机器人以商业账号的名义发送。',
  own_message: '由 Bot Relay 自身发送。',
  no_rule_matched: '没有匹配的路由。',
  routes_undecided: ({ route_ids }) =>
    `没有匹配的路由。以下路由因正则表达式耗时过长而未判定：${route_ids.map(route).join('、')}。`,
  model_chooses: '没有匹配的路由，由模型决定。',
  update_gone: '该更新已不在日志中。',
  too_many_hops: ({ hops }) => `经过 ${hops} 次转发后停止。`,
  reply_returned: ({ bot_id }) => `对已转发消息的回复通过机器人 ${bot_id} 返回。`,
  with_album: ({ position }) => `与位置 ${position} 的相册一同决策。`,
  hidden_bot: '选中了你无权查看的机器人。',
  no_description_fits: '没有足够匹配的描述。',
  description_fits: ({ words }) => `其描述最匹配${words ? `：${words}` : ''}。`,
  model_gave_no_reason: '模型未给出理由。',
  no_candidates: '没有候选机器人',
  no_model: '未配置模型',
  calls_used_up: '已达每月调用上限',
  tokens_used_up: '已达每月 Token 上限',
  asking_needs_scope: '询问模型需要“管理”权限',
  model_address_invalid: '模型的 URL 无效。',
  model_answered: ({ status }) => `模型地址返回 ${status}。`,
  model_timeout: ({ ms }) => `模型在 ${ms} 毫秒内没有响应。`,
  model_unreachable: ({ cause }) => `无法连接模型：${cause || '网络故障'}。`,
  model_not_allowed: ({ host }) => `RELAY_BACKENDS 设置不允许连接 ${host}。`,
  model_answer_too_large: '模型的响应过长。',
  model_not_completion: '模型地址返回的不是聊天补全结果。',
  model_not_json: '模型没有返回预期的 JSON。',
  model_other_bot: '模型选择的机器人不在候选之列。',
  queued: '排队中',
  dropped: '已丢弃',
  not_sent_kind: '未发送：此类消息无法转发给其他机器人',
  not_sent_gone: '未发送：目标机器人已删除',
  not_sent_disabled: '未发送：目标机器人已停用',
  returns_to_chat: '消息会回到它来自的聊天。',
  arrives_if_started: ({ bot_id }) =>
    `私聊中，仅当对方已启动机器人 ${bot_id} 时才能送达；群组中，仅当机器人 ${bot_id} 是成员时才能送达。`,
  bot_not_started: ({ bot_id }) => `无法送达：对方尚未启动机器人 ${bot_id}。`,
  bot_not_seen: ({ bot_id, chat_id }) =>
    `可能无法送达：未在聊天 ${chat_id} 中发现机器人 ${bot_id}。`,
  target_topic_gone: ({ bot_id, message_thread_id }) =>
    `无法送达：机器人 ${bot_id} 无法在话题 ${message_thread_id} 中发言，该话题已删除或关闭。请选择其他话题。`,
  route_behind_drop: ({ route_id }) => `路由 ${route(route_id)} 会先丢弃所有消息。`,
  route_source_disabled: '来源机器人已停用。',
  route_target_disabled: '目标机器人已停用。',
  route_two_chats: '条件与来源聊天指向不同的聊天。',
  route_without_model: '来源机器人未开启按语义路由。',
  route_leaves_none: ({ route_id }) => `路由 ${route(route_id)} 匹配所有消息，没有消息会到达模型。`,
  route_ring:
    '这些机器人的路由首尾相连。已转发的消息不会再次转发，因此不会循环，但请确认是否需要所有这些路由。',
} satisfies Partial<ReasonTexts>;
