/** The messages of the people in the demo. */

const spoken: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Good morning, everyone!',
    'Did the bakery change its hours again?',
    'Somebody left a blue umbrella at the tram stop.',
    'The ferry is late today, fog on the water.',
    'Who is coming to the street dinner on Saturday?',
    'I have far too many tomatoes. Please take some.',
    'Is it me, or is the light on the corner blinking in Morse code?',
    'Found a key with a red ribbon near number 14.',
  ],
  ru: [
    'Всем доброе утро!',
    'Кто-нибудь видел нашего рыжего кота?',
    'Завтра обещают дождь, берите зонты.',
    'Отдам велосипед, самовывоз со двора.',
    'Спасибо за пирог, было очень вкусно!',
    'Во дворе опять поменяли скамейки.',
  ],
  uk: [
    'Доброго дня, сусіди!',
    'Хто піде сьогодні на пляж?',
    'Принесу на вечерю вареники.',
    'Гарне світло сьогодні, беру фотоапарат.',
  ],
  es: [
    '¡Buenos días a todos!',
    '¿Alguien tiene una escalera que me preste?',
    'El mercado está lleno de naranjas hoy.',
    'Mañana llevo tortilla para todos.',
    '¡Qué atardecer, salid a verlo!',
  ],
  de: [
    'Moin zusammen!',
    'Hat jemand eine Bohrmaschine zum Ausleihen?',
    'Der Kaffee am Hafen ist wirklich gut.',
    'Samstag bringe ich Kartoffelsalat mit.',
    'Der Fahrstuhl in Nummer 9 fährt wieder.',
  ],
  zh: ['大家早上好！', '今天的海很安静。', '谁要新鲜的姜？我买多了。', '周六晚上我带饺子来。'],
  ja: ['おはようございます。', '今日の夕焼けがきれいでした。', '駅前の店、今日は休みです。'],
  ar: ['صباح الخير للجميع', 'من يريد بعض الخبز الطازج؟', 'البحر هادئ اليوم'],
  fr: [
    'Bonjour tout le monde !',
    'Qui a vu le chat gris du numéro 7 ?',
    'Je prépare une tarte pour samedi.',
    'La lumière est superbe ce soir.',
  ],
  pt: [
    'Bom dia, vizinhos!',
    'Vou levar o violão no sábado.',
    'Alguém quer trocar livros?',
    'Que vento hoje!',
  ],
  hi: ['सबको नमस्ते!', 'आज शाम कौन टहलने चलेगा?', 'शनिवार को मैं समोसे लाऊँगी।'],
};

export function linesOf(languageCode: string): readonly string[] {
  return spoken[languageCode] ?? spoken['en'] ?? [];
}

export const replies = [
  'Ha, exactly!',
  'I was just about to ask the same.',
  'Count me in.',
  'Спасибо!',
  'Danke dir!',
  '¡Genial!',
  'Not me, sorry.',
  'Who else?',
  '好的',
  'Merci beaucoup',
  'I can help after six.',
];

export const captions = [
  'From my window this morning',
  'Смотрите, какой свет',
  'Guess where this is',
  'Für den Kalender',
  'La playa hoy',
  '今天的天空',
  'Before the rain',
];

export const reactions = ['👍', '❤', '🔥', '😁', '🎉', '👏'];

export interface Question {
  language: string;
  text: string;
}

