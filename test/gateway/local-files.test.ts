import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceWithLocalFiles } from './local-files-rig.ts';

describe.runIf(process.platform === 'linux')('files of a local Bot API server', () => {
  const { folder, root, own, token, other, download, getFile } = serviceWithLocalFiles();

  it('are read from disk, whole and in ranges', async () => {
    const answer = await getFile();
    const { result } = (await answer.json()) as { result: { file_path: string } };
    const whole = await download(result.file_path);
    expect(whole.status).toBe(200);
    expect(await whole.text()).toBe('green tea, black tea');
    const part = await download(result.file_path, { range: 'bytes=6-8' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 6-8/20');
    expect(await part.text()).toBe('tea');
    expect((await download(result.file_path, { range: 'bytes=99-' })).status).toBe(416);
    const head = await download(result.file_path, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '20']);
    expect(await (await download(path.join(own, 'inside.txt'))).text()).toContain('green tea');
    const sent = await download(path.join(own, 'file_1.sqlite'));
    expect(await sent.text()).toBe('a database that a user sent');
    const ofTestServers = await download(path.join(root, `${token}:T`, 'photos', 'file_0.jpg'));
    expect(await ofTestServers.text()).toBe('of the test servers');
  });

  it.each([
    ['outside the root', () => path.join(folder, 'outside.txt')],
    ['behind a symbolic link out of it', () => path.join(own, 'link.txt')],
    ['of another bot', () => path.join(root, other, 'photos', 'other.txt')],
    [
      'of another bot on the test servers',
      () => path.join(root, `${other}:T`, 'photos', 'other.txt'),
    ],
    [
      'one folder below the directory',
      () => path.join(root, 'more', token, 'photos', 'file_0.jpg'),
    ],
    ['of the server: webhooks', () => path.join(root, 'webhooks_db.binlog')],
    ['of the server: updates', () => path.join(root, 'tqueue.binlog')],
    ['of the server: the log', () => path.join(root, 'server.log')],
    ['of the session', () => path.join(root, token, 'td.binlog')],
    ['of the session: the database', () => path.join(root, token, 'db.sqlite')],
    ['of the session, behind a symbolic link', () => path.join(own, 'session.txt')],
    ['that are pipes', () => path.join(own, 'pipe')],
    ['whose name has a NUL', () => path.join(own, 'menu.txt%00')],
    ['whose name is too long', () => path.join(own, 'a'.repeat(300))],
    ['that are folders', () => own],
    ['that are not there', () => path.join(own, 'nothing.txt')],
    ['reached by climbing', () => `${own}/%2e%2e/%2e%2e/%2e%2e/outside.txt`],
  ])('%s are not found', async (_, filePath) => {
    const answer = await download(filePath());
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ ok: false, error_code: 404 });
  });
});
