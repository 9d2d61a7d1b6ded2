/* The module that programs import as `bot-relay/client`. */
import type { ApiClient } from './api.ts';
import { createApiClient, overHttp } from './api-client.ts';

export type { ApiClient } from './api.ts';
export type * from './api-types.ts';
export { ServiceUnreachable } from './api-client.ts';
export { RelayError } from './errors.ts';

/** Creates a client of the service at `url`. Responses other than 200 are thrown as `RelayError`. */
export function createClient(options: { url: string; key: string }): ApiClient {
  return createApiClient(options.key, overHttp(options.url.replace(/\/+$/, '')));
}
