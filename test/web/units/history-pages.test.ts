import { describe, expect, it } from 'vitest';
import type { Message } from '../../../web/src/api/client/types.ts';
import {
  changed,
  endOf,
  merged,
  type Pages,
  shortened,
  unpinned,
} from '../../../web/src/pages/chats/history/history-pages.ts';

function message(id: number, date = id, more: Partial<Message> = {}): Message {
  const person = { user_id: 7, username: '', first_name: 'Ann', last_name: '' };
  return { id, date, bot_id: 1, chat_id: 7, text: `words ${id}`, ...person, ...more };
}

/** Newest first, as the service lists them. */
function span(from: number, to: number): Message[] {
  return Array.from({ length: to - from + 1 }, (_, index) => message(to - index));
}

function idsOf({ pages }: Pages): number[] {
  return pages.flatMap((page) => page.messages.map(({ id }) => id));
}

describe('the loaded history of a chat', () => {
  it('puts new messages in front', () => {
    expect(idsOf(merged(endOf(span(1, 3), false), span(2, 5)))).toEqual([5, 4, 3, 2, 1]);
  });

  it('shows what was stored late where its time puts it', () => {
    // Sent at the moment in which somebody else wrote, and stored after it.
    const known = endOf([message(12, 100), message(10, 90)], true);
    const newest = [message(12, 100), message(11, 99), message(10, 90)];
    expect(idsOf(merged(known, newest))).toEqual([12, 11, 10]);
  });

  it('ends the same in whatever order two answers come', () => {
    const known = endOf(span(1, 3), false);
    const early = span(1, 4);
    const late = span(1, 6);
    expect(idsOf(merged(merged(known, late), early))).toEqual(idsOf(merged(known, late)));
  });

  it('takes over what has changed, also what is no longer so', () => {
    const known = endOf([message(2, 2, { pinned: true }), message(1)], false);
    const now = merged(known, [message(2, 2, { text: 'edited', edited_at: 9 }), message(1)]);
    expect(now.pages[0]?.messages[0]).toEqual(message(2, 2, { text: 'edited', edited_at: 9 }));
    const { pages } = changed(known, [message(1, 1, { deleted_at: 5 }), message(99)]);
    expect(pages[0]?.messages.map(({ deleted_at }) => deleted_at)).toEqual([undefined, 5]);
  });

  it('leaves out the end while something between is not loaded', () => {
    const known: Pages = {
      pages: [{ messages: span(10, 12), hasOlder: true, hasNewer: true }],
      pageParams: [{ around: 11 }],
    };
    expect(idsOf(merged(known, span(80, 90)))).toEqual([12, 11, 10]);
  });

  it('lets go of what nobody scrolls back to, and only at the end', () => {
    const long = endOf(span(1, 2_500), false);
    const short = shortened(long);
    expect(idsOf(short)).toEqual(idsOf(long).slice(0, 300));
    expect(short.pages[0]?.hasOlder).toBe(true);
    const [page] = long.pages;
    const between = { ...long, pages: page ? [{ ...page, hasNewer: true }] : [] };
    expect(shortened(between)).toBe(between);
    expect(shortened(short)).toBe(short);
  });

  it('unpins all', () => {
    const known = endOf([message(2, 2, { pinned: true }), message(1)], false);
    expect(unpinned(known).pages[0]?.messages.some(({ pinned }) => pinned)).toBe(false);
  });
});
