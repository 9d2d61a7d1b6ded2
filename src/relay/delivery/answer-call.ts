/** A Bot API method call that a backend returned as its answer. */
export interface AnswerCall {
  method: string;
  params: Record<string, unknown>;
}

// The results of these methods would be discarded, or the methods are the relay's own business.
const ignored = /^(get|setwebhook$|deletewebhook$|close$|logout$)/i;

// This is far deeper than any method takes, and far shallower than what JSON cannot serialize.
const deepest = 64;

/** Returns the call in a 2xx answer, if it is one that is carried out. */
export function answerCall(body: string): AnswerCall | undefined {
  if (!body.includes('"method"')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const { method, ...params } = parsed as Record<string, unknown>;
  if (typeof method !== 'string' || !/^[A-Za-z]{1,64}$/.test(method) || ignored.test(method)) {
    return undefined;
  }
  return isDeeperThan(params, deepest) ? undefined : { method, params };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}
