/** Messages to the support bots and in their teams, in addition to the questions of lines.ts. */
import type { Random } from '../../sandbox/src/index.ts';

export interface TopicPart {
  name: string;
  icon_color: number;
  lines: readonly string[];
}

export const payment = (random: Random): string =>
  `Paid ${random.integer(12, 90)}.${random.integer(10, 99)} today, please confirm.`;

export const reports = [
  'The line is down since this morning.',
  'Television freezes every few minutes.',
  'No signal in the kitchen since you were here.',
  'The new router restarts by itself.',
  'I moved. Which socket is mine now?',
  'The app asks me to sign in every day.',
  'Seit heute früh kein Netz in Nummer 9.',
  'С утра нет сигнала, второй подъезд.',
  'La tele se corta cada noche a las diez.',
  'Plus de réseau au troisième étage.',
];

/** Messages between colleagues. */
export const teamTalk: Readonly<Record<'billing' | 'tech', readonly string[]>> = {
  billing: [
    'Morning! The invoice run is through, nothing odd.',
    'Two refunds are waiting for a second signature.',
    'Who takes the one from number 14?',
    'I do.',
    'Signed, both go out with the next batch.',
    'The bank confirms yesterday’s payments.',
    'Somebody paid twice again. I write to them.',
    'Month-end list is in the folder.',
    'Lunch? The soup place has fish today.',
    'Out from three, Nora has my cases.',
  ],
  tech: [
    'Morning! Nothing red on the board.',
    'Cabinet at the harbour lost power for ten minutes.',
    'It is back, I restarted the switch.',
    'Who is near number 9? Their line flaps.',
    'On my way with a new splitter.',
    'Done, it was the socket.',
    'Update 4.2.1 is out for everybody now.',
    'Keep an eye on the third floor tonight, please.',
    'Spare routers: four left. I order more.',
    'Handing over to the evening shift, all quiet.',
  ],
};

/** What is said in the topics of the forum. */
export const forumTopics: readonly TopicPart[] = [
  {
    name: 'Outages',
    icon_color: 16_478_047,
    lines: [
      'Is the harbour side down for you too?',
      'Back since ten past nine here.',
      'У нас тоже всё снова работает.',
      'Number 14 is still dark.',
      'Bei uns flackert nur die rote Lampe.',
      'Thanks, it was the socket after all.',
    ],
  },
  {
    name: 'Router tips',
    icon_color: 7_322_096,
    lines: [
      'Put it on a shelf: one more bar in the kitchen.',
      'Which channel do you all use?',
      'Eleven. The others are crowded here.',
      '把路由器放高一点，信号会好很多。',
      'Reinicié dos veces y ahora va perfecto.',
      'Does 4.2.1 fix the slow start?',
    ],
  },
  {
    name: 'Ideas',
    icon_color: 9_367_192,
    lines: [
      'A map of outages would be great.',
      'Une facture par trimestre, ce serait possible ?',
      'Please let us pause the contract in summer.',
      '+1',
      'A dark mode for the app!',
    ],
  },
];
