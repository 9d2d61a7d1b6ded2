// Unpacks the packaged Chromium, its libraries and its fonts into TMPDIR; run by scripts/prepare.js.
import { chmodSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import sparticuz, { inflate } from '@sparticuz/chromium';

const packages = path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium'));
const browser = await sparticuz.executablePath();
const folder = path.dirname(browser);
// By default only unpacked on AWS; a bare Linux has no NSS either.
await inflate(path.join(packages, '..', 'bin', 'al2023.tar.br'));
// A checkout that root prepared also serves other users.
chmodSync(browser, 0o755);
// Only these fonts, so that text has the same width on every machine.
writeFileSync(
  path.join(folder, 'fonts', 'fonts.conf'),
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`,
);
