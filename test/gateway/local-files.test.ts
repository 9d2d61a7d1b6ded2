import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceWithLocalFiles } from './local-files-rig.ts';

describe.runIf(process.platform === 'linux')('files of a local Bot API server', () => {
  const { folder, root, own, download, getFile } = serviceWithLocalFiles();

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
  });

  it.each([
    ['outside the root', () => path.join(folder, 'outside.txt')],
    ['behind a symbolic link out of it', () => path.join(own, 'link.txt')],
    ['of another bot', () => path.join(root, '654321:secret-of-another', 'other.txt')],
    ['that are folders', () => own],
    ['that are not there', () => path.join(own, 'nothing.txt')],
    ['reached by climbing', () => `${own}/%2e%2e/%2e%2e/%2e%2e/outside.txt`],
  ])('%s are not found', async (_, filePath) => {
    const answer = await download(filePath());
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ ok: false, error_code: 404 });
  });
});
