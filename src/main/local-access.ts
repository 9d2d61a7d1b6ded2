import { localCaller } from '../core/access/access.ts';
import { newApiKey, sameSecret } from '../core/access/keys.ts';
import type { ApiKeys } from '../manage/access/api-keys.ts';

/**
 * Lets the command on this machine in with a key that lives as long as the process and is stored in
 * no database (docs/adr/0005-local-command-access.md).
 */
export function withLocalKey(apiKeys: ApiKeys): { apiKeys: ApiKeys; localKey: string } {
  const localKey = newApiKey();
  return {
    localKey,
    apiKeys: {
      ...apiKeys,
      authenticate: async (key, address) =>
        sameSecret(key, localKey)
          ? { ...localCaller, address }
          : await apiKeys.authenticate(key, address),
    },
  };
}
