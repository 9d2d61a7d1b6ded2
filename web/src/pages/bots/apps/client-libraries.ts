import type { Messages } from '../../../i18n/messages.ts';

export interface ClientLibrary {
  name: string;
  language: string;
  code: (root: string, token: string, polls?: boolean) => string;
  /** A common mistake with this line. */
  trap?: keyof Messages['bot']['traps'];
}

/** A tool with a form, whose fields have these labels. */
export interface ClientTool {
  name: string;
  fields: (root: string, token: string) => { label: string; text: string }[];
  hint: keyof Messages['apps']['toolHints'];
}

/** The exact line for each library, because each expects the API root in a different form. */
export const clientLibraries: ClientLibrary[] = [
  {
    name: 'grammY',
    language: 'TypeScript',
    code: (root, token) => `new Bot('${token}', { client: { apiRoot: '${root}' } })`,
    trap: 'noSlash',
  },
  {
    name: 'Telegraf',
    language: 'TypeScript',
    code: (root, token) => `new Telegraf('${token}', { telegram: { apiRoot: '${root}/' } })`,
    trap: 'slash',
  },
  {
    name: 'node-telegram-bot-api 2',
    language: 'TypeScript',
    code: (root, token) => `new Bot('${token}', { apiRoot: '${root}' })`,
  },
  {
    name: 'node-telegram-bot-api 0, 1',
    language: 'JavaScript',
    code: (root, token, polls = true) =>
      `new TelegramBot('${token}', { ${polls ? 'polling: true, ' : ''}baseApiUrl: '${root}' })`,
  },
  {
    name: 'GramIO',
    language: 'TypeScript',
    code: (root, token) => `new Bot('${token}', { api: { baseURL: '${root}/bot' } })`,
    trap: 'withBot',
  },
  {
    name: 'python-telegram-bot',
    language: 'Python',
    code: (root, token) =>
      `Application.builder().token('${token}').base_url('${root}/bot').base_file_url('${root}/file/bot').build()`,
    trap: 'bothAddresses',
  },
  {
    name: 'aiogram',
    language: 'Python',
    code: (root, token) =>
      `Bot('${token}', session=AiohttpSession(api=TelegramAPIServer.from_base('${root}')))`,
  },
  {
    name: 'pyTelegramBotAPI',
    language: 'Python',
    code: (root, token) =>
      `apihelper.API_URL = '${root}/bot{0}/{1}'; apihelper.FILE_URL = '${root}/file/bot{0}/{1}'; bot = telebot.TeleBot('${token}')`,
    trap: 'bothAddresses',
  },
  {
    name: 'go-telegram/bot',
    language: 'Go',
    code: (root, token) => `bot.New("${token}", bot.WithServerURL("${root}"))`,
  },
  {
    name: 'telebot',
    language: 'Go',
    code: (root, token, polls = true) =>
      `tele.NewBot(tele.Settings{URL: "${root}", Token: "${token}"${polls ? ', Poller: &tele.LongPoller{Timeout: 10 * time.Second}' : ''}})`,
  },
  {
    name: 'Telegram.Bot',
    language: 'C#',
    code: (root, token) =>
      `new TelegramBotClient(new TelegramBotClientOptions("${token}", "${root}"))`,
    trap: 'hostOnly',
  },
  {
    name: 'teloxide',
    language: 'Rust',
    code: (root, token) => `Bot::new("${token}").set_api_url("${root}".parse()?)`,
    trap: 'hostOnly',
  },
  {
    name: 'curl',
    language: 'Shell',
    code: (root, token) => `curl ${root}/bot${token}/getMe`,
  },
];

export const clientTools: ClientTool[] = [
  {
    name: 'n8n',
    fields: (root, token) => [
      { label: 'Base URL', text: root },
      { label: 'Access Token', text: token },
    ],
    hint: 'n8n',
  },
  {
    name: 'Node-RED',
    fields: (root, token) => [
      { label: 'Server URL', text: root },
      { label: 'Token', text: token },
    ],
    hint: 'nodeRed',
  },
];
