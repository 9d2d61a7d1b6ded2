import type { ServiceProcess } from '../../support/service-process.ts';
import type { Offered, Received } from './reconcile.ts';

/** An app of a bot, and what it should receive. */
export interface WorldApp {
  name: string;
  settings: object;
  isPushed: boolean;
  /** What it claims is for no other app and for no reader of the bot. */
  claims: boolean;
  wants(text: string): boolean;
  /** Of an app that polls. */
  token: string;
  offered: Offered[];
  received: Received[];
}

const isOrder = (text: string) => text.startsWith('/order');
const isTea = (text: string) => text.startsWith('tea');

/** One that is pushed to, one that polls, and one that has its updates for itself. */
export function createApps(): WorldApp[] {
  const app = (made: Pick<WorldApp, 'name' | 'settings' | 'isPushed' | 'claims' | 'wants'>) => ({
    ...made,
    token: '',
    offered: [],
    received: [],
  });
  const tea = { filter: { keywords: ['tea'] } };
  return [
    app({ name: 'push-tea', settings: tea, isPushed: true, claims: false, wants: isTea }),
    app({
      name: 'poll-all',
      settings: {},
      isPushed: false,
      claims: false,
      wants: (text) => !isOrder(text),
    }),
    app({
      name: 'poll-orders',
      settings: { filter: { commands: ['/order'] }, exclusive: true },
      isPushed: false,
      claims: true,
      wants: isOrder,
    }),
  ];
}

/** The first word of an update of a bot with apps. */
export const firstWord = (random: number) =>
  random < 0.1 ? '/order' : random < 0.4 ? 'tea' : 'update';

export async function addApps(
  node: ServiceProcess,
  bot_id: number,
  apps: readonly WorldApp[],
  backendOf: (app: WorldApp) => string,
): Promise<void> {
  for (const app of apps) {
    const { name, settings, isPushed } = app;
    const mode = isPushed ? { mode: 'webhook', backend_url: backendOf(app) } : {};
    const made = await node.call<{ token: string }>('/api/bots/apps/add', {
      bot_id,
      name,
      ...settings,
      ...mode,
    });
    app.token = made.token;
  }
}
