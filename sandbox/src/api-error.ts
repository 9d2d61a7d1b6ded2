import {
  type ControlCode,
  type ControlParams,
  controlReasons,
  sentenceOf,
} from './control-reasons.ts';
import type { ResponseParameters } from '@grammyjs/types';

/** A refusal in Telegram's own words; the HTTP status equals `code`. */
export class ApiFailure extends Error {
  readonly code: number;
  readonly parameters: ResponseParameters | undefined;

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description);
    this.name = 'ApiFailure';
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (reason: string, parameters?: ResponseParameters): ApiFailure =>
  new ApiFailure(400, `Bad Request: ${reason}`, parameters);

export const forbidden = (reason: string): ApiFailure =>
  new ApiFailure(403, `Forbidden: ${reason}`);

export const conflict = (reason: string): ApiFailure => new ApiFailure(409, `Conflict: ${reason}`);

export const tooManyRequests = (retryAfterSeconds: number): ApiFailure =>
  new ApiFailure(429, `Too Many Requests: retry after ${retryAfterSeconds}`, {
    retry_after: retryAfterSeconds,
  });

/** A mistake of the client that controls the sandbox (not of a bot): unknown user, wrong chat, … */
export class ControlError<C extends ControlCode = ControlCode> extends Error {
  readonly code: C;
  readonly params: object;
  readonly status: number;

  constructor(code: C, ...[params]: ControlParams<C>) {
    super(sentenceOf(code, params ?? {}));
    this.name = 'ControlError';
    this.code = code;
    this.params = params ?? {};
    this.status = controlReasons[code][0];
  }
}
