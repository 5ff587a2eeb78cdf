/** The fault rules of a world, and a form for new ones. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { InstalledRule } from "../../faults/faults.ts";
import { operationIds } from "../../spec/operations.ts";
import { faultKinds, templateOf } from "./fault-templates.ts";
import { Area, Choose, durationIn, Input, parsed } from "./fields.ts";
import { ruleText } from "./filter.ts";
import { useLoaded } from "./loading.ts";
import type { ViewProps } from "./log.ts";
import { ActionButton, ActionForm, link, OnServer, type Part, Table, Waiting } from "./parts.ts";

export function FaultsSection({ api, version }: ViewProps): Part {
  const rules = useLoaded(() => api.get<{ faults: InstalledRule[] }>("faults"), [api], { version });
  const [kind, setKind] = useState("respond");
  const act = (method: "POST" | "DELETE", path: string, body?: object) => async () => {
    await api.send(method, path, body);
    rules.reload();
  };
  const add = ({ id = "", operation = "", every = "", ttl = "", verdict = "" }): Promise<void> => {
    const match = {
      ...(operation === "" ? {} : { operation }),
      ...(every === "" ? {} : { every: Number(every) }),
    };
    const named = { ...(id === "" ? {} : { id }), ...(ttl === "" ? {} : { ttl: durationIn(ttl) }) };
    return act("POST", "faults", { ...named, match, verdict: parsed(verdict, "verdict") })();
  };
  const list = rules.value?.faults ?? [];
  return html`<${Waiting} loaded=${rules} />
    <section><h3>Rules in force</h3>
      ${
        rules.value?.faults.length === 0
          ? html`<p class="quiet">None: every request reaches the service, and every answer arrives.</p>`
          : html`<${Table} label="Fault rules" head=${["rule", "matches", "verdict", "seen", "fired", "ends", ""]}
              keys=${list.map(({ id }) => id)}
              rows=${list.map(({ id, match, verdict, seen, fired, expires }) => [
                link({ view: undefined, section: undefined, text: ruleText(id), faults: "1" }, id),
                match === undefined ? "a function" : membersText(match) || "every request",
                verdict === undefined ? "" : membersText(verdict),
                seen,
                fired,
                expires ?? "",
                html`<${OnServer}><${ActionButton} key=${id} label="remove" act=${act("DELETE", `faults/${encodeURIComponent(id)}`)} /></${OnServer}>`,
              ])} />
              <${OnServer}><p><${ActionButton} label="Remove all" act=${act("DELETE", "faults")} /></p></${OnServer}>`
      }
    </section>
    <${OnServer}><section><h3>Add a rule</h3>
      <${ActionForm} submit="Add" act=${add}>
        <${Choose} label="Kind" value=${kind} options=${faultKinds} onChoose=${setKind} />
        <${Choose} label="Operation" name="operation" value=""
          options=${[["", "any"], ...operationIds.map((id) => [id, id])]} />
        <${Input} label="Every Nth request" name="every" placeholder="every one" />
        <${Input} label="Stays for" name="ttl" placeholder="until removed" />
        <${Input} label="Name" name="id" placeholder="rule-N" />
        <${Area} label="Verdict" name="verdict" value=${templateOf(kind)} />
      </${ActionForm}>
      <details><summary>A rule as JSON</summary>
        <${ActionForm} submit="Add" act=${({ rule = "" }) => act("POST", "faults", parsed(rule, "rule"))()}>
          <${Area} label="Rule" name="rule" value=${example} />
        </${ActionForm}>
      </details>
    </section></${OnServer}>`;
}

/** An object's members in a line, such as `respond, status 503`. */
function membersText(value: object): string {
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([name, one]) => {
      const text = typeof one === "object" ? JSON.stringify(one) : `${one}`;
      return name === "kind" ? text : `${name} ${text}`;
    })
    .join(", ");
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
