import { expect, it } from 'vitest';
import { createMachine } from '../support/command.ts';

it('desks update sets hours, texts, persons and the alert; what is not given stays', async () => {
  const { json, run, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const add = ['desks', 'add', '--chat', '-1001', '--desk-bot', '1', '--bots', '1'];
  // Telegram knows no such group: the desk is there, and does not work.
  expect(await run(add)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Added desk 1.'),
  });
  const set = (...options: string[]) => run(['desks', 'update', '1', ...options]);
  const list = async () => (await json(['desks', 'list'])) as unknown as object[];
  const hours = 'Europe/Berlin mon-wed 09:00-18:00, sat 22:00-02:00';
  const replies = ['--away-reply', 'Tomorrow = today', '--away-reply', 'ru=Завтра'];
  await set('--hours', hours, ...replies, '--persons', '7,8', '--unanswered', '15');
  const days = ['mon', 'tue', 'wed'];
  const changed = {
    name: 'Support',
    person_ids: [7, 8],
    unanswered_minutes: 15,
    working_hours: {
      timezone: 'Europe/Berlin',
      times: [
        { days, start: '09:00', end: '18:00' },
        { days: ['sat'], start: '22:00', end: '02:00' },
      ],
    },
    away_replies: [
      { language: '', text: 'Tomorrow = today' },
      { language: 'ru', text: 'Завтра' },
    ],
    ban_replies: [],
  };
  expect(await list()).toMatchObject([changed]);
  expect(await json(['desks'])).toMatchObject([changed]);

  await set('--ban-reply', 'Goodbye', '--rating', 'How was it?');
  const ban_replies = [{ language: '', text: 'Goodbye' }];
  const rating_questions = [{ language: '', text: 'How was it?' }];
  expect(await list()).toMatchObject([{ ...changed, ban_replies, rating_questions }]);

  await set('--hours', 'always', '--away-reply', '', '--persons', '', '--rating', '');
  const emptied = {
    working_hours: null,
    away_replies: [],
    person_ids: [],
    ban_replies,
    rating_questions: [],
  };
  expect(await list()).toMatchObject([{ ...emptied, unanswered_minutes: 15 }]);

  const wrong = { code: 2, stderr: expect.stringContaining('Europe/Berlin mon-fri') };
  for (const bad of ['mon-fri 09:00-18:00', 'UTC day 09:00-18:00', 'UTC mon 9-18', 'UTC']) {
    expect(await set('--hours', bad)).toMatchObject(wrong);
  }
  const late = await set('--hours', 'UTC mon 09:00-25:00');
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('such as 09:00') });
  expect(late.stderr).not.toContain('^');
  const nowhere = await set('--hours', 'Mars/Base mon 09:00-18:00');
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('time zone') });
});

it('desks refuses an update of nothing, and names that it does not know', async () => {
  const { run } = await createMachine();
  expect(await run(['desks', 'update', '1'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Nothing to change. Set an option; see "'),
  });
  for (const [words, problem] of [
    [['desks', 'updat', '1'], "unknown command 'updat' (Did you mean update?). See \""],
    [
      ['alerts', 'channels', 'updat', '1'],
      "unknown command 'updat' (Did you mean update?). See \"",
    ],
    [['desks', '7'], "unknown command '7'. See \""],
    [['desks', 'list', 'all'], 'list does not take the argument "all"'],
  ] as const) {
    const { code, stderr } = await run([...words]);
    expect(code, words.join(' ')).toBe(2);
    expect(stderr).toContain(problem);
  }
});
