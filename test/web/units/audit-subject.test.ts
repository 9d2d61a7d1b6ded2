import { describe, expect, it } from 'vitest';
import * as en from '../../../web/src/i18n/en/index.ts';
import { auditAction, auditSubject } from '../../../web/src/pages/audit/audit-subject.ts';

const entry = { before: null, after: null, input: null };

describe('the subject of an audit entry', () => {
  it('names the key, app, reader, user, route or tag that an entry of the audit log is about', () => {
    const made = { ...entry, input: { name: 'old' }, after: { name: 'deploy script' } };
    expect(auditSubject({ ...made, action: 'auth.api-keys.create' })).toBe('deploy script');
    const gone = { ...entry, input: { id: 3 }, before: { description: 'Refunds to the till' } };
    expect(auditSubject({ ...gone, action: 'routes.delete' })).toBe('Refunds to the till');
    const user = { ...entry, input: { username: 'anna', password: '***' } };
    expect(auditSubject({ ...user, action: 'auth.users.password' })).toBe('anna');
    expect(auditSubject({ ...entry, action: 'tags.add', after: { tag: 'regular' } })).toBe(
      'regular',
    );
    const app = { ...entry, input: { id: 3, priority: 1 }, after: { name: 'orders' } };
    expect(auditSubject({ ...app, action: 'bots.apps.update' })).toBe('orders');
    const reader = { ...entry, input: { reader: 'pull:crm' }, after: { position: 3 } };
    expect(auditSubject({ ...reader, action: 'bots.readers.rewind' })).toBe('pull:crm');
    const portion = { bots: [{ name: 'Shop' }], users: [{ username: 'olga' }] };
    expect(auditSubject({ ...entry, action: 'import', input: portion })).toBe('Shop, olga');
    const consumer = { ...entry, before: { consumer: 'crm' } };
    expect(auditSubject({ ...consumer, action: 'bots.readers.remove' })).toBe('crm');
  });

  it('says nothing where there is no such name, or another column tells it', () => {
    expect(auditSubject({ ...entry, action: 'routes.add', after: { description: '' } })).toBe('');
    expect(auditSubject({ ...entry, action: 'bots.update', after: { name: 'Desk' } })).toBe('');
    expect(auditSubject({ ...entry, action: 'auth.sign-in', after: { name: 'anna' } })).toBe('');
  });

  it('says whether a bot or a key was disabled or enabled', () => {
    const words = (action: string, after: unknown) =>
      auditAction({ action, after }, en.audit.actions);
    expect(words('bots.toggle-disabled', { disabled: true })).toBe('Bot disabled');
    expect(words('bots.toggle-disabled', { disabled: false })).toBe('Bot enabled');
    expect(words('auth.api-keys.toggle', { disabled: true })).toBe('Key disabled');
    expect(words('bots.toggle-disabled', null)).toBe('Bot disabled or enabled');
    expect(words('bots.update', { disabled: true })).toBe('Bot changed');
    expect(words('unheard-of', {})).toBeUndefined();
  });
});
