/* Says in the language of the team what a desk tells it in the topics of customers. */
import type { DeskLanguage } from '../desk.ts';
import { type Reason, reasonText } from '../../reasons/reason.ts';
import type { AnyReason, Say } from '../../reasons/shape.ts';
import type { DeskWords } from './desk-words.ts';
import { ru } from './ru.ts';
import { zhCN } from './zh-cn.ts';

const dictionaries: Record<Exclude<DeskLanguage, 'en'>, DeskWords> = { ru, 'zh-CN': zhCN };

/** Returns the line of a note of the desk. */
export const deskNote = (why: Reason, language: DeskLanguage): string =>
  `ℹ️ ${deskWords(why, language)}`;

/** Returns the words alone, such as the label of a button. */
export function deskWords(why: Reason, language: DeskLanguage): string {
  const words = (language === 'en' ? {} : dictionaries[language]) as Record<
    string,
    string | ((params: object, say: Say) => string) | undefined
  >;
  const say: Say = (told: AnyReason) => {
    const known = words[told.code];
    if (known === undefined) return reasonText(told);
    return typeof known === 'string' ? known : known(told.params, say);
  };
  return say(why);
}
