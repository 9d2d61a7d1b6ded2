import type { conversation as Conversation } from '../en/conversation.ts';
import type { PartialTexts } from '../messages.ts';

export const conversation = {
  label: 'Состояние и ответственный',
  states: {
    waiting: 'Ждёт ответа',
    snoozed: 'Отложен',
    open: 'Открыт',
    done: 'Завершён',
  },
  markDone: 'Завершить',
  markAnswered: 'Считать отвеченным',
  reopen: 'Открыть снова',
  snoozeHour: 'Отложить на час',
  snoozeTomorrow: 'Отложить до завтра, 9:00',
  endSnooze: 'Больше не откладывать',
  assignMe: 'Назначить мне',
  assignTo: (name) => `Назначить: ${name}`,
  unassign: 'Снять назначение',
  takeAsk: (name) => `Забрать диалог у ${name}?`,
  takeConfirm: 'Забрать',
  takeMeans: 'Возможно, вы ответите оба. Если не уверены, сначала спросите.',
} satisfies PartialTexts<typeof Conversation>;
