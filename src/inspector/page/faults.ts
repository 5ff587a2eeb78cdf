/** The faults of a world: usual ones as toggles, all that there are, and a rule as JSON for others. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { InstalledRule } from "../../faults/faults.ts";
import type { VerdictKind } from "../../faults/verdict.ts";
import { useLoaded } from "./loading.ts";
import {
  ActionButton,
  ActionForm,
  Area,
  Choose,
  type DrawerProps,
  link,
  type Part,
  type Values,
  Waiting,
} from "./parts.ts";

const outage = { kind: "respond", status: 503, headers: { "Retry-After": "5" } };
const halfBody = { kind: "truncate", share: 0.5 };
const wrongBody = { kind: "wrong-body", wrong: "ok-false" };

/** By the ids that they get. */
const usualFaults: Readonly<Record<string, readonly [label: string, rule: object]>> = {
  "lost-answers": [
    "Lose 1 in 10 answers",
    { match: { share: 0.1 }, verdict: { kind: "lose-response" } },
  ],
  "outage-1-min": ["503 for 1 min", { ttl: "1m", verdict: outage }],
  "slow-2-s": ["2 s slow", { verdict: { kind: "delay", delay: "2s" } }],
  "cut-bodies": ["Cut bodies", { verdict: halfBody }],
  "wrong-bodies": ["Wrong bodies", { verdict: wrongBody }],
};

/** What each kind does, and the members that it needs, to begin with. */
const kinds: Readonly<Record<VerdictKind, readonly [does: string, more: object]>> = {
  respond: ["this answer, the service does nothing", outage],
  "lose-response": ["the service acts, the connection closes", {}],
  drop: ["the service does nothing, the connection closes", {}],
  delay: ["the answer comes late", { delay: "2s" }],
  timeout: ["the service does nothing, no answer ever comes", {}],
  reset: ["the service does nothing, the connection is reset", {}],
  empty: ["the service does nothing, the connection closes without a byte", {}],
  truncate: ["the service acts, its answer breaks off", halfBody],
  garbage: ["the service acts, the body is garbage", {}],
  "wrong-body": ["the service acts, the answer is valid JSON but wrong", wrongBody],
  drip: ["the answer comes bit by bit", { bytesPerSecond: 20 }],
  duplicate: ["the service acts twice", {}],
  reorder: ["other answers are sent before this one", { by: 1 }],
};

/** Each kind as a whole rule in JSON. */
const templates = Object.entries(kinds).map(([kind, [does, more]]) => {
  const rule = { match: { operation: "impression", every: 10 }, verdict: { kind, ...more } };
  return [JSON.stringify(rule, undefined, 2), `${kind}: ${does}`] as const;
});

export function Faults({ source, version }: DrawerProps): Part {
  const rules = useLoaded(
    () => source.get<{ faults: InstalledRule[] }>("faults"),
    [source],
    version,
  );
  const list = rules.value?.faults ?? [];
  const add = async (rule: object | string): Promise<void> => {
    await source.send("POST", "faults", rule);
    rules.reload();
  };
  const remove = async (id: string): Promise<void> => {
    await source.send("DELETE", `faults/${encodeURIComponent(id)}`);
    rules.reload();
  };
  const toggles = Object.entries(usualFaults).map(([id, [label, rule]]) => {
    const isOn = list.some((one) => one.id === id);
    const toggle = (): Promise<void> => (isOn ? remove(id) : add({ id, ...rule }));
    return html`<${ActionButton} key=${id} label=${label} isOn=${isOn} act=${toggle} />`;
  });
  return html`<${Waiting} loaded=${rules} />
    ${!source.isFile && html`<p class="buttons toggles">${toggles}</p>`}
    ${rules.value !== undefined && list.length === 0 && html`<p class="quiet">No fault: every request reaches the service, and every answer arrives.</p>`}
    ${list.map(
      ({ id, match, verdict, seen, fired, expires }) => html`<section class="point" key=${id}>
        <h3>⚡ ${link({ text: `fault:${id}`, show: undefined }, id)} <span class="quiet">acted on ${fired} of ${seen}</span>
          ${!source.isFile && html`<${ActionButton} label="Remove" act=${() => remove(id)} />`}</h3>
        <p>${verdict === undefined ? "a function" : kinds[verdict.kind][0]}</p>
        <p><code>${printable(JSON.stringify({ match, verdict, expires }))}</code></p>
      </section>`,
    )}
    ${!source.isFile && html`<details><summary>More</summary><${AnyRule} add=${add} /></details>`}`;
}

function AnyRule({ add }: { add(rule: string): Promise<void> }): Part {
  const [template, choose] = useState(templates[0]?.[0] ?? "");
  return html`<${ActionForm} submit="Add" act=${({ rule = "" }: Values) => add(rule)}>
    <${Choose} label="Kind" name="kind" options=${templates} onChoose=${choose} />
    <${Area} label="The rule, as JSON" name="rule" value=${template} />
  </${ActionForm}>`;
}
