// Makes a checkout ready: installs missing packages, and builds the web UI and, for `npm start`, the
// service if their sources have changed. It is plain JavaScript, because on a fresh clone it runs under
// any Node on the machine (20 or newer). All steps happen under one lock and are published by rename,
// so that several services may be started from one checkout at the same time.
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from './service-sources.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const cache = path.join(root, '.cache');
const stampFile = path.join(root, 'node_modules', '.bot-relay-install.json');
const workspaces = ['sandbox', 'web', 'test'];
const manifests = ['package.json', 'package-lock.json', '.npmrc'].concat(
  workspaces.map((name) => `${name}/package.json`),
);
/** The fields of a package.json that decide what is installed. */
const installFields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'overrides',
  'workspaces',
  'allowScripts',
];
/** `page` means that the packages are installed already, as with `npm pack` after `npm ci`. */
const scopes = ['page', 'run', 'test'];
const scope = process.argv[2] ?? 'run';

function main() {
  if (!scopes.includes(scope)) fail(`unknown scope "${scope}": use one of ${scopes.join(', ')}`);
  const isReady = isInstalled() && isPageFresh() && isBrowserUnpacked();
  if (isReady && (isServiceBundled() || !isWritable())) return;
  const release = takeLock();
  try {
    tidy();
    if (!isInstalled()) install();
    if (!isPageFresh()) buildPage();
    if (!isServiceBundled()) bundleService();
    if (!isBrowserUnpacked()) unpackBrowser();
  } finally {
    release();
  }
}

/** A checkout that was prepared and then made read-only runs its sources if it has no bundle. */
function isWritable() {
  try {
    mkdirSync(cache, { recursive: true });
    accessSync(cache, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Removes what an interrupted start has left; the lock guarantees that no other start is running. */
function tidy() {
  const left = /^(install|old|dist)-\d+/;
  for (const folder of [cache, path.join(root, 'web')]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).filter((one) => left.test(one))) {
      try {
        rmSync(path.join(folder, name), { recursive: true, force: true });
      } catch {
        // Its npm may still be cleaning up; the next start removes the rest.
      }
    }
  }
}

/**
 * Hashes everything that an install depends on: a changed script or description does not cause a
 * new install.
 */
function manifestHash() {
  const hash = createHash('sha256');
  for (const file of manifests) {
    if (!existsSync(path.join(root, file))) continue;
    const text = readFileSync(path.join(root, file), 'utf8');
    hash.update(file.endsWith('package.json') ? dependenciesOf(text) : text);
  }
  return hash.digest('hex');
}

function dependenciesOf(manifest) {
  const fields = JSON.parse(manifest);
  return JSON.stringify(installFields.map((name) => fields[name]));
}

function isInstalled() {
  if (scope === 'page') return true;
  try {
    const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
    return (
      stamp.manifests === manifestHash() && scopes.indexOf(stamp.scope) >= scopes.indexOf(scope)
    );
  } catch {
    return false;
  }
}

function install() {
  const staging = path.join(cache, `install-${process.pid}`);
  rmSync(staging, { recursive: true, force: true });
  for (const file of manifests) {
    if (!existsSync(path.join(root, file))) continue;
    mkdirSync(path.dirname(path.join(staging, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(staging, file));
  }
  say(
    scope === 'run'
      ? 'installing dependencies (once, about a minute) …'
      : 'installing test dependencies …',
  );
  const only = scope === 'run' ? ['--workspace=web', '--include-workspace-root'] : [];
  const result = npm(['ci', '--include=dev', '--loglevel=error', ...only], staging);
  if (result.status !== 0) {
    rmSync(staging, { recursive: true, force: true });
    fail(
      `"npm ci" failed (see above). Check that this machine reaches its package registry, then run the same command again.`,
    );
  }
  if (!existsSync(nodeBinary(staging))) {
    rmSync(staging, { recursive: true, force: true });
    fail(
      `the pinned Node (npm package "node") could not be installed: allow its install script ("npm config set ignore-scripts false") or install Node 24 yourself and run "npm ci --include=dev && node bin/bot-relay.js start".`,
    );
  }
  writeFileSync(
    path.join(staging, 'node_modules', path.basename(stampFile)),
    JSON.stringify({ manifests: manifestHash(), scope }),
  );
  for (const folder of ['', ...workspaces]) {
    publish(path.join(staging, folder, 'node_modules'), path.join(root, folder, 'node_modules'));
  }
  rmSync(staging, { recursive: true, force: true });
}

function isPageFresh() {
  const web = path.join(root, 'web');
  const built = path.join(web, 'dist', 'index.html');
  if (!existsSync(path.join(web, 'index.html'))) return true;
  if (!existsSync(built)) return false;
  const builtAt = statSync(built).mtimeMs;
  // The web UI contains tables of src/core, such as the kinds of readers.
  const core = path.join(root, 'src', 'core');
  return Math.max(newestOf(web), newestOf(core)) <= builtAt;
}

function newestOf(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('dist') || entry.name === 'node_modules') continue;
    const full = path.join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestOf(full) : statSync(full).mtimeMs);
  }
  return newest;
}

