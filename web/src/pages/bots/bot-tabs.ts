export const botTabs = ['settings', 'apps', 'deliveries', 'sends', 'log', 'danger'] as const;
export type BotTab = (typeof botTabs)[number];

export function asBotTab(value: unknown): BotTab | undefined {
  // Older links use the name `connect` for this tab.
  return value === 'connect' ? 'apps' : botTabs.find((tab) => tab === value);
}
