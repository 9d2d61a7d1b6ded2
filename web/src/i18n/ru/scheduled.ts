import type { scheduled as Scheduled } from '../en/scheduled.ts';
import type { PartialTexts } from '../messages.ts';
import { messages } from './counted.ts';

export const scheduled = {
  title: 'Запланированные сообщения',
  count: (count) => `Запланировано: ${messages(count)}`,
  heldCount: (count) => `не отправлено: ${count}`,
  sendLater: 'Отправить позже',
  schedule: 'Запланировать',
  when: 'Дата и время',
  text: 'Текст',
  change: 'Изменить',
  cancel: 'Отменить отправку',
  canceled: 'Запланированное сообщение отменено.',
  added: (when) => `Запланировано на ${when}.`,
} satisfies PartialTexts<typeof Scheduled>;
