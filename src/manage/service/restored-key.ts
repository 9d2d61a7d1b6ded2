/*
 * Checks after a restore whether the next start can decrypt the secrets in the database, and if
 * not, why.
 */
import { readWitnessIn } from '../../store/sqlite/database-file.ts';
import { createMasterKeyFile } from './master-key.ts';
import { type KeySettings, keyIdOf, opensWitness } from './secrets.ts';

export interface KeyCheck {
  opens: boolean;
  /** The advice for the person who restored. */
  advice: string;
}

export function examineRestoredKey(databaseFile: string, settings: KeySettings): KeyCheck {
  const keyFile = createMasterKeyFile(settings.dataDir);
  const current = settings.secretKey || keyFile.current();
  const source = settings.secretKey === '' ? keyFile.file : 'RELAY_SECRET_KEY';
  const witness = readWitnessIn(databaseFile);
  if (witness === undefined) return { opens: true, advice: 'It contains no encrypted secrets.' };
  if (current === '') {
    return {
      opens: false,
      advice: `Its secrets need the master key of the backup. Put it at ${source}, or set RELAY_SECRET_KEY to it, before you start.`,
    };
  }
  if (opensWitness(witness, [current])) {
    return { opens: true, advice: `${source} decrypts its secrets.` };
  }
  if (opensWitness(witness, settings.previousSecretKeys)) {
    return {
      opens: true,
      advice: 'RELAY_SECRET_KEY_PREVIOUS decrypts its secrets. Keep it set for the next start.',
    };
  }
  const former = keyFile.formerFile(keyIdOf(witness) ?? '');
  return {
    opens: false,
    advice:
      former === ''
        ? `${source} cannot decrypt its secrets. Set RELAY_SECRET_KEY_PREVIOUS to the master key of the backup for the next start.`
        : `Its secrets need an earlier master key, stored in ${former}. Start once with RELAY_SECRET_KEY_PREVIOUS_FILE=${former}.`,
  };
}
