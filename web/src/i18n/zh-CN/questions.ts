import type { questions as Questions } from '../en/questions.ts';
import type { PartialTexts } from '../messages.ts';
import { number } from './number.ts';

export const questions = {
  title: '待回答的问题',
  count: (count) => `${number(count)} 个待回答的问题`,
  expires: (when) => `${when} 到期`,
  ask: '提问',
  text: '问题',
  options: '选项',
  optionsHint: '每行一个按钮，2 到 10 个。留空则可自由回答。',
  more: '更多设置',
  users: '谁可以回答',
  everybody: '聊天中的所有人',
  until: '到期时间',
  untilHint: '最多 30 天。留空为 24 小时。',
  callback: '回调 URL',
  callbackHint: '得到答案后调用。',
  send: '提问',
  asked: '已提问。',
  cancel: '取消问题',
  cancelled: '已取消问题。',
  ended: '该问题已结束。',
} satisfies PartialTexts<typeof Questions>;