// Questions about money, about devices, and two about neither.
export const questions: readonly Question[] = [
  { language: 'en', text: 'I was charged twice for March, can I get a refund?' },
  { language: 'en', text: 'The app does not start after the update, it shows an error.' },
  { language: 'ru', text: 'Где найти счёт за прошлый месяц? Оплата прошла вчера.' },
  { language: 'ru', text: 'Не работает интернет, роутер мигает красным. Ошибка 691.' },
  { language: 'es', text: '¿Cuándo llega el reembolso de mi factura?' },
  { language: 'de', text: 'Mein Passwort wird nicht angenommen, immer derselbe Fehler.' },
  { language: 'en', text: 'Do you also sell bicycles?' },
  { language: 'en', text: 'Is the price on the invoice with or without tax?' },
  { language: 'en', text: 'Wifi is slow in the evening. Is it my router?' },
  { language: 'fr', text: 'Où est la facture de mon dernier paiement ?' },
  { language: 'zh', text: '密码错误，我无法登录。' },
  { language: 'de', text: 'Die Zahlung ging zweimal ab, bitte um Erstattung.' },
  { language: 'es', text: 'Olvidé mi contraseña, ¿qué hago?' },
  { language: 'en', text: 'Thank you, you are wonderful!' },
  { language: 'zh', text: '我要发票，付款已经完成。' },
  { language: 'en', text: 'The login page crashes on my old phone.' },
];

/** Returns questions in the person's language, or in English if there are none. */
export function questionsOf(languageCode: string): readonly Question[] {
  const own = questions.filter(({ language }) => language === languageCode);
  return own.length > 0 ? own : questions.filter(({ language }) => language === 'en');
}

// Messages for no team.
const smallTalk: readonly Question[] = [
  { language: 'en', text: 'Good morning! When do you open on Sunday?' },
  { language: 'en', text: 'Where can I park near the harbour?' },
  { language: 'en', text: 'May I bring my dog?' },
  { language: 'en', text: 'Thank you for yesterday, that was quick.' },
  { language: 'ru', text: 'Добрый день! До скольких вы сегодня открыты?' },
  { language: 'ru', text: 'Можно прийти с собакой?' },
  { language: 'uk', text: 'Добрий день! Чи є місце для велосипедів?' },
  { language: 'es', text: '¿Tienen sitio para bicicletas?' },
  { language: 'de', text: 'Habt ihr am Feiertag offen?' },
  { language: 'fr', text: 'Bonjour, êtes-vous ouverts le dimanche ?' },
  { language: 'pt', text: 'Bom dia! Até que horas estão abertos?' },
  { language: 'zh', text: '你们周末开门吗？' },
  { language: 'ja', text: '日曜日も開いていますか。' },
  { language: 'ar', text: 'صباح الخير، متى تفتحون يوم الأحد؟' },
  { language: 'hi', text: 'नमस्ते! रविवार को कब खुलता है?' },
];

export function smallTalkOf(languageCode: string): readonly Question[] {
  return smallTalk.filter(({ language }) => language === languageCode);
}

export const announcements = [
  'Reminder: street dinner on Saturday at seven.',
  'The market opens at nine tomorrow.',
  'Please keep the bicycle lane free.',
];

export const hostQuestions = [
  { question: 'Does it also count when it rains?', answer: 'It does, there is a roof.' },
  { question: 'And may the children come along?', answer: 'Of course, bring them all.' },
];

/** Clear enough for the offline ranking to find the team. */
export const teamQuestions: Readonly<Record<'billing' | 'tech', readonly string[]>> = {
  billing: [
    'Can I get a refund for last month?',
    'My card was charged twice, please refund one payment.',
    'A refund was promised, the invoice still shows the full price.',
  ],
  tech: [
    'The app shows an error after the update and does not start.',
    'Wifi is down again, the router blinks red.',
    'The login page shows an error, my password is right.',
  ],
};

export const answers: Readonly<Record<'billing' | 'tech', readonly string[]>> = {
  billing: [
    'I found both payments; the second one goes back to your card today.',
    'The invoice is in your mailbox now. Look under "Harbour Net".',
    'Prices on the invoice include tax. Shall I send a detailed one?',
    'Refunded. It takes two or three working days to show.',
  ],
  tech: [
    'Please update to 4.2.1, that error is gone there.',
    'I have reset the line. Unplug the router, count to ten, plug it in.',
    'Here is the trick: sign out everywhere, then set a new password.',
    'Thanks, I can see it from here. A colleague looks at it tonight.',
  ],
};

export const followUps = ['That worked, thank you!', 'Спасибо, всё получилось.', 'Danke, läuft!'];

export const spam = 'Win big at our casino tonight, click here';
