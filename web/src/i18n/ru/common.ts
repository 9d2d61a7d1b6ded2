import type { common as Common, live as Live, look as Look } from '../en/common.ts';
import type { nav as Nav, palette as Palette, shortcuts as Shortcuts } from '../en/common.ts';
import type { PartialTexts } from '../messages.ts';

export const common = {
  appName: 'Bot Relay',
  skip: 'Перейти к содержанию',
  loading: 'Загрузка…',
  retry: 'Повторить',
  cancel: 'Отмена',
  close: 'Закрыть',
  save: 'Сохранить',
  saved: 'Сохранено',
  add: 'Добавить',
  remove: 'Убрать',
  delete: 'Удалить',
  edit: 'Изменить',
  undo: 'Вернуть',
  copy: 'Копировать',
  copied: 'Скопировано',
  copyFailed: 'Браузер не дал скопировать. Выделите текст и нажмите Ctrl C.',
  search: 'Поиск',
  more: 'Ещё',
  loadMore: 'Показать ещё',
  on: 'вкл.',
  off: 'выкл.',
  never: 'никогда',
  none: 'нет',
  actions: 'Действия',
  show: 'Показать',
  notFound: 'Такой страницы нет',
  notFoundHint: 'Возможно, в адресе ошибка или то, на что он вёл, удалено.',
  goHome: 'На обзор',
  barred: 'Эта страница не для вашей учётной записи',
  barredHint: 'Если она нужна, попросите администратора.',
  brokenPage: 'Страница споткнулась',
  brokenPageHint: 'Ошибка в самой странице, данные целы. Загрузите её ещё раз.',
  notLoaded: 'Часть страницы не загрузилась',
  notLoadedHint:
    'Служба не отвечает, перезапускается или обновилась. Повторите: страница загрузится заново.',
  brokenChart: 'График не удалось показать',
  exporting: (name) => `Получаем ${name}`,
  exported: (name, size) => `${name} получен (${size})`,
  exportStopped: (name) => `${name}: получение остановлено`,
  unsaved: 'Уйти, не сохранив?',
  unsavedHint: 'Изменённое на этой странице пропадёт.',
  leave: 'Уйти',
  requestId: (id) => `Запрос ${id}`,
} satisfies PartialTexts<typeof Common>;

export const nav = {
  label: 'Главное меню',
  side: 'Боковая панель',
  overview: 'Обзор',
  bots: 'Боты',
  chats: 'Чаты',
  routes: 'Маршруты',
  sandbox: 'Песочница',
  statistics: 'Статистика',
  audit: 'Журнал действий',
  access: 'Люди и ключи',
  settings: 'Настройки',
  groupMonitor: 'Наблюдать',
  groupConfigure: 'Настраивать',
  groupAdmin: 'Обслуживать',
  openMenu: 'Открыть меню',
  closeMenu: 'Закрыть меню',
  documentation: 'Документация',
  apiReference: 'Справка по API',
  account: 'Ваша учётная запись',
  signOut: 'Выйти',
} satisfies PartialTexts<typeof Nav>;

export const live = {
  on: 'На связи',
  connecting: 'Соединяемся…',
  off: 'Связь прервана, восстанавливаем',
  lost: 'Нет связи со службой.',
  lostSince: (time) => `Всё на странице — на ${time}. Восстанавливаем связь…`,
  hint: 'Всё, что происходит в службе, видно здесь сразу.',
} satisfies PartialTexts<typeof Live>;

export const look = {
  theme: 'Светлая или тёмная',
  light: 'Светлая',
  dark: 'Тёмная',
  auto: 'Как в системе',
  language: 'Язык',
} satisfies PartialTexts<typeof Look>;

export const palette = {
  title: 'Перейти или сделать',
  placeholder: 'Страница, бот, чат, имя или действие',
  nothing: 'Ничего не подходит. Попробуйте короче; слова в сообщениях ищут в разделе «Чаты».',
  open: 'Открыть палитру команд',
  pages: 'Страницы',
  bots: 'Боты',
  chats: 'Чаты',
  people: 'Люди',
  actions: 'Действия',
} satisfies PartialTexts<typeof Palette>;

export const shortcuts = {
  title: 'Клавиатура',
  palette: 'Палитра команд',
  help: 'Этот список',
  goTo: (page) => `Перейти: ${page}`,
  search: 'К поиску на странице',
  theme: 'Сменить светлую тему на тёмную и обратно',
  escape: 'Закрыть открытое',
} satisfies PartialTexts<typeof Shortcuts>;
