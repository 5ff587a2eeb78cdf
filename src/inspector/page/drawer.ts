/** The drawer beside the list: the findings, or what can be changed in the world. */

import { html } from "htm/preact";
import { Assumptions } from "./assumptions.ts";
import { Faults } from "./faults.ts";
import { Findings } from "./findings.ts";
import { chosenOf, type DrawerProps, type Part, Tabs } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { Publishers } from "./publishers.ts";
import { Scenarios } from "./scenarios.ts";
import { StateOfWorld } from "./state.ts";

const views = { faults: Faults, assumptions: Assumptions, publishers: Publishers };
const onServer = { scenarios: Scenarios, state: StateOfWorld };

export function Drawer(props: DrawerProps & { readonly isFindings: boolean }): Part {
  const { isFindings, source } = props;
  const { section } = usePlace();
  const close = (): void => go({ view: undefined, section: undefined });
  const shown = source.isFile ? views : { ...views, ...onServer };
  const tabs = Object.fromEntries(
    Object.keys(shown).map((id) => [id, id.charAt(0).toUpperCase() + id.slice(1)]),
  );
  const chosen = chosenOf(tabs, section);
  const View = isFindings ? Findings : new Map(Object.entries(shown)).get(chosen);
  const title = isFindings ? "Findings" : "World";
  return html`<aside class="drawer side" aria-label=${title}>
    <header><h2>${title}</h2>
      <button type="button" aria-label="Close" title="Close (Esc)" onClick=${close}>✕</button></header>
    ${!isFindings && html`<${Tabs} name="section" label="What to change" tabs=${tabs} chosen=${chosen} />`}
    <div class="tab-panel" tabindex="0" key=${chosen}><${View} ...${props} /></div>
  </aside>`;
}
