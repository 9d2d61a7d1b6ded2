import { expect, it } from 'vitest';
import { fillReply, placeholders } from '../../../web/src/pages/chats/replies/fill-reply.ts';

const all = placeholders.map((name) => `{${name}}`).join(' ');
const facts = { chat: 'Ann Lee', bot: 'Shop', me: 'olga' };

it('a saved reply names the person, the chat, the bot and the user', () => {
  const person = { first_name: 'Ann', last_name: 'Lee', username: 'ann' };
  expect(fillReply(all, { person, ...facts })).toBe('Ann Lee ann Ann Lee Shop olga');
});

it('a saved reply keeps placeholders of what is not known, and other braces', () => {
  const person = { first_name: 'Ann', last_name: '', username: '' };
  expect(fillReply(all, { person, ...facts })).toBe('Ann {last_name} {username} Ann Lee Shop olga');
  expect(fillReply('{first_name} {toString} {}', { person: undefined, ...facts })).toBe(
    '{first_name} {toString} {}',
  );
});
