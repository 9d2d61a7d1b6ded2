import { inWords, type Phrase } from '../phrase.ts';

/** Why a message went where it went. */
export const routing: Phrase[] = [
  [
    /^(route \d+: .+(?:; route \d+: .+)*)$/,
    (list = '') => list.split('; ').map(ruleWords).join('; '),
  ],
  [
    /^(.+), but an earlier route drops it$/,
    (why = '') => `${inWords(why, routing)}, но раньше сообщение останавливает другой маршрут`,
  ],
  [/^does not match$/, 'не подходит'],
  [/^every message$/, 'любое сообщение'],
  [/^from chat (-?\d+)$/, (chat = '') => `из чата ${chat}`],
  [/^from user (\d+)$/, (user = '') => `от человека ${user}`],
  [/^it is a (\w+)$/, (kind = '') => `вложение: ${kind}`],
  [/^the command (\S+)$/, (command = '') => `команда ${command}`],
  [/^it says "(.+)"$/, (words = '') => `есть слова «${words}»`],
  [/^the pattern matches$/, 'подходит под выражение'],
  [/^the message was edited$/, 'сообщение изменили'],
  [/^An edit is carried over\.$/, 'Правка передана.'],
  [/^message (\d+) was deleted$/, (id = '') => `сообщение ${id} удалили`],
  [/^A deletion is carried over\.$/, 'Удаление передано.'],
  [
    /^The deleted messages were not carried anywhere\.$/,
    'Удалённые сообщения никуда не передавали.',
  ],
  [
    /^The message was deleted before the model chose; it goes nowhere\.$/,
    'Сообщение удалили до выбора модели; оно никуда не уйдёт.',
  ],
  [
    /^The message was edited while the model was asked, and is asked about anew\.$/,
    'Сообщение изменили, пока спрашивали модель; она спрошена заново.',
  ],
  [
    /^Edited or deleted before the model chose: see position (\d+)\.$/,
    (position = '') => `Изменено или удалено до выбора модели: см. позицию ${position}.`,
  ],
  [
    /^The owner of the business account wrote this, not a customer\.$/,
    'Это написал владелец бизнес-аккаунта, а не клиент.',
  ],
  [
    /^A bot wrote this in the name of the business account\.$/,
    'Это бот написал от имени бизнес-аккаунта.',
  ],
  [/^No rule matched\.$/, 'Ни один маршрут не подошёл.'],
  [/^No rule matched; the model chooses\.$/, 'Ни один маршрут не подошёл; выбирает модель.'],
  [/^The relay itself sent this message\.$/, 'Это сообщение отправила сама служба.'],
  [/^The edited message was not carried anywhere\.$/, 'Изменённое сообщение никуда не передавали.'],
  [/^The update is no longer in the log\.$/, 'Обновления больше нет в журнале.'],
  [/^Stopped after (\d+) hops\.$/, (hops = '') => `Остановлено после ${hops} пересылок.`],
  [
    /^A reply to a carried message goes back through bot (\d+)\.$/,
    (bot = '') => `Ответ на переданное сообщение уходит обратно через бота ${bot}.`,
  ],
  [/^Decided with its album/, 'Решено вместе с альбомом.'],
  [/^A bot that this key may not see was chosen\.$/, 'Выбран бот, к которому у вас нет доступа.'],
  [
    /^No description fits the message well enough\.$/,
    'Ни одно описание не подходит достаточно хорошо.',
  ],
  [
    /^Its description fits best(?:: (.+))?\.$/,
    (words = '') => `Его описание подходит лучше всего${words ? `: ${words}` : ''}.`,
  ],
  [/^The model gave no reason\.$/, 'Модель не объяснила выбор.'],
  [/^no model is configured$/, 'модель не настроена'],
  [
    /^the (calls|tokens) of this month are used up$/,
    (what) =>
      what === 'calls' ? 'запросы этого месяца исчерпаны' : 'токены этого месяца исчерпаны',
  ],
  [
    /^In a private chat it arrives only if the person has started bot (\d+); in a group/,
    (bot = '') =>
      `В личном чате дойдёт, только если человек запустил бота ${bot}, в группе — только если он в ней состоит.`,
  ],
  [
    /^It will not arrive: this person has not started bot (\d+)\.$/,
    (bot = '') => `Не дойдёт: этот человек не запускал бота ${bot}.`,
  ],
  [
    /^It may not arrive: bot (\d+) was not seen in chat (-?\d+)\.$/,
    (bot = '', chat = '') => `Может не дойти: бота ${bot} не видели внутри чата ${chat}.`,
  ],
  [/^It goes back into the chat it came from\.$/, 'Оно вернётся в тот же чат, откуда пришло.'],
  [
    /^not sent: this kind of message cannot be carried to another bot$/,
    'не отправлено: такое сообщение другому боту не передать',
  ],
  [/^dropped$/, 'остановлено'],
  [/^queued$/, 'в очереди'],
  [/^not sent: the target bot is gone$/, 'не отправлено: бота-получателя больше нет'],
  [/^not sent: the target bot is disabled$/, 'не отправлено: бот-получатель отключён'],
  [
    /^Route (\d+) drops every message before this one is asked\.$/,
    (id = '') => `Маршрут #${id} останавливает все сообщения раньше.`,
  ],
  [/^Its source bot is disabled\.$/, 'Принимающий бот отключён.'],
  [/^Its target bot is disabled\.$/, 'Бот-получатель отключён.'],
  [/^Its condition and its filter name two chats\.$/, 'Условие и фильтр называют разные чаты.'],
  [
    /^Its source bot does not let the model route\.$/,
    'У принимающего бота выключен выбор языковой моделью.',
  ],
  [
    /^Route (\d+) takes every message, so none is left to the model\.$/,
    (id = '') => `Маршрут #${id} берёт все сообщения, и языковой модели ничего не остаётся.`,
  ],
  [
    /^These bots route to each other in a ring\./,
    'Эти боты передают сообщения друг другу по кругу. Переданное дальше не передаётся, так что ничего не зациклится, но один из маршрутов, вероятно, лишний.',
  ],
];

function ruleWords(rule: string): string {
  return rule.replace(/^route (\d+): (.+)$/, (_all, id: string, why: string) => {
    return `маршрут #${id}: ${inWords(why, routing)}`;
  });
}
