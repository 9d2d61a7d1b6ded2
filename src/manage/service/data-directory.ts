import { type Reason, reason } from '../../core/reasons/reason.ts';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { RelayError } from '../../errors.ts';

/**
 * Creates a data directory if it is missing, accessible only to its user. Returns true if it was
 * created. Errors name the setting and an example.
 */
export function openDirectory(directory: string, example = 'RELAY_DATA_DIR=./data'): boolean {
  try {
    const made = makeMissing(path.resolve(directory));
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    throw new RelayError('bad_setting', explain(directory, error, example), { cause: error });
  }
}

const ownNames =
  /^(relay\.(db|lock)|sandbox\.json|master\.key|service\.json|node-id|media|demo-password)([.-].+)?$|^lost\+found$/;

/**
 * Makes a data directory inaccessible to other users if it belongs to this user and contains only
 * files of the service. A directory with other files, such as a home directory, is left as it is.
 */
export function makePrivate(directory: string): void {
  // Windows stores permissions in another way.
  if (process.platform === 'win32') return;
  try {
    const { uid, mode } = statSync(directory);
    const isOpen = (mode & 0o077) !== 0;
    if (!isOpen || uid !== process.getuid?.()) return;
    if (readdirSync(directory).every((name) => ownNames.test(name))) chmodSync(directory, 0o700);
  } catch {
    // This failure is harmless: the files are private by themselves, and `doctor` reports the
    // directory.
  }
}

/**
 * Creates directories step by step: in a directory that takes no others, such as /proc, Node's
 * recursive way retries forever.
 */
function makeMissing(directory: string): boolean {
  const found = statOf(directory);
  if (found?.isDirectory()) return false;
  if (found) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  const parent = path.dirname(directory);
  if (parent !== directory) makeMissing(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if (!statOf(directory)?.isDirectory()) throw error;
  }
  return true;
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

function explain(directory: string, error: unknown, example: string): Reason {
  const { code: cause = '' } = error as NodeJS.ErrnoException;
  const [setting = ''] = example.split(/[ =]/);
  const about = { setting, directory, example };
  const found = statOf(directory);
  if (!found) return reason('directory_not_made', { ...about, cause });
  return found.isDirectory()
    ? reason('directory_not_writable', { ...about, cause })
    : reason('directory_is_a_file', about);
}
