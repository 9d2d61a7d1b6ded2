import type { questions as Questions } from '../en/questions.ts';
import type { PartialTexts } from '../messages.ts';

export const questions = {
  title: 'Открытые вопросы',
  count: (count) => `Открытых вопросов: ${count}`,
  expires: (when) => `Действует до ${when}`,
  ask: 'Задать вопрос',
  text: 'Вопрос',
  options: 'Ответы',
  optionsHint: 'По одной кнопке в строке, от 2 до 10. Оставьте пустым для свободного ответа.',
  send: 'Спросить',
  asked: 'Вопрос задан.',
  cancel: 'Отменить вопрос',
  cancelled: 'Вопрос отменён.',
  ended: 'На вопрос уже ответили, или его срок истёк.',
} satisfies PartialTexts<typeof Questions>;
