import type { deliveryReasons } from '../../reasons/delivery.ts';
import type { topicReasons } from '../../reasons/desks.ts';
import type { Say } from '../../reasons/shape.ts';

type Sentences = typeof topicReasons & Pick<typeof deliveryReasons, 'restored_unsent'>;

/** The sentences of desks in one language. Telegram's own stay as they are. */
export type DeskWords = {
  readonly [C in keyof Sentences]: Sentences[C] extends string
    ? string
    : (
        params: Parameters<Extract<Sentences[C], (...args: never[]) => string>>[0],
        say: Say,
      ) => string;
};
