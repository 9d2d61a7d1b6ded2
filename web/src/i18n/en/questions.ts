import { counted } from './counted.ts';

export const questions = {
  title: 'Open questions',
  count: (count: number) => counted(count, 'open question'),
  expires: (when: string) => `Expires ${when}`,
  ask: 'Ask a question',
  text: 'Question',
  options: 'Answers',
  optionsHint: 'One button per line, 2 to 10. Leave it empty for a free answer.',
  more: 'More settings',
  users: 'Who may answer',
  everybody: 'Everybody in the chat',
  until: 'Expires',
  untilHint: 'At most 30 days ahead. Empty: in 24 hours.',
  callback: 'Callback URL',
  callbackHint: 'Called with the answer.',
  send: 'Ask',
  asked: 'Question asked.',
  cancel: 'Cancel question',
  cancelled: 'Question canceled.',
  ended: 'The question has ended already.',
};
