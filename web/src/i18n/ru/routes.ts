import type { routes as Routes } from '../en/routes.ts';
import type { ConditionReasonTexts } from '../reasons.ts';
import type { PartialTexts } from '../messages.ts';

const either = new Intl.ListFormat('ru', { type: 'disjunction' });

export const routes = {
  title: 'Маршруты',
  lead: 'Что принял один бот, может передать другой. Ответы сами находят дорогу назад.',
  add: 'Добавить маршрут',
  empty: 'Маршрутов пока нет',
  emptyHint:
    'Маршрут говорит: когда этот бот получит такое сообщение, тот бот покажет его вон там. Добавьте первый.',
  needBots: 'Маршруты соединяют ботов',
  needBotsHint: 'Сначала добавьте бота; для начала хватит одного.',
  graph: 'Кто кому передаёт',
  graphLabel: (count) =>
    `Рисунок маршрутов между ботами (${count}); список ниже говорит то же словами`,
  receives: 'принимает',
  passesOn: 'передаёт',
  ends: 'на этом конец',
  order: (bot) => `Что принимает ${bot}: сверху вниз`,
  up: 'Раньше',
  down: 'Позже',
  enabled: 'Включён',
  editTitle: 'Изменить маршрут',
  addTitle: 'Новый маршрут',
  deleted: 'Маршрут удалён',
  saved: 'Маршрут сохранён',
  inWords: 'Словами',
  source: 'Когда этот бот получает сообщение',
  condition: 'Условие',
  conditions: {
    all: 'всегда',
    keyword: 'в нём есть одно из слов',
    command: 'это такая команда',
    regex: 'оно подходит под образец',
    media: 'в нём есть медиа',
    chat_id: 'оно из этого чата',
    user_id: 'оно от этого человека',
    llm: 'по смыслу оно для этого бота',
  },
  short: { llm: 'по смыслу', media: 'любое медиа' },
  values: {
    keyword: 'Слова через запятую',
    command: 'Команда, например /help',
    regex: 'Образец (RE2)',
    media: 'Виды через запятую; пусто значит любые',
    chat_id: 'Номер чата',
    user_id: 'Номер человека',
  },
  examples: 'Примеры таких сообщений, по одному в строке',
  examplesHint:
    'По желанию: запишите, как об этом спрашивают. Выбор идёт по описанию бота-получателя и по этим строкам.',
  examplesSample: 'Где мой возврат?\nС меня списали дважды',
  meaningOff:
    'Принимающий бот пока не выбирает по смыслу: включите это в его настройках, иначе маршрут не выберут никогда.',
  action: 'Действие',
  actions: {
    forward: 'передать, показав автора',
    copy: 'передать от имени бота',
    drop: 'остановиться: дальше никто не увидит',
  },
  target: 'через этого бота',
  targetChat: 'в этот чат',
  targetChatHint: 'Тот, где состоит бот.',
  targetChatNeeded: 'Выберите, куда передавать.',
  sameChat: 'тот же чат, откуда пришло',
  warnings: {
    disabled: (bot) => `${bot} отключён: через него ничего не уйдёт.`,
    echo: (bot) => `${bot} вернёт каждое такое сообщение туда же, откуда оно пришло.`,
    sameChat: (bot) =>
      `В личном чате это дойдёт, только если человек запустил ${bot}, в группе — только если ${bot} в ней состоит. Иначе Telegram откажет.`,
    unknownChat: (bot) =>
      `${bot} в этом чате не замечен. Добавьте его туда, иначе ничего не дойдёт.`,
  },
  chatExample: 'Название или номер',
  chatUnknown: 'Такого чата здесь не знают. Подойдёт и номер.',
  returnPath: 'Ответы',
  returnModes: {
    reply: 'возвращаются, если ответить на само сообщение',
    latest: 'возвращаются и так: в личном чате тому, кто писал последним',
    off: 'не возвращаются',
  },
  sourceChat: 'Только сообщения этого чата',
  sourceChatHint: 'Пусто значит любой чат.',
  note: 'Заметка',
  noteHint: 'Зачем этот маршрут, для тех, кто придёт после.',
  words: {
    sentence: (bot, inChat, condition, action, back) =>
      `Когда ${bot} получает сообщение${inChat}${condition}, ${action}${back}`,
    inChat: (chat) => ` в чате ${chat}`,
    anyOf: (words) => either.format(words),
    conditions: {
      all: () => '',
      keyword: (value) => ` со словом ${value}`,
      command: (value) => ` с командой ${value}`,
      regex: (value) => `, подходящее под ${value}`,
      media: (value) => (value === '' ? ' с любым медиа' : ` с медиа: ${value}`),
      chat_id: (value) => ` из чата ${value}`,
      user_id: (value) => ` от человека ${value}`,
      llm: () => ', подходящее по смыслу',
    },
    drop: 'на этом всё: следующие маршруты его не видят.',
    forward: (bot, chat) => `${bot} показывает его ${chat} с именем автора.`,
    copy: (bot, chat) => `${bot} повторяет его ${chat} от своего имени.`,
    back: {
      latest: ' В личном чате любой ответ уходит тому, кто писал последним.',
      off: ' Ответы не возвращаются.',
    },
    named: (name) => `«${name}»`,
    noChat: 'в чате, который ещё не выбран',
    sameChat: 'в том же чате',
    chat: (chat) => `в чате ${chat}`,
  },
  lastDay: (count) => `${count} за сутки`,
  failing: 'не доходит',
  problems: 'Обратите внимание',
  thickness: 'Чем толще линия, тем больше прошло за последние сутки.',
  simulator: 'Проверить',
  simulatorHint: 'Какое правило возьмёт это сообщение? Ничего не отправляется.',
  simulatorText: 'Сообщение',
  simulatorExample: 'Хочу вернуть деньги',
  simulate: 'Проверить',
} satisfies PartialTexts<typeof Routes>;

/** Why a message matched, and what can be wrong with the value of a condition. */
export const conditionReasons = {
  every_message: 'любое сообщение',
  from_chat: ({ chat_id }) => `из чата ${chat_id}`,
  from_user: ({ user_id }) => `от человека ${user_id}`,
  media_type: ({ type }) => `вложение: ${type}`,
  command: ({ command }) => `команда /${command}`,
  words_found: ({ words }) => `есть слова «${words}»`,
  pattern_matches: 'подходит под выражение',

  keyword_needed: 'укажите слово, которое искать',
  pattern_needed: 'нужно регулярное выражение',
  pattern_not_re2: 'это не выражение RE2 (без просмотра вперёд и обратных ссылок)',
  pattern_too_much: 'слишком много повторений: уменьшите числа в {…} или пишите + и *',
  not_a_command: 'нужна команда вида /start: буквы, цифры, подчёркивания, не больше 32',
  not_an_id: ({ of }) => `нужен номер ${of === 'chat' ? 'чата' : 'человека'} цифрами`,
  not_media: ({ kinds }) => `пусто для любого вложения или одно из: ${kinds.join(', ')}`,
} satisfies Partial<ConditionReasonTexts>;
