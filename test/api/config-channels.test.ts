import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { dialects } from '../support/database/engines.ts';
import { configRig } from '../support/rigs/config-rig.ts';

const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;
const url = 'https://ops.example.com/services/T0/B0/XXXX';
const hookName = `ops.example.com #${hash('sha256', url).slice(0, 8)}`;

describe.each(dialects)('alert channels in a configuration file (%s)', (dialect) => {
  const rig = configRig(dialect);
  const { apply, exported, tryApply } = rig;
  const listed = () => rig.app.store.alertChannels.list();

  it('are added, changed, exported without their secret, and pruned', async () => {
    const { id: bot, token } = rig.first;
    const bots = [{ platform_id: bot, token, name: 'Shop' }];
    const quiet_hours = { start: '22:00', end: '07:00', timezone: 'Europe/Berlin' };
    const chat = { bot, chat_id: -100, message_thread_id: 4, kinds: ['disk_low'], bots: [bot] };
    const hook = { url, secret, min_severity: 'critical', quiet_hours };
    const wanted = { bots, alert_channels: [chat, hook] };
    expect(await apply(wanted)).toEqual([
      `add bot ${bot}`,
      `add channel ${bot} → chat -100 topic 4`,
      `add channel ${hookName}`,
    ]);
    expect(await apply(wanted)).toEqual([]);
    expect(await listed()).toMatchObject([
      { type: 'telegram', chat_id: -100, message_thread_id: 4, kinds: ['disk_low'] },
      { type: 'webhook', url, secret, min_severity: 'critical', quiet_hours, delay_seconds: 120 },
    ]);

    const { config, variables } = await exported(undefined, true);
    expect(config.alert_channels).toEqual([
      chat,
      { ...hook, secret: '${ALERTS_OPS_EXAMPLE_COM_SECRET}' },
    ]);
    expect(variables).toContain('ALERTS_OPS_EXAMPLE_COM_SECRET');
    expect(JSON.stringify(config)).not.toContain(secret);
    // An existing webhook keeps its secret.
    expect(await apply({ alert_channels: config.alert_channels })).toEqual([]);
    const later = { ...hook, secret: undefined, delay_seconds: 0, disabled: true };
    expect(await apply({ alert_channels: [later] })).toEqual([
      `update channel ${hookName} delay_seconds disabled`,
    ]);
    const [, changed] = await listed();
    expect(changed).toMatchObject({ secret, delay_seconds: 0, disabled: true, quiet_hours });
    expect(await apply({ alert_channels: [later] }, { prune: true })).toEqual([
      `delete channel ${bot} → chat -100 topic 4`,
    ]);
    expect(await apply({ alert_channels: [] }, { prune: true })).toEqual([
      `delete channel ${hookName}`,
    ]);
    expect(await listed()).toEqual([]);
  });

  it('whose bots are all gone are not exported: without them they would hear of every bot', async () => {
    const { id: bot, token } = rig.first;
    const bots = [{ platform_id: bot, token, name: 'Shop' }];
    await apply({ bots, alert_channels: [{ url, secret, bots: [bot] }] });
    await rig.app.store.engine.write(() => raw('delete from bots'));
    const { config } = await exported(undefined, true);
    expect(config.alert_channels).toEqual([]);
    const [left] = await listed();
    expect(await rig.app.store.alertChannels.remove(left?.id ?? 0)).toBe(true);
  });

  it('are left alone by a file without their section, but go with the bot that writes them', async () => {
    const { id: bot, token } = rig.first;
    const before = (await exported(undefined, true)).config.bots ?? [];
    const chat = { bot, chat_id: -100 };
    const channels = { alert_channels: [chat, { url, secret }] };
    await apply({ bots: [{ platform_id: bot, token }], ...channels });
    expect(await apply({ bots: before }, { prune: true })).toEqual([
      `delete bot ${bot}`,
      `delete channel ${bot} → chat -100`,
    ]);
    expect(await listed()).toMatchObject([{ type: 'webhook', url }]);
    expect(await apply({ alert_channels: [] }, { prune: true })).toEqual([
      `delete channel ${hookName}`,
    ]);
  });

  it.each([
    ['a webhook without a secret', { url }, `alert_channels[${hookName}].secret`],
    ['a short secret', { url, secret: 'whsec_YQ==' }, `alert_channels[${hookName}].secret`],
    [
      'an address of no web server',
      { url: 'ftp://ops.example.com/XXXX', secret },
      `alert_channels[ops.example.com #${hash('sha256', 'ftp://ops.example.com/XXXX').slice(0, 8)}].url`,
    ],
    ['an unknown bot', { bot: 4_711, chat_id: 5 }, 'alert_channels[4711 → chat 5].bot'],
    [
      'a zone of no map',
      { url, secret, quiet_hours: { start: '22:00', end: '07:00', timezone: 'Mars/Base' } },
      `alert_channels[${hookName}].quiet_hours.timezone`,
    ],
  ])('refuse %s, and change nothing', async (_, channel, field) => {
    const { status, body } = await tryApply({ alert_channels: [channel] });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body).toMatchObject({ details: [{ field }] });
    expect(JSON.stringify(body)).not.toContain('XXXX');
    expect(await listed()).toEqual([]);
  });
});
