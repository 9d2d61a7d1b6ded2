import type { deliveryReasons } from '../../reasons/delivery.ts';
import type { deskReasons } from '../../reasons/desks.ts';
import type { Say } from '../../reasons/shape.ts';

type Sentences = typeof deskReasons & Pick<typeof deliveryReasons, 'restored_unsent'>;
/** What is missing is said in English, as are Telegram's own sentences. */
export type DeskWords = {
  readonly [C in keyof Sentences]?: Sentences[C] extends string
    ? string
    : (
        params: Parameters<Extract<Sentences[C], (...args: never[]) => string>>[0],
        say: Say,
      ) => string;
};
