import { describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { configRig } from '../support/rigs/config-rig.ts';

describe.each(dialects)('desks in a configuration file (%s)', (dialect) => {
  const rig = configRig(dialect);
  const { apply, exported, tryApply } = rig;
  const listed = () => rig.app.store.desks.list();
  const both = () =>
    [rig.first, rig.second].map(({ id, token }) => ({
      platform_id: id,
      token,
      manage_enabled: true,
    }));

  it('are added, changed, exported, left alone without their section, and pruned', async () => {
    const bots = both();
    const [shop, team] = [rig.first.id, rig.second.id];
    const options = {
      name: 'Help',
      person_ids: [111],
      unanswered_minutes: 5,
      working_hours: {
        timezone: 'Europe/Berlin',
        times: [{ days: ['mon', 'tue'], start: '09:00', end: '18:00' }],
      },
      away_replies: [{ language: '', text: 'We answer tomorrow.' }],
      ban_replies: [{ language: 'ru', text: 'Пока.' }],
      rating_questions: [{ language: '', text: 'How did we do?' }],
    };
    const desk = { chat_id: -100, desk_bot: team, bots: [shop], ...options };
    expect(await apply({ bots, desks: [desk] })).toEqual([
      `add bot ${shop}`,
      `add bot ${team}`,
      'add desk in -100',
    ]);
    expect(await apply({ bots, desks: [desk] })).toEqual([]);
    const [added] = await listed();
    expect(added).toMatchObject({ name: 'Help', chat_id: -100, bot_ids: [expect.any(Number)] });
    const { config } = await exported(undefined, true);
    expect(config.desks).toEqual([desk]);

    const grown = { ...desk, bots: [shop, team], name: undefined, language: 'ru' };
    expect(await apply({ desks: [grown] }, { dry_run: true })).toEqual([
      'update desk in -100 name language bots',
    ]);
    expect(await listed()).toEqual([added]);
    await apply({ desks: [grown] });
    expect(await listed()).toMatchObject([{ id: added?.id, name: 'Support', language: 'ru' }]);
    expect(await apply({ bots }, { prune: false })).toEqual([]);

    // A bot moves to a desk that the file names before its former one.
    const moved = [
      { chat_id: -200, desk_bot: team, bots: [shop] },
      {
        ...options,
        name: 'Support',
        chat_id: -100,
        desk_bot: team,
        bots: [team],
        language: 'ru',
      },
    ];
    expect(await apply({ desks: moved })).toEqual(['add desk in -200', 'update desk in -100 bots']);
    expect((await exported()).config.desks).toEqual(
      expect.arrayContaining([moved[0], expect.objectContaining({ bots: [team] })]),
    );
    expect(await apply({ desks: moved.slice(0, 1) }, { prune: true })).toEqual([
      'delete desk in -100',
    ]);
    expect(await apply({ desks: [] }, { prune: true })).toEqual(['delete desk in -200']);
    expect(await listed()).toEqual([]);
  });

  it('are refused if a bot has two, or is not managed, or the chat is no group', async () => {
    const bots = both();
    const [shop, team] = [rig.first.id, rig.second.id];
    const desk = { chat_id: -100, desk_bot: team, bots: [shop] };
    const refusal = async (file: object) => {
      const { body } = await tryApply(file);
      return (body as { details?: { field: string }[] }).details?.[0]?.field;
    };
    expect(await refusal({ bots, desks: [desk, { ...desk, chat_id: -200 }] })).toBe(
      'desks[in -200].bots',
    );
    expect(await refusal({ bots, desks: [{ ...desk, chat_id: 5 }] })).toBe('desks[in 5].chat_id');
    const hours = { timezone: 'Mars/Base', times: [] };
    expect(await refusal({ bots, desks: [{ ...desk, working_hours: hours }] })).toBe(
      'desks[in -100].working_hours.timezone',
    );
    const texts = [1, 2].map(() => ({ language: 'ru', text: 'Нет' }));
    expect(await refusal({ bots, desks: [{ ...desk, away_replies: texts }] })).toBe(
      'desks[in -100].away_replies',
    );
    const silent = bots.map(({ manage_enabled: _on, ...bot }) => bot);
    expect(await refusal({ bots: silent, desks: [desk] })).toBe(`bots[${team}].manage_enabled`);
    expect(await listed()).toEqual([]);
  });
});
