import type { Caller } from '../../core/access/access.ts';
import type { EndpointResponse } from './tool-result.ts';

export type Input = Readonly<Record<string, unknown>>;

/** A call of an endpoint, in the name of the key and its client. */
export interface EndpointCall {
  method: 'GET' | 'POST';
  path: string;
  query?: Input;
  body?: Input;
  headers?: Input;
}

/** What one HTTP request brings. */
export interface McpRequest {
  caller: Caller;
  requestId: string;
  /** Names the client if the protocol does not. */
  userAgent: string;
  call(request: EndpointCall, client: string): Promise<EndpointResponse>;
  /** Counts a call that reaches no endpoint; false if the rate limit refuses it. */
  count(): Promise<boolean>;
}
