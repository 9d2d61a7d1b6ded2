import type {
  common as Common,
  errors as Errors,
  live as Live,
  look as Look,
} from '../en/common.ts';
import type { nav as Nav, palette as Palette, shortcuts as Shortcuts } from '../en/common.ts';

export const common: typeof Common = {
  appName: 'Bot Relay',
  skip: 'Перейти к содержанию',
  loading: 'Загрузка…',
  retry: 'Повторить',
  cancel: 'Отмена',
  close: 'Закрыть',
  save: 'Сохранить',
  saved: 'Сохранено',
  saving: 'Сохраняем…',
  add: 'Добавить',
  remove: 'Убрать',
  delete: 'Удалить',
  edit: 'Изменить',
  undo: 'Вернуть',
  copy: 'Копировать',
  copied: 'Скопировано',
  search: 'Поиск',
  filter: 'Фильтр',
  more: 'Ещё',
  loadMore: 'Показать ещё',
  on: 'вкл.',
  off: 'выкл.',
  yes: 'Да',
  no: 'Нет',
  never: 'никогда',
  none: 'нет',
  optional: 'необязательно',
  back: 'Назад',
  next: 'Дальше',
  done: 'Готово',
  name: 'Название',
  actions: 'Действия',
  details: 'Подробности',
  raw: 'Исходный JSON',
  show: 'Показать',
  hide: 'Скрыть',
  refresh: 'Обновить',
  notFound: 'Такой страницы нет',
  notFoundHint: 'Возможно, в адресе ошибка или то, на что он вёл, удалено.',
  goHome: 'На обзор',
  brokenPage: 'Страница споткнулась',
  brokenPageHint: 'Ошибка в самой странице, данные целы. Загрузите её ещё раз.',
  requestId: (id) => `Запрос ${id}`,
};

export const nav: typeof Nav = {
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
  settings: 'Настройки и здоровье',
  groupWatch: 'Наблюдать',
  groupShape: 'Настраивать',
  groupRun: 'Обслуживать',
  openMenu: 'Открыть меню',
  closeMenu: 'Закрыть меню',
  apiReference: 'Справка по API',
  account: 'Ваша учётная запись',
  signOut: 'Выйти',
  signedInAs: (name) => `Вы вошли как ${name}`,
};

export const live: typeof Live = {
  on: 'В эфире',
  connecting: 'Соединяемся…',
  off: 'Связь прервана, восстанавливаем',
  hint: 'Всё, что происходит в службе, видно здесь сразу.',
};

export const look: typeof Look = {
  theme: 'Светлая или тёмная',
  light: 'Светлая',
  dark: 'Тёмная',
  auto: 'Как в системе',
  language: 'Язык',
};

export const palette: typeof Palette = {
  title: 'Перейти или сделать',
  placeholder: 'Страница, бот или действие',
  nothing: 'Ничего не подходит. Попробуйте короче.',
  open: 'Открыть палитру команд',
  pages: 'Страницы',
  bots: 'Боты',
  actions: 'Действия',
};

export const shortcuts: typeof Shortcuts = {
  title: 'Клавиатура',
  palette: 'Палитра команд',
  help: 'Этот список',
  goTo: (page) => `Перейти: ${page}`,
  search: 'К поиску на странице',
  theme: 'Сменить светлую тему на тёмную и обратно',
  escape: 'Закрыть открытое',
};

export const errors: typeof Errors = {
  title: 'Не получилось',
  offline: 'Служба недоступна. Запущена ли она? Пробуем снова сами.',
  unauthorized: 'Сеанс закончился. Войдите снова.',
  invalid_credentials: 'Имя и пароль не подходят друг к другу. Проверьте оба.',
  csrf_failed: 'Страница старее вашего сеанса. Загрузите её ещё раз.',
  insufficient_scope: 'Вам можно смотреть, но не менять. Обратитесь к администратору.',
  bot_not_allowed: 'Этот бот вам не назначен. Попросите администратора назначить его.',
  rate_limited: 'Слишком много запросов за короткое время. Подождите и повторите.',
  platform_rate_limited: 'Telegram просит не спешить. Подождите и повторите.',
  platform_unreachable: 'Служба не достаёт до Telegram. Проверьте её сеть.',
  platform_timeout:
    'Telegram не ответил вовремя. Возможно, всё сделано: проверьте, прежде чем повторять.',
  platform_refused: (words) => `Telegram отказал: ${words}`,
  internal: 'Что-то сломалось внутри службы. Её журнал расскажет больше по номеру запроса.',
};
