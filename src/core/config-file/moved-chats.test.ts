import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from './document.ts';
import { withMovedChats } from './moved-chats.ts';

const moves = new Map([[-4, -1004]]);

describe('a configuration file with moved chats', () => {
  it('leaves a condition that names no chat to the check of the file', () => {
    const routes = ['abc', '', '-5'].map((value) => ({
      source: 1,
      target: 2,
      action: 'forward',
      condition_type: 'chat_id',
      condition_value: value,
    }));
    const document = { routes } as unknown as ConfigDocument;
    expect(withMovedChats(document, moves).document).toMatchObject(document);
  });

  it('writes the ID of today into the condition of a chat that moved', () => {
    const route = { source: 1, target: 2, action: 'forward', condition_type: 'chat_id' };
    const document = { routes: [{ ...route, condition_value: '-4' }] } as unknown as ConfigDocument;
    expect(withMovedChats(document, moves).document.routes).toEqual([
      { ...route, condition_value: '-1004' },
    ]);
  });

  it('means a chat once whose former ID is in a filter beside the new one', () => {
    const filtering = (chatIds: number[]) =>
      ({
        bots: [{ apps: [{ name: 'shop', filter: { chat_ids: chatIds } }] }],
      }) as unknown as ConfigDocument;
    for (const chatIds of [[-4], [-4, -1004], [-1004]]) {
      expect(withMovedChats(filtering(chatIds), moves).document).toMatchObject(filtering([-1004]));
    }
  });
});
