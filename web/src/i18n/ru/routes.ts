import type { routes as Routes } from '../en/routes.ts';
import type { PartialTexts } from '../messages.ts';
import type { ConditionReasonTexts } from '../reasons.ts';
import { counted } from './counted.ts';

const either = new Intl.ListFormat('ru', { type: 'disjunction' });

export const routes = {
  title: 'Маршруты',
  lead: 'Маршрут пересылает сообщения исходного бота через целевого.',
  add: 'Добавить маршрут',
  empty: 'Маршрутов пока нет',
  emptyHint: 'Добавьте маршрут, чтобы пересылать сообщения одного бота в чат другого.',
  needBots: 'Ботов пока нет',
  needBotsHint: 'Сначала добавьте бота. Для маршрута достаточно одного.',
  graph: 'Карта маршрутов',
  graphLabel: (count) =>
    `Карта: ${counted(count, 'маршрут', 'маршрута', 'маршрутов')} между ботами; те же маршруты в списке ниже`,
  receives: 'источник',
  passesOn: 'цель',
  ends: 'отброшено',
  ofBot: (bot) => `Маршруты бота ${bot}`,
  order: 'Проверяются сверху вниз.',
  orderByMeaning:
    'Проверяются сверху вниз; маршруты по смыслу — только если не подошёл ни один другой.',
  up: 'Выше',
  down: 'Ниже',
  enabled: 'Включён',
  editTitle: 'Изменить маршрут',
  addTitle: 'Новый маршрут',
  deleted: 'Маршрут удалён',
  saved: 'Маршрут сохранён',
  inWords: 'Итог',
  source: 'Исходный бот',
  condition: 'Условие',
  conditions: {
    all: 'все сообщения',
    keyword: 'ключевое слово',
    command: 'команда',
    regex: 'регулярное выражение',
    media: 'медиа',
    chat_id: 'из чата',
    user_id: 'от пользователя',
    llm: 'по смыслу',
  },
  short: { llm: 'по смыслу', media: 'любое медиа' },
  values: {
    keyword: 'Ключевые слова через запятую',
    command: 'Команда, например /help',
    regex: 'Регулярное выражение (RE2)',
    media: 'Типы медиа через запятую; пусто — любые',
    chat_id: 'ID чата',
    user_id: 'ID пользователя',
  },
  examples: 'Примеры сообщений, по одному в строке',
  examplesHint:
    'Необязательно. Сообщения сравниваются с описанием целевого бота и с этими примерами.',
  examplesSample: 'Где мой возврат?\nС меня списали дважды',
  meaningOff:
    'Включите «Выбор по смыслу» в настройках исходного бота, иначе маршрут никогда не сработает.',
  action: 'Действие',
  actions: {
    forward: 'переслать с именем автора',
    copy: 'скопировать без имени автора',
    drop: 'отбросить и пропустить остальные маршруты',
  },
  target: 'Целевой бот',
  targetChat: 'Целевой чат',
  targetChatHint: 'Чат, в котором есть целевой бот.',
  targetChatsHidden:
    'Введите ID. Чтобы выбирать из списка, включите «Управление чатами» в настройках целевого бота.',
  targetChatNeeded: 'Выберите целевой чат.',
  sameChat: 'тот же чат',
  warnings: {
    disabled: (bot) => `Бот ${bot} отключён и ничего не отправит. Сначала включите его.`,
    echo: (bot) => `Бот ${bot} вернёт каждое сообщение в чат, из которого оно пришло.`,
    sameChat: (bot) =>
      `Работает только в личных чатах с теми, кто запустил ${bot}, и в группах, где ${bot} состоит.`,
    unknownChat: (bot) => `Бота ${bot} в этом чате не видели. Сначала добавьте его туда.`,
    unknownPerson: (bot) =>
      `У бота ${bot} нет чата с этим человеком. Сначала попросите его запустить бота.`,
  },
  chatExample: 'Название или ID',
  chatUnknown: 'Чат не найден. Введите его ID.',
  noChatsYet: (bot) => `${bot} пока не состоит ни в одном чате.`,
  addToChat: (bot) =>
    `${bot} пока не состоит ни в одном чате. Добавьте его в группу Telegram или попросите человека отправить ему /start: чат появится в списке.`,
  makeGroup: 'Создать учебную группу',
  groupMade: (group) => `Создана группа «${group}»`,
  returnPath: 'Обратный путь',
  returnModes: {
    reply: 'ответы на сообщение возвращаются автору',
    latest: 'возвращаются все ответы; в личном чате — последнему автору',
    off: 'выключен',
  },
  sourceChat: 'Исходный чат',
  sourceChatHint: 'Оставьте пустым для всех чатов.',
  note: 'Заметка',
  noteHint: 'Зачем нужен этот маршрут.',
  words: {
    sentence: (bot, inChat, condition, action, back) =>
      `Когда ${bot} получает сообщение${inChat}${condition}, ${action}${back}`,
    inChat: (chat) => ` в чате ${chat}`,
    anyOf: (words) => either.format(words),
    conditions: {
      all: () => '',
      keyword: (value) => ` со словом ${value}`,
      command: (value) => ` с командой ${value}`,
      regex: (value) => ` по выражению ${value}`,
      media: (value) => (value === '' ? ' с любым медиа' : ` с медиа: ${value}`),
      chat_id: (value) => ` из чата ${value}`,
      user_id: (value) => ` от пользователя ${value}`,
      llm: () => ', подходящее цели по смыслу',
    },
    noValue: ', подходящее под условие',
    drop: 'оно отбрасывается, остальные маршруты пропускаются.',
    forward: (bot, chat) => `${bot} пересылает его с именем автора ${chat}.`,
    copy: (bot, chat) => `${bot} отправляет копию ${chat}.`,
    back: {
      latest: ' В личном чате любой ответ возвращается последнему автору.',
      off: ' Ответы не возвращаются.',
    },
    named: (name) => `«${name}»`,
    noChat: 'в выбранный вами чат',
    sameChat: 'в тот же чат',
    chat: (chat) => `в чат ${chat}`,
  },
  lastDay: (count) => `${count} за 24 ч`,
  failing: 'сбой',
  problems: 'Проблемы',
  thickness: 'Толщина линии — число сообщений за последние 24 часа.',
  simulator: 'Симулятор маршрутов',
  simulatorHint: 'Узнайте, какой маршрут сработает. Ничего не отправляется.',
  simulatorText: 'Сообщение',
  simulatorExample: 'Здравствуйте, хочу вернуть деньги',
  simulate: 'Проверить',
} satisfies PartialTexts<typeof Routes>;

