// Writes numbers one after the other and reports each once it is committed, until it is killed.
import { raw } from '../../../src/store/engine.ts';
import { openSqlite } from '../../../src/store/sqlite/engine.ts';

const [dataDir = '', from = '0'] = process.argv.slice(2);
const engine = await openSqlite(dataDir, { checkpointPages: 50 });
for (let number = Number(from); ; number++) {
  await engine.write(() =>
    raw('insert into settings (name, value) values ($1, $2)', [`n${number}`, 'x'.repeat(3_000)]),
  );
  // Not ahead of what the reader can take: what waits in this process is lost with it.
  await new Promise((resolve) => process.stdout.write(`${number}\n`, resolve));
}
