import { describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { configRig } from '../support/rigs/config-rig.ts';

describe.each(dialects)('saved replies in a configuration file (%s)', (dialect) => {
  const rig = configRig(dialect);
  const { apply, exported, tryApply } = rig;
  const listed = () => rig.app.store.savedReplies.list(null);

  it('are added, changed, exported, left alone without their section, and pruned', async () => {
    const shop = rig.first.id;
    const bots = [{ platform_id: shop, token: rig.first.token }];
    const forAll = { name: 'refund', text: 'Hello {first_name}, the refund is on its way.' };
    const ofShop = { name: 'refund', text: 'We pay at once.', bot: shop };
    expect(await apply({ bots, saved_replies: [forAll, ofShop] })).toEqual([
      `add bot ${shop}`,
      'add reply all/refund',
      `add reply ${shop}/refund`,
    ]);
    const { config } = await exported(undefined, true);
    expect(config.saved_replies).toEqual([forAll, ofShop]);
    expect(await apply(config)).toEqual([]);

    const [first] = await listed();
    await rig.app.store.savedReplies.used(first?.id ?? 0, 5);
    const changed = { ...forAll, text: 'It is on its way.' };
    expect(await apply({ saved_replies: [changed] }, { dry_run: true })).toEqual([
      'update reply all/refund text',
    ]);
    await apply({ saved_replies: [changed] });
    expect(await listed()).toEqual([
      expect.objectContaining({ id: first?.id, text: 'It is on its way.', uses: 1 }),
      expect.objectContaining({ text: 'We pay at once.' }),
    ]);
    expect(await apply({ bots }, { prune: true })).toEqual([]);
    expect(await apply({ saved_replies: [changed] }, { prune: true })).toEqual([
      `delete reply ${shop}/refund`,
    ]);
    expect(await apply({ saved_replies: [] }, { prune: true })).toEqual([
      'delete reply all/refund',
    ]);
    expect(await listed()).toEqual([]);
  });

  it('go with a bot that a file deletes, and are refused if listed twice, blank or of no bot', async () => {
    const shop = rig.first.id;
    const bots = [{ platform_id: shop, token: rig.first.token }];
    const reply = { name: 'hours', text: 'From nine.', bot: shop };
    const refusal = async (file: object) => {
      const { body } = await tryApply(file);
      return (body as { details?: { field: string }[] }).details?.[0]?.field;
    };
    expect(await refusal({ saved_replies: [reply] })).toBe(`saved_replies[${shop}/hours].bot`);
    expect(await refusal({ bots, saved_replies: [reply, reply] })).toBe(
      `saved_replies[${shop}/hours]`,
    );
    expect(await refusal({ bots, saved_replies: [{ ...reply, text: ' ' }] })).toBe(
      `saved_replies[${shop}/hours].text`,
    );
    await apply({ bots, saved_replies: [reply] });
    expect(await apply({ bots: [] }, { prune: true })).toEqual(
      expect.arrayContaining([`delete bot ${shop}`, `delete reply ${shop}/hours`]),
    );
    expect(await listed()).toEqual([]);
  });
});
