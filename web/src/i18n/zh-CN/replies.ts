import type { replies as Replies } from '../en/replies.ts';
import type { PartialTexts } from '../messages.ts';

export const replies = {
  title: '常用回复',
  hint: '输入消息，或 / 选常用回复',
  none: '还没有常用回复。',
  noMatch: '没有匹配的常用回复。',
  manage: '管理常用回复…',
  add: '添加回复',
  saved: '回复已保存。',
  deleted: '回复已删除。',
  used: (count) => `已使用 ${count} 次`,
  name: '名称',
  nameHint: '在聊天中输入 / 和此名称。',
  text: '内容',
  textHint: (names) => `自动填入：${names}`,
  onlyFor: (bot) => `仅用于 ${bot}`,
} satisfies PartialTexts<typeof Replies>;
