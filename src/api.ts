import type { ControlAnswers } from '../sandbox/src/answers.ts';
import type { Gets, Posts } from './api-types.ts';

/**
 * The service's API, typed by the declarations of its endpoints. The CLI calls it over HTTP or
 * inside this process, the web UI from a browser.
 */
export interface ApiClient {
  get<P extends keyof Gets>(path: P, ...input: GetInput<Gets[P]>): Promise<Answer<P, Gets[P]>>;
  post<P extends keyof Posts>(path: P, ...input: PostInput<Posts[P]>): Promise<Answer<P, Posts[P]>>;
}

type GetInput<Call> = Call extends { query: infer Query }
  ? [query: Query, signal?: AbortSignal]
  : [query?: 'query' extends keyof Call ? Call['query'] : never, signal?: AbortSignal];

type PostInput<Call> =
  Partial<Omit<Call, 'response'>> extends Omit<Call, 'response'>
    ? [options?: PostOptions<Call>]
    : [options: PostOptions<Call>];

type PostOptions<Call> = Omit<Call, 'response'> & {
  /** Set it for endpoints that take the header `Idempotency-Key`. */
  idempotencyKey?: string;
  signal?: AbortSignal;
};

/**
 * Responses of the sandbox have no schema in the service; the fields that clients read are declared
 * there.
 */
type Answer<Path, Call extends { response: unknown }> = Path extends `/api/sandbox/${infer Action}`
  ? Action extends keyof ControlAnswers
    ? ControlAnswers[Action]
    : Call['response']
  : Call['response'];
