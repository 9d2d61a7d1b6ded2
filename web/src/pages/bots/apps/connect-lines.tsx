import { Select } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../../../i18n/use-t.tsx';
import { CopyLine } from '../../../ui/forms/copy-line.tsx';
import css from '../bots.module.css';
import { clientLibraries, clientTools } from './client-libraries.ts';

const anyTool = 'any';
/** The choice of this visit: most people use one library. */
let lastChosen = clientLibraries[0]?.name ?? anyTool;

/** The exact lines that connect a library or a tool. */
export function ConnectLines(props: {
  token: string;
  polls: boolean;
  /** Of an app with its own token; the bot's own connects without it. */
  appName?: string;
}) {
  const { appName, polls, token } = props;
  const { apps, bot, common } = useT();
  const [chosen, setChosen] = useState(lastChosen);
  const root = window.location.origin;
  const library = clientLibraries.find((one) => one.name === chosen);
  const tool = clientTools.find((one) => one.name === chosen);
  const copy = (what: string) => common.labelled(common.copy, what);
  const base = appName === undefined ? root : `${root}/p/${appName}`;
  return (
    <div className={css.connect}>
      <Select
        label={apps.library}
        data={[
          {
            group: apps.libraries,
            items: clientLibraries.map(({ language, name }) => ({
              value: name,
              label: `${name} (${language})`,
            })),
          },
          {
            group: apps.tools,
            items: [
              ...clientTools.map(({ name }) => ({ value: name, label: name })),
              { value: anyTool, label: apps.anyTool },
            ],
          },
        ]}
        allowDeselect={false}
        searchable
        maxDropdownHeight={300}
        value={chosen}
        onChange={(value) => {
          lastChosen = value ?? chosen;
          setChosen(lastChosen);
        }}
      />
      {library ? (
        <div>
          <CopyLine text={library.code(root, token, polls)} label={copy(library.name)} />
          {library.trap ? <p className={css.trap}>{bot.traps[library.trap]}</p> : null}
        </div>
      ) : null}
      {tool?.fields(root, token).map(({ label, text }) => (
        <LabelledLine key={label} label={label} text={text} copy={copy(label)} />
      ))}
      {tool ? <p className={css.trap}>{apps.toolHints[tool.hint]}</p> : null}
      {chosen === anyTool ? (
        <div>
          <LabelledLine label={apps.apiRoot} text={base} copy={copy(apps.apiRoot)} />
          <p className={css.trap}>{appName === undefined ? apps.anyHint : apps.apiRootHint}</p>
        </div>
      ) : null}
    </div>
  );
}

function LabelledLine(props: { label: string; text: string; copy: string }) {
  return (
    <div>
      <div className={css.lineLabel}>{props.label}</div>
      <CopyLine text={props.text} label={props.copy} />
    </div>
  );
}
