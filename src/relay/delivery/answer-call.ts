/** A Bot API method call that a backend gave as its answer. */
export interface AnswerCall {
  method: string;
  params: Record<string, unknown>;
}

// Their results would be thrown away, or they are the relay's own business.
const ignored = /^(get|setwebhook$|deletewebhook$|close$|logout$)/i;

// Far more than any method takes, and far less than what cannot be written down again.
const deepest = 64;

/** The call in a 2xx answer, when it is one that is carried out. */
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
