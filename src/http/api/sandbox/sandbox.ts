import { reason } from '../../../core/reasons/reason.ts';
import { Type } from 'typebox';
import type { Caller } from '../../../core/access/access.ts';
import { RelayError } from '../../../errors.ts';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { Body, Query } from '../../schemas.ts';
import { sandboxActions } from './actions.ts';
import { IssuedBot, newBot } from './fields.ts';
import { type SandboxFile, sandboxFileEndpoint } from './file.ts';

export interface SandboxEndpointsDeps {
  /** Runs one action; undefined without a sandbox. */
  act: ((action: string, input: Record<string, unknown>) => unknown) | undefined;
  /** The bytes of a file in a message. */
  fileOf: ((id: string) => SandboxFile | undefined) | undefined;
}

/** Controls the built-in sandbox: clients act as its users. */
export function sandboxEndpoints({ act, fileOf }: SandboxEndpointsDeps): Endpoint[] {
  function offered<T>(caller: Caller, part: T | undefined): T {
    if (caller.botIds !== null) {
      throw new RelayError('bot_not_allowed', reason('sandbox_limited_key'));
    }
    if (!part) {
      throw new RelayError('sandbox_disabled', reason('sandbox_disabled'));
    }
    return part;
  }
  async function run(caller: Caller, action: string, input: unknown): Promise<never> {
    const does = offered(caller, act);
    return ((await does(action, input as Record<string, unknown>)) ?? { ok: true }) as never;
  }

  const made = Object.entries(sandboxActions).map(([name, action]) => {
    const { summary, description, fields = {}, answer, reads, rules, errors = [] } = action;
    const common = {
      path: `/api/sandbox/${name}`,
      scope: 'manage' as const,
      tag: 'Sandbox',
      summary,
      ...(description === undefined ? {} : { description }),
      response: answer ?? Type.Unknown({ description: 'As the sandbox returns it.' }),
      errors: ['sandbox_disabled', 'bot_not_allowed', 'not_found', ...errors] as const,
    };
    return reads
      ? endpoint({
          ...common,
          method: 'GET',
          query: Query(fields),
          handler: ({ caller, query }) => run(caller, name, query),
        })
      : endpoint({
          ...common,
          method: 'POST',
          audit: 'none',
          body: Body(fields, [], rules),
          handler: ({ caller, body }) => run(caller, name, body),
        });
  });
  const issue = endpoint({
    method: 'POST',
    path: '/api/sandbox/bots',
    audit: 'none',
    scope: 'manage',
    tag: 'Sandbox',
    summary: 'Create a sandbox bot',
    description: 'Its token works only in the sandbox. Add it with `POST /api/bots/add`.',
    body: Body(newBot),
    response: IssuedBot,
    errors: ['sandbox_disabled', 'bot_not_allowed', 'conflict'],
    handler: ({ caller, body }) => run(caller, 'bots/create', body),
  });
  const file = sandboxFileEndpoint((caller, id) => offered(caller, fileOf)(id));
  return [issue, file, ...made];
}
