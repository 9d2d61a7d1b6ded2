import type { LlmConfigService } from '../manage/routing/llm-config.ts';
import type { RouterModel } from '../relay/routing/choose-target.ts';

/** Translates the settings of the model for routing. */
export function modelOf(config: Awaited<ReturnType<LlmConfigService['current']>>): RouterModel {
  return {
    enabled: config.enabled,
    apiUrl: config.api_url,
    apiKey: config.api_key,
    model: config.model,
    systemPrompt: config.system_prompt,
    temperature: config.temperature,
    timeoutMs: config.timeout_ms,
    monthlyCalls: config.monthly_call_limit,
    monthlyTokens: config.monthly_token_limit,
    offlineThreshold: config.offline_threshold,
  };
}
