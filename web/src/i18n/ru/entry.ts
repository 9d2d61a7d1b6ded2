import type { entry as Entry, welcome as Welcome } from '../en/entry.ts';
import type { PartialTexts } from '../messages.ts';
import { counted } from './counted.ts';

export const entry = {
  signInTitle: 'Вход',
  signInLead: 'Войдите в свою учётную запись Bot Relay.',
  username: 'Имя пользователя',
  usernameHint: 'Буквы, цифры и . _ @ + -',
  password: 'Пароль',
  passwordHint: 'Не меньше 8 символов. Подойдёт короткая фраза.',
  passwordShort: (missing) => `ещё ${counted(missing, 'символ', 'символа', 'символов')}`,
  passwordTooShort: (least) => `Нужно не меньше ${least} символов.`,
  signIn: 'Войти',
  firstTime: 'Ещё нет учётной записи?',
  firstTimeHint:
    'Обратитесь к администратору. В новой установке откройте ссылку настройки, которую сервис вывел при первом запуске.',
  lostLink: 'Потеряли ссылку? Выполните на сервере `bot-relay users add <имя> --role admin`.',
  setupTitle: 'Создание администратора',
  setupLead: 'Этой учётной записи доступно всё. Остальных можно добавить позже.',
  setupButton: 'Создать',
  setupMissing: 'Неполная ссылка настройки',
  setupMissingHint:
    'Откройте ссылку целиком, как её вывел сервис при первом запуске. Она заканчивается на #token=… и работает один раз.',
  setupUsed: 'Ссылка настройки недействительна',
  setupUsedHint:
    'Ссылка работает один раз, в течение 24 часов после первого запуска и пока нет администратора. Войдите. Импортированному администратору нужен пароль: `bot-relay users password <имя>`. Чтобы добавить другого, выполните на сервере `bot-relay users add <имя> --role admin`.',
  setupUsedGo: 'Продолжить',
  showPassword: 'Показать или скрыть пароль',
} satisfies PartialTexts<typeof Entry>;

export const welcome = {
  title: 'Начало работы',
  lead: 'Отправьте первое сообщение через сервис за три шага.',
  skip: 'Пропустить',
  stepBot: 'Добавьте бота',
  stepHello: 'Отправьте сообщение',
  stepArrived: 'Проверьте результат',
  practiceTitle: 'Создать тестового бота',
  practiceHint: 'Работает во встроенной песочнице, без аккаунта Telegram и сети.',
  practiceButton: 'Создать тестового бота',
  practiceName: 'Тестовый бот',
  realTitle: 'Подключить своего бота',
  realHint: 'Вставьте токен от @BotFather.',
  helloTitle: (bot) => `Напишите боту ${bot}`,
  helloHint: 'Вы пишете от имени пользователя песочницы, с его телефона.',
  helloText: 'Привет! Есть кто-нибудь?',
  helloButton: 'Отправить',
  helloReal: (name) => `Откройте ${name} в Telegram и отправьте ему сообщение.`,
  waiting: 'Ждём сообщение…',
  arrivedTitle: 'Сообщение получено',
  arrivedHint: 'Сервис принял сообщение, сохранил его и показал здесь.',
  took: (words) => `через ${words} после отправки`,
  openChat: 'Открыть чат',
  openBot: 'Настроить бота',
  openSandbox: 'Открыть песочницу',
} satisfies PartialTexts<typeof Welcome>;
