import type { conditionReasons } from '../../../src/core/routing/condition-types.ts';
import type { ApiReasonCode, ParamsOf } from '../../../src/core/reasons/reason.ts';
import type { AnyReason, Say } from '../../../src/core/reasons/shape.ts';
import { isolated } from './isolate.ts';

/** Texts for every message of the service, by its code. */
export type ReasonTexts = {
  [C in ApiReasonCode]: string | ((params: ParamsOf<C>, say: Say) => string);
};

export type ConditionReasonTexts = Pick<ReasonTexts, keyof typeof conditionReasons>;

/**
 * Returns a message of the service in the user's language. If the language has no text for it, or
 * an older version wrote it, the service's sentence is shown.
 */
export function reasonWords(
  sentence: string,
  detail: AnyReason | null | undefined,
  texts: Partial<ReasonTexts>,
): string {
  let isWhole = true;
  const say: Say = ({ code, params }) => {
    const words = texts[code as ApiReasonCode] as string | ((params: object, say: Say) => string);
    if (words === undefined) isWhole = false;
    return typeof words === 'function' ? words(fenced(params), say) : words;
  };
  const words = detail ? say(detail) : sentence;
  return isWhole ? words : sentence;
}

function fenced(params: object): object {
  const entries = Object.entries(params).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? isolated(value) : value,
  ]);
  return Object.fromEntries(entries) as object;
}
