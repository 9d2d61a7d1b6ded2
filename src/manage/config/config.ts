/*
 * The configuration of the whole service as one document.
 *
 * Invariants: everything is checked before anything is written; one transaction writes a plan that
 * is still valid in it; applying an exported file changes nothing.
 */
import { type Caller, requireEveryBot } from '../../core/access/access.ts';
import { maskSecret } from '../../core/bots/bot-token.ts';
import {
  type ConfigDocument,
  type WrittenConfig,
  writtenDocument,
} from '../../core/config-file/document.ts';
import { type SelfSetWebhook, withoutSelfSet } from '../../core/config-file/self-set.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { configStateStep } from '../../store/access/config-state.ts';
import {
  type AppliedConfig,
  applyOnce,
  type ApplyOptions,
  type ApplyRound,
  type ConfigServiceOptions,
} from './apply-config.ts';
import { readCurrentConfig } from './current-config.ts';

export interface ConfigService {
  /** Excludes webhooks that clients set themselves, which are returned separately. */
  export(
    caller: Caller,
    withSecrets: boolean,
  ): Promise<WrittenConfig & { self_set: SelfSetWebhook[] }>;
  /** With `prune`, deletes entries that the sections of the document do not list. */
  apply(caller: Caller, document: ConfigDocument, options: ApplyOptions): Promise<AppliedConfig>;
}

const rounds = 5;

export function createConfigService(options: ConfigServiceOptions): ConfigService {
  const { store } = options;
  let last: Promise<unknown> = Promise.resolve();

  /** Applies one file at a time, so that only changes by others require a second comparison. */
  function mutex<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  const readState = () => store.engine.write(configStateStep);

  return {
    async export(caller, withSecrets) {
      requireEveryBot(caller);
      const { document, selfSet } = await readCurrentConfig(options);
      const own = [...selfSet.values()];
      const shown = withSecrets ? own : own.map(withoutSecret);
      return { ...writtenDocument(withoutSelfSet(document, own), withSecrets), self_set: shown };
    },

    apply(caller, document, applyOptions) {
      return mutex(async () => {
        requireEveryBot(caller);
        for (let tried = 1; ; tried++) {
          const round: ApplyRound = { state: await readState(), isWritten: false };
          try {
            return await applyOnce(options, caller, document, applyOptions, round);
          } catch (error) {
            if (round.isWritten) throw error;
            // A change by somebody else meanwhile may be the cause of this failure.
            if ((await readState()) === round.state) throw error;
            if (tried === rounds) throw new RelayError('conflict', reason('config_outrun'));
          }
        }
      });
    },
  };
}

function withoutSecret({ fields, ...own }: SelfSetWebhook): SelfSetWebhook {
  return { ...own, fields: { ...fields, secret_token: maskSecret(fields.secret_token) } };
}
