import type { serviceKinds } from '../../../core/alerts/kinds/service.ts';
import { reasonText } from '../../../core/reasons/reason.ts';
import { unpackReason } from '../../../core/reasons/stored.ts';
import type { Finder } from './view.ts';

const scarceBytes = 1_000_000_000;
const scarceShare = 0.05;
/** A node that has been gone for this long is forgotten. */
const nodeLostForMs = 24 * 3_600_000;

export const serviceFinders = {
  async disk_low(_view, deps) {
    const { freeBytes = 0, totalBytes = 0 } = (await deps.disk()) ?? {};
    const isScarce = freeBytes < scarceBytes || freeBytes < totalBytes * scarceShare;
    if (totalBytes === 0 || !isScarce) return [];
    // Rounded, because the exact value would change with every write.
    const params = { free_bytes: rounded(freeBytes), total_bytes: rounded(totalBytes) };
    return [{ kind: 'disk_low', params }];
  },
  // Nothing can be read then: the node that watches opens this alert itself.
  database_unreachable: () => [],
  async node_lost({ nowMs }, { deadNodes, store }) {
    const lost = await store.alertConditions.nodesSeen(deadNodes(), nowMs - nodeLostForMs);
    return lost.map((node) => ({ kind: 'node_lost', params: { node } }));
  },
  model_budget: async (_view, deps) =>
    (await deps.isBudgetUsed()) ? [{ kind: 'model_budget' }] : [],
  backup_old(_view, deps) {
    const found = deps.oldBackup();
    if (!found) return [];
    const { why, ...params } = found;
    const evidence = why ? { evidence: { text: reasonText(why), textDetail: why } } : {};
    return [{ kind: 'backup_old', params, ...evidence }];
  },
  async channel_failing(_view, { store }) {
    const channels = await store.alertChannels.list();
    return channels
      .filter(({ disabled, error }) => !disabled && error !== '')
      .map(({ id, error, url }) => {
        const { detail, text } = unpackReason(error);
        return {
          kind: 'channel_failing',
          params: { channel_id: id },
          evidence: { text: url, reason: text, ...(detail ? { reasonDetail: detail } : {}) },
        };
      });
  },
} satisfies Record<keyof typeof serviceKinds, Finder>;

const rounded = (bytes: number) => Math.round(bytes / 1e8) * 1e8;
