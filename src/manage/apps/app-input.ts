import type { Config } from '../../config.ts';
import { type AppSettings, defaultAppSettings, methodProblem } from '../../core/apps/app.ts';
import { commandProblem, filterProblems, updateKindProblem } from '../../core/apps/app-filter.ts';
import { isMaskedAddress } from '../../core/bots/bot-token.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { StoredWebhook, WebhookOptions } from '../../store/delivery/webhooks.ts';
import { checkBackendUrl } from '../../telegram/address-policy.ts';
import { optionsOf } from './app-view.ts';

/** Omitted fields keep their value, or take their default. */
export interface AppInput extends Partial<AppSettings> {
  /** 0 means the maximum of the service. */
  max_connections?: number;
  /** Kinds of updates; empty means all. */
  allowed_updates?: readonly string[];
}

export function checkAppBackend(
  before: AppSettings,
  patch: Partial<AppSettings>,
  backends: Config['backends'],
): void {
  const after = { ...before, ...patch };
  if (patch.backend_url && patch.backend_url !== before.backend_url) {
    const problem = isMaskedAddress(patch.backend_url)
      ? reason('address_masked')
      : checkBackendUrl(patch.backend_url, backends);
    if (problem) throw invalidField('backend_url', problem);
  }
  if (after.mode === 'webhook' && after.backend_url === '') {
    throw invalidField('backend_url', reason('app_backend_needed'));
  }
}

/** Checks everything that can be checked without the stored app. */
export function checkAppInput({
  filter = {},
  methods = [],
  urgent = [],
  allowed_updates: kinds = [],
}: AppInput): void {
  const problems = [
    ...filterProblems(filter).map(({ field, problem }) => ({ field: `filter.${field}`, problem })),
    ...firstProblem('methods', methods.map(methodProblem)),
    ...firstProblem('urgent', urgent.map(commandProblem)),
    ...firstProblem('allowed_updates', kinds.map(updateKindProblem)),
  ];
  const [first] = problems;
  if (!first) return;
  const why = reason('input_wrong', { ...first, more: problems.length - 1 });
  throw new RelayError('invalid_request', why, { details: problems });
}

function firstProblem(field: string, problems: readonly (Reason | undefined)[]) {
  const problem = problems.find((one) => one !== undefined);
  return problem ? [{ field, problem }] : [];
}

const settingNames = Object.keys(defaultAppSettings) as (keyof AppSettings)[];

/** The settings that are stored with the app itself. */
export function appSettingsIn(input: AppInput): Partial<AppSettings> {
  const given = settingNames.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, input[name]]));
}

/** The settings that are stored with its webhook: nothing unless one of them changes. */
export function appWebhookIn(
  input: AppInput,
  { mode }: AppSettings,
  { before, keepsBackend }: { before: StoredWebhook | undefined; keepsBackend: boolean },
): { options?: WebhookOptions } {
  const held = optionsOf(before);
  const { max_connections: connections = held.max_connections } = input;
  const { allowed_updates: kinds = held.allowed_updates } = input;
  const keepsKinds = JSON.stringify(kinds) === JSON.stringify(held.allowed_updates);
  const changed =
    connections !== held.max_connections
      ? 'max_connections'
      : keepsKinds
        ? undefined
        : 'allowed_updates';
  if (mode !== 'webhook') {
    if (changed) throw invalidField(changed, reason('webhook_mode_only'));
    return {};
  }
  // A certificate belongs to the backend that it was set for.
  const certificate = keepsBackend ? (before?.certificate ?? '') : '';
  if (!changed && certificate === (before?.certificate ?? '')) return {};
  const listed = kinds.length > 0 ? kinds : updateKinds;
  const allowedUpdates = keepsKinds && before ? before.allowedUpdates : listed;
  return { options: { maxConnections: connections, allowedUpdates, certificate } };
}
