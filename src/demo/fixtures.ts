/** The people, bots and chats of the demo. */
import { forumTopics, type TopicPart } from './support-lines.ts';

export interface Person {
  username: string;
  first_name: string;
  last_name?: string;
  language_code: string;
}

export const neighbours: readonly Person[] = [
  { username: 'anna_lind', first_name: 'Anna', last_name: 'Lind', language_code: 'en' },
  { username: 'tomokelly', first_name: 'Tom', last_name: "O'Kelly", language_code: 'en' },
  { username: 'ivan_sokolov', first_name: 'Иван', last_name: 'Соколов', language_code: 'ru' },
  { username: 'olena_k', first_name: 'Олена', last_name: 'Коваль', language_code: 'uk' },
  { username: 'lucia_mora', first_name: 'Lucía', last_name: 'Mora', language_code: 'es' },
  { username: 'jonas_weber', first_name: 'Jonas', last_name: 'Weber', language_code: 'de' },
  { username: 'meilin88', first_name: '美琳', last_name: '陈', language_code: 'zh' },
  { username: 'haruki_s', first_name: '春樹', last_name: '佐藤', language_code: 'ja' },
  { username: 'yasmin_h', first_name: 'ياسمين', language_code: 'ar' },
  { username: 'camille_d', first_name: 'Camille', last_name: 'Dubois', language_code: 'fr' },
  { username: 'bruno_reis', first_name: 'Bruno', last_name: 'Reis', language_code: 'pt' },
  { username: 'priya_nair', first_name: 'प्रिया', last_name: 'नायर', language_code: 'hi' },
];

export const staff = {
  billing: { username: 'nora_ledger', first_name: 'Nora', last_name: 'Berg', language_code: 'en' },
  tech: { username: 'pavel_fixit', first_name: 'Pavel', last_name: 'Novák', language_code: 'en' },
  host: { username: 'greta_host', first_name: 'Greta', last_name: 'Holm', language_code: 'en' },
} as const satisfies Record<string, Person>;

/** Members of the teams in addition to those who answer. */
export const colleagues: Readonly<Record<'billing' | 'tech', readonly Person[]>> = {
  billing: [
    { username: 'sam_cents', first_name: 'Sam', last_name: 'Okafor', language_code: 'en' },
    { username: 'ines_ruiz', first_name: 'Inés', last_name: 'Ruiz', language_code: 'es' },
  ],
  tech: [
    { username: 'kim_cables', first_name: 'Kim', last_name: 'Larsen', language_code: 'en' },
    { username: 'rashid_up', first_name: 'Rashid', last_name: 'Aziz', language_code: 'en' },
  ],
};

/** They write to the support bots and are in no group. */
export const customers: readonly Person[] = [
  { username: 'ella_moss', first_name: 'Ella', last_name: 'Moss', language_code: 'en' },
  { username: 'g_petrenko', first_name: 'Галина', last_name: 'Петренко', language_code: 'uk' },
  { username: 'marco_silva', first_name: 'Marco', last_name: 'Silva', language_code: 'pt' },
  { username: 'nina_orlova', first_name: 'Нина', last_name: 'Орлова', language_code: 'ru' },
  { username: 'ben_carter', first_name: 'Ben', last_name: 'Carter', language_code: 'en' },
  { username: 'sofia_gil', first_name: 'Sofía', last_name: 'Gil', language_code: 'es' },
  { username: 'lena_vogt', first_name: 'Lena', last_name: 'Vogt', language_code: 'de' },
  { username: 'hugo_martin', first_name: 'Hugo', last_name: 'Martin', language_code: 'fr' },
  { username: 'xiaoyu_w', first_name: '小雨', last_name: '王', language_code: 'zh' },
  { username: 'dan_hughes', first_name: 'Dan', last_name: 'Hughes', language_code: 'en' },
  { username: 'oleg_belov', first_name: 'Олег', last_name: 'Белов', language_code: 'ru' },
  { username: 'aya_tanaka', first_name: '彩', last_name: '田中', language_code: 'ja' },
  { username: 'paula_kern', first_name: 'Paula', last_name: 'Kern', language_code: 'de' },
  { username: 'omar_said', first_name: 'عمر', language_code: 'ar' },
  { username: 'ravi_shah', first_name: 'रवि', last_name: 'शाह', language_code: 'hi' },
  { username: 'fiona_gray', first_name: 'Fiona', last_name: 'Gray', language_code: 'en' },
  { username: 'tara_quinn', first_name: 'Tara', last_name: 'Quinn', language_code: 'en' },
];