/** Why a message matched, and possible problems of a condition's value. */
export const conditionReasons = {
  every_message: 'любое сообщение',
  from_chat: ({ chat_id }) => `из чата ${chat_id}`,
  from_user: ({ user_id }) => `от пользователя ${user_id}`,
  media_type: ({ type }) => `медиа: ${type}`,
  command: ({ command }) => `команда /${command}`,
  words_found: ({ words }) => `в тексте есть «${words}»`,
  pattern_matches: 'подходит под выражение',
  pattern_undecided: 'не решено: проверка выражения слишком долгая',

  keyword_needed: 'Введите хотя бы одно ключевое слово.',
  pattern_needed: 'Введите регулярное выражение.',
  pattern_not_re2: 'нужен синтаксис RE2 (без просмотра вперёд и назад и обратных ссылок)',
  pattern_too_much: 'слишком много повторений: уменьшите числа в {…} или используйте + и *',
  not_a_command: 'нужна команда вида /start: до 32 букв, цифр и подчёркиваний',
  not_an_id: ({ of }) => `нужен ID ${of === 'chat' ? 'чата' : 'пользователя'} цифрами`,
  not_media: ({ kinds }) => `оставьте пустым для любых медиа или укажите: ${kinds.join(', ')}`,
} satisfies Partial<ConditionReasonTexts>;
