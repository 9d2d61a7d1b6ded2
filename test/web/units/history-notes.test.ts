import { expect, it } from 'vitest';
import type { Message } from '../../../web/src/api/client/types.ts';
import { type HistoryItem, withNotes } from '../../../web/src/pages/chats/history/history-items.ts';

const at = (minute: number) => Date.UTC(2026, 0, 31, 12, minute);
const message = (minute: number): HistoryItem => ({
  kind: 'message',
  key: `m${minute}`,
  message: { date: at(minute) / 1_000 } as Message,
  leads: true,
  own: false,
});
const notes = [7, 1, 4].map((minute) => ({
  id: minute,
  user_id: 1,
  text: '',
  author: '',
  created_at: new Date(at(minute)).toISOString(),
}));

it.each([
  [{ complete: true, latest: true }, ['n1', 'm3', 'n4', 'm5', 'n7']],
  [{ complete: false, latest: true }, ['m3', 'n4', 'm5', 'n7']],
  [{ complete: true, latest: false }, ['n1', 'm3', 'n4', 'm5']],
])('notes stand between the messages of their time: %o', (loaded, expected) => {
  const items = withNotes([message(3), message(5)], notes, loaded);
  expect(items.map(({ key }) => key)).toEqual(expected);
});

it('notes of an empty chat wait for its first message', () => {
  expect(withNotes([], notes, { complete: true, latest: true })).toEqual([]);
});
