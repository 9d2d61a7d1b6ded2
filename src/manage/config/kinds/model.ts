import type { ConfigKind } from '../config-kind.ts';

export const modelKind: ConfigKind<'model'> = {
  async read({ llmConfig }) {
    const part = await llmConfig.own();
    return { part, records: part ? [{ id: 0 }] : [] };
  },
  compare: (entry) => entry,
  prepare: async ({ given }, { llmConfig }) => ({ write: await llmConfig.prepare(given) }),
  // A file without the model keeps it.
  remove: null,
  bots: () => ({}),
  boundBy: [],
  changesBots: false,
};
