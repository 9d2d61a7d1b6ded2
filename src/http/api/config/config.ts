import type { ConfigService } from '../../../manage/config/config.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { AppliedConfig, ApplyBody, ConfigAnswer, ConfigQuery } from './config-schema.ts';

const shared = { scope: 'admin' } as const;

export function configEndpoints({ service }: { service: ConfigService }): Endpoint[] {
  return [
    get('Configuration', '/api/config', {
      ...shared,
      summary: 'Export the configuration',
      description:
        'Bots, apps, routes, the language model, users and keys, by Telegram ID or name. References such as `${BOT_123456789_TOKEN}` stand for secrets. It covers all bots: a key limited to some bots gets 403.',
      query: ConfigQuery,
      response: ConfigAnswer,
      errors: ['bot_not_allowed'],
      handler: ({ caller, query }) => service.export(caller, query.with_secrets === true),
    }),
    post('Configuration', '/api/config/apply', {
      ...shared,
      audit: { unless: ({ dry_run }) => dry_run === true },
      summary: 'Apply a configuration',
      description:
        'Adds and updates what the configuration lists, and with `prune` deletes what its sections do not list. Tokens of new bots are checked with Telegram first; everything is written in one transaction, then bots start. An error changes nothing. To delete only what somebody confirmed, send the deletions of a dry run as `deletions`. Secrets are values here: only `bot-relay apply` resolves references.',
      body: ApplyBody,
      bodyLimitBytes: 8_388_608,
      response: AppliedConfig,
      errors: ['bot_not_allowed', 'token_refused', 'token_taken', 'conflict', 'too_many_apps'],
      handler: ({ caller, body }) =>
        service.apply(caller, body.config, {
          dryRun: body.dry_run === true,
          prune: body.prune === true,
          deletions: body.deletions,
        }),
    }),
  ];
}
