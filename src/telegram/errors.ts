import { type RefusalCode, refusalIn } from '../core/reasons/platform.ts';
import { type Reason, reason, reasonText } from '../core/reasons/reason.ts';
import { codeOf, type PlatformRefusal, RelayError } from '../errors.ts';

/**
 * Classes of refusals: `fatal` (the token is invalid), `conflict` (another client polls, or a
 * webhook is set), `wait` (too many requests), `retry` (a temporary error of Telegram), `refuse`
 * (the request itself is wrong and would fail again).
 */
export type RefusalKind = 'fatal' | 'conflict' | 'wait' | 'retry' | 'refuse';

export interface RefusalParameters {
  retry_after?: number;
  migrate_to_chat_id?: number;
}

/** Telegram was reached and refused the call. */
export class PlatformRefused extends Error {
  readonly why: Reason;
  readonly errorCode: number;
  readonly description: string;
  readonly refusal: RefusalCode | '';
  readonly parameters: RefusalParameters;
  readonly kind: RefusalKind;

  constructor(errorCode: number, description: string, parameters: RefusalParameters = {}) {
    const refusal = refusalIn(description);
    const why = reason('platform_refused_with_code', {
      description,
      refusal,
      error_code: errorCode,
    });
    super(reasonText(why));
    this.name = 'PlatformRefused';
    this.why = why;
    this.refusal = refusal;
    this.errorCode = errorCode;
    this.description = description;
    this.parameters = parameters;
    this.kind = kindOf(errorCode);
  }
}

/** Why there was no usable response. */
export type UnreachableReason = 'network' | 'timeout' | 'aborted' | 'answer';

/** There was no usable response. */
export class PlatformUnreachable extends Error {
  readonly reason: UnreachableReason;
  readonly why: Reason;
  /** True if Telegram may have executed the request: the outcome is unknown. */
  readonly requestWritten: boolean;

  constructor(reason: UnreachableReason, requestWritten: boolean, why: Reason) {
    super(reasonText(why));
    this.name = 'PlatformUnreachable';
    this.reason = reason;
    this.why = why;
    this.requestWritten = requestWritten;
  }
}

/** Returns the code of the error, or of the error that closed the connection. */
function networkCodeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return networkCodeOf(error.errors[0]);
  }
  const code = codeOf(error);
  const { cause } = (error ?? {}) as { cause?: unknown };
  return code === 'UND_ERR_SOCKET' && cause ? networkCodeOf(cause) : code;
}

/** Returns the code, with the name of a host that could not be resolved. */
export function failureText(error: unknown): string {
  const { hostname } = error as { hostname?: unknown };
  return typeof hostname === 'string'
    ? `${networkCodeOf(error)} ${hostname}`
    : networkCodeOf(error);
}

function kindOf(errorCode: number): RefusalKind {
  if (errorCode === 401) return 'fatal';
  if (errorCode === 409) return 'conflict';
  if (errorCode === 429) return 'wait';
  return errorCode >= 500 ? 'retry' : 'refuse';
}

/** Turns a failed call into an error for the API; other errors pass unchanged. */
export function toRelayError(error: unknown): unknown {
  if (error instanceof PlatformRefused) return ofRefusal(error);
  if (!(error instanceof PlatformUnreachable)) return error;
  if (error.requestWritten) return outcomeUnknown(error);
  return new RelayError(
    'platform_unreachable',
    reason('platform_nothing_sent', { cause: error.why }),
    { cause: error },
  );
}

/** The API's error for a call whose outcome is unknown. */
export function outcomeUnknown(error: PlatformRefused | PlatformUnreachable): RelayError {
  const refused = error instanceof PlatformRefused ? error : undefined;
  const cause =
    error instanceof PlatformRefused
      ? reason('platform_trouble', { description: error.description })
      : error.why;
  return new RelayError('platform_timeout', reason('platform_outcome_unknown', { cause }), {
    cause: error,
    ...(refused ? { platform: platformOf(refused) } : {}),
  });
}

function platformOf({ errorCode, description, parameters }: PlatformRefused): PlatformRefusal {
  return {
    error_code: errorCode,
    description,
    ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
  };
}

function ofRefusal(error: PlatformRefused): RelayError {
  const platform = platformOf(error);
  if (error.kind === 'wait') {
    const retryAfterSeconds = error.parameters.retry_after ?? 1;
    return new RelayError(
      'platform_rate_limited',
      reason('platform_wait', { seconds: retryAfterSeconds }),
      { platform, retryAfterSeconds, cause: error },
    );
  }
  if (error.kind === 'retry') {
    return new RelayError(
      'platform_unreachable',
      reason('platform_trouble_later', { description: error.description }),
      { platform, cause: error },
    );
  }
  return new RelayError(
    'platform_refused',
    reason('platform_refused', { description: error.description, refusal: error.refusal }),
    {
      platform,
      cause: error,
    },
  );
}
