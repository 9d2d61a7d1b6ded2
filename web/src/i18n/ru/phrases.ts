import { inWords, type Phrase } from '../phrase.ts';
import { rights } from './rights.ts';
import { routing } from './routing-phrases.ts';

const types: Record<string, string> = {
  'a text': 'текст',
  'a whole number': 'целое число',
  'a number': 'число',
  'true or false': 'true или false',
  'a list': 'список',
};

const rightName = (right: string) => rights.names[right as keyof typeof rights.names] ?? right;

/** About one field of a form. */
const fields: Phrase[] = [
  [/^is missing$/, 'нужно заполнить'],
  [/^must not be (?:empty|blank)$/, 'не может быть пустым'],
  [/^must have at least (\d+) characters$/, (count = '') => `не короче ${count} знаков`],
  [
    /^must have at most (\d+) (?:characters|UTF-16 units)$/,
    (count = '') => `не длиннее ${count} знаков`,
  ],
  [
    /^must have at (least|most) (\d+) entries$/,
    (side, n = '') => `не ${side === 'least' ? 'меньше' : 'больше'} ${n}`,
  ],
  [/^must not name the same entry twice$/, 'названо дважды'],
  [/^must be at least (-?[\d.]+)$/, (least = '') => `не меньше ${least}`],
  [/^must be at most (-?[\d.]+)$/, (most = '') => `не больше ${most}`],
  [/^must be 0 or at least (\d+)$/, (least = '') => `0 или не меньше ${least}`],
  [/^must be one of: (.+)$/, (list = '') => `одно из: ${list}`],
  [
    /^must be one line without control characters or text direction overrides$/,
    'должно быть одной строкой без управляющих символов и символов направления текста',
  ],
  [
    /^must not contain control characters or text direction overrides$/,
    'не должно содержать управляющих символов и символов направления текста',
  ],
  [/^must have the form .+$/, 'здесь есть недопустимые знаки'],
  [
    /^must be (a text|a whole number|a number|true or false|a list)$/,
    (type = '') => `нужно: ${types[type] ?? type}`,
  ],
  [
    /^must be a date and time with a zone, such as (.+)$/,
    (example = '') => `нужны дата и время с поясом, например ${example}`,
  ],
  [/^is not a known field$/, 'такого поля нет'],
  [/^is needed where proxy_enabled is true$/, 'нужен адрес, раз обновления передаются'],
  [
    /^needs the RELAY_PUBLIC_URL setting/,
    'Telegram нужен публичный адрес. Задайте RELAY_PUBLIC_URL и перезапустите службу или оставьте выключенным.',
  ],
  [
    /^must be an http or https URL, such as (\S+)$/,
    (example = '') => `адрес начинается с http:// или https://, например ${example}`,
  ],
  [/^must not contain spaces or control characters$/, 'без пробелов'],
  [
    /^must not contain a user name or password: use \w+ instead$/,
    'уберите имя и пароль из адреса; для этого есть секрет',
  ],
  [
    /^names an address that the RELAY_BACKENDS setting does not allow$/,
    'этот адрес запрещён настройкой RELAY_BACKENDS',
  ],
  [/^is refused by the platform$/, 'Telegram его не принимает'],
  [/^belongs to another bot/, 'это токен другого бота: добавьте того бота отдельно'],
  [
    /^must be given again for an address at another host, or be empty for none$/,
    'адрес ведёт на другой сервер: введите ключ ещё раз',
  ],
  [/^must be set where enabled is true$/, 'нужно заполнить, раз модель включена'],
  [/^must name the word to look for$/, 'укажите слово, которое искать'],
  [
    /^must be a regular expression in RE2 syntax.*$/,
    'это не выражение RE2 (без просмотра вперёд и обратных ссылок)',
  ],
  [/^must be a regular expression$/, 'нужно регулярное выражение'],
  [/^repeats too much: /, 'слишком много повторений: уменьшите числа в {…} или пишите + и *'],
  [
    /^must be a command, such as/,
    'нужна команда вида /start: буквы, цифры, подчёркивания, не больше 32',
  ],
  [
    /^must be a (chat|user) ID in digits$/,
    (what) => `нужен номер ${what === 'chat' ? 'чата' : 'человека'} цифрами`,
  ],
  [
    /^must be hex, such as (\S+), or a CSS colour name$/,
    (example = '') => `нужен цвет вида ${example} или его имя в CSS`,
  ],
  [/^must hold at least one letter or digit$/, 'нужна хотя бы одна буква или цифра'],
  [/^is not shown with a \w+: leave it out$/, 'подпись здесь не показывается: уберите её'],
];

