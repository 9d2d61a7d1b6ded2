import { describe, expect, it } from 'vitest';
import { draftOf, filterOf, settingsOf } from '../../../web/src/pages/bots/apps/app-draft.ts';

describe('the form of an app', () => {
  const empty = draftOf();

  it('sends only the conditions that are filled in, IDs as numbers', () => {
    const filter = { ...empty.filter, chat_ids: ['-100123', '7'], commands: ['/order'] };
    expect(filterOf({ receives: 'some', filter })).toEqual({
      chat_ids: [-100_123, 7],
      commands: ['/order'],
    });
    expect(filterOf({ receives: 'all', filter })).toEqual({});
  });

  it('leaves it to the service to say what is not an ID', () => {
    const filter = { ...empty.filter, thread_ids: ['four'] };
    expect(filterOf({ receives: 'some', filter })).toEqual({ thread_ids: ['four'] });
  });

  it('keeps what a mode does not show', () => {
    expect(settingsOf({ ...empty, mode: 'send' })).toEqual({
      mode: 'send',
      format: '',
      methods: [],
      pacing: 'off',
      patience: 20,
    });
    expect(settingsOf(empty)).not.toHaveProperty('backend_url');
    expect(settingsOf({ ...empty, mode: 'webhook', backend_url: ' http://a ' })).toMatchObject({
      backend_url: 'http://a',
    });
  });
});
