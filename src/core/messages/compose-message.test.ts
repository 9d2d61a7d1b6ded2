import { describe, expect, it } from 'vitest';
import { composeEdit, composeMessage, headerOf } from './compose-message.ts';

const group = { id: -100, type: 'supergroup', title: 'Team' };
const ann = { id: 7, is_bot: false, first_name: 'Ann', last_name: 'Lee', username: 'ann' };
const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'Anonymous' };

describe('the line ahead of a message', () => {
  it.each([
    [{ from: ann, chat: { id: 7, type: 'private', first_name: 'Ann' } }, 'Ann Lee (@ann):'],
    [{ from: ann, chat: group }, 'Ann Lee (@ann) · Team:'],
    [{ from: anonymous, sender_chat: group, chat: group }, 'Team:'],
    [
      { from: anonymous, sender_chat: group, chat: group, author_signature: 'chief' },
      'Team (chief):',
    ],
    [
      { sender_chat: { id: -200, type: 'channel', title: 'News' }, from: anonymous, chat: group },
      'News · Team:',
    ],
    [{ chat: group }, 'Someone · Team:'],
    // A name read from right to left must not turn the rest of the line around.
    [
      { from: { ...ann, first_name: 'ياسمين', last_name: '' }, chat: { ...group, title: 'צוות' } },
      '\u2068ياسمين\u2069 (@ann) · \u2068צוות\u2069:',
    ],
  ])('names who spoke, never a stand-in of the platform', (message, line) => {
    expect(headerOf(message)).toBe(line);
  });
});

describe('composed messages', () => {
  const options = { targetChatId: 5, header: 'Ann:' };

  it('shift what is formatted behind the line', () => {
    const entities = [{ type: 'italic', offset: 0, length: 2 }];
    expect(composeMessage({ text: 'so', entities }, options)).toEqual([
      {
        method: 'sendMessage',
        params: {
          chat_id: 5,
          text: 'Ann:\nso',
          entities: [
            { type: 'bold', offset: 0, length: 4 },
            { type: 'italic', offset: 5, length: 2 },
          ],
        },
      },
    ]);
  });

  it('count the marks around a name where they shift', () => {
    const from = { id: 7, first_name: 'ياسمين' };
    const header = headerOf({ from, chat: { id: 7, type: 'private' } });
    const entities = [{ type: 'italic', offset: 0, length: 4 }];
    const [call] = composeMessage({ text: 'slow', entities }, { targetChatId: 5, header }) ?? [];
    const said = String(call?.params.text);
    const marked = call?.params.entities as { offset: number; length: number }[] | undefined;
    const formatted = marked?.map(({ offset, length }) => said.slice(offset, offset + length));
    expect(formatted).toEqual(['\u2068ياسمين\u2069:', 'slow']);
  });

  it('edit the message, not the line that had to go ahead of it', () => {
    const text = 'x'.repeat(4_096);
    expect(composeMessage({ text }, options)?.map(({ params }) => params.text)).toEqual([
      'Ann:',
      text,
    ]);
    expect(composeEdit({ text }, options)).toMatchObject({
      method: 'editMessageText',
      params: { text },
    });
  });

  it('are sent and edited in the name of a business account', () => {
    const business = { targetChatId: 5, connection: 'b', replyToMessageId: 3 };
    const [call] = composeMessage({ text: 'hi' }, business) ?? [];
    expect(call?.params).toMatchObject({ business_connection_id: 'b', chat_id: 5 });
    expect(composeEdit({ text: 'hi' }, business)?.params).toEqual({
      business_connection_id: 'b',
      chat_id: 5,
      text: 'hi',
      entities: [],
    });
  });
});
