import type { TelegramClient } from '../../../src/telegram/client.ts';

/** The same client, and whether the platform is being asked. */
export function watchTelegram(client: TelegramClient): {
  telegram: TelegramClient;
  isBusy(): boolean;
} {
  let calls = 0;
  const telegram: TelegramClient = {
    ...client,
    call(...asked) {
      calls++;
      return client.call(...asked).finally(() => calls--);
    },
  };
  return { telegram, isBusy: () => calls > 0 };
}
