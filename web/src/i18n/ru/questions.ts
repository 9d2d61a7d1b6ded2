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
  more: 'Дополнительно',
  users: 'Кто может ответить',
  everybody: 'Все в чате',
  until: 'Действует до',
  untilHint: 'Не более 30 дней. Если пусто, 24 часа.',
  callback: 'URL обратного вызова',
  callbackHint: 'Вызывается с ответом.',
  send: 'Спросить',
  asked: 'Вопрос задан.',
  cancel: 'Отменить вопрос',
  cancelled: 'Вопрос отменён.',
  ended: 'На вопрос уже ответили, или его срок истёк.',
} satisfies PartialTexts<typeof Questions>;
