import { describe, expect, it } from 'vitest';
import { serviceContent, richWords, storedContent } from './message-content.ts';
import { addMessageFacts, emptyFacts } from './message-facts.ts';

const ann = { id: 1, first_name: 'Ann', last_name: 'Lee' };
const ben = { id: 2, first_name: '', username: 'ben' };

describe('what a message without words is', () => {
  it.each([
    [{ new_chat_members: [ann, ben] }, { type: 'new_chat_members', names: ['Ann Lee', 'ben'] }],
    [{ left_chat_member: ann }, { type: 'left_chat_member', names: ['Ann Lee'] }],
    [{ new_chat_title: 'Tea' }, { type: 'new_chat_title', text: 'Tea' }],
    [
      { pinned_message: { message_id: 3, caption: 'Look' } },
      { type: 'pinned_message', text: 'Look' },
    ],
    [{ pinned_message: { message_id: 3 } }, { type: 'pinned_message' }],
    [{ new_chat_photo: [{}] }, { type: 'new_chat_photo' }],
    [{ migrate_to_chat_id: -100 }, { type: 'migrate_to_chat_id' }],
    [
      { venue: { title: 'Café' }, location: {} },
      { type: 'venue', text: 'Café' },
    ],
    [{ dice: { emoji: '🎲', value: 4 } }, { type: 'dice', text: '🎲 4' }],
    [{ poll: { question: 'Tea?' } }, { type: 'poll', text: 'Tea?' }],
    [{ contact: ann }, { type: 'contact', names: ['Ann Lee'] }],
    [{ chat_owner_left: { new_owner: ann } }, { type: 'chat_owner_left', names: ['Ann Lee'] }],
    [{ chat_owner_left: {} }, { type: 'chat_owner_left' }],
    [{ users_shared: { users: [ben] } }, { type: 'users_shared', names: ['ben'] }],
    [
      { checklist_tasks_added: { tasks: [{ text: 'Tea' }, { text: 'Cake' }] } },
      { type: 'checklist_tasks_added', text: 'Tea, Cake' },
    ],
    [{ unique_gift: { gift: { base_name: 'Cap' } } }, { type: 'unique_gift', text: 'Cap' }],
    [{ general_forum_topic_hidden: {} }, { type: 'general_forum_topic_hidden' }],
    [{ text: 'words' }, undefined],
  ])('%j', (message, content) => {
    expect(serviceContent(message)).toEqual(content);
  });

  it('takes nothing for granted', () => {
    expect(serviceContent({ new_chat_members: 'all', poll: undefined })).toEqual({
      type: 'new_chat_members',
    });
    expect(serviceContent({ left_chat_member: null })).toEqual({ type: 'left_chat_member' });
    expect(serviceContent({ new_chat_title: `${'x'.repeat(199)}😀` })?.text).toBe(
      `${'x'.repeat(199)}\uFFFD`,
    );
  });

  it('is stored beside the message, and read from there', () => {
    const facts = emptyFacts();
    const chat = { id: -5, type: 'group', title: 'G' };
    addMessageFacts(facts, { message_id: 1, date: 2, chat, from: ann, new_chat_members: [ben] });
    const extra = facts.messages[0]?.extra ?? null;
    expect(storedContent(extra)).toEqual({ type: 'new_chat_members', names: ['ben'] });
    expect(storedContent('{"content":"poll"}')).toEqual({ type: 'poll' });
    expect(storedContent('{"entities":[]}')).toBeUndefined();
    expect(storedContent(null)).toBeUndefined();
  });
});

it('the words of a rich message, block by block', () => {
  const blocks = [
    { type: 'heading', text: ['Hello ', { type: 'bold', text: 'you' }], size: 1 },
    { type: 'divider' },
    { type: 'list', items: [{ label: '•', blocks: [{ type: 'paragraph', text: 'tea' }] }] },
    { type: 'paragraph', text: { type: 'url', text: 'here', url: 'https://example.com' } },
  ];
  expect(richWords({ blocks })).toBe('Hello you\ntea\nhere');
  expect(richWords(undefined)).toBe('');
});
