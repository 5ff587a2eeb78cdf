/** The faults of a world: usual ones as toggles, all that there are, and a form for others. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { InstalledRule } from "../../faults/faults.ts";
import { operationIds } from "../../spec/operations.ts";
import { faultKinds, templateOf, usualFaults } from "./fault-forms.ts";
import { useLoaded } from "./loading.ts";
import {
  ActionButton,
  ActionForm,
  Area,
  Choose,
  type DrawerProps,
  durationIn,
  Input,
  link,
  type Part,
  parsed,
  type Values,
  Waiting,
} from "./parts.ts";

export function Faults({ source, version }: DrawerProps): Part {
  const rules = useLoaded(
    () => source.get<{ faults: InstalledRule[] }>("faults"),
    [source],
    version,
  );
  const list = rules.value?.faults ?? [];
  const act = (method: "POST" | "DELETE", path: string, body?: object) => async () => {
    await source.send(method, path, body);
    rules.reload();
  };
  const toggle = (id: string, rule: object): Part => {
    const isOn = list.some((one) => one.id === id);
    const change = isOn ? act("DELETE", `faults/${id}`) : act("POST", "faults", { id, ...rule });
    return html`<${ActionButton} key=${id} label=${usualFaults[id]?.label} isOn=${isOn} act=${change} />`;
  };
  return html`<${Waiting} loaded=${rules} />
    ${!source.isFile && html`<p class="buttons toggles">${Object.entries(usualFaults).map(([id, { rule }]) => toggle(id, rule))}</p>`}
    ${rules.value !== undefined && list.length === 0 && html`<p class="quiet">No fault: every request reaches the service, and every answer arrives.</p>`}
    ${list.map(
      ({ id, match, verdict, seen, fired, expires }) => html`<section class="point" key=${id}>
        <h3>⚡ ${link({ text: `fault:${id}`, show: undefined }, id)}
          <span class="quiet">acted on ${fired} of ${seen}</span>
          ${!source.isFile && html`<${ActionButton} label="Remove" act=${act("DELETE", `faults/${encodeURIComponent(id)}`)} />`}</h3>
        <p>${verdict === undefined ? "a function" : membersText(verdict)}</p>
        <p class="quiet">${(match && membersText(match)) || "every request"}${expires !== undefined && `, until ${expires}`}</p>
      </section>`,
    )}
    ${!source.isFile && html`<details class="more"><summary>More</summary><${Forms} add=${(rule: object) => act("POST", "faults", rule)()} /></details>`}`;
}

function Forms({ add }: { add(rule: object): Promise<void> }): Part {
  const [kind, setKind] = useState("respond");
  const addFields = ({ id = "", operation = "", every = "", ttl = "", verdict = "" }: Values) =>
    add({
      ...(id && { id }),
      ...(ttl && { ttl: durationIn(ttl) }),
      match: { ...(operation && { operation }), ...(every && { every: Number(every) }) },
      verdict: parsed(verdict, "verdict"),
    });
  return html`<${ActionForm} submit="Add" act=${addFields}>
      <${Choose} label="Kind" name="kind" options=${faultKinds} onChoose=${setKind} />
      <${Choose} label="Operation" name="operation" options=${[["", "any"], ...operationIds.map((id) => [id, id])]} />
      <${Input} label="Every Nth request" name="every" placeholder="every one" />
      <${Input} label="Stays for" name="ttl" placeholder="until removed" />
      <${Input} label="Name" name="id" placeholder="rule-N" />
      <${Area} label="What it does, as JSON" name="verdict" value=${templateOf(kind)} />
    </${ActionForm}>
    <${ActionForm} submit="Add" act=${({ rule = "" }: Values) => add(parsed(rule, "rule"))}>
      <${Area} label="Or a whole rule as JSON" name="rule" value=${example} />
    </${ActionForm}>`;
}

/** An object's members in a line, such as `respond, status 503`. */
function membersText(value: object): string {
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return printable(
    members
      .map(([name, one]) => {
        const text = typeof one === "object" ? JSON.stringify(one) : `${one}`;
        return name === "kind" ? text : `${name} ${text}`;
      })
      .join(", "),
  );
}

const example = JSON.stringify(
  {
    id: "lost-ack",
    match: { operation: "impression", share: 0.1 },
    verdict: { kind: "lose-response" },
    ttl: "10m",
  },
  undefined,
  2,
);
