import { Type } from 'typebox';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { AppService } from '../../../manage/apps/apps.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { Id, Query } from '../../schemas.ts';
import {
  AddAppBody,
  App,
  AppQuery,
  AppWithToken,
  FilterMatches,
  PreviewBody,
  UpdateAppBody,
} from './app-schema.ts';

const managed = { scope: 'manage' } as const;

export function appEndpoints({ apps }: { apps: AppService }): Endpoint[] {
  return [
    get('Apps', '/api/bots/apps', {
      scope: 'read',
      chats: 'refused',
      summary: 'List apps',
      description:
        "The applications connected to a bot, the app `default` first: it stands for the bot's own settings. Secrets are masked unless the key has the scope `manage`; tokens are never listed.",
      query: Query({ bot_id: Id('Bot ID.') }),
      response: Type.Array(App),
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, query }) => apps.list(caller, query.bot_id),
    }),
    post('Apps', '/api/bots/apps/add', {
      ...managed,
      audit: {},
      summary: 'Add an app',
      description:
        'Returns the `token` of the app, this once. The app receives every update that arrives after the response. A filter that matches none of the last 1,000 updates and an unknown update type or method are accepted with an entry in `warnings`.',
      body: AddAppBody,
      response: AppWithToken,
      errors: ['bot_not_found', 'bot_not_allowed', 'app_exists', 'too_many_apps'],
      handler: ({ caller, body: { bot_id, name, ...input } }) =>
        apps.add(caller, bot_id, name, input),
    }),
    post('Apps', '/api/bots/apps/update', {
      ...managed,
      audit: { before: stateOf.app },
      summary: 'Update an app',
      description:
        'Omitted fields keep their value. Updates in the log keep the app that claimed them. If the mode changes, the app continues at its position.',
      body: UpdateAppBody,
      response: App,
      errors: ['app_not_found', 'bot_not_allowed', 'conflict'],
      handler: ({ caller, body: { id, ...input } }) => apps.update(caller, id, input),
    }),
    post('Apps', '/api/bots/apps/rotate', {
      ...managed,
      audit: { before: stateOf.app },
      summary: 'Replace the token of an app',
      description: 'Returns the new `token`, this once. The previous one stops working at once.',
      query: AppQuery,
      response: AppWithToken,
      errors: ['app_not_found', 'bot_not_allowed', 'conflict'],
      handler: ({ caller, query }) => apps.rotate(caller, query.id),
    }),
    post('Apps', '/api/bots/apps/toggle-disabled', {
      ...managed,
      audit: { before: stateOf.app },
      summary: 'Disable or enable an app',
      description: 'Calls of a disabled app get 403. It claims no updates and keeps its position.',
      query: AppQuery,
      response: App,
      errors: ['app_not_found', 'bot_not_allowed', 'conflict'],
      handler: ({ caller, query }) => apps.toggleDisabled(caller, query.id),
    }),
    post('Apps', '/api/bots/apps/delete', {
      ...managed,
      audit: { before: stateOf.app, removes: true },
      summary: 'Delete an app',
      description:
        'Removes the app, its token, its position and its dead letters. Returns the deleted app.',
      query: AppQuery,
      response: App,
      errors: ['app_not_found', 'bot_not_allowed', 'conflict'],
      handler: ({ caller, query }) => apps.delete(caller, query.id),
    }),
    post('Apps', '/api/bots/apps/preview', {
      ...managed,
      audit: 'none',
      summary: 'Test a filter',
      description: 'Counts how many of the last 100 updates pass a filter.',
      body: PreviewBody,
      response: FilterMatches,
      errors: ['bot_not_found', 'bot_not_allowed'],
      handler: ({ caller, body }) => apps.preview(caller, body.bot_id, body.filter),
    }),
  ];
}
