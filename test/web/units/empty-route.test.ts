import { expect, it } from 'vitest';
import { emptyRoute } from '../../../web/src/pages/routes/empty-route.ts';

const bot = (id: number) => ({ id, disabled: false, running: true, last_error: '' });
const stuck = (id: number) => ({ ...bot(id), running: false, last_error: 'refused' });
const disabled = (id: number) => ({ ...bot(id), running: false, disabled: true });
const starting = (id: number) => ({ ...bot(id), running: false });

it.each([
  ['the first two', [bot(1), bot(2), bot(3)], [1, 2]],
  ['those that run', [stuck(1), bot(2), disabled(3), starting(4)], [2, 4]],
  ['one that does not run where no other does', [bot(1), stuck(2)], [1, 2]],
  ['the only one', [bot(1)], [1, 1]],
  ['none', [], [0, 0]],
])('a new route begins with %s', (_, bots, [source, target]) => {
  expect(emptyRoute(bots)).toMatchObject({ source_bot_id: source, target_bot_id: target });
});
