export const botTabs = ['settings', 'apps', 'deliveries', 'sends', 'log', 'danger'] as const;
export type BotTab = (typeof botTabs)[number];

export function asBotTab(value: unknown): BotTab | undefined {
  // The name of the tab in older links.
  return value === 'connect' ? 'apps' : botTabs.find((tab) => tab === value);
}
