import type { FileSection, GivenEntry } from '../file-section.ts';

export interface ModelInFile {
  api_url?: string;
  api_key?: string;
  model?: string;
  system_prompt?: string;
  enabled?: boolean;
  temperature?: number;
  timeout_ms?: number;
  monthly_call_limit?: number;
  monthly_token_limit?: number;
  offline_threshold?: number;
}

/** There is one model, and it keeps what a file leaves out. */
export const model: FileSection<ModelInFile, GivenEntry<'model', ModelInFile>> = {
  entries: (given) => [{ kind: 'model', name: 'model', fields: { ...given }, given }],
  withChats: (part) => part,
  written: (part, writer) => writer.settings(part, { api_key: '' }, 'MODEL'),
};
