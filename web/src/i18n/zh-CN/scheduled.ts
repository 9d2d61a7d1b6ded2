import type { scheduled as Scheduled } from '../en/scheduled.ts';
import type { PartialTexts } from '../messages.ts';
import { number } from './number.ts';

export const scheduled = {
  title: '定时消息',
  count: (count) => `${number(count)} 条定时消息`,
  heldCount: (count) => `${number(count)} 条未发送`,
  sendLater: '稍后发送',
  schedule: '定时发送',
  when: '日期和时间',
  text: '文本',
  change: '修改',
  cancel: '取消发送',
  canceled: '已取消定时消息。',
  added: (when) => `已定于 ${when} 发送。`,
} satisfies PartialTexts<typeof Scheduled>;