export type BotRole = 'front' | 'billing' | 'tech' | 'community' | 'old';

export interface BotPart {
  name: string;
  username: string;
  description: string;
}

// Routing without a model uses these words in several languages.
export const bots: Readonly<Record<BotRole, BotPart>> = {
  front: {
    name: 'Reception',
    username: 'reception_demo_bot',
    description: 'Greets everybody who writes to us and hands the question to the right team.',
  },
  billing: {
    name: 'Billing',
    username: 'billing_demo_bot',
    description:
      'Money: invoice, invoices, bill, payment, paid, charged twice, refund, price, receipt, card. Счёт, оплата, возврат, деньги. Rechnung, Zahlung, Erstattung. Factura, pago, reembolso. Facture, paiement, remboursement. 发票 付款 退款.',
  },
  tech: {
    name: 'Tech support',
    username: 'tech_support_demo_bot',
    description:
      'Trouble with devices: error, crash, app does not start, login, password, wifi, internet, router, slow, update. Ошибка, интернет, пароль, не работает. Fehler, Internet, Passwort. Contraseña, error, internet. Erreur, mot de passe. 密码 网络 错误.',
  },
  community: {
    name: 'Community host',
    username: 'community_host_demo_bot',
    description: 'Looks after the groups of the neighbourhood.',
  },
  old: {
    name: 'Old hotline',
    username: 'old_hotline_demo_bot',
    description: '',
  },
};

export type ChatName = 'street' | 'photos' | 'market' | 'billingTeam' | 'techTeam' | 'forum';

export interface ChatPart {
  title: string;
  username?: string;
  description: string;
  owner: string;
  bot: BotRole;
  /** How many of the neighbours are members, counted from the first. */
  neighbours: number;
  colleagues?: readonly Person[];
  /** The topics of a forum, in addition to General. */
  topics?: readonly TopicPart[];
}

export const chats: Readonly<Record<ChatName, ChatPart>> = {
  street: {
    title: 'Harbour Street',
    username: 'harbour_street_demo',
    description: 'Everyone who lives between the bakery and the sea.',
    owner: staff.host.username,
    bot: 'community',
    neighbours: 12,
  },
  photos: {
    title: 'Photo club 📷',
    description: 'One picture a day. No cats. Well, some cats.',
    owner: staff.host.username,
    bot: 'community',
    neighbours: 8,
  },
  market: {
    title: 'Flea market',
    description: 'Sell it, swap it, give it away.',
    owner: staff.host.username,
    bot: 'community',
    neighbours: 10,
  },
  billingTeam: {
    title: 'Billing team',
    description: 'Questions about money land here; reply to one and the customer gets it.',
    owner: staff.billing.username,
    bot: 'billing',
    neighbours: 0,
    colleagues: colleagues.billing,
  },
  techTeam: {
    title: 'Tech team',
    description: 'Questions about devices land here; reply to one and the customer gets it.',
    owner: staff.tech.username,
    bot: 'tech',
    neighbours: 0,
    colleagues: colleagues.tech,
  },
  forum: {
    title: 'Harbour Net forum',
    username: 'harbour_net_demo',
    description: 'Customers help customers, and the tech team reads along.',
    owner: staff.tech.username,
    bot: 'tech',
    neighbours: 10,
    colleagues: colleagues.tech,
    topics: forumTopics,
  },
};

export const publicChats = ['street', 'photos', 'market'] as const satisfies ChatName[];

/** The neighbours who stay in a chat; those who join and leave are not included. */
export function chatMembers(name: ChatName): Person[] {
  return neighbours.slice(0, chats[name].neighbours);
}
