import { isoMonth } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../clock.ts';
import { invalidField } from '../../errors.ts';
import type { Step } from '../../store/engine.ts';
import type { Store } from '../../store/store.ts';
import { checkCalledUrl } from '../../telegram/address-policy.ts';
import { sealedLlmKey } from '../../store/access/sealed-secrets.ts';

/** The settings of the language model; its key is stored separately and never shown. */
export interface LlmConfig {
  api_url: string;
  model: string;
  system_prompt: string;
  enabled: boolean;
  temperature: number;
  timeout_ms: number;
  /** 0 means no limit. */
  monthly_call_limit: number;
  monthly_token_limit: number;
  offline_threshold: number;
}

export interface ShownLlmConfig extends LlmConfig {
  api_key_set: boolean;
  usage: { month: string; calls: number; input_tokens: number; output_tokens: number };
}

export interface LlmConfigService {
  show(): Promise<ShownLlmConfig>;
  /**
   * Omitted fields keep their value; an empty api_key removes the key. A key belongs to the host it
   * was given for: if the host of the address changes, it must be given again.
   */
  update(patch: Partial<LlmConfig> & { api_key?: string }): Promise<ShownLlmConfig>;
  /** Checks a change, and returns the step that stores it. */
  prepare(patch: Partial<LlmConfig> & { api_key?: string }): Promise<() => Step<void>>;
  /** Settings with the key, as far as they were set through the API; undefined if none were. */
  own(): Promise<(LlmConfig & { api_key: string }) | undefined>;
  /** Settings with the key, for requests to the model. */
  current(): Promise<LlmConfig & { api_key: string }>;
}

const settingName = 'llm';
const keyContext = `settings:${sealedLlmKey}`;
const addressWords = { example: 'https://api.example.com/v1', secretField: 'api_key' };

export function createLlmConfig(options: {
  store: Store;
  clock: Clock;
  /** The values from the environment, for everything that was not set through the API. */
  defaults: Config['llm'];
  /** The rules for addresses that models may have. */
  backends: Config['backends'];
  offlineThreshold: number;
}): LlmConfigService {
  const { store, clock, defaults } = options;
  const { settings, vault } = store;

  async function stored(): Promise<LlmConfig> {
    const text = await settings.get(settingName);
    const base: LlmConfig = {
      api_url: defaults.url,
      model: defaults.model,
      system_prompt: '',
      enabled: defaults.url !== '',
      temperature: 0,
      timeout_ms: 20_000,
      monthly_call_limit: 0,
      monthly_token_limit: 0,
      offline_threshold: options.offlineThreshold,
    };
    return text === undefined ? base : { ...base, ...(JSON.parse(text) as Partial<LlmConfig>) };
  }

  async function keyOf(): Promise<string> {
    const sealed = await settings.get(sealedLlmKey);
    return sealed === undefined ? defaults.key : vault.open(sealed, keyContext);
  }

  async function show(): Promise<ShownLlmConfig> {
    const month = isoMonth(clock.now());
    const used = await store.routing.questions.usage(month);
    return {
      ...(await stored()),
      api_key_set: (await keyOf()) !== '',
      usage: {
        month,
        calls: used.calls,
        input_tokens: used.inputTokens,
        output_tokens: used.outputTokens,
      },
    };
  }

  async function prepare({
    api_key: apiKey,
    ...patch
  }: Partial<LlmConfig> & { api_key?: string }): Promise<() => Step<void>> {
    const before = await stored();
    const next = { ...before, ...patch };
    if (next.api_url !== '' && next.api_url !== before.api_url) {
      const problem = checkCalledUrl(next.api_url, options.backends, addressWords);
      if (problem) throw invalidField('api_url', problem);
    }
    const keepsKey = apiKey === undefined && (await keyOf()) !== '';
    if (keepsKey && leadsElsewhere(before.api_url, next.api_url)) {
      throw invalidField('api_key', reason('key_needed_for_other_host'));
    }
    if (next.enabled && next.api_url === '') {
      throw invalidField('api_url', reason('needed_while_enabled'));
    }
    if (next.enabled && next.model === '') {
      throw invalidField('model', reason('needed_while_enabled'));
    }
    return function* () {
      yield* settings.setStep(settingName, JSON.stringify(next));
      if (apiKey !== undefined) {
        yield* settings.setStep(sealedLlmKey, vault.seal(apiKey, keyContext));
      }
    };
  }

  return {
    show,
    prepare,
    async update(patch) {
      await store.engine.write(await prepare(patch));
      return show();
    },
    async own() {
      if ((await settings.get(settingName)) === undefined) return undefined;
      const sealed = await settings.get(sealedLlmKey);
      const apiKey = sealed === undefined ? '' : vault.open(sealed, keyContext);
      return { ...(await stored()), api_key: apiKey };
    },
    current: async () => ({ ...(await stored()), api_key: await keyOf() }),
  };
}

function leadsElsewhere(before: string, next: string): boolean {
  return next !== '' && URL.parse(next)?.origin !== URL.parse(before)?.origin;
}
