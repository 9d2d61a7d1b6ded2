import type { conversation as Conversation } from '../en/conversation.ts';
import type { PartialTexts } from '../messages.ts';

export const conversation = {
  label: '状态和负责人',
  states: {
    waiting: '等待回复',
    snoozed: '已推迟',
    open: '进行中',
    done: '已完成',
  },
  markDone: '标记为完成',
  markAnswered: '标记为已回复',
  reopen: '重新打开',
  snoozeHour: '推迟一小时',
  snoozeTomorrow: '推迟到明天 9:00',
  endSnooze: '取消推迟',
  assignMe: '分配给我',
  assignTo: (name) => `分配给 ${name}`,
  unassign: '取消分配',
  takeAsk: (name) => `从 ${name} 接手此会话？`,
  takeConfirm: '接手',
  takeMeans: '你们可能会同时回复。不确定时请先询问。',
} satisfies PartialTexts<typeof Conversation>;