/** Whole sentences of refusals. */
const refusals: Phrase[] = [
  [/^This name and password do not fit together/, 'Имя и пароль не подходят друг к другу.'],
  [
    /^This set-up link is not valid, has expired or was used/,
    'Ссылка недействительна, устарела или уже использована. Войдите с именем и паролем или добавьте пользователя командой «bot-relay users add».',
  ],
  [/^The current password is not right/, 'Нынешний пароль указан неверно.'],
  [/^There is already a user (.+)\.$/, (name = '') => `Имя ${name} уже занято.`],
  [
    /^(.+) is the only admin: /,
    (name = '') => `${name} — единственный администратор: сначала назначьте другого.`,
  ],
  [/^The platform does not accept this token \((.+)\)/, (said = '') => `Ответ Telegram: ${said}`],
  [
    /^This token is registered already, for (.+): change/,
    (which = '') => `Он записан за ботом: ${which}`,
  ],
  [/^Bot \d+ has no backend_url/, 'У бота нет адреса сервера: укажите его в настройках.'],
  [
    /^The owner of a chat and the bot itself cannot be warned/,
    'Владельца чата и самого бота предупредить нельзя.',
  ],
  [
    /^A file may have at most (\d+) bytes\.$/,
    (bytes = '') => `Файл может быть не больше ${Math.floor(Number(bytes) / 1_048_576)} МБ.`,
  ],
  [
    /^The first request with this Idempotency-Key was cut off/,
    'Первый запрос оборвался: сделано ли дело, неизвестно. Посмотрите, прежде чем повторять.',
  ],
  [/^\w+: (.+)$/, (rest = '') => inWords(rest, fields)],
  [
    /^([a-z_.[\]\d]+) ((?:is|must|needs|belongs) .+)$/,
    (field = '', problem = '') => `${field}: ${inWords(problem, fields)}`,
  ],
];

/** Why a bot cannot act in a chat. */
const verdicts: Phrase[] = [
  [
    /^The bot needs the administrator right (\w+) in this chat\.$/,
    (right = '') => rights.needs(rightName(right)),
  ],
  [/^There is nobody to moderate in a private chat\.$/, 'В личном чате модерировать некого.'],
  [
    /^The platform does this in supergroups only\.$/,
    'Telegram позволяет это только в супергруппах.',
  ],
  [/^A bot cannot do this to itself\.$/, 'С самим собой бот этого сделать не может.'],
  [/^This is the owner of the chat\.$/, 'Это владелец чата.'],
  [
    /^This administrator was appointed by somebody else\.$/,
    'Этого администратора назначил кто-то другой.',
  ],
  [
    /^Only administrators have a title: promote first\.$/,
    'Подпись есть только у администраторов: сначала назначьте.',
  ],
];

