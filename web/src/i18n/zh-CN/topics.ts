import type { topics as English } from '../en/topics.ts';
import type { PartialTexts } from '../messages.ts';

export const topics = {
  list: (title) => `${title} 的话题`,
  back: '全部话题',
  all: '全部消息',
  allHint: '所有话题以及话题之外的消息。',
  search: '搜索话题',
  none: '没有匹配的话题。',
  unnamed: (id) => `话题 ${id}`,
  closed: '已关闭',
  hidden: '已隐藏',
  gone: '机器人无法在此发言：话题已被删除或停用。',
  topic: '话题',
  source: '来源话题',
  target: '目标话题',
  any: '任意话题',
  noTopic: '无话题',
  sentence: (chat, topic) => `${chat}，${topic}`,
} satisfies PartialTexts<typeof English>;
