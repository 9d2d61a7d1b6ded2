import type { ErrorBody, ErrorDetail } from '../../../../src/errors.ts';
import type { AnyReason } from '../../../../src/core/reasons/shape.ts';

/** An error of the service: a sentence, a stable code and, if any, the fields. */
export type ErrorAnswer = Partial<Omit<ErrorBody, 'code'>> & { error: string; code: string };

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Code and params of the sentence. */
  readonly reason: AnyReason | null;
  readonly details: NonNullable<ErrorAnswer['details']>;
  readonly requestId: string;
  readonly platform: ErrorAnswer['platform'];
  readonly #answer: ErrorAnswer;

  constructor(status: number, answer: ErrorAnswer) {
    super(answer.error);
    this.name = 'ApiError';
    this.status = status;
    this.code = answer.code;
    this.reason = reasonInDetail(answer);
    this.details = answer.details ?? [];
    this.requestId = answer.request_id ?? '';
    this.platform = answer.platform;
    this.#answer = answer;
  }

  /** Returns the same error with only these fields. */
  withDetails(details: ApiError['details']): ApiError {
    return new ApiError(this.status, { ...this.#answer, details });
  }
}

export function reasonInDetail(
  detail: Pick<ErrorDetail, 'reason_code' | 'params'>,
): AnyReason | null {
  const { reason_code: code, params = {} } = detail;
  return code === undefined ? null : { code, params };
}

export function unreachable(): ApiError {
  return new ApiError(0, { error: 'The service cannot be reached.', code: 'offline' });
}

/** The response is late; it may still come. */
export function unanswered(): ApiError {
  return new ApiError(0, { error: 'The service does not answer.', code: 'unanswered' });
}

/** The request was cancelled. */
export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'offline';
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code === 'unauthorized';
}
