import type { Service } from '../../api/operation.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import css from './settings.module.css';

/** After this long without a heartbeat, the other nodes take over. */
const silentMs = 30_000;

export function Nodes(props: { nodes: Service['nodes']; isAsked: boolean }) {
  const { nodes } = props;
  const { settings } = useT();
  return (
    <Panel
      title={settings.nodes}
      hint={nodes.length > 1 ? settings.nodesHint : settings.oneNode}
      isAsked={props.isAsked}
    >
      <NodeTable nodes={nodes} />
    </Panel>
  );
}

function NodeTable(props: { nodes: Service['nodes'] }) {
  const { nodes } = props;
  const { settings } = useT();
  const format = useFormat();
  const now = useNow();
  return (
    <div className={css.scroll}>
      <table className={css.nodes}>
        <thead>
          <tr>
            <th scope="col">{settings.node}</th>
            <th scope="col">{settings.botsRun}</th>
            <th scope="col">{settings.lastHeartbeat}</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id}>
              <th scope="row">
                <span className="mono">{node.id}</span>
                {node.here ? ` · ${settings.here}` : ''}
              </th>
              <td className="tabular">{format.number(node.bots)}</td>
              <td>
                <State tone={now - Date.parse(node.seen_at) < silentMs ? 'ok' : 'bad'}>
                  <TimeAgo at={node.seen_at} />
                </State>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
