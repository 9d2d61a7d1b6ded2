import { type TProperties, Type } from 'typebox';
import { reason } from '../../../core/reasons/reason.ts';
import type { Caller } from '../../../core/access/access.ts';
import { type ErrorCode, RelayError } from '../../../errors.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Body, Query, type Rules } from '../../schemas.ts';
import { type SandboxFile, sandboxFileEndpoint } from './file.ts';

/** The sandbox declares its actions with more; the API needs these parts. */
interface SandboxAction
  extends Partial<Pick<Endpoint, 'description' | 'response' | 'responseName'>> {
  summary: string;
  fields: TProperties;
  rules?: Rules;
  refusals?: readonly string[];
  reads?: true;
  run: unknown;
}

export interface SandboxEndpointsDeps {
  /** The key is the name of the action. */
  actions: Readonly<Record<string, SandboxAction>>;
  /** Runs one action; undefined without a sandbox. */
  act: ((action: string, input: Record<string, unknown>) => unknown) | undefined;
  /** The bytes of a file in a message. */
  fileOf: ((id: string) => SandboxFile | undefined) | undefined;
}

/** Maps a refusal of the sandbox to an error of the API. */
export function errorCodeOf(refusal: string, status?: number): ErrorCode {
  if (refusal === 'name_taken') return 'conflict';
  return status === 404 ? 'not_found' : 'invalid_request';
}

/** Controls the built-in sandbox: clients act as its users. Each action of the sandbox is an endpoint. */
export function sandboxEndpoints({ actions, act, fileOf }: SandboxEndpointsDeps): Endpoint[] {
  function offered<T>(caller: Caller, part: T | undefined): T {
    if (caller.botIds !== null) {
      throw new RelayError('bot_not_allowed', reason('sandbox_limited_key'));
    }
    if (!part) {
      throw new RelayError('sandbox_disabled', reason('sandbox_disabled'));
    }
    return part;
  }

  function made(name: string, action: SandboxAction): Endpoint {
    const { fields, rules, refusals = [], reads, run: _run, ...documented } = action;
    const refused = refusals.map((refusal) => errorCodeOf(refusal));
    const common = {
      response: Type.Unknown({ description: 'As the sandbox returns it.' }),
      ...documented,
      scope: 'manage' as const,
      errors: ['sandbox_disabled', 'bot_not_allowed', 'not_found', ...refused] as const,
    };
    const run = async (caller: Caller, input: unknown) =>
      ((await offered(caller, act)(name, input as Record<string, unknown>)) ?? {
        ok: true,
      }) as never;
    const path = `/api/sandbox/${name}`;
    return reads
      ? get('Sandbox', path, {
          ...common,
          query: Query(fields),
          handler: ({ caller, query }) => run(caller, query),
        })
      : post('Sandbox', path, {
          ...common,
          audit: 'none',
          body: Body(fields, [], rules),
          handler: ({ caller, body }) => run(caller, body),
        });
  }

  const all = Object.entries(actions).map(([name, action]) => made(name, action));
  const shortcuts = all
    .filter(({ path }) => path === '/api/sandbox/bots/create')
    .map(
      (create): Endpoint => ({
        ...create,
        path: '/api/sandbox/bots',
        description: 'Its token works only in the sandbox. Add it with `POST /api/bots/add`.',
        errors: ['sandbox_disabled', 'bot_not_allowed', 'conflict'],
      }),
    );
  return [...shortcuts, sandboxFileEndpoint((caller, id) => offered(caller, fileOf)(id)), ...all];
}
