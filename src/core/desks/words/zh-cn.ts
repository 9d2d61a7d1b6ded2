import { ended } from '../../reasons/shape.ts';
import type { DeskWords } from './desk-words.ts';

export const zhCN: DeskWords = {
  desk_done: '已完成。客户再次发消息时，话题会重新打开。',
  desk_unseen: '未完成：客户发来的内容当时还没有显示在这里。请阅读后再次关闭话题。',
  desk_rated: ({ rating }) => `评分：${rating}/5。`,
  desk_reopened: ({ since }) => `客户又来了。话题曾于 ${since} 关闭。`,
  desk_pressed: ({ button }) => `客户点击了“${button}”。`,
  desk_banned: '已封禁：客户的消息会保存，但不在此显示。用 /unban 解除。',
  desk_unbanned: '已解除封禁。',
  desk_noted: '已记录。网页界面会在此人的资料中显示。',
  desk_note_empty: '请在命令后写备注：/note 按发票付款。',
  desk_assigned: ({ name }) => `已分配给 ${name}。`,
  desk_assign_whom:
    '没有变化：/assign 会把会话分配给发送命令的人。要分配给其他人，请使用网页界面。',
  desk_held: ({ name }) => `此会话由 ${name} 负责。要接手，请发送 /assign confirm。`,
  desk_anonymous: '匿名管理员不能负责会话。请以本人身份发送。',
  desk_admins_only: ({ command }) => `只有论坛管理员和客服台设置中列出的人员可以使用 ${command}。`,
  desk_admin_unknown: ({ command }) => `Telegram 没有说明您是否是管理员。请重新发送 ${command}。`,
  desk_card: ({ name, username, language, bot, since, others, notes, ...now }) =>
    [
      `${name}${username === '' ? '' : ` (@${username})`}，通过 ${bot}。`,
      language === '' ? '' : `语言：${language}。`,
      `首次出现：${since}。`,
      others.length === 0 ? '' : `也使用：${others.join('、')}。`,
      now.tags?.length ? `标签：${now.tags.join('、')}。` : '',
      now.assignee ? `负责人：${now.assignee}。` : '',
      now.done ? '已完成。' : '',
      now.banned ? '已封禁。' : '',
      ...notes.map((note) => `备注：${note}`),
    ]
      .filter(Boolean)
      .join('\n'),
  desk_repeated: '上面的消息可能重复：Telegram 第一次没有确认。',
  desk_not_shown: ({ cause }, say) =>
    `客户发送的内容无法在此显示：${ended(say(cause))}请在网页界面查看。`,
  desk_unknown_kind: '客户发送了机器人无法复制的内容。请让客户换一种形式。',
  desk_answer_failed: ({ cause }, say) => `客户没有收到：${ended(say(cause))}`,
  desk_answer_unknown: ({ cause }, say) =>
    `不确定客户是否收到：${ended(say(cause))}不会自动重发。如果客户没有反应，请再写一次。`,
  desk_bot_away: ({ bot_id }) => `客户没有收到：机器人 ${bot_id} 已停用。请启用后再写一次。`,
  desk_kind_refused: '客户没有收到：机器人无法发送这类消息。请换一种形式。',
  desk_stray_topic: ({ name }) => `没有人会收到：客服台为 ${name} 使用另一个话题。请删除此话题。`,
  desk_forgotten: '没有人会收到：该客户的数据已删除。客户再次发消息时会有新话题。',
  desk_delete_what: '请用 /del 回复客户不应再看到的消息。',
  desk_blocked: '客户屏蔽了机器人。解除屏蔽前，回复无法送达。',
  desk_no_commands: ({ command }) =>
    `客服台没有命令 ${command}，请看 /help。以斜杠开头的内容不会发给客户。`,
  desk_help: [
    '您在这里写的内容会发给客户，命令和以 // 开头的内容除外。',
    '/close 结束会话，直到客户再次发消息。',
    '/note <文字> 添加关于此人的内部备注。',
    '/assign 把会话分配给您；/assign confirm 从他人处接手。',
    '/info 显示卡片。',
    '/del（作为回复）在客户那里也删除该消息。',
    '/ban 不在这里显示客户的消息，直到发送 /unban。',
  ].join('\n'),
  restored_unsent: '制作所恢复的备份时，这条消息正在排队。此后它可能已经发送。',
};
