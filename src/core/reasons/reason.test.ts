import { expect, it } from 'vitest';
import { reason, reasonFrom, reasonText, verbatim } from './reason.ts';

const sentence = 'chat_id must rhyme.';

it('takes a reason that this version knows as it was told', () => {
  const problem = { code: 'missing', params: {} };
  const told = { code: 'field_wrong', params: { field: 'chat_id', problem }, text: '' };
  expect(reasonText(reasonFrom(told))).toBe('chat_id is missing.');
});

it.each([
  { code: 'of_a_newer_version', params: {} },
  { code: 'field_wrong', params: { field: 'chat_id', problem: { code: 'newer', params: {} } } },
  { code: 'all_of', params: { reasons: [reason('queued'), { code: 'newer', params: {} }] } },
  { code: 'connection_refused', params: { host: 'of an older version' } },
  { code: 'field_wrong', params: { field: 'chat_id' } },
  { code: 'field_wrong', params: null },
])('keeps the sentence where another version told a code or params: %j', (told) => {
  expect(reasonFrom({ ...told, text: sentence })).toEqual(verbatim(sentence));
});
