export const botTabs = ['settings', 'connect', 'deliveries', 'sends', 'log', 'danger'] as const;
export type BotTab = (typeof botTabs)[number];

export function asBotTab(value: unknown): BotTab | undefined {
  return botTabs.find((tab) => tab === value);
}