/** What is wrong with a backend, or with the way to Telegram. */
const connections: Phrase[] = [
  [
    /^connection refused by (\S+): is the backend running\?$/,
    (place = '') => `${place} не принимает соединений: запущен ли сервер?`,
  ],
  [
    /^the name in (\S+) (?:does not resolve|could not be looked up just now)$/,
    (place = '') => `имя в ${place} не находится`,
  ],
  [/^no route to (\S+)$/, (place = '') => `до ${place} нет пути`],
  [
    /^no connection to (\S+) (?:in time|within 10 s)$/,
    (place = '') => `не удалось вовремя соединиться с ${place}`,
  ],
  [
    /^(\S+) closed the connection before it answered$/,
    (place = '') => `${place} закрыл соединение, не ответив`,
  ],
  [/^the certificate of (\S+) has expired$/, (place = '') => `сертификат ${place} просрочен`],
  [
    /^the certificate of (\S+) is self-signed$/,
    (place = '') => `сертификат ${place} самоподписанный`,
  ],
  [
    /^the certificate chain of (\S+) is incomplete$/,
    (place = '') => `цепочка сертификатов ${place} неполна`,
  ],
  [
    /^the certificate of (\S+) is for another name$/,
    (place = '') => `сертификат ${place} выдан на другое имя`,
  ],
  [
    /^(\S+) does not speak TLS: should it be http\?$/,
    (place = '') => `${place} не говорит по TLS: может быть, http?`,
  ],
  [
    /^(\S+) is not allowed as a backend by the RELAY_BACKENDS setting$/,
    (place = '') => `${place} запрещён настройкой RELAY_BACKENDS`,
  ],
  [/^(\S+) answered something that is not HTTP$/, (place = '') => `${place} ответил не по HTTP`],
  [
    /^the connection to (\S+) failed \((.+)\)$/,
    (place = '', code = '') => `соединение с ${place} не удалось (${code})`,
  ],
  [
    /^answered (\d+): redirects are not followed/,
    (status = '') => `ответ ${status}: переадресации не выполняются, укажите конечный адрес`,
  ],
  [/^answered (\d+)$/, (status = '') => `ответ ${status}`],
  [/^no answer within (\d+) s$/, (seconds = '') => `нет ответа за ${seconds} с`],
  [
    /^The platform refuses this bot's token \((.+)\)/,
    (said = '') => `Telegram не принимает токен бота (${said}): возьмите действующий у @BotFather.`,
  ],
  [
    /^The platform ask(?:ed|s) to wait (\d+) s/,
    (seconds = '') => `Telegram просит подождать ${seconds} с.`,
  ],
  [/^The platform is in trouble \((.+)\)/, (said = '') => `У Telegram неполадки (${said}).`],
  [
    /^The platform could not be reached \((.+)\)\.?(.*)$/,
    (code = '') => `До Telegram не достучаться (${code}).`,
  ],
  [
    /^The platform did not answer within (\d+) s\./,
    (seconds = '') => `Telegram не ответил за ${seconds} с.`,
  ],
  [
    /^The database did not take the updates/,
    'База данных не приняла обновления; Telegram хранит их, пока не примет.',
  ],
  [
    /^The platform could not deliver to this relay's webhook: (.+)\.$/,
    (said = '') => `Telegram не смог доставить обновления на вебхук службы: ${said}.`,
  ],
  [
    /^The webhook at (\S+) that was set for this bot before was removed/,
    (place = '') =>
      `Прежний вебхук ${place} снят, потому что теперь бота опрашивает служба; его полный адрес сохранён.`,
  ],
  [
    /^The platform's address answered with HTTP (\d+)/,
    (status = '') =>
      `Адрес Telegram ответил HTTP ${status}, и это не Bot API: проверьте TELEGRAM_API_URL и то, что стоит на пути.`,
  ],
  [/^The platform refused: (.+)$/, (said = '') => `Telegram отказал: ${said}`],
];

/** Who did it, where that is nobody with a name. */
const outages: Phrase[] = [
  [
    /^The database cannot be reached: try again/,
    'База данных недоступна: повторите через несколько секунд. Начатое изменение могло быть сделано.',
  ],
  [
    /^The disk of the database is full: /,
    'Диск базы данных заполнен: освободите место и повторите.',
  ],
  [
    /^The database cannot write to its disk: /,
    'База данных не может писать на диск: проверьте диск и права доступа, затем повторите.',
  ],
  [
    /^This took too long and was stopped: /,
    'Это заняло слишком много времени и было остановлено: запросите меньше, например одного бота или меньший срок.',
  ],
  [
    /^Too many long searches are running: /,
    'Выполняется слишком много долгих запросов: повторите через несколько секунд.',
  ],
];

const actors: Phrase[] = [
  [/^command line$/, 'командная строка'],
  [/^first start$/, 'первый запуск'],
  [/^Bot API gateway$/, 'программа через Bot API'],
];

export const phrases: Phrase[] = [
  ...outages,
  ...actors,
  ...fields,
  ...verdicts,
  ...routing,
  ...connections,
  ...refusals,
];
