import { describe, expect, it } from 'vitest';
import * as en from '../../../web/src/i18n/en/index.ts';
import { completed } from '../../../web/src/i18n/locales.ts';
import * as translated from '../../../web/src/i18n/ru/index.ts';
import { eventWords, shortOf } from '../../../web/src/pages/chats/history/message-words.ts';

/** Texts that wait for translation are English. */
const ru = completed<typeof en>(en, translated);

const by = { first_name: 'Greta', last_name: '', username: 'greta', text: '' };

describe('what happened in a chat', () => {
  it.each([
    [{ type: 'new_chat_members', names: ['Greta'] }, 'Greta joined', 'Greta вступает в чат'],
    [
      { type: 'new_chat_members', names: ['Ann', 'Ben'] },
      'Greta added Ann, Ben',
      'Greta добавляет: Ann, Ben',
    ],
    [{ type: 'left_chat_member', names: ['Greta'] }, 'Greta left', 'Greta покидает чат'],
    [{ type: 'left_chat_member', names: ['Ann'] }, 'Greta removed Ann', 'Greta исключает: Ann'],
    [
      { type: 'new_chat_title', text: 'Tea' },
      'Greta renamed the chat to “Tea”',
      'Greta меняет название чата на «Tea»',
    ],
    [{ type: 'pinned_message', text: 'Hi' }, 'Greta pinned “Hi”', 'Greta закрепляет «Hi»'],
    [{ type: 'pinned_message' }, 'Greta pinned a message', 'Greta закрепляет сообщение'],
    [{ type: 'new_chat_photo' }, 'Greta changed the chat photo', 'Greta меняет фото чата'],
    [
      { type: 'migrate_to_chat_id' },
      'The group was upgraded to a supergroup',
      'Группа стала супергруппой',
    ],
    [{ type: 'poll', text: 'Tea?' }, 'Poll: Tea?', 'Опрос: Tea?'],
    [{ type: 'contact', names: ['Ann'] }, 'Contact: Ann', 'Контакт: Ann'],
    [{ type: 'story' }, 'Story', 'История'],
    [{ type: 'something_new' }, 'no text', 'без текста'],
  ])('%j', (content, english, russian) => {
    expect(shortOf({ ...by, content }, en)).toBe(english);
    expect(shortOf({ ...by, content }, ru)).toBe(russian);
  });

  it('names a pressed button by its label, or by its data where no label is known', () => {
    const press = { ...by, media_type: 'callback', text: 'a:17' };
    expect(shortOf({ ...press, button_text: 'Talk to a person' }, en)).toBe(
      'pressed “Talk to a person”',
    );
    expect(shortOf(press, en)).toBe('pressed a button: a:17');
    expect(shortOf(press, ru)).toBe('нажата кнопка: a:17');
  });

  it('names nobody twice: a sentence of its own needs no speaker before it', () => {
    const joined = { ...by, content: { type: 'new_chat_members', names: ['Greta'] } };
    expect(eventWords(joined, en)).toBe('Greta joined');
    expect(eventWords({ ...by, content: { type: 'poll', text: 'Tea?' } }, en)).toBeUndefined();
    expect(eventWords({ ...by, text: 'hello' }, en)).toBeUndefined();
  });

  it('leaves words and files as they were', () => {
    expect(shortOf({ ...by, text: 'hello' }, en)).toBe('hello');
    expect(shortOf({ ...by, media_type: 'photo' }, en)).toBe('Photo');
    expect(shortOf(by, en)).toBe('no text');
  });
});