function buildPage() {
  say('building the web UI …');
  const target = path.join(root, 'web', `dist-${process.pid}`);
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const result = spawnSync(
    nodeBinary(root),
    [vite, 'build', '--outDir', target, '--emptyOutDir', '--logLevel', 'error'],
    { cwd: path.join(root, 'web'), stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (result.status !== 0) {
    rmSync(target, { recursive: true, force: true });
    fail('the web UI could not be built (see above).');
  }
  publish(target, path.join(root, 'web', 'dist'));
}

/** Tests build what they start, and the package is built by itself. */
function isServiceBundled() {
  const script = path.join(root, 'scripts', 'build-service.ts');
  return scope !== 'run' || !existsSync(script) || existsSync(bundleFolder(root));
}

function bundleService() {
  say('building the service …');
  const script = path.join(root, 'scripts', 'build-service.ts');
  const options = { stdio: ['ignore', 'inherit', 'inherit'] };
  if (spawnSync(nodeBinary(root), [script], options).status === 0) return;
  say('the service could not be built (see above): its sources run, which takes more memory.');
}

/** The package contains Chromium for one platform only; on others the tests ask for CHROMIUM_PATH. */
function isBrowserUnpacked() {
  const bundled = process.platform === 'linux' && process.arch === 'x64';
  return scope !== 'test' || !bundled || existsSync(browserFolder());
}

/** Must match test/web/support/browser.ts. */
function browserFolder() {
  const manifest = path.join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return path.join(root, 'node_modules', '.cache', `chromium-${version}`);
}

function unpackBrowser() {
  say('unpacking the browser for the tests …');
  const target = browserFolder();
  const staging = path.join(cache, `install-${process.pid}-browser`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  // The package unpacks into the temporary directory.
  const result = spawnSync(
    nodeBinary(root),
    [path.join(root, 'test', 'support', 'unpack-browser.js')],
    { env: { ...process.env, TMPDIR: staging }, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (result.status !== 0) {
    rmSync(staging, { recursive: true, force: true });
    fail('the browser for the tests could not be unpacked (see above).');
  }
  mkdirSync(path.dirname(target), { recursive: true });
  publish(staging, target);
}

/** Puts `from` in the place of `to`; a process that has the old one open keeps it. */
function publish(from, to) {
  if (!existsSync(from)) return;
  const old = path.join(cache, `old-${process.pid}-${path.basename(to)}`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(to)) renameSync(to, old);
  renameSync(from, to);
  rmSync(old, { recursive: true, force: true });
}

function nodeBinary(base) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return path.join(base, 'node_modules', 'node', 'bin', name);
}

function npm(args, cwd) {
  const cli = process.env.npm_execpath;
  const options = { cwd, stdio: ['ignore', 'ignore', 'inherit'] };
  if (cli?.endsWith('.js') || cli?.endsWith('.cjs')) {
    return spawnSync(process.execPath, [cli, ...args], options);
  }
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

function takeLock() {
  const lock = path.join(cache, 'prepare.lock');
  const mine = `${process.pid} ${startOf(process.pid)} ${randomUUID()}`;
  mkdirSync(cache, { recursive: true });
  const giveUpAt = Date.now() + 15 * 60_000;
  let told = false;
  for (;;) {
    try {
      writeFileSync(lock, mine, { flag: 'wx' });
      const release = () => textOf(lock) === mine && rmSync(lock, { force: true });
      // The lock is also released if this start fails.
      process.once('exit', release);
      return release;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (removeStale(lock)) continue;
    if (Date.now() > giveUpAt) fail(`another start holds ${lock} for too long; remove it.`);
    if (!told) say('another start is installing; waiting for it …');
    told = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

/**
 * Removes a lock whose process has ended; returns true if the lock may be free. If several starters
 * find the same stale lock, only the one that first claims this very lock may remove it. Otherwise
 * the second would remove the lock that the first has taken by then.
 */
function removeStale(lock) {
  const found = textOf(lock);
  if (found === undefined) return true;
  if (isAlive(lock, found)) return false;
  const claim = `${lock}-${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
  try {
    writeFileSync(claim, '', { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // A claim lasts for an instant, unless its process was killed meanwhile.
    if (ageMs(claim) > 10_000) rmSync(claim, { force: true });
    return false;
  }
  try {
    if (textOf(lock) === found) rmSync(lock, { force: true });
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

/** Returns true if the process that wrote the lock still runs. */
function isAlive(lock, text) {
  const [pid, start] = text.split(' ');
  // An empty lock was just created by a process that has not written its number yet.
  if (!Number(pid)) return ageMs(lock) < 5_000;
  // In a new container, processes have the same numbers as in the one before.
  if (Number(pid) === process.pid || (start && start !== startOf(pid))) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Tells a process apart from an earlier one with the same number; '-' if only the number is known. */
function startOf(pid) {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, a name in brackets, may contain spaces. The start is the 22nd field.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '-';
  }
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function ageMs(file) {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function say(text) {
  console.error(`bot-relay: ${text}`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

main();
