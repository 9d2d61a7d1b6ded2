import { Type } from 'typebox';
import { type Endpoint, get } from '../../endpoint.ts';

export function versionEndpoints(deps: { version: string }): Endpoint[] {
  return [
    get('Operation', '/api/version', {
      scope: 'read',
      area: 'account',
      chats: 'none',
      summary: 'Get the version',
      description:
        'Paths carry no version. Within a major version, fields are only added, never removed or retyped.',
      response: Type.Object({
        name: Type.String({ examples: ['bot-relay'] }),
        version: Type.String({ examples: ['1.0.0'] }),
      }),
      handler: async () => ({ name: 'bot-relay', version: deps.version }),
    }),
  ];
}
