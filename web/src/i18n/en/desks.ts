import { counted } from './counted.ts';

/** Support desks: customers as topics of the team's forum. */
export const desks = {
  title: 'Support desks',
  hint: 'Each customer of the bots has a topic in the forum of the team.',
  none: 'No desks yet.',
  add: 'Add desk',
  added: 'Desk added.',
  addedBut: (problem: string) => `Desk added. ${problem}`,
  name: 'Name',
  defaultName: 'Support',
  forum: 'Forum of the team',
  forumHint: 'A group with topics, in which the desk bot is an administrator.',
  deskBot: 'Desk bot',
  deskBotHint: 'It writes in the forum. Customers need not know it.',
  bots: 'Bots of the customers',
  botsHint: 'Turns on chat management. Only people count as an answer.',
  works: 'works',
  unchecked: 'not checked',
  lastCheck: 'checked',
  waiting: (count: number) => `${counted(count, 'customer')} waiting`,
  check: 'Check',
  checked: 'The desk bot has all its rights.',
  delete: 'Delete desk',
  deleteText: 'Topics and messages stay in Telegram. What customers write no longer goes there.',
  deleted: 'Desk deleted.',
};
