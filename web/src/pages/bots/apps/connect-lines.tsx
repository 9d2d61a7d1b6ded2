import { Select } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../../../i18n/use-t.tsx';
import { CopyLine } from '../../../ui/forms/copy-line.tsx';
import css from '../bots.module.css';
import own from './apps.module.css';
import { clientLibraries, clientTools } from './client-libraries.ts';

const anyTool = 'any';
/** Remembers the choice of this visit, because most people use one library. */
let lastChosen = clientLibraries[0]?.name ?? anyTool;

/** Returns the tool in an app's name, such as n8n for n8n-orders. */
function namedAfter(appName: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return clientTools.find(({ name }) => plain(appName).includes(plain(name)))?.name;
}

/** The exact lines that connect a library or a tool. */
export function ConnectLines(props: {
  token: string;
  polls: boolean;
  /** Set for an app with its own token; the bot's own connects without it. */
  appName?: string;
  /** True if the token is shown only once: it is then also shown apart from the lines. */
  isOnce?: boolean;
}) {
  const { appName, polls, token } = props;
  const { apps, bot, common } = useT();
  const [chosen, setChosen] = useState(() => namedAfter(appName ?? '') ?? lastChosen);
  const root = window.location.origin;
  const library = clientLibraries.find((one) => one.name === chosen);
  const tool = clientTools.find((one) => one.name === chosen);
  const copy = (what: string) => common.labelled(common.copy, what);
  const base = appName === undefined ? root : `${root}/p/${appName}`;
  return (
    <div className={css.connect}>
      {props.isOnce ? (
        <div className={own.once}>
          <p className={own.hint}>{apps.tokenOnce}</p>
          {/* A tool has a separate field for it below. */}
          {tool ? null : <CopyLine text={token} label={copy(apps.token)} />}
        </div>
      ) : null}
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
