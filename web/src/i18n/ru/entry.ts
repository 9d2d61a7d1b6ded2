import type { entry as Entry, welcome as Welcome } from '../en/entry.ts';
import type { PartialTexts } from '../messages.ts';

export const entry = {
  signInTitle: 'Вход',
  signInLead: 'Ваши боты ждут.',
  username: 'Имя',
  usernameHint: 'Буквы, цифры и . _ @ + -',
  password: 'Пароль',
  passwordHint: 'Не меньше 8 знаков. Лучше всего короткая фраза.',
  passwordShort: (missing) => `ещё ${missing} зн.`,
  passwordTooShort: (least) => `Нужно не меньше ${least} знаков.`,
  signIn: 'Войти',
  firstTime: 'Вы здесь впервые?',
  firstTimeHint:
    'При первом запуске служба напечатала ссылку для настройки. Откройте её, чтобы создать первую учётную запись.',
  setupTitle: 'Первая учётная запись',
  setupLead: 'Ей можно всё. Других людей можно добавить потом.',
  setupButton: 'Создать',
  setupMissing: 'Ссылка для настройки неполная',
  setupMissingHint:
    'Откройте ссылку точно так, как её напечатала служба при первом запуске. Она кончается на #token=… и работает один раз.',
  setupUsed: 'Ссылка для настройки больше не работает',
  setupUsedHint:
    'Её уже использовали, или это не та ссылка, которую напечатала служба. Войдите под своей учётной записью. Если её нет, создайте её командой «bot-relay users add».',
  setupUsedGo: 'Продолжить',
  showPassword: 'Показать или скрыть пароль',
} satisfies PartialTexts<typeof Entry>;

export const welcome = {
  title: 'Первая минута',
  lead: 'Три маленьких шага, и сообщение пройдёт весь путь.',
  skip: 'Пропустить',
  stepBot: 'Завести бота',
  stepHello: 'Поздороваться',
  stepArrived: 'Увидеть сообщение',
  practiceTitle: 'Сделать учебного бота',
  practiceHint:
    'Он живёт во встроенной песочнице: без учётной записи Telegram, без сети, сломать ничего нельзя.',
  practiceButton: 'Сделать учебного бота',
  practiceName: 'Учебный бот',
  realTitle: 'Подключить своего бота',
  realHint: 'Вставьте токен, который выдал @BotFather. Он проверяется сразу.',
  helloTitle: (bot) => `Поздоровайтесь с ботом «${bot}»`,
  helloHint: 'Теперь вы пользователь песочницы с телефоном в руке.',
  helloText: 'Привет! Есть кто живой?',
  helloButton: 'Отправить от пользователя',
  helloReal: (name) => `Откройте ${name} в Telegram и напишите что-нибудь.`,
  waiting: 'Ждём сообщение…',
  arrivedTitle: 'Дошло',
  arrivedHint: 'Принято, записано на диск и показано здесь, всё сразу.',
  took: (words) => `через ${words} после отправки`,
  openChat: 'Открыть чат',
  openBot: 'Настроить бота',
  openSandbox: 'Поиграть в песочнице',
} satisfies PartialTexts<typeof Welcome>;
